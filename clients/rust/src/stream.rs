//! A subscription on one connection.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::Arc;

use crate::connection::Connection;
use crate::errors::Error;
use crate::flag::lock;
use crate::following::{Following, Gap, Queued, State};
use crate::frames::{self, Frame};
use crate::v1::subscription_event::Kind;
use crate::v1::SubscriptionEvent;

/// A server sends the message that uses up the credit in full; one that goes far beyond does not count.
const OVERDRAFT: i64 = 8 << 20;

pub(crate) struct Stream {
    pub following: Arc<Following>,
    pub connection: Arc<Connection>,
    is_done: AtomicBool,
}

impl Stream {
    pub(crate) fn new(following: &Arc<Following>, connection: &Arc<Connection>) -> Arc<Stream> {
        Arc::new(Stream {
            following: following.clone(),
            connection: connection.clone(),
            is_done: AtomicBool::new(false),
        })
    }

    pub(crate) fn frame(self: &Arc<Self>, frame: Frame) -> Result<(), Error> {
        if frame.kind == frames::ERROR {
            let said = Error::refused(frames::read(frame.payload)?);
            self.ended(&said);
            return Ok(());
        }
        let message = Box::new(frames::read::<SubscriptionEvent>(frame.payload)?);
        let following = &self.following;
        let starts_again = {
            let mut state = lock(&following.state);
            let current = match state.stream.as_mut().filter(|current| Arc::ptr_eq(&current.stream, self)) {
                Some(current) => current,
                None => return Ok(()),
            };
            let number = current.number;
            if frame.kind == frames::RESPONSE {
                following.opened(&mut state, message)?;
                false
            } else {
                current.allowed -= i64::try_from(frame.size).unwrap_or(i64::MAX);
                if current.allowed < -OVERDRAFT {
                    return Err(Error::protocol("the server sends more than the subscription's credit allows"));
                }
                following.came(&mut state, message, frame.size)?
            }
            .then(|| {
                state.stream = None;
                number
            })
        };
        if let Some(number) = starts_again {
            self.leave(number);
            following.start_again();
        }
        Ok(())
    }

    pub(crate) fn ended(self: &Arc<Self>, error: &Error) {
        self.done();
        self.following.broke(self, error);
    }

    /// Once: afterwards another stream of this connection may follow the thread.
    pub(crate) fn done(&self) {
        if !self.is_done.swap(true, Ordering::SeqCst) {
            lock(&self.connection.state).follows.remove(&self.following.thread);
        }
    }

    /// The rest of it is not wanted any more.
    pub(crate) fn leave(&self, number: u32) {
        self.connection.cancel(number);
        self.done();
    }
}

impl Following {
    /// The answer to Subscribe.
    fn opened(&self, state: &mut State, message: Box<SubscriptionEvent>) -> Result<(), Error> {
        if state.asked.thread.is_some() {
            let subscribed = match &message.kind {
                Some(Kind::Subscribed(subscribed)) => subscribed,
                _ => return Err(Error::protocol("the answer to Subscribe is not `subscribed`")),
            };
            let (head, epoch) = (subscribed.head, subscribed.epoch);
            if let Some(known) = state.epoch.filter(|known| *known != epoch) {
                let text = format!("the thread's epoch was {known} and is {epoch}: its events are other ones");
                return Err(Error::protocol(text));
            }
            if let Some(seen) = state.cursor.filter(|seen| head < *seen) {
                return Err(Error::protocol(format!("the thread ends at event {head}, and {seen} was seen")));
            }
            state.epoch = Some(epoch);
            if state.cursor.is_none() {
                state.cursor = Some(head);
                state.received = Some(head);
            }
        }
        if !state.has_opened {
            state.has_opened = true;
            state.queue.push_back(Queued::Message(message, 0));
            self.changed.notify_waiters();
        }
        Ok(())
    }

    /// A message has come. True: events are missing, and are asked for once more.
    fn came(&self, state: &mut State, message: Box<SubscriptionEvent>, size: usize) -> Result<bool, Error> {
        match (&message.kind, &message.thread) {
            (None, _) => {
                state.skipped += 1;
                state.returned += size;
                return Ok(false);
            }
            (Some(Kind::Subscribed(_)), None) => return Err(Error::protocol("the server sent `subscribed` twice")),
            (Some(Kind::Subscribed(subscribed)), Some(agent)) => match state.agents.get(agent) {
                Some(known) if subscribed.head > *known => {
                    let gap = Gap { agent: agent.clone(), after: *known, until: subscribed.head };
                    state.queue.push_back(Queued::Gap(gap));
                }
                Some(_) => {}
                None => {
                    state.agents.insert(agent.clone(), subscribed.head);
                }
            },
            (Some(Kind::Event(event)), None) => {
                if let Some(last) = state.received {
                    if event.sequence <= last {
                        state.returned += size;
                        return Ok(false);
                    }
                    if event.sequence - last != 1 {
                        state.gaps_in_a_row += 1;
                        if state.gaps_in_a_row > 1 {
                            let text = format!("the server leaves out events: {} comes after {last}", event.sequence);
                            return Err(Error::protocol(text));
                        }
                        return Ok(true);
                    }
                }
                state.received = Some(event.sequence);
                state.gaps_in_a_row = 0;
            }
            _ => {}
        }
        state.queue.push_back(Queued::Message(message, size));
        self.changed.notify_waiters();
        Ok(false)
    }
}
