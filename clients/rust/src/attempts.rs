//! One call, as often as it takes.

use std::time::Duration;

use prost::bytes::Bytes;
use prost::Message;
use tokio::time::Instant;

use crate::call::{checked_key, Method};
use crate::client::Client;
use crate::errors::{Error, Kind, Retry};
use crate::generated::reason;
use crate::options::{CallEnded, Options};
use crate::v1;

/// After these the outcome of a change is open although the server answered.
const OPEN_OUTCOMES: [&str; 4] =
    [reason::STORAGE_FAILED, reason::DEADLINE_EXCEEDED, reason::CANCELLED, reason::INTERNAL];
const LONGEST_DEADLINE: Duration = Duration::from_secs(24 * 60 * 60);

pub(crate) struct Attempts {
    client: Client,
    method: &'static Method,
    key: Option<Vec<u8>>,
    deadline: Option<Instant>,
    count: u32,
    sent: usize,
    received: usize,
    /// Bytes of the newest attempt that went out.
    just_sent: usize,
    is_sent: bool,
    /// A change may have been made, and no answer has said whether.
    outcome_is_open: bool,
    has_new_token: bool,
    began: Instant,
    /// The word of the hook: a call that is dropped before it has one was cancelled.
    reason: String,
}

impl Drop for Attempts {
    fn drop(&mut self) {
        self.client.core.options.hooks.call(&CallEnded {
            method: self.method.path,
            attempts: self.count,
            took: self.began.elapsed(),
            sent_bytes: self.sent + self.just_sent,
            received_bytes: self.received,
            reason: &self.reason,
        });
    }
}

impl Attempts {
    pub(crate) async fn run(
        client: Client,
        method: &'static Method,
        key: Option<Vec<u8>>,
        timeout: Option<Duration>,
        payload: Vec<u8>,
    ) -> Result<Bytes, Error> {
        let began = Instant::now();
        let mut attempts = Attempts {
            key: checked_key(method, key)?,
            deadline: timeout.and_then(|timeout| began.checked_add(timeout)),
            client,
            method,
            count: 0,
            sent: 0,
            received: 0,
            just_sent: 0,
            is_sent: false,
            outcome_is_open: false,
            has_new_token: false,
            began,
            reason: "Cancelled".to_string(),
        };
        let result = attempts.all(&payload).await;
        attempts.reason = result.as_ref().err().map(Error::word).unwrap_or_default();
        result
    }

    async fn all(&mut self, payload: &[u8]) -> Result<Bytes, Error> {
        loop {
            self.count += 1;
            let result = match self.deadline {
                None => self.once(payload).await,
                Some(deadline) => {
                    let once = tokio::time::timeout_at(deadline, self.once(payload)).await;
                    once.unwrap_or_else(|_| Err(Error::timed_out()))
                }
            };
            let just_sent = std::mem::take(&mut self.just_sent);
            self.sent += just_sent;
            let mut error = match result {
                Ok(payload) => return Ok(payload),
                Err(error) => error,
            };
            self.is_sent = self.is_sent || (just_sent > 0 && !error.unserved);
            let wait = match self.wait_before_another(&mut error) {
                Some(wait) => wait,
                None => return Err(error),
            };
            let (path, word) = (self.method.path, error.word());
            self.client.core.options.hooks.retry(path, self.count, wait, &word);
            log::debug!(target: "heddle", "{path} is sent again after attempt {}: {word}", self.count);
            tokio::time::sleep(wait).await;
        }
    }

    async fn once(&mut self, payload: &[u8]) -> Result<Bytes, Error> {
        let connection = self.client.core.connection().await?;
        let (key, deadline, options) = (&self.key, self.deadline, &self.client.core.options);
        let metadata = || metadata(key.clone(), deadline, options);
        let answered = connection.call(self.method.number, payload, metadata, &mut self.just_sent).await;
        self.received += answered.size;
        if let Err(error) = &answered.result {
            if error.retry() == Retry::Reconnect {
                connection.leave();
            }
        }
        answered.result
    }

    /// The wait until the next attempt; none: this error is the call's.
    fn wait_before_another(&mut self, error: &mut Error) -> Option<Duration> {
        let behind = error.behind();
        let (decided, retry_after) = (behind.retry(), behind.retry_after);
        let is_refusal = behind.kind() == Kind::Refused;
        let is_open = match error.kind() {
            Kind::TimedOut => self.is_sent,
            Kind::Lost => !error.unserved,
            Kind::Refused => OPEN_OUTCOMES.contains(&error.reason.as_str()),
            _ => false,
        };
        self.outcome_is_open = self.outcome_is_open || (is_open && (self.method.keyed || !self.method.repeatable));
        error.attempts = self.count;
        error.may_have_happened = self.outcome_is_open;
        let options = &self.client.core.options;
        if self.count > options.retries || self.client.core.is_closed() {
            return None;
        }
        if is_open && !self.method.repeatable {
            return None;
        }
        let mut wait = backoff(options, self.count - 1);
        if self.count == 1 && !is_open && decided != Retry::Wait && error.kind() != Kind::CannotConnect {
            // The server has said that it did not serve the call, and another connection may.
            wait = Duration::ZERO;
        }
        match (error.kind(), decided) {
            (_, Retry::Token) => {
                if self.has_new_token || !options.has_token_source {
                    return None;
                }
                self.has_new_token = true;
                self.client.core.leave_current();
            }
            (Kind::Refused | Kind::Lost, Retry::Wait | Retry::Reconnect) | (Kind::CannotConnect, _) => {}
            (Kind::Lost, Retry::Never) if !is_refusal => {}
            _ => return None,
        }
        let wait = wait.max(retry_after);
        let left = self.deadline.map(|deadline| deadline.saturating_duration_since(Instant::now()));
        left.map_or(true, |left| left > wait).then_some(wait)
    }
}

fn metadata(key: Option<Vec<u8>>, deadline: Option<Instant>, options: &Options) -> Vec<u8> {
    let left = deadline.map(|deadline| {
        let left = deadline.saturating_duration_since(Instant::now()).min(LONGEST_DEADLINE);
        i64::try_from(left.as_millis()).unwrap_or(i64::MAX).max(1)
    });
    let trace = options.trace.as_ref().map(|trace| trace()).unwrap_or_default();
    v1::Metadata {
        traceparent: trace.traceparent,
        tracestate: trace.tracestate,
        deadline_ms: left,
        idempotency_key: key,
        ..v1::Metadata::default()
    }
    .encode_to_vec()
}

/// The first wait doubles up to the longest one, and clients do not come back together.
pub(crate) fn backoff(options: &Options, attempt: u32) -> Duration {
    let wait = options.backoff.saturating_mul(1 << attempt.min(20)).min(options.longest_backoff);
    let mut random = [0; 4];
    // Without random bytes the wait is the shortest one.
    let _ = getrandom::getrandom(&mut random);
    let part = 0.5 + f64::from(u32::from_be_bytes(random)) / f64::from(u32::MAX) / 2.0;
    Duration::from_secs_f64((wait.as_secs_f64() * part).min(1e9))
}
