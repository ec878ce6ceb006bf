//! Errors of calls, subscriptions and turns.

use std::collections::BTreeMap;
use std::error::Error as StdError;
use std::fmt;
use std::ops::{Deref, DerefMut};
use std::sync::Arc;
use std::time::Duration;

use crate::generated::reason;
use crate::v1;

/// The kind of an [`Error`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Kind {
    /// See [`Error::Refused`].
    Refused,
    /// See [`Error::CannotConnect`].
    CannotConnect,
    /// See [`Error::Lost`].
    Lost,
    /// See [`Error::TimedOut`].
    TimedOut,
    /// See [`Error::Protocol`].
    Protocol,
    /// See [`Error::TooLarge`].
    TooLarge,
    /// See [`Error::Closed`].
    Closed,
    /// See [`Error::TurnFailed`].
    TurnFailed,
}

/// Every error of this crate. A cancelled call has none: its future is dropped.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Error {
    /// The server answered with an error.
    Refused(Box<Failure>),
    /// No server could be reached, and nothing was sent.
    CannotConnect(Box<Failure>),
    /// The connection ended before the answer came.
    Lost(Box<Failure>),
    /// The call's time was over.
    TimedOut(Box<Failure>),
    /// The server sent something that no server of this protocol sends.
    Protocol(Box<Failure>),
    /// A message is larger than a frame may be.
    TooLarge(Box<Failure>),
    /// The client is closed.
    Closed(Box<Failure>),
    /// A turn ended without a result.
    TurnFailed(Box<Failure>),
}

/// The facts of an error; every [`Error`] gives them by `Deref`.
#[derive(Clone, Debug, Default)]
pub struct Failure {
    /// Code of a refusal, such as `NOT_FOUND`.
    pub code: String,
    /// A stable name to compare with [`reason`](crate::reason), of a refusal or a turn that failed.
    pub reason: String,
    /// Text for people.
    pub message: String,
    /// Facts about a refusal, as text by name.
    pub details: BTreeMap<String, String>,
    /// The time to wait before the next attempt.
    pub retry_after: Duration,
    /// The name of the line in the server's log, or empty.
    pub debug_id: String,
    /// The number of times that the call was sent, or was tried to be sent.
    pub attempts: u32,
    /// A change may have been made although no answer came. The same call with the same key tells.
    pub may_have_happened: bool,
    /// `FAILED` or `INTERRUPTED`, of a turn.
    pub status: String,
    /// The text that came until then, of a turn.
    pub text: String,
    /// The server has said that it did not serve the call.
    pub(crate) unserved: bool,
    /// The server's reason to end the connection.
    cause: Option<Box<Error>>,
    source: Option<Arc<dyn StdError + Send + Sync>>,
}

/// The reaction of the client to a refusal: docs/errors.md.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Retry {
    Wait,
    Reconnect,
    Token,
    Never,
}

impl Error {
    pub(crate) fn new(kind: Kind, message: impl Into<String>) -> Error {
        Error::of(kind, Failure { message: message.into(), attempts: 1, ..Failure::default() })
    }

    pub(crate) fn of(kind: Kind, failure: Failure) -> Error {
        let failure = Box::new(failure);
        match kind {
            Kind::Refused => Error::Refused(failure),
            Kind::CannotConnect => Error::CannotConnect(failure),
            Kind::Lost => Error::Lost(failure),
            Kind::TimedOut => Error::TimedOut(failure),
            Kind::Protocol => Error::Protocol(failure),
            Kind::TooLarge => Error::TooLarge(failure),
            Kind::Closed => Error::Closed(failure),
            Kind::TurnFailed => Error::TurnFailed(failure),
        }
    }

    pub(crate) fn lost(message: impl Into<String>) -> Error {
        Error::new(Kind::Lost, message)
    }

    pub(crate) fn protocol(message: impl Into<String>) -> Error {
        Error::new(Kind::Protocol, message)
    }

    pub(crate) fn closed() -> Error {
        Error::new(Kind::Closed, "the client is closed")
    }

    pub(crate) fn timed_out() -> Error {
        Error::new(Kind::TimedOut, "the call's time is over")
    }

