//! New connections: hosts in order, the token, TLS, HELLO.

use std::sync::{Arc, Mutex};

use prost::Message;
use tokio::net::TcpStream;

use crate::client::Core;
use crate::connection::Connection;
use crate::errors::{Error, Kind, Retry};
use crate::flag::{lock, Flag};
use crate::frames;
use crate::tls;
use crate::url::Host;
use crate::v1;

/// A connection that is being made, for everybody who waits for one.
#[derive(Default)]
pub(crate) struct Dial {
    done: Flag,
    result: Mutex<Option<Result<Arc<Connection>, Error>>>,
}

impl Core {
    /// The connection for new calls. One caller that gives up does not end the dialling for the others.
    pub(crate) async fn connection(self: &Arc<Self>) -> Result<Arc<Connection>, Error> {
        let dialing = {
            let mut state = lock(&self.state);
            if let Some(current) = state.current.as_ref().filter(|current| current.is_usable()) {
                return Ok(current.clone());
            }
            if state.is_closed {
                return Err(Error::closed());
            }
            match &state.dialing {
                Some(dialing) => dialing.clone(),
                None => {
                    let dialing = Arc::new(Dial::default());
                    state.dialing = Some(dialing.clone());
                    self.tasks.spawn(self.clone().dial_for(dialing.clone()));
                    dialing
                }
            }
        };
        dialing.done.wait().await;
        let result = lock(&dialing.result).clone();
        result.unwrap_or_else(|| Err(Error::closed()))
    }

    async fn dial_for(self: Arc<Self>, dialing: Arc<Dial>) {
        let result = self.dial().await;
        {
            let mut state = lock(&self.state);
            // One that has ended already would not be taken out again.
            if let Some(connection) = result.as_ref().ok().filter(|connection| !connection.gone.is_set()) {
                state.current = Some(connection.clone());
            }
            state.dialing = None;
        }
        *lock(&dialing.result) = Some(result);
        dialing.done.set();
    }

    /// One that does not follow the thread yet; from now on it does.
    pub(crate) async fn connection_for(self: &Arc<Self>, thread: &[u8]) -> Result<Arc<Connection>, Error> {
        let first = self.connection().await?;
        for connection in std::iter::once(first).chain(self.all()) {
            let mut state = lock(&connection.state);
            if state.is_usable() && state.follows.insert(thread.to_vec()) {
                drop(state);
                return Ok(connection);
            }
        }
        let connection = self.dial().await?;
        lock(&connection.state).follows.insert(thread.to_vec());
        Ok(connection)
    }

    async fn dial(self: &Arc<Self>) -> Result<Arc<Connection>, Error> {
        let hello = self.hello().await?;
        let mut failures = Vec::new();
        for (number, host) in self.target.hosts.iter().enumerate() {
            let error = match self.dial_host(host, hello.clone()).await {
                Ok(connection) => return Ok(connection),
                Err(error) => error,
            };
            // Another server may have room, or not be on its way down; a wrong token is wrong everywhere.
            let is_last = number + 1 == self.target.hosts.len();
            let is_final = match error.kind() {
                Kind::Protocol | Kind::TooLarge | Kind::Closed => true,
                Kind::Refused => is_last || error.retry() != Retry::Reconnect,
                _ => false,
            };
            if is_final {
                return Err(error);
            }
            failures.push(format!("{host}: {error}"));
        }
        Err(Core::cannot_connect(&failures))
    }

    async fn dial_host(self: &Arc<Self>, host: &Host, hello: Vec<u8>) -> Result<Arc<Connection>, Error> {
        let timeout = self.options.connect_timeout;
        let opening = tokio::time::timeout(timeout, self.greet(host, hello));
        let connection = tokio::select! {
            opened = opening => match opened {
                Ok(opened) => opened?,
                Err(_) => return Err(Error::lost(format!("it did not answer in {timeout:?}"))),
            },
            () = self.stopped.wait() => return Err(Error::closed()),
        };
        let is_closed = {
            let mut state = lock(&self.state);
            if !state.is_closed {
                state.connections.push(connection.0.clone());
            }
            state.is_closed
        };
        let connection = if is_closed { return Err(Error::closed()) } else { connection.keep() };
        log::info!(target: "heddle", "connected to {host}");
        self.options.hooks.connected(&host.to_string());
        // One that ended meanwhile was not known yet when it did.
        if connection.gone.is_set() {
            let cause = lock(&connection.state).fault.clone().unwrap_or_else(|| Error::lost("the connection ended"));
            self.ended(&connection, &cause);
        }
        Ok(connection)
    }

    async fn greet(self: &Arc<Self>, host: &Host, hello: Vec<u8>) -> Result<Opening, Error> {
        let failed = |error: std::io::Error| Error::lost(error.to_string());
        let socket = TcpStream::connect((host.name.as_str(), host.port)).await.map_err(failed)?;
        socket.set_nodelay(true).map_err(failed)?;
        let connection = if self.target.tls {
            let stream =
                tls::open(&self.target, self.options.tls.clone(), &host.name, socket).await.map_err(Error::lost)?;
            let (input, output) = tokio::io::split(stream);
            Opening(Connection::start(self, input, output, hello), false)
        } else {
            let (input, output) = socket.into_split();
            Opening(Connection::start(self, input, output, hello), false)
        };
        tokio::select! {
            biased;
            () = connection.0.ready.wait() => Ok(connection),
            () = connection.0.gone.wait() => {
                let fault = lock(&connection.0.state).fault.clone();
                Err(fault.unwrap_or_else(|| Error::lost("the connection ended")))
            }
        }
    }

    async fn hello(&self) -> Result<Vec<u8>, Error> {
        let token = match &self.options.token {
            None => std::env::var("HEDDLE_TOKEN").unwrap_or_default(),
            Some(source) => {
                let asked = tokio::time::timeout(self.options.connect_timeout, source());
                let given = tokio::select! {
                    given = asked => given,
                    () = self.stopped.wait() => return Err(Error::closed()),
                };
                match given {
                    Ok(Ok(token)) => token,
                    Ok(Err(error)) => {
                        return Err(Error::from_program(format!("the function for the token failed: {error}"), error));
                    }
                    Err(_) => return Err(Error::new(Kind::CannotConnect, "the function for the token took too long")),
                }
            }
        };
        let hello = v1::ClientHello {
            client_name: self.options.client_name.clone(),
            client_version: env!("CARGO_PKG_VERSION").to_string(),
            token,
            features: self.tools.features(),
            unwanted_notifications: vec!["thread_started".to_string()],
            ..v1::ClientHello::default()
        };
        let mut out = Vec::new();
        frames::append(&mut out, frames::HELLO, 0, 0, &hello.encode_to_vec(), &[]);
        Ok(out)
    }
}

/// A connection that nobody has yet: it ends if its dialling is given up.
struct Opening(Arc<Connection>, bool);

impl Opening {
    fn keep(mut self) -> Arc<Connection> {
        self.1 = true;
        self.0.clone()
    }
}

impl Drop for Opening {
    fn drop(&mut self) {
        if !self.1 {
            self.0.end(Error::lost("the connection is not needed"));
        }
    }
}
