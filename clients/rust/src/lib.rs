//! The client of Heddle, the session server for AI agents: threads, turns, settings, and their events.
//!
//! ```no_run
//! # async fn run() -> Result<(), heddle::Error> {
//! use heddle::{v1, Client};
//!
//! let client = Client::connect("heddle://127.0.0.1").await?;
//! let started = client.threads().start(v1::StartThreadRequest { name: "first".into(), ..Default::default() }).await?;
//! let mut turn = client.turn(started.thread.unwrap_or_default().id, "Hello");
//! while let Some(text) = turn.next().await? {
//!     print!("{text}");
//! }
//! # Ok(())
//! # }
//! ```
#![forbid(unsafe_code)]
#![warn(missing_docs)]

mod attempts;
mod call;
mod client;
mod connection;
mod dialing;
mod ended;
mod errors;
mod flag;
mod following;
mod frames;
mod options;
mod pages;
mod stream;
mod subscription;
mod tasks;
mod tls;
mod tools;
mod turn;
mod url;

#[rustfmt::skip]
mod generated {
    pub mod reason;
    pub mod services;
    #[allow(missing_docs, clippy::all)]
    pub mod v1;
}

pub use call::Call;
pub(crate) use call::Method;
pub use client::Client;
pub use errors::{Error, Failure, Kind};
pub use generated::{reason, services, services::SCHEMA_HASH, v1};
pub use options::{BoxError, Builder, CallEnded, Hooks, TraceContext};
pub use pages::Pages;
pub use subscription::Subscription;
pub use tokio_rustls::rustls;
pub use turn::Turn;