    pub(crate) fn unserved(message: impl Into<String>) -> Error {
        let mut made = Error::lost(message);
        made.unserved = true;
        made
    }

    /// The error of a program's own function.
    pub(crate) fn from_program(message: String, source: Box<dyn StdError + Send + Sync>) -> Error {
        let mut made = Error::new(Kind::CannotConnect, message);
        made.source = Some(Arc::from(source));
        made
    }

    pub(crate) fn refused(said: v1::Error) -> Error {
        let code = reason::code_name(said.code).map_or_else(|| said.code.to_string(), str::to_string);
        let wait = u64::try_from(said.retry_after_ms.unwrap_or(0)).unwrap_or(0);
        Error::of(
            Kind::Refused,
            Failure {
                code,
                reason: said.reason,
                message: said.message,
                details: said.details.into_iter().map(|detail| (detail.name, detail.value)).collect(),
                retry_after: Duration::from_millis(wait),
                debug_id: said.debug_id,
                attempts: 1,
                ..Failure::default()
            },
        )
    }

    /// The error that the calls of a connection hear that has ended: they may have been served.
    pub(crate) fn lost_by(cause: &Error) -> Error {
        let mut made = Error::lost(cause.to_string());
        made.cause = Some(Box::new(cause.clone()));
        made
    }

    /// The server's reason to end a connection, or the error itself.
    pub(crate) fn behind(&self) -> &Error {
        match &self.cause {
            Some(cause) if self.kind() == Kind::Lost && cause.kind() == Kind::Refused => cause,
            _ => self,
        }
    }

    /// The reaction to this error if it is a refusal.
    pub(crate) fn retry(&self) -> Retry {
        match self {
            Error::Refused(failure) => reason::retry_of(&failure.reason),
            _ => Retry::Never,
        }
    }

    /// A word for hooks and logs.
    pub(crate) fn word(&self) -> String {
        if self.reason.is_empty() {
            format!("{:?}", self.kind())
        } else {
            self.reason.clone()
        }
    }

    /// The kind of the error.
    pub fn kind(&self) -> Kind {
        match self {
            Error::Refused(_) => Kind::Refused,
            Error::CannotConnect(_) => Kind::CannotConnect,
            Error::Lost(_) => Kind::Lost,
            Error::TimedOut(_) => Kind::TimedOut,
            Error::Protocol(_) => Kind::Protocol,
            Error::TooLarge(_) => Kind::TooLarge,
            Error::Closed(_) => Kind::Closed,
            Error::TurnFailed(_) => Kind::TurnFailed,
        }
    }

    /// True for a refusal, or a turn that failed, with this reason.
    pub fn is_reason(&self, reason: &str) -> bool {
        self.reason == reason
    }
}

impl Deref for Error {
    type Target = Failure;

    fn deref(&self) -> &Failure {
        match self {
            Error::Refused(failure)
            | Error::CannotConnect(failure)
            | Error::Lost(failure)
            | Error::TimedOut(failure)
            | Error::Protocol(failure)
            | Error::TooLarge(failure)
            | Error::Closed(failure)
            | Error::TurnFailed(failure) => failure,
        }
    }
}

impl DerefMut for Error {
    fn deref_mut(&mut self) -> &mut Failure {
        match self {
            Error::Refused(failure)
            | Error::CannotConnect(failure)
            | Error::Lost(failure)
            | Error::TimedOut(failure)
            | Error::Protocol(failure)
            | Error::TooLarge(failure)
            | Error::Closed(failure)
            | Error::TurnFailed(failure) => failure,
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.kind() == Kind::Refused {
            write!(f, "{} {}: ", self.code, self.reason)?;
        }
        f.write_str(&self.message)?;
        self.details.iter().try_for_each(|(name, value)| write!(f, " ({name}: {value})"))
    }
}

impl StdError for Error {
    fn source(&self) -> Option<&(dyn StdError + 'static)> {
        match (&self.cause, &self.source) {
            (Some(cause), _) => Some(cause.as_ref()),
            (None, Some(source)) => Some(source.as_ref()),
            (None, None) => None,
        }
    }
}
