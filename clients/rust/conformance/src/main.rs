//! The driver of the Rust client for the conformance suite: conformance/README.md.

mod begin;
mod reports;
mod watch;

#[rustfmt::skip]
#[allow(clippy::all)]
mod generated {
    pub mod by_name;
    pub mod conformance;
}

use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use generated::{by_name, conformance as pb};
use heddle::{v1, Client, Subscription, Turn};
use pb::{report::What, step::What as Asked};
use prost::Message;
use reports::{failed, Found};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::task::JoinHandle;

/// The next step begins behind this one, as cases expect.
const BEHIND: Duration = Duration::from_millis(10);

#[derive(Default)]
struct Driver {
    client: Option<Client>,
    background: HashMap<u32, JoinHandle<What>>,
    subscriptions: HashMap<String, Arc<tokio::sync::Mutex<Subscription>>>,
    tools: Vec<pb::Tool>,
    heard: Arc<Mutex<Vec<String>>>,
    counts: Arc<Mutex<pb::Counts>>,
}

fn done() -> What {
    What::Done(pb::Done {})
}

impl Driver {
    fn client(&self) -> Client {
        self.client.clone().expect("a case connects first")
    }

    async fn begin(&mut self) {
        for (_, running) in self.background.drain() {
            running.abort();
        }
        self.subscriptions.clear();
        if let Some(client) = self.client.take() {
            client.close().await;
        }
        *self = Driver::default();
    }

    /// In the background, or at once.
    async fn run(
        &mut self,
        id: u32,
        in_background: bool,
        work: impl std::future::Future<Output = What> + Send + 'static,
    ) -> What {
        if !in_background {
            return work.await;
        }
        self.background.insert(id, tokio::spawn(work));
        tokio::time::sleep(BEHIND).await;
        done()
    }

    /// A cancelled future has no result: its task says that it was dropped.
    async fn wait_for(&mut self, step: u32) -> What {
        let running = self.background.remove(&step).expect("a step in the background");
        running.await.unwrap_or_else(|error| {
            assert!(error.is_cancelled(), "{error}");
            What::Failed(pb::Failed { kind: "Cancelled".to_string(), ..Default::default() })
        })
    }

    async fn subscribe(&mut self, asked: pb::Subscribe) -> What {
        let client = self.client();
        let mut made = asked.thread.map_or_else(|| client.subscribe_all(), |thread| client.subscribe(thread));
        if let Some(after) = asked.after {
            made = made.after(after);
        }
        if let Some(epoch) = asked.epoch {
            made = made.in_epoch(epoch);
        }
        if asked.tree {
            made = made.tree();
        }
        if asked.credit > 0 {
            made = made.credit(asked.credit);
        }
        made.open();
        self.subscriptions.insert(asked.name, Arc::new(tokio::sync::Mutex::new(made)));
        tokio::time::sleep(BEHIND).await;
        done()
    }

    async fn next(&self, asked: pb::Next) -> What {
        let wait = Duration::from_millis(if asked.timeout_ms == 0 { 5_000 } else { asked.timeout_ms.into() });
        let mut events = self.subscriptions[&asked.name].lock().await;
        match tokio::time::timeout(wait, events.next()).await {
            Err(_) => What::Nothing(pb::Nothing {}),
            Ok(Ok(None)) => What::Ended(pb::Ended {}),
            Ok(Ok(Some(message))) => What::Event(pb::Event { message: message.encode_to_vec() }),
            Ok(Err(error)) => failed(&error),
        }
    }

    async fn pages(&self, asked: pb::Pages) -> What {
        if asked.method != "ThreadService/List" {
            return What::LeftOut(pb::LeftOut { why: format!("pages of {}", asked.method) });
        }
        let request = v1::ListThreadsRequest::decode(asked.request.as_slice()).expect("a request");
        let mut pages = self.client().threads().each_list(request);
        let mut items = Vec::new();
        loop {
            match pages.next().await {
                Ok(Some(item)) => items.push(item.encode_to_vec()),
                Ok(None) => break,
                Err(error) => return failed(&error),
            }
            if items.len() == asked.most as usize {
                break;
            }
        }
        What::Items(pb::Items { items })
    }

