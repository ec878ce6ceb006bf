//! A call of a method, as a future.

use std::fmt;
use std::future::Future;
use std::marker::PhantomData;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use prost::bytes::Bytes;
use prost::Message;
use tokio::sync::oneshot;

use crate::attempts::Attempts;
use crate::client::Client;
use crate::connection::{Answered, Connection, Handler};
use crate::errors::{Error, Kind};
use crate::frames;
use crate::options::Boxed;

/// A method of the server.
#[derive(Debug)]
pub(crate) struct Method {
    pub number: u16,
    pub path: &'static str,
    /// The server keeps one result for each key, so a repetition happens once.
    pub keyed: bool,
    /// A call that may have been served can be sent again.
    pub repeatable: bool,
}

/// A call with all its attempts: a future that is sent when it is first polled. Its drop cancels it, on the server too.
#[must_use = "a call is sent when it is awaited"]
pub struct Call<R> {
    client: Client,
    method: &'static Method,
    payload: Vec<u8>,
    key: Option<Vec<u8>>,
    timeout: Option<Duration>,
    running: Option<Boxed<'static, Result<Bytes, Error>>>,
    answer: PhantomData<fn() -> R>,
}

impl<R> fmt::Debug for Call<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "heddle::Call of {}", self.method.path)
    }
}

impl<R> Call<R> {
    pub(crate) fn new(client: &Client, method: &'static Method, request: &impl Message) -> Call<R> {
        Call {
            client: client.clone(),
            method,
            payload: request.encode_to_vec(),
            key: None,
            timeout: client.core.options.timeout,
            running: None,
            answer: PhantomData,
        }
    }

    /// The time of this call with all its attempts; `None`: no bound.
    pub fn timeout(mut self, timeout: impl Into<Option<Duration>>) -> Self {
        self.timeout = timeout.into();
        self
    }

    /// The key of a change, 16 bytes: the same key has one result.
    pub fn key(mut self, key: impl Into<Vec<u8>>) -> Self {
        self.key = Some(key.into());
        self
    }
}

impl<R: Message + Default> Future for Call<R> {
    type Output = Result<R, Error>;

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        let call = self.get_mut();
        let running = match &mut call.running {
            Some(running) => running,
            None => {
                let (client, payload) = (call.client.clone(), std::mem::take(&mut call.payload));
                let run = Attempts::run(client, call.method, call.key.take(), call.timeout, payload);
                call.running.insert(Box::pin(run))
            }
        };
        running.as_mut().poll(context).map(|result| result.and_then(frames::read))
    }
}

/// A call in flight; its drop before the answer cancels it.
struct InFlight<'a> {
    connection: &'a Connection,
    stream: u32,
    is_answered: bool,
}

impl Drop for InFlight<'_> {
    fn drop(&mut self) {
        if !self.is_answered {
            self.connection.cancel(self.stream);
        }
    }
}

impl Connection {
    /// One attempt. `sent` gets the bytes that went out.
    pub(crate) async fn call(
        self: &Arc<Self>,
        method: u16,
        payload: &[u8],
        metadata: impl FnOnce() -> Vec<u8>,
        sent: &mut usize,
    ) -> Answered {
        // An error means that the connection takes no more calls, and `open` says so.
        let place = self.room.acquire().await.ok();
        let beside = metadata();
        let (answer, waiting) = oneshot::channel();
        let stream = match self.open(method, payload, &beside, Handler::Call(answer)) {
            Ok(stream) => stream,
            Err(error) => return Answered { result: Err(error), size: 0 },
        };
        // The place is free again when the server has answered, even if nobody waits for that any more.
        if let Some(place) = place {
            place.forget();
        }
        *sent = frames::HEAD_BYTES + beside.len() + payload.len();
        let mut flight = InFlight { connection: self, stream, is_answered: false };
        let answered = waiting.await;
        flight.is_answered = true;
        answered.unwrap_or_else(|_| Answered { result: Err(Error::lost("the connection ended")), size: 0 })
    }
}

pub(crate) fn checked_key(method: &Method, key: Option<Vec<u8>>) -> Result<Option<Vec<u8>>, Error> {
    match key {
        _ if !method.keyed => Ok(None),
        None => {
            let mut made = vec![0; 16];
            getrandom::getrandom(&mut made)
                .map_err(|error| Error::new(Kind::CannotConnect, format!("there are no random bytes: {error}")))?;
            Ok(Some(made))
        }
        Some(key) if key.len() == 16 => Ok(Some(key)),
        Some(key) => Err(Error::new(Kind::Refused, format!("a key has 16 bytes, not {}", key.len()))),
    }
}
