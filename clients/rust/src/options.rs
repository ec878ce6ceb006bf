//! Options of a client, and what a program can see of it.

use std::collections::HashMap;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use tokio_rustls::rustls::ClientConfig;

use crate::client::Client;
use crate::errors::Error;
use crate::tools::{question_function, tool_function, QuestionFunction, ToolFunction};
use crate::v1;

/// An error of a program's own function.
pub type BoxError = Box<dyn std::error::Error + Send + Sync>;

pub(crate) type Boxed<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;
pub(crate) type TokenFunction = Arc<dyn Fn() -> Boxed<'static, Result<String, BoxError>> + Send + Sync>;
pub(crate) type TraceFunction = Arc<dyn Fn() -> TraceContext + Send + Sync>;

/// The happenings that a program can watch. No hook gets a token or a message.
#[allow(unused_variables)]
pub trait Hooks: Send + Sync {
    /// A connection is open.
    fn connected(&self, host: &str) {}
    /// A connection has ended.
    fn lost(&self, reason: &str) {}
    /// A call is sent again after a wait.
    fn retry(&self, method: &str, attempt: u32, wait: Duration, reason: &str) {}
    /// A call has ended.
    fn call(&self, call: &CallEnded<'_>) {}
    /// A subscription goes on, on another stream.
    fn resumed(&self, thread: &[u8], after: u64) {}
}

struct NoHooks;

impl Hooks for NoHooks {}

/// The facts of a call that has ended, for [`Hooks::call`].
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct CallEnded<'a> {
    /// Such as `ThreadService/Start`.
    pub method: &'a str,
    /// The number of tries.
    pub attempts: u32,
    /// The time of all attempts.
    pub took: Duration,
    /// Bytes of its requests, with their heads.
    pub sent_bytes: usize,
    /// Bytes of the answers, with their heads.
    pub received_bytes: usize,
    /// Empty if the call has its answer.
    pub reason: &'a str,
}

/// The W3C trace context of a call; an empty text is left out.
#[derive(Clone, Debug, Default)]
pub struct TraceContext {
    /// `traceparent`
    pub traceparent: String,
    /// `tracestate`
    pub tracestate: String,
}

#[derive(Clone)]
pub(crate) struct Options {
    pub token: Option<TokenFunction>,
    pub has_token_source: bool,
    pub timeout: Option<Duration>,
    pub retries: u32,
    pub backoff: Duration,
    pub longest_backoff: Duration,
    pub connect_timeout: Duration,
    pub credit: u32,
    pub ping_after: Duration,
    pub lost_after: Duration,
    pub close_timeout: Duration,
    pub client_name: String,
    pub tls: Option<Arc<ClientConfig>>,
    pub hooks: Arc<dyn Hooks>,
    pub trace: Option<TraceFunction>,
    pub tools: HashMap<String, ToolFunction>,
    pub question: Option<QuestionFunction>,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            token: None,
            has_token_source: false,
            timeout: Some(Duration::from_secs(30)),
            retries: 4,
            backoff: Duration::from_millis(100),
            longest_backoff: Duration::from_secs(10),
            connect_timeout: Duration::from_secs(10),
            credit: 1 << 20,
            ping_after: Duration::from_secs(30),
            lost_after: Duration::from_secs(90),
            close_timeout: Duration::from_secs(5),
            client_name: "heddle-rust".to_string(),
            tls: None,
            hooks: Arc::new(NoHooks),
            trace: None,
            tools: HashMap::new(),
            question: None,
        }
    }
}

/// Options of a [`Client`] before it is made, by [`Client::builder`].
#[derive(Clone, Default)]
pub struct Builder(Options);

impl std::fmt::Debug for Builder {
    /// Options hold a token, so none is printed.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("heddle::Builder")
    }
}

impl Builder {
    /// A token that does not change; it wins over `HEDDLE_TOKEN`.
    pub fn token(mut self, token: impl Into<String>) -> Self {
        let token = token.into();
        self.0.token = Some(Arc::new(move || {
            let token = token.clone();
            Box::pin(async move { Ok(token) })
        }));
        self.0.has_token_source = false;
        self
    }

    /// A function that gives a fresh token. It is asked at each new connection, and once more when the server says that a
    /// token has expired.
    pub fn token_source<F, Fut>(mut self, source: F) -> Self
    where
        F: Fn() -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Result<String, BoxError>> + Send + 'static,
    {
        self.0.token = Some(Arc::new(move || Box::pin(source())));
        self.0.has_token_source = true;
        self
    }

    /// The time of a call with all its attempts, 30 s by default; `None`: no bound.
    pub fn timeout(mut self, timeout: impl Into<Option<Duration>>) -> Self {
        self.0.timeout = timeout.into();
        self
    }

    /// The attempts after the first one, 4 by default.
    pub fn retries(mut self, retries: u32) -> Self {
        self.0.retries = retries;
        self
    }

    /// The first wait between attempts, which doubles, and the longest one: 100 ms and 10 s by default.
    pub fn backoff(mut self, first: Duration, longest: Duration) -> Self {
        self.0.backoff = first;
        self.0.longest_backoff = longest;
        self
    }

    /// The time for one host to connect and to say HELLO, 10 s by default.
    pub fn connect_timeout(mut self, timeout: Duration) -> Self {
        self.0.connect_timeout = timeout;
        self
    }

    /// The bytes of a subscription that may wait for the program, 1 MiB by default.
    pub fn credit(mut self, bytes: u32) -> Self {
        self.0.credit = bytes;
        self
    }

    /// The silence after which the server is asked whether it is there, and after which it counts as lost.
    pub fn keepalive(mut self, ping_after: Duration, lost_after: Duration) -> Self {
        self.0.ping_after = ping_after;
        self.0.lost_after = lost_after;
        self
    }

    /// The time that [`Client::close`] gives to calls that have no answer yet, 5 s by default.
    pub fn close_timeout(mut self, timeout: Duration) -> Self {
        self.0.close_timeout = timeout;
        self
    }

    /// A configuration of your own, and with it TLS. The options of the URL for TLS have no effect then.
    pub fn tls(mut self, config: Arc<ClientConfig>) -> Self {
        self.0.tls = Some(config);
        self
    }

    /// The program's view of the client.
    pub fn hooks(mut self, hooks: impl Hooks + 'static) -> Self {
        self.0.hooks = Arc::new(hooks);
        self
    }

    /// A function that gives the trace context of a call.
    pub fn trace(mut self, trace: impl Fn() -> TraceContext + Send + Sync + 'static) -> Self {
        self.0.trace = Some(Arc::new(trace));
        self
    }

    /// A tool that the first connection names already; [`Client::tool`] adds one later.
    pub fn tool<F, Fut>(mut self, name: impl Into<String>, tool: F) -> Self
    where
        F: Fn(String) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Result<String, BoxError>> + Send + 'static,
    {
        self.0.tools.insert(name.into(), tool_function(tool));
        self
    }

    /// The function that asks the user, as [`Client::on_question`] has it.
    pub fn on_question<F, Fut>(mut self, question: F) -> Self
    where
        F: Fn(v1::RequestUserInputRequest) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Result<String, BoxError>> + Send + 'static,
    {
        self.0.question = Some(question_function(question));
        self
    }

    /// A client that connects with its first call. Call it within a runtime of tokio.
    pub fn build(self, url: &str) -> Result<Client, Error> {
        Client::make(url, self.0)
    }

    /// A client that is connected.
    pub async fn connect(self, url: &str) -> Result<Client, Error> {
        let client = self.build(url)?;
        client.wait_connected().await?;
        Ok(client)
    }
}
