//! Tools of the program, which the server calls.

use std::collections::{HashMap, VecDeque};
use std::future::Future;
use std::panic::{catch_unwind, AssertUnwindSafe};
use std::pin::Pin;
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll};
use std::time::Duration;

use prost::bytes::Bytes;
use prost::Message;
use tokio::sync::Semaphore;

use crate::connection::{unix_milliseconds, Connection};
use crate::flag::{lock, Flag};
use crate::frames;
use crate::generated::services::{NUMBER_CALL_TOOL, NUMBER_REQUEST_USER_INPUT};
use crate::options::{BoxError, Boxed};
use crate::v1;

const AT_ONCE: usize = 64;
/// Calls whose result is kept, for a server that asks again.
const REMEMBERED: usize = 1_024;
const LONGEST_WAIT: Duration = Duration::from_secs(30 * 24 * 60 * 60);
const MESSAGE_CHARACTERS: usize = 4_000;

pub(crate) type ToolFunction = Arc<dyn Fn(String) -> Boxed<'static, Result<String, BoxError>> + Send + Sync>;
pub(crate) type QuestionFunction =
    Arc<dyn Fn(v1::RequestUserInputRequest) -> Boxed<'static, Result<String, BoxError>> + Send + Sync>;

pub(crate) fn tool_function<F, Fut>(tool: F) -> ToolFunction
where
    F: Fn(String) -> Fut + Send + Sync + 'static,
    Fut: Future<Output = Result<String, BoxError>> + Send + 'static,
{
    let tool = Arc::new(tool);
    Arc::new(move |arguments| {
        let tool = tool.clone();
        // The function itself runs in the future, so that its panic is caught there too.
        Box::pin(async move { tool(arguments).await })
    })
}

pub(crate) fn question_function<F, Fut>(question: F) -> QuestionFunction
where
    F: Fn(v1::RequestUserInputRequest) -> Fut + Send + Sync + 'static,
    Fut: Future<Output = Result<String, BoxError>> + Send + 'static,
{
    let question = Arc::new(question);
    Arc::new(move |asked| {
        let question = question.clone();
        Box::pin(async move { question(asked).await })
    })
}

type Place = (Arc<Connection>, u32);
type Work = Boxed<'static, Result<Vec<u8>, BoxError>>;
type Key = (Vec<u8>, Vec<u8>, String);

/// A call that runs, or has a result.
struct Run {
    taken_back: Flag,
    state: Mutex<RunState>,
}

struct RunState {
    /// The streams that wait for the result.
    places: Vec<Place>,
    result: Option<(u8, Vec<u8>)>,
}

/// The server asks every connection that follows the thread, and asks again after a lost one. A call is known by its id, so the
/// function runs once; its result goes to where it was asked for.
pub(crate) struct Tools {
    room: Arc<Semaphore>,
    state: Mutex<State>,
}

struct State {
    by_name: HashMap<String, ToolFunction>,
    question: Option<QuestionFunction>,
    runs: HashMap<Key, Arc<Run>>,
    order: VecDeque<Key>,
}

impl Tools {
    pub(crate) fn new(by_name: HashMap<String, ToolFunction>, question: Option<QuestionFunction>) -> Tools {
        let state = State { by_name, question, runs: HashMap::new(), order: VecDeque::new() };
        Tools { room: Arc::new(Semaphore::new(AT_ONCE)), state: Mutex::new(state) }
    }

    pub(crate) fn features(&self) -> Vec<String> {
        let state = lock(&self.state);
        let tool = (!state.by_name.is_empty()).then_some("call_tool");
        let question = state.question.as_ref().map(|_| "request_user_input");
        tool.into_iter().chain(question).map(str::to_string).collect()
    }

    /// True: HELLO has to say more than before.
    pub(crate) fn add(&self, name: String, tool: ToolFunction) -> bool {
        let mut state = lock(&self.state);
        state.by_name.insert(name, tool);
        state.by_name.len() == 1
    }

    /// True: HELLO has to say more than before.
    pub(crate) fn ask_with(&self, question: QuestionFunction) -> bool {
        lock(&self.state).question.replace(question).is_none()
    }

    pub(crate) fn forget(&self) {
        let mut state = lock(&self.state);
        let forgotten = (std::mem::take(&mut state.by_name), state.question.take(), std::mem::take(&mut state.runs));
        drop(state);
        drop(forgotten);
    }

    // The server's words

    pub(crate) fn asked(&self, connection: &Arc<Connection>, stream: u32, method: u16, payload: Bytes) {
        let found = match method {
            NUMBER_CALL_TOOL => frames::read(payload).map(|asked| self.tool(asked)),
            NUMBER_REQUEST_USER_INPUT => frames::read(payload).map(|asked| self.question(asked)),
            _ => Ok(None),
        };
        match found {
            Ok(Some((key, deadline, work))) if !connection.client.stopped.is_set() => {
                self.begin((connection.clone(), stream), method, key, deadline, work);
            }
            Ok(_) => {
                let text = "this client does not have the tool";
                connection.send(frames::ERROR, method, stream, &failure(v1::Code::Unimplemented, text));
            }
            Err(_) => {
                let text = "the request cannot be read";
                connection.send(frames::ERROR, method, stream, &failure(v1::Code::InvalidArgument, text));
            }
        }
    }

