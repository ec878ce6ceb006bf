//! Calls by their names, and errors as the suite has them.

use std::future::Future;
use std::pin::Pin;
use std::time::Duration;

use heddle::{Call, Error};
use prost::Message;

use crate::generated::conformance::{self as pb, report::What};

pub struct Request {
    pub bytes: Vec<u8>,
    pub key: Option<Vec<u8>>,
    pub timeout: Option<Duration>,
}

pub enum Found {
    Call(Pin<Box<dyn Future<Output = Result<Vec<u8>, Error>> + Send>>),
    None,
}

/// A call of a service, as a program makes it.
pub fn answer<Q, R>(request: &Request, start: impl FnOnce(Q) -> Call<R>) -> Found
where
    Q: Message + Default,
    R: Message + Default + 'static,
{
    let mut call = start(Q::decode(request.bytes.as_slice()).expect("a request"));
    if let Some(key) = &request.key {
        call = call.key(key.clone());
    }
    if let Some(timeout) = request.timeout {
        call = call.timeout(timeout);
    }
    Found::Call(Box::pin(async move { call.await.map(|answer| answer.encode_to_vec()) }))
}

/// A message, decoded and encoded again.
pub fn again<M: Message + Default>(bytes: &[u8]) -> Option<Vec<u8>> {
    M::decode(bytes).ok().map(|message| message.encode_to_vec())
}

pub fn failed(error: &Error) -> What {
    What::Failed(pb::Failed {
        kind: format!("{:?}", error.kind()),
        code: error.code.clone(),
        reason: error.reason.clone(),
        message: error.to_string(),
        details: error.details.clone().into_iter().collect(),
        debug_id: error.debug_id.clone(),
        attempts: error.attempts,
        may_have_happened: error.may_have_happened,
    })
}
