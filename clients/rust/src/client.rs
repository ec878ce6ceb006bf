//! The client: its connections, its subscriptions, and its end.

use std::fmt;
use std::future::Future;
use std::sync::{Arc, Mutex};

use tokio::runtime::Handle;

use crate::connection::Connection;
use crate::dialing::Dial;
use crate::errors::{Error, Kind};
use crate::flag::{lock, Flag};
use crate::following::Following;
use crate::options::{BoxError, Builder, Options};
use crate::subscription::Subscription;
use crate::tasks::Tasks;
use crate::tools::{question_function, tool_function, Tools};
use crate::turn::Turn;
use crate::url::Target;
use crate::v1;

/// A client of one server, or of several that share their threads. Clones are the same client; the last one that is dropped
/// ends its connections. It has one connection, and makes another when that one is lost, when the server goes, or when it
/// replaces old connections.
#[derive(Clone)]
pub struct Client {
    pub(crate) core: Arc<Core>,
    _last: Arc<Last>,
}

/// The part of a client that its tasks share.
pub(crate) struct Core {
    pub target: Target,
    pub options: Options,
    pub tools: Tools,
    pub tasks: Tasks,
    /// Set when the client ends.
    pub stopped: Flag,
    pub state: Mutex<State>,
}

#[derive(Default)]
pub(crate) struct State {
    pub current: Option<Arc<Connection>>,
    pub dialing: Option<Arc<Dial>>,
    pub connections: Vec<Arc<Connection>>,
    pub subscriptions: Vec<Arc<Following>>,
    pub is_closed: bool,
}

/// The drop of the last clone of a client.
struct Last(Arc<Core>);

impl Drop for Last {
    fn drop(&mut self) {
        self.0.begin_to_close();
        self.0.end_all();
    }
}

impl fmt::Debug for Client {
    /// The server, and no secret.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let hosts: Vec<String> = self.core.target.hosts.iter().map(ToString::to_string).collect();
        write!(f, "heddle::Client of {}", hosts.join(","))
    }
}

impl Client {
    /// A connected client with the default options. The URL is
    /// `heddle://host:port,host2?tls=on&ca=FILE&cert=FILE&key=FILE&name=NAME`; an empty one is `HEDDLE_URL`, or the server on
    /// this machine.
    pub async fn connect(url: &str) -> Result<Client, Error> {
        Client::builder().connect(url).await
    }

    /// Options for a client.
    pub fn builder() -> Builder {
        Builder::default()
    }

    pub(crate) fn make(url: &str, mut options: Options) -> Result<Client, Error> {
        let url = match url {
            "" => std::env::var("HEDDLE_URL")
                .ok()
                .filter(|url| !url.is_empty())
                .unwrap_or_else(|| "heddle://127.0.0.1".into()),
            url => url.to_string(),
        };
        let mut target = Target::parse(&url)?;
        target.tls = target.tls || options.tls.is_some();
        let handle = Handle::try_current()
            .map_err(|error| Error::from_program("a client needs a runtime of tokio".to_string(), error.into()))?;
        let tools = Tools::new(std::mem::take(&mut options.tools), options.question.take());
        let core = Arc::new(Core {
            target,
            options,
            tools,
            tasks: Tasks::new(handle),
            stopped: Flag::default(),
            state: Mutex::default(),
        });
        Ok(Client { _last: Arc::new(Last(core.clone())), core })
    }

    /// Connects the client if it is not connected.
    pub async fn wait_connected(&self) -> Result<(), Error> {
        self.core.connection().await.map(|_| ())
    }

    /// Names the function that runs a tool: it gets the arguments, a JSON object, and returns text for the model. The model is
    /// told of an error or a panic. The future is dropped when the server takes the call back or its deadline passes, but not
    /// when the connection is lost. The thread must offer the tool (`StartThreadRequest::tools`).
    pub fn tool<F, Fut>(&self, name: impl Into<String>, tool: F)
    where
        F: Fn(String) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Result<String, BoxError>> + Send + 'static,
    {
        if self.core.tools.add(name.into(), tool_function(tool)) {
            self.core.renew();
        }
    }

