//! The client of a case, and its tools.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use heddle::{BoxError, Client};

use crate::generated::conformance::{self as pb, report::What, tool::Does};
use crate::reports::failed;
use crate::watch::Watch;
use crate::{done, Driver};

fn ms(value: u32, other: u64) -> Duration {
    Duration::from_millis(if value == 0 { other } else { value.into() })
}

/// Counts a tool that is dropped before its end.
struct Dropped(Arc<Mutex<pb::Counts>>, Option<String>);

impl Drop for Dropped {
    fn drop(&mut self) {
        if let Some(name) = self.1.take() {
            *self.0.lock().unwrap().cancelled.entry(name).or_default() += 1;
        }
    }
}

async fn run(tool: pb::Tool, counts: Arc<Mutex<pb::Counts>>) -> Result<String, BoxError> {
    *counts.lock().unwrap().begun.entry(tool.name.clone()).or_default() += 1;
    match tool.does {
        Some(Does::Fail(text)) => Err(text.into()),
        Some(Does::Large(bytes)) => Ok("x".repeat(bytes as usize)),
        Some(Does::WaitMs(wait)) => {
            let mut dropped = Dropped(counts, Some(tool.name));
            tokio::time::sleep(Duration::from_millis(wait.into())).await;
            dropped.1 = None;
            Ok("waited".to_string())
        }
        Some(Does::Answer(text)) => Ok(text),
        None => Ok(String::new()),
    }
}

impl Driver {
    pub fn register(&self, client: &Client, tool: &pb::Tool) {
        let (made, counts) = (tool.clone(), self.counts.clone());
        if tool.question {
            client.on_question(move |_| run(made.clone(), counts.clone()));
        } else {
            client.tool(tool.name.as_str(), move |_| run(made.clone(), counts.clone()));
        }
    }

    pub async fn connect(&mut self, asked: pb::Connect) -> What {
        let timeout = ms(asked.timeout_ms, 30_000);
        let mut builder = Client::builder()
            .timeout(timeout)
            .backoff(ms(asked.backoff_ms, 100), ms(asked.longest_backoff_ms, 10_000))
            .connect_timeout(ms(asked.connect_timeout_ms, 10_000))
            .close_timeout(ms(asked.close_timeout_ms, 5_000))
            .keepalive(ms(asked.ping_after_ms, 30_000), ms(asked.lost_after_ms, 90_000))
            .hooks(Watch(self.heard.clone()));
        if let Some(retries) = asked.retries {
            builder = builder.retries(retries);
        }
        if asked.credit > 0 {
            builder = builder.credit(asked.credit);
        }
        if !asked.token.is_empty() {
            builder = builder.token(asked.token);
        } else if !asked.tokens.is_empty() || asked.token_fails {
            let (left, fails) = (Mutex::new(asked.tokens), asked.token_fails);
            builder = builder.token_source(move || {
                let mut left = left.lock().unwrap();
                let given = match left.len() {
                    0 | 1 if fails => Err("no token today".into()),
                    1 => Ok(left[0].clone()),
                    _ => Ok(left.remove(0)),
                };
                async move { given }
            });
        }
        let client = match builder.build(&asked.url) {
            Ok(client) => client,
            Err(error) => return failed(&error),
        };
        for tool in &self.tools {
            self.register(&client, tool);
        }
        self.client = Some(client.clone());
        match tokio::time::timeout(timeout, client.wait_connected()).await {
            Ok(Ok(())) => done(),
            Ok(Err(error)) => failed(&error),
            Err(_) => What::Failed(pb::Failed { kind: "TimedOut".to_string(), ..Default::default() }),
        }
    }
}
