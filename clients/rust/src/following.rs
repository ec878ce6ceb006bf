//! The state of a subscription, which survives connections.

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex};

use prost::Message;
use tokio::sync::Notify;
use tokio::time::Instant;

use crate::attempts::backoff;
use crate::client::Core;
use crate::connection::{Connection, Handler};
use crate::errors::{Error, Kind, Retry};
use crate::flag::{lock, Flag};
use crate::frames;
use crate::generated::services::THREAD_SUBSCRIBE;
use crate::stream::Stream;
use crate::v1::{self, subscription_event, SubscribeRequest, SubscriptionEvent};

/// It goes on behind the last event that the program has taken. What was read ahead of it goes with its connection and comes
/// again, so nothing is skipped and no event comes twice.
pub(crate) struct Following {
    pub core: Arc<Core>,
    /// Empty: notices of all threads.
    pub thread: Vec<u8>,
    pub changed: Notify,
    stopped: Flag,
    pub state: Mutex<State>,
}

pub(crate) struct State {
    pub asked: SubscribeRequest,
    pub stream: Option<Current>,
    is_opening: bool,
    pub has_opened: bool,
    pub is_closed: bool,
    pub error: Option<Error>,
    pub queue: VecDeque<Queued>,
    /// The last event that the program has taken.
    pub cursor: Option<u64>,
    /// The last event that has come.
    pub received: Option<u64>,
    pub epoch: Option<u64>,
    pub agents: HashMap<Vec<u8>, u64>,
    /// Bytes that the program has taken and that are not given back as credit yet.
    pub returned: usize,
    /// Streams that ended soon, without a message taken since: such a subscription comes again ever more slowly.
    broken: u32,
    pub gaps_in_a_row: u32,
    pub skipped: u64,
}

pub(crate) struct Current {
    pub stream: Arc<Stream>,
    pub number: u32,
    pub allowed: i64,
    since: Instant,
}

pub(crate) enum Queued {
    /// A message, and its bytes.
    Message(Box<SubscriptionEvent>, usize),
    Gap(Gap),
}

/// Events of an agent that came while there was no connection: they are read before the stream goes on.
#[derive(Clone, Debug)]
pub(crate) struct Gap {
    pub agent: Vec<u8>,
    pub after: u64,
    pub until: u64,
}

impl Following {
    pub(crate) fn new(core: &Arc<Core>, thread: Option<Vec<u8>>) -> Arc<Following> {
        let asked =
            SubscribeRequest { thread: thread.clone(), credit: Some(core.options.credit), ..Default::default() };
        let state = State {
            asked,
            stream: None,
            is_opening: false,
            has_opened: false,
            is_closed: false,
            error: None,
            queue: VecDeque::new(),
            cursor: None,
            received: None,
            epoch: None,
            agents: HashMap::new(),
            returned: 0,
            broken: 0,
            gaps_in_a_row: 0,
            skipped: 0,
        };
        Arc::new(Following {
            core: core.clone(),
            thread: thread.unwrap_or_default(),
            changed: Notify::new(),
            stopped: Flag::default(),
            state: Mutex::new(state),
        })
    }

    /// The program has taken a message.
    pub(crate) fn taken(&self, state: &mut State, message: &SubscriptionEvent, size: usize) {
        state.broken = 0;
        if let Some(subscription_event::Kind::Event(event)) = &message.kind {
            match &message.thread {
                Some(agent) => drop(state.agents.insert(agent.clone(), event.sequence)),
                None => state.cursor = Some(event.sequence),
            }
        }
        state.returned += size;
        let credit = state.asked.credit.unwrap_or(0) as usize;
        let (returned, current) = match &mut state.stream {
            Some(current) if state.returned >= credit / 2 && state.returned > 0 => (state.returned, current),
            _ => return,
        };
        let bytes = u32::try_from(returned).unwrap_or(u32::MAX);
        current.allowed = current.allowed.saturating_add(i64::from(bytes));
        let credit = v1::Credit { bytes }.encode_to_vec();
        current.stream.connection.send(frames::CREDIT, THREAD_SUBSCRIBE.number, current.number, &credit);
        state.returned = 0;
    }

    /// Begins to follow, if it has not begun.
    pub(crate) fn open(self: &Arc<Self>) {
        self.open_locked(&mut lock(&self.state));
    }

    fn open_locked(self: &Arc<Self>, state: &mut State) {
        if state.stream.is_some() || state.is_opening || state.is_closed || state.error.is_some() {
            return;
        }
        state.is_opening = true;
        match self.core.add(self) {
            Ok(()) => self.core.tasks.spawn(self.clone().keep_opening()),
            Err(closed) => {
                state.error = Some(closed);
                self.changed.notify_waiters();
            }
        }
    }

    /// Subscribes, as often as it takes.
    async fn keep_opening(self: Arc<Self>) {
        tokio::select! {
            () = self.open_in_time() => {}
            () = self.stopped.wait() => {}
        }
    }

