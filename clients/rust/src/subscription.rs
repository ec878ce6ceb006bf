//! The messages of a thread, for a program.

use std::fmt;
use std::sync::Arc;

use crate::client::Client;
use crate::errors::Error;
use crate::flag::lock;
use crate::following::{Following, Gap, Queued};
use crate::generated::reason;
use crate::options::Boxed;
use crate::v1::{subscription_event, SubscriptionEvent, SubscriptionKind};

/// A subscription brings the messages of a thread, and survives connections: no event is left out, none comes twice. It ends
/// with [`Subscription::close`] or its drop.
pub struct Subscription {
    client: Client,
    following: Arc<Following>,
    filling: Option<(Box<Subscription>, Gap)>,
}

impl fmt::Debug for Subscription {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "heddle::Subscription by {:?}", self.client)
    }
}

/// Options, before the first message.
impl Subscription {
    /// Asks for the events after this one; 0: all of them. Without it only new ones come.
    #[must_use]
    pub fn after(self, sequence: u64) -> Self {
        {
            let mut state = lock(&self.following.state);
            state.cursor = Some(sequence);
            state.received = Some(sequence);
        }
        self
    }

    /// Names the epoch that the number of `after` belongs to.
    #[must_use]
    pub fn in_epoch(self, epoch: u64) -> Self {
        lock(&self.following.state).epoch = Some(epoch);
        self
    }

    /// Asks for the agents below the thread too; such a message has `thread`.
    #[must_use]
    pub fn tree(self) -> Self {
        lock(&self.following.state).asked.tree = true;
        self
    }

    /// Asks for some kinds of messages.
    #[must_use]
    pub fn only(self, kinds: &[SubscriptionKind]) -> Self {
        lock(&self.following.state).asked.kinds = kinds.iter().map(|kind| *kind as i32).collect();
        self
    }

    /// The bytes that may wait for the program.
    #[must_use]
    pub fn credit(self, bytes: u32) -> Self {
        lock(&self.following.state).asked.credit = Some(bytes.max(1));
        self
    }
}

/// A look at the queue.
enum Look {
    Message(Box<SubscriptionEvent>),
    Gap(Gap),
    Ended(Option<Error>),
    Empty,
}

impl Subscription {
    pub(crate) fn new(client: Client, thread: Option<Vec<u8>>) -> Subscription {
        Subscription { following: Following::new(&client.core, thread), client, filling: None }
    }

    /// The next message; `None`: the subscription is closed. It may be dropped and called again, and loses nothing by that.
    pub async fn next(&mut self) -> Result<Option<SubscriptionEvent>, Error> {
        loop {
            if self.filling.is_some() {
                if let Some(message) = self.fill().await? {
                    return Ok(Some(message));
                }
                continue;
            }
            let following = self.following.clone();
            let changed = following.changed.notified();
            match self.look() {
                Look::Message(message) => return Ok(Some(*message)),
                Look::Gap(gap) => {
                    let inner =
                        self.client.subscribe(gap.agent.clone()).after(gap.after).only(&[SubscriptionKind::Events]);
                    self.filling = Some((Box::new(inner), gap));
                }
                Look::Ended(Some(error)) => return Err(error),
                Look::Ended(None) => return Ok(None),
                Look::Empty => {
                    following.open();
                    changed.await;
                }
            }
        }
    }

    fn look(&self) -> Look {
        let following = &self.following;
        let mut state = lock(&following.state);
        match state.queue.pop_front() {
            Some(Queued::Message(message, size)) => {
                following.taken(&mut state, &message, size);
                Look::Message(message)
            }
            Some(Queued::Gap(gap)) => Look::Gap(gap),
            None if state.is_closed || state.error.is_some() => {
                state.is_closed = true;
                Look::Ended(state.error.take())
            }
            None => Look::Empty,
        }
    }

    /// The next event of an agent that came while there was no connection. Boxed: a future cannot hold one of its own type.
    fn fill(&mut self) -> Boxed<'_, Result<Option<SubscriptionEvent>, Error>> {
        Box::pin(async move {
            let (inner, gap) = match &mut self.filling {
                Some((inner, gap)) => (inner, gap.clone()),
                None => return Ok(None),
            };
            let is_over = {
                let state = lock(&self.following.state);
                state.is_closed || state.agents.get(&gap.agent).copied().unwrap_or(gap.after) >= gap.until
            };
            if is_over {
                self.filling = None;
                return Ok(None);
            }
            let message = match inner.next().await {
                // An agent that has been deleted has nothing left to read.
                Err(error) if error.is_reason(reason::THREAD) => None,
                other => other?,
            };
            let mut state = lock(&self.following.state);
            let mut message = match message {
                Some(message) => message,
                None => {
                    state.agents.insert(gap.agent, gap.until);
                    return Ok(None);
                }
            };
            if let Some(subscription_event::Kind::Event(event)) = &message.kind {
                state.agents.insert(gap.agent.clone(), event.sequence);
                message.thread = Some(gap.agent);
                return Ok(Some(message));
            }
            Ok(None)
        })
    }

    /// Begins to follow without waiting for it.
    pub fn open(&self) {
        self.following.open();
    }

    /// Waits until the server follows the thread for this subscription.
    pub async fn opened(&self) -> Result<(), Error> {
        let following = &self.following;
        loop {
            let changed = following.changed.notified();
            {
                let state = lock(&following.state);
                if let Some(error) = &state.error {
                    return Err(error.clone());
                }
                if state.has_opened {
                    return Ok(());
                }
                if state.is_closed {
                    return Err(Error::closed());
                }
            }
            following.open();
            changed.await;
        }
    }

    /// Messages of kinds that this client does not know, so far.
    pub fn skipped(&self) -> u64 {
        lock(&self.following.state).skipped
    }

    /// Ends the subscription; `next` then gives `None`.
    pub fn close(&mut self) {
        self.filling = None;
        self.following.close();
    }
}

impl Drop for Subscription {
    fn drop(&mut self) {
        self.following.close();
    }
}