    fn tool(&self, asked: v1::CallToolRequest) -> Option<(Key, i64, Work)> {
        let tool = lock(&self.state).by_name.get(&asked.name).cloned()?;
        let arguments = if asked.arguments.is_empty() { "{}".to_string() } else { asked.arguments };
        let work = async move {
            let part = v1::content_part::Part::Text(tool(arguments).await?);
            let content = vec![v1::ContentPart { part: Some(part) }];
            Ok(v1::CallToolResponse { content, success: true }.encode_to_vec())
        };
        Some(((asked.thread, asked.turn, asked.call_id), asked.deadline, Box::pin(work)))
    }

    fn question(&self, asked: v1::RequestUserInputRequest) -> Option<(Key, i64, Work)> {
        let question = lock(&self.state).question.clone()?;
        let key = (asked.thread.clone(), asked.turn.clone(), asked.call_id.clone());
        let (deadline, action_hash) = (asked.deadline, asked.action_hash.clone());
        let work = async move {
            let answer = question(asked).await?;
            Ok(v1::RequestUserInputResponse { answer, action_hash }.encode_to_vec())
        };
        Some((key, deadline, Box::pin(work)))
    }

    fn begin(&self, place: Place, method: u16, key: Key, deadline: i64, work: Work) {
        let mut state = lock(&self.state);
        if let Some(known) = state.runs.get(&key) {
            let mut run = lock(&known.state);
            match &run.result {
                Some((kind, payload)) => place.0.send(*kind, method, place.1, payload),
                None => run.places.push(place),
            }
            return;
        }
        let connection = place.0.clone();
        let run = Arc::new(Run {
            taken_back: Flag::default(),
            state: Mutex::new(RunState { places: vec![place], result: None }),
        });
        state.runs.insert(key.clone(), run.clone());
        state.order.push_back(key);
        while state.order.len() > REMEMBERED {
            let is_done = |key: &Key| state.runs.get(key).map_or(true, |run| lock(&run.state).result.is_some());
            match state.order.front().filter(|key| is_done(key)).cloned() {
                Some(oldest) => {
                    state.runs.remove(&oldest);
                    state.order.pop_front();
                }
                None => break,
            }
        }
        drop(state);
        connection.client.tasks.spawn(serve(self.room.clone(), run, connection.clone(), method, deadline, work));
    }

    pub(crate) fn taken_back(&self, connection: &Arc<Connection>, stream: u32) {
        let mut state = lock(&self.state);
        state.runs.retain(|_, run| {
            let mut waiting = lock(&run.state);
            let before = waiting.places.len();
            waiting.places.retain(|place| !(Arc::ptr_eq(&place.0, connection) && place.1 == stream));
            let is_over = waiting.places.is_empty() && before > 0 && waiting.result.is_none();
            if is_over {
                run.taken_back.set();
            }
            !is_over
        });
    }
}

// The functions

async fn serve(
    room: Arc<Semaphore>,
    run: Arc<Run>,
    connection: Arc<Connection>,
    method: u16,
    deadline: i64,
    work: Work,
) {
    let worked = async {
        let _place = room.acquire().await;
        let left = time_left(&connection, deadline);
        tokio::time::timeout(left, Caught(work)).await
    };
    let worked = tokio::select! {
        worked = worked => worked,
        () = run.taken_back.wait() => return,
        () = connection.client.stopped.wait() => return,
    };
    let (mut kind, mut payload) = match worked {
        Ok(Ok(payload)) => (frames::RESPONSE, payload),
        Ok(Err(error)) => (frames::ERROR, failure(v1::Code::Unknown, &error.to_string())),
        Err(_) => (frames::ERROR, failure(v1::Code::DeadlineExceeded, "the tool did not end in its time")),
    };
    let most = lock(&connection.state).frame_bytes();
    if payload.len() > most {
        kind = frames::ERROR;
        payload = failure(v1::Code::Unknown, &format!("the tool's result is larger than {most} bytes"));
    }
    let places = {
        let mut run = lock(&run.state);
        run.result = Some((kind, payload.clone()));
        std::mem::take(&mut run.places)
    };
    for (connection, stream) in places {
        connection.send(kind, method, stream, &payload);
    }
}

/// The time until a deadline by the server's clock.
fn time_left(connection: &Connection, deadline: i64) -> Duration {
    if deadline <= 0 {
        return LONGEST_WAIT;
    }
    let ahead = lock(&connection.state).ahead;
    let left = deadline.saturating_sub(ahead).saturating_sub(unix_milliseconds());
    Duration::from_millis(u64::try_from(left).unwrap_or(0)).min(LONGEST_WAIT)
}

/// A function that panics has failed; the program goes on.
struct Caught(Work);

impl Future for Caught {
    type Output = Result<Vec<u8>, BoxError>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        catch_unwind(AssertUnwindSafe(|| self.0.as_mut().poll(context))).unwrap_or_else(|panic| {
            let text = panic.downcast_ref::<&str>().map(ToString::to_string);
            let text = text.or_else(|| panic.downcast_ref::<String>().cloned()).unwrap_or_default();
            Poll::Ready(Err(format!("the tool panicked: {text}").into()))
        })
    }
}

fn failure(code: v1::Code, message: &str) -> Vec<u8> {
    let message = message.chars().take(MESSAGE_CHARACTERS).collect();
    v1::Error { code: code as i32, reason: "tool_failed".to_string(), message, ..Default::default() }.encode_to_vec()
}
