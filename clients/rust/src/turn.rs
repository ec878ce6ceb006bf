//! A turn, from its start to its end.

use std::collections::HashMap;
use std::fmt;
use std::time::Duration;

use crate::call::Call;
use crate::client::Client;
use crate::errors::{Error, Kind};
use crate::subscription::Subscription;
use crate::v1::{self, event, item, subscription_event, SubscriptionEvent};

const INTERRUPT_TIME: Duration = Duration::from_secs(5);

/// A turn that is made by [`Client::turn`]: the model's words as they come, each byte once, also over a lost connection. It is
/// interrupted if it is dropped before its end.
pub struct Turn {
    client: Client,
    request: v1::StartTurnRequest,
    phase: Phase,
    id: Vec<u8>,
    usage: Option<v1::TokenUsage>,
    whole: String,
    /// Bytes of each of the model's messages that have come: each byte comes once, wherever it comes from.
    seen: HashMap<Vec<u8>, u64>,
}

enum Phase {
    /// The subscription is not open. Can go to Starting, Failed.
    Opening(Subscription),
    /// The turn's start has no answer. Can go to Running, Failed.
    Starting(Subscription, Call<v1::StartTurnResponse>),
    /// The turn has its id. Can go to Over, Failed.
    Running(Subscription),
    /// The turn has ended.
    Over,
    /// The turn has no result; the program is told each time it asks.
    Failed(Error),
}

impl fmt::Debug for Turn {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "heddle::Turn by {:?}", self.client)
    }
}

impl Turn {
    pub(crate) fn new(client: Client, thread: Vec<u8>, text: String) -> Turn {
        let part = v1::ContentPart { part: Some(v1::content_part::Part::Text(text)) };
        let request = v1::StartTurnRequest {
            thread: thread.clone(),
            input: Some(v1::TurnInput { content: vec![part], ..Default::default() }),
            ..Default::default()
        };
        let phase = Phase::Opening(client.subscribe(thread));
        Turn { client, request, phase, id: Vec::new(), usage: None, whole: String::new(), seen: HashMap::new() }
    }

    /// Changes the request that starts the turn, before the first [`Turn::next`].
    #[must_use]
    pub fn with(mut self, change: impl FnOnce(&mut v1::StartTurnRequest)) -> Self {
        change(&mut self.request);
        self
    }

    /// The turn's id, or nothing before it is started.
    pub fn id(&self) -> &[u8] {
        &self.id
    }

    /// The tokens used, when the turn has ended.
    pub fn usage(&self) -> Option<&v1::TokenUsage> {
        self.usage.as_ref()
    }

    /// Waits for the end and gives the whole text.
    pub async fn result(&mut self) -> Result<String, Error> {
        while self.next().await?.is_some() {}
        Ok(self.whole.clone())
    }

    /// The next piece of the model's words; `None` at the end. It may be dropped and called again, and loses nothing by that.
    pub async fn next(&mut self) -> Result<Option<String>, Error> {
        let result = self.advance().await;
        if let Err(error) = &result {
            self.phase = Phase::Failed(error.clone());
        }
        result
    }

    async fn advance(&mut self) -> Result<Option<String>, Error> {
        loop {
            match &mut self.phase {
                Phase::Opening(events) => {
                    events.opened().await?;
                    let call = self.client.turns().start(self.request.clone());
                    if let Phase::Opening(events) = std::mem::replace(&mut self.phase, Phase::Over) {
                        self.phase = Phase::Starting(events, call);
                    }
                }
                Phase::Starting(_, call) => {
                    self.id = call.await?.turn;
                    if let Phase::Starting(events, _) = std::mem::replace(&mut self.phase, Phase::Over) {
                        self.phase = Phase::Running(events);
                    }
                }
                Phase::Running(events) => {
                    let message = events.next().await?.ok_or_else(Error::closed)?;
                    let piece = self.piece(&message);
                    self.whole.push_str(&piece);
                    self.end_with(message)?;
                    if !piece.is_empty() {
                        return Ok(Some(piece));
                    }
                }
                Phase::Over => return Ok(None),
                Phase::Failed(error) => return Err(error.clone()),
            }
        }
    }