    async fn open_in_time(self: &Arc<Self>) {
        let options = &self.core.options;
        let broken = lock(&self.state).broken;
        if broken > 1 {
            tokio::time::sleep(backoff(options, broken - 2)).await;
        }
        for attempt in 0.. {
            let error = match self.core.connection_for(&self.thread).await {
                Ok(connection) => match self.subscribe(&connection) {
                    Ok(()) => return,
                    Err(error) => error,
                },
                Err(error) => error,
            };
            let may_pass = match error.kind() {
                Kind::Lost | Kind::CannotConnect => true,
                _ => matches!(error.retry(), Retry::Wait | Retry::Reconnect),
            };
            if !may_pass {
                return self.fail(&error);
            }
            tokio::time::sleep(error.retry_after.max(backoff(options, attempt))).await;
        }
    }

    fn subscribe(self: &Arc<Self>, connection: &Arc<Connection>) -> Result<(), Error> {
        let stream = Stream::new(self, connection);
        let resumed = {
            let mut state = lock(&self.state);
            if state.is_closed {
                stream.done();
                return Ok(());
            }
            state.received = state.cursor;
            state.returned = 0;
            let asked = SubscribeRequest { after: state.cursor, epoch: state.epoch, ..state.asked.clone() };
            let payload = asked.encode_to_vec();
            let opened = connection.open(THREAD_SUBSCRIBE.number, &payload, &[], Handler::Stream(stream.clone()));
            let number = match opened {
                Ok(number) => number,
                Err(error) => {
                    stream.done();
                    return Err(error);
                }
            };
            let allowed = i64::from(asked.credit.unwrap_or(0));
            state.stream = Some(Current { stream, number, allowed, since: Instant::now() });
            state.is_opening = false;
            state.has_opened.then(|| state.cursor.unwrap_or(0))
        };
        if let Some(after) = resumed {
            self.core.options.hooks.resumed(&self.thread, after);
        }
        Ok(())
    }

    /// A stream has ended.
    pub(crate) fn broke(self: &Arc<Self>, from: &Arc<Stream>, error: &Error) {
        {
            let mut state = lock(&self.state);
            let current = match state.stream.take() {
                Some(current) if Arc::ptr_eq(&current.stream, from) => current,
                other => {
                    state.stream = other;
                    return;
                }
            };
            let is_old = current.since.elapsed() > self.core.options.longest_backoff;
            state.broken = if is_old { 1 } else { state.broken.saturating_add(1) };
        }
        if matches!(error.kind(), Kind::Protocol | Kind::TooLarge) {
            return self.fail(error);
        }
        let behind = error.behind();
        if behind.kind() == Kind::Refused {
            let decided = behind.retry();
            let is_final = match decided {
                Retry::Never => error.kind() != Kind::Lost,
                Retry::Token => !self.core.options.has_token_source,
                Retry::Wait | Retry::Reconnect => false,
            };
            if is_final {
                return self.fail(behind);
            }
            if error.kind() == Kind::Refused && matches!(decided, Retry::Reconnect | Retry::Token) {
                from.connection.leave();
            }
        }
        self.start_again();
    }

    /// The connection takes nothing new: the subscription moves to another one.
    pub(crate) fn leave(self: &Arc<Self>, connection: &Arc<Connection>) {
        let current = {
            let mut state = lock(&self.state);
            match &state.stream {
                Some(current) if Arc::ptr_eq(&current.stream.connection, connection) => state.stream.take(),
                _ => None,
            }
        };
        if let Some(current) = current {
            current.stream.leave(current.number);
            self.start_again();
        }
    }

    /// Behind the last event that the program has taken; what was read ahead comes again.
    pub(crate) fn start_again(self: &Arc<Self>) {
        let mut state = lock(&self.state);
        state.queue.retain(|queued| match queued {
            Queued::Message(message, _) => {
                message.thread.is_none() && matches!(message.kind, Some(subscription_event::Kind::Subscribed(_)))
            }
            Queued::Gap(_) => false,
        });
        self.open_locked(&mut state);
    }

    fn fail(&self, error: &Error) {
        let current = {
            let mut state = lock(&self.state);
            if state.error.is_none() && !state.is_closed {
                state.error = Some(error.clone());
            }
            state.stream.take()
        };
        self.changed.notify_waiters();
        if let Some(current) = current {
            current.stream.leave(current.number);
        }
        self.core.remove(self);
    }

    pub(crate) fn close(&self) {
        let current = {
            let mut state = lock(&self.state);
            state.is_closed = true;
            state.queue.clear();
            state.stream.take()
        };
        self.changed.notify_waiters();
        self.stopped.set();
        self.core.remove(self);
        if let Some(current) = current {
            current.stream.leave(current.number);
        }
    }
}