    async fn step(&mut self, id: u32, asked: Asked) -> What {
        match asked {
            Asked::Begin(_) => self.begin().await,
            Asked::Connect(asked) => return self.connect(asked).await,
            Asked::Call(asked) => {
                let client = self.client();
                let in_background = asked.background;
                return self.run(id, in_background, async move { call(client, asked).await }).await;
            }
            Asked::Await(asked) => return self.wait_for(asked.step).await,
            Asked::Cancel(asked) => self.background[&asked.step].abort(),
            Asked::Subscribe(asked) => return self.subscribe(asked).await,
            Asked::Next(asked) => return self.next(asked).await,
            Asked::Unsubscribe(asked) => self.subscriptions[&asked.name].lock().await.close(),
            Asked::Turn(asked) => {
                let turn = self.client().turn(asked.thread, asked.text);
                return self.run(id, asked.background, follow(turn)).await;
            }
            Asked::Pages(asked) => return self.pages(asked).await,
            Asked::Tool(tool) => {
                if let Some(client) = &self.client {
                    self.register(client, &tool);
                }
                self.tools.push(tool);
            }
            Asked::ToolRuns(_) => return What::Counts(self.counts.lock().unwrap().clone()),
            Asked::Hooks(_) => {
                let hooks = std::mem::take(&mut *self.heard.lock().unwrap());
                return What::Heard(pb::Heard { hooks, text: format!("{}{:?}", watch::logged(), self.client) });
            }
            Asked::Close(_) => self.client().close().await,
            Asked::Vector(asked) => {
                let message = by_name::message(&asked.message, &asked.bytes).expect("a message of the schema");
                return What::Answer(pb::Answer { message });
            }
        }
        done()
    }
}

async fn call(client: Client, asked: pb::Call) -> What {
    let key = (!asked.key.is_empty()).then_some(asked.key);
    let timeout = (asked.timeout_ms > 0).then(|| Duration::from_millis(asked.timeout_ms.into()));
    match by_name::call(&client, &asked.method, &reports::Request { bytes: asked.request, key, timeout }) {
        Found::Call(answer) => match answer.await {
            Ok(message) => What::Answer(pb::Answer { message }),
            Err(error) => failed(&error),
        },
        Found::None => What::LeftOut(pb::LeftOut { why: asked.method }),
    }
}

async fn follow(mut turn: Turn) -> What {
    let mut end = pb::TurnEnd::default();
    loop {
        match turn.next().await {
            Ok(Some(piece)) => {
                end.text.push_str(&piece);
                end.pieces += 1;
            }
            Ok(None) => break,
            Err(error) => return failed(&error),
        }
    }
    end.turn = turn.id().to_vec();
    end.output_tokens = turn.usage().map_or(0, |usage| usage.output_tokens);
    What::Turn(end)
}

#[tokio::main]
async fn main() -> std::io::Result<()> {
    watch::start();
    let mut driver = Driver::default();
    let (mut input, mut output) = (tokio::io::stdin(), tokio::io::stdout());
    while let Ok(length) = input.read_u32().await {
        let mut body = vec![0; length as usize];
        input.read_exact(&mut body).await?;
        let step = pb::Step::decode(body.as_slice())?;
        let what = match step.what {
            Some(asked) => driver.step(step.id, asked).await,
            None => What::LeftOut(pb::LeftOut { why: "an unknown step".to_string() }),
        };
        let report = pb::Report { id: step.id, what: Some(what) }.encode_to_vec();
        output.write_u32(report.len() as u32).await?;
        output.write_all(&report).await?;
        output.flush().await?;
    }
    Ok(())
}