    /// The new text of a message.
    fn piece(&mut self, message: &SubscriptionEvent) -> String {
        let event = match &message.kind {
            Some(subscription_event::Kind::Delta(delta)) if delta.turn == self.id => {
                return self.unseen(&delta.item, delta.offset, &delta.text);
            }
            Some(subscription_event::Kind::Snapshot(snapshot)) if snapshot.turn == self.id => {
                return self.unseen(&snapshot.item, 0, &snapshot.text);
            }
            Some(subscription_event::Kind::Event(event)) if event.turn.as_deref() == Some(self.id.as_slice()) => event,
            _ => return String::new(),
        };
        let (item, is_completed) = match &event.kind {
            Some(event::Kind::ItemStarted(started)) => (&started.item, false),
            Some(event::Kind::ItemCompleted(completed)) => (&completed.item, true),
            _ => return String::new(),
        };
        let (id, message) = match item {
            Some(v1::Item { id, kind: Some(item::Kind::Message(message)), .. }) => (id, message),
            _ => return String::new(),
        };
        if is_completed && message.role != v1::Role::Assistant as i32 {
            return String::new();
        }
        self.seen.entry(id.clone()).or_insert(0);
        if !is_completed {
            return String::new();
        }
        let texts = message.content.iter().filter_map(|part| match &part.part {
            Some(v1::content_part::Part::Text(text)) => Some(text.as_str()),
            _ => None,
        });
        let text: String = texts.collect();
        self.unseen(id, 0, &text)
    }

    /// The new part of a piece; one beyond a gap waits for the item's end.
    fn unseen(&mut self, item: &[u8], offset: u64, text: &str) -> String {
        let end = offset.saturating_add(text.len() as u64);
        let seen = match self.seen.get_mut(item) {
            Some(seen) if offset <= *seen && end > *seen => seen,
            _ => return String::new(),
        };
        let known = usize::try_from(*seen - offset).unwrap_or(usize::MAX);
        *seen = end;
        // A server cuts text between characters; the bytes of one that does not are read as well as can be.
        text.as_bytes().get(known..).map(|new| String::from_utf8_lossy(new).into_owned()).unwrap_or_default()
    }

    fn end_with(&mut self, message: SubscriptionEvent) -> Result<(), Error> {
        let ended = match message.kind {
            Some(subscription_event::Kind::Event(v1::Event { kind: Some(event::Kind::TurnEnded(ended)), .. })) => ended,
            _ => return Ok(()),
        };
        if ended.turn != self.id {
            return Ok(());
        }
        self.phase = Phase::Over;
        self.usage = ended.usage;
        if ended.status == v1::TurnStatus::Completed as i32 {
            return Ok(());
        }
        let status = v1::TurnStatus::from_i32(ended.status).unwrap_or_default().as_str_name();
        let status = status.strip_prefix("TURN_STATUS_").unwrap_or(status).to_string();
        let told = ended.error.unwrap_or_default();
        let message = if told.message.is_empty() { format!("the turn ended as {status}") } else { told.message };
        let mut failed = Error::new(Kind::TurnFailed, message);
        failed.reason = told.reason;
        failed.status = status;
        failed.text = self.whole.clone();
        Err(failed)
    }
}

impl Drop for Turn {
    /// The program has given the turn up: the server need not go on with it.
    fn drop(&mut self) {
        if !matches!(self.phase, Phase::Running(_)) {
            return;
        }
        let request =
            v1::InterruptTurnRequest { thread: self.request.thread.clone(), turn: std::mem::take(&mut self.id) };
        let call = self.client.turns().interrupt(request).timeout(INTERRUPT_TIME);
        self.client.core.tasks.spawn(async move { drop(call.await) });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn each_byte_comes_once_and_a_cut_character_does_not_panic() {
        let client = Client::builder().build("heddle://127.0.0.1:1").unwrap();
        let mut turn = client.turn(b"t".to_vec(), "Hello");
        assert_eq!(turn.unseen(b"i", 0, "not begun"), "");
        turn.seen.insert(b"i".to_vec(), 0);
        assert_eq!(turn.unseen(b"i", 0, "Gr"), "Gr");
        assert_eq!(turn.unseen(b"i", 0, "Gr\u{fc}"), "\u{fc}");
        assert_eq!(turn.unseen(b"i", 9, "beyond a gap"), "");
        assert_eq!(turn.unseen(b"i", u64::MAX, "beyond all numbers"), "");
        assert_eq!(turn.unseen(b"i", 0, "Gra\u{df}e"), "\u{fffd}e");
        assert_eq!(turn.whole, "");
    }
}