    /// Names the function that asks the user.
    pub fn on_question<F, Fut>(&self, question: F)
    where
        F: Fn(v1::RequestUserInputRequest) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Result<String, BoxError>> + Send + 'static,
    {
        if self.core.tools.ask_with(question_function(question)) {
            self.core.renew();
        }
    }

    /// Follows a thread. The subscription ends with [`Subscription::close`], by its drop, or with the client.
    pub fn subscribe(&self, thread: impl Into<Vec<u8>>) -> Subscription {
        Subscription::new(self.clone(), Some(thread.into()))
    }

    /// Follows the notices of all threads.
    pub fn subscribe_all(&self) -> Subscription {
        Subscription::new(self.clone(), None)
    }

    /// Starts a turn with the first [`Turn::next`], and follows it. A turn that is dropped before its end is interrupted.
    pub fn turn(&self, thread: impl Into<Vec<u8>>, text: impl Into<String>) -> Turn {
        Turn::new(self.clone(), thread.into(), text.into())
    }

    /// Waits for calls that have no answer yet, at most the close timeout; then nothing of the client is left.
    pub async fn close(&self) {
        let core = &self.core;
        if core.begin_to_close() {
            let connections = core.all();
            connections.iter().for_each(Connection::leave);
            let answered = async {
                for connection in &connections {
                    connection.gone.wait().await;
                }
            };
            let _ = tokio::time::timeout(core.options.close_timeout, answered).await;
            core.end_all();
        }
        core.tasks.all_ended().await;
        // A function that holds the client would keep it for ever.
        core.tools.forget();
    }
}

impl Core {
    /// True: it was not closed.
    fn begin_to_close(&self) -> bool {
        let subscriptions = {
            let mut state = lock(&self.state);
            if std::mem::replace(&mut state.is_closed, true) {
                return false;
            }
            std::mem::take(&mut state.subscriptions)
        };
        for subscription in subscriptions {
            subscription.close();
        }
        self.stopped.set();
        true
    }

    fn end_all(&self) {
        for connection in self.all() {
            connection.end(Error::lost("the client is closed"));
        }
    }

    pub(crate) fn is_closed(&self) -> bool {
        lock(&self.state).is_closed
    }

    pub(crate) fn all(&self) -> Vec<Arc<Connection>> {
        lock(&self.state).connections.clone()
    }

    /// HELLO names what has handlers, so a new handler needs a new connection.
    fn renew(&self) {
        self.all().iter().for_each(Connection::leave);
    }

    pub(crate) fn leave_current(&self) {
        let current = lock(&self.state).current.clone();
        if let Some(current) = current {
            current.leave();
        }
    }

    /// A connection takes nothing new: subscriptions move at once.
    pub(crate) fn leaves(&self, connection: &Arc<Connection>) {
        let subscriptions = lock(&self.state).subscriptions.clone();
        for subscription in subscriptions {
            subscription.leave(connection);
        }
    }

    pub(crate) fn ended(&self, connection: &Arc<Connection>, cause: &Error) {
        {
            let mut state = lock(&self.state);
            if state.current.as_ref().map_or(false, |current| Arc::ptr_eq(current, connection)) {
                state.current = None;
            }
            let before = state.connections.len();
            state.connections.retain(|one| !Arc::ptr_eq(one, connection));
            if state.connections.len() == before {
                return;
            }
        }
        log::info!(target: "heddle", "a connection ended: {cause}");
        self.options.hooks.lost(&cause.to_string());
    }

    /// Adds a subscription to those that move and end with the client.
    pub(crate) fn add(&self, subscription: &Arc<Following>) -> Result<(), Error> {
        let mut state = lock(&self.state);
        if state.is_closed {
            return Err(Error::closed());
        }
        if !state.subscriptions.iter().any(|one| Arc::ptr_eq(one, subscription)) {
            state.subscriptions.push(subscription.clone());
        }
        Ok(())
    }

    pub(crate) fn remove(&self, subscription: &Following) {
        lock(&self.state).subscriptions.retain(|one| !std::ptr::eq(one.as_ref(), subscription));
    }

    /// The message of an error that is due to the program's own function or to a URL.
    pub(crate) fn cannot_connect(failures: &[String]) -> Error {
        Error::new(Kind::CannotConnect, format!("no server can be reached: {}", failures.join("; ")))
    }
}
