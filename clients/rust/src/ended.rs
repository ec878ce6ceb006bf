//! The end of a connection: by GOAWAY, because it is replaced, or because it is lost.

use std::sync::Arc;

use crate::connection::{Answered, Connection, Handler};
use crate::errors::{Error, Kind};
use crate::flag::lock;
use crate::v1;

impl Handler {
    fn ended(self, connection: &Connection, error: Error) {
        match self {
            Handler::Call(waiting) => {
                connection.room.add_permits(1);
                let _ = waiting.send(Answered { result: Err(error), size: 0 });
            }
            Handler::Stream(stream) => stream.ended(&error),
        }
    }
}

impl Connection {
    pub(crate) fn go_away(self: &Arc<Self>, notice: v1::GoAway) -> Result<(), Error> {
        let said = Error::refused(notice.error.unwrap_or_default());
        let mut unserved = Vec::new();
        {
            let mut state = lock(&self.state);
            if state.fault.is_none() {
                state.fault = Some(said.clone());
            }
            if state.hello.is_none() {
                return Err(said);
            }
            state.is_leaving = true;
            let above: Vec<u32> = state.streams.keys().copied().filter(|stream| *stream > notice.last_stream).collect();
            for stream in above {
                unserved.extend(state.streams.remove(&stream));
            }
        }
        self.room.close();
        for who in unserved {
            who.ended(self, Error::unserved(format!("the server goes: {}", said.message)));
        }
        self.client.leaves(self);
        self.end_if_done();
        Ok(())
    }

    /// Nothing new goes out; it closes when everything is answered.
    pub(crate) fn leave(self: &Arc<Self>) {
        {
            let mut state = lock(&self.state);
            if state.is_leaving || state.has_ended {
                return;
            }
            state.is_leaving = true;
        }
        self.room.close();
        self.client.leaves(self);
        self.end_if_done();
    }

    pub(crate) fn end_if_done(self: &Arc<Self>) {
        let cause = {
            let state = lock(&self.state);
            if !state.is_leaving || !state.streams.is_empty() || state.has_ended {
                return;
            }
            state.fault.clone()
        };
        self.end(cause.unwrap_or_else(|| Error::lost("the connection was replaced")));
    }

    pub(crate) fn end(self: &Arc<Self>, error: Error) {
        let (cause, streams) = {
            let mut state = lock(&self.state);
            if state.has_ended {
                return;
            }
            state.has_ended = true;
            // A GOAWAY that came before says more than the end of the bytes.
            let cause = match state.fault.take() {
                Some(fault) if error.kind() == Kind::Lost => fault,
                _ => error,
            };
            state.fault = Some(cause.clone());
            (cause, std::mem::take(&mut state.streams))
        };
        self.room.close();
        self.wake_writer();
        self.gone.set();
        for who in streams.into_values() {
            let told = match cause.kind() {
                Kind::Protocol | Kind::TooLarge => cause.clone(),
                _ => Error::lost_by(&cause),
            };
            who.ended(self, told);
        }
        self.client.ended(self, &cause);
    }
}
