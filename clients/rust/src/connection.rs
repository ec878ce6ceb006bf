//! A connection to one server: what comes in, and what goes out.

use std::collections::{HashMap, HashSet};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use prost::bytes::Bytes;
use prost::Message;
use tokio::io::{AsyncRead, AsyncWrite, AsyncWriteExt};
use tokio::sync::{oneshot, Notify, Semaphore};
use tokio::time::Instant;

use crate::client::Core;
use crate::errors::{Error, Kind};
use crate::flag::{lock, Flag};
use crate::frames::{self, Decoder, Frame};
use crate::stream::Stream;
use crate::v1;

const LAST_STREAM: u32 = u32::MAX - 2;
const PING_INTERVAL: Duration = Duration::from_secs(5);
/// The time for the last bytes of a connection whose peer does not read.
const FLUSH_TIME: Duration = Duration::from_secs(1);
const SPARE_BYTES: usize = 1 << 20;
const DEFAULT_IN_FLIGHT: usize = 256;
const MOST_IN_FLIGHT: usize = 1 << 20;

pub(crate) struct Answered {
    pub result: Result<Bytes, Error>,
    pub size: usize,
}

/// The one that has asked for something on a stream. It is told without the connection's lock.
pub(crate) enum Handler {
    Call(oneshot::Sender<Answered>),
    Stream(Arc<Stream>),
}

/// The states of a connection:
///
/// - opening: HELLO is on its way. Can go to open, ended.
/// - open: calls go. Can go to leaving, ended.
/// - leaving: the server has sent GOAWAY, or the client replaces it; nothing new, what it covers goes on. Can go to ended.
/// - ended: everybody who waited has been told.
pub(crate) struct Connection {
    pub client: Arc<Core>,
    pub ready: Flag,
    pub gone: Flag,
    /// Places among the calls in flight; closed when the connection takes no more calls.
    pub room: Semaphore,
    wake: Notify,
    born: Instant,
    heard: AtomicU64,
    pub state: Mutex<State>,
}

pub(crate) struct State {
    pub hello: Option<v1::ServerHello>,
    /// The server's clock minus this one, milliseconds.
    pub ahead: i64,
    pub is_leaving: bool,
    pub has_ended: bool,
    pub fault: Option<Error>,
    pub streams: HashMap<u32, Handler>,
    pub follows: HashSet<Vec<u8>>,
    next: u32,
    out: Vec<u8>,
    pinged: Option<Instant>,
}

impl State {
    pub(crate) fn is_usable(&self) -> bool {
        !self.has_ended && !self.is_leaving && self.hello.is_some()
    }

    /// The largest message that the server takes.
    pub(crate) fn frame_bytes(&self) -> usize {
        let limits = self.hello.as_ref().and_then(|hello| hello.limits.as_ref());
        match limits.and_then(|limits| limits.frame_bytes) {
            Some(most) if most > 0 => most as usize,
            _ => usize::MAX,
        }
    }
}

pub(crate) fn unix_milliseconds() -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since.as_millis()).unwrap_or(i64::MAX)
}

impl Connection {
    pub(crate) fn start(
        client: &Arc<Core>,
        input: impl AsyncRead + Send + Unpin + 'static,
        output: impl AsyncWrite + Send + Unpin + 'static,
        hello: Vec<u8>,
    ) -> Arc<Connection> {
        let connection = Arc::new(Connection {
            client: client.clone(),
            ready: Flag::default(),
            gone: Flag::default(),
            room: Semaphore::new(0),
            wake: Notify::new(),
            born: Instant::now(),
            heard: AtomicU64::new(0),
            state: Mutex::new(State {
                hello: None,
                ahead: 0,
                is_leaving: false,
                has_ended: false,
                fault: None,
                streams: HashMap::new(),
                follows: HashSet::new(),
                next: 1,
                out: hello,
                pinged: None,
            }),
        });
        connection.wake.notify_one();
        client.tasks.spawn(connection.clone().read(input));
        client.tasks.spawn(connection.clone().write(output));
        client.tasks.spawn(connection.clone().watch());
        connection
    }

    pub(crate) fn is_usable(&self) -> bool {
        lock(&self.state).is_usable()
    }

    // In

    async fn read(self: Arc<Self>, mut input: impl AsyncRead + Send + Unpin) {
        let mut decoder = Decoder::default();
        let mut largest = frames::RECEIVED_BYTES;
        loop {
            let filled = tokio::select! {
                filled = decoder.fill(&mut input) => filled,
                () = self.gone.wait() => return,
            };
            self.heard.store(self.age(), Ordering::Relaxed);
            let taken = filled.and_then(|()| self.take_all(&mut decoder, &mut largest));
            if let Err(fault) = taken {
                return self.end(fault);
            }
        }
    }

    fn take_all(self: &Arc<Self>, decoder: &mut Decoder, largest: &mut usize) -> Result<(), Error> {
        while let Some(frame) = decoder.next(*largest)? {
            let is_hello = frame.kind == frames::HELLO;
            self.take(frame)?;
            if is_hello {
                let most = lock(&self.state).frame_bytes();
                *largest = frames::RECEIVED_BYTES.max(if most == usize::MAX { 0 } else { most.saturating_mul(2) });
            }
        }
        Ok(())
    }

    fn take(self: &Arc<Self>, frame: Frame) -> Result<(), Error> {
        let is_open = lock(&self.state).hello.is_some();
        if !is_open && !matches!(frame.kind, frames::HELLO | frames::PING | frames::PONG | frames::GOAWAY) {
            return Err(Error::protocol("the server's first frame is no HELLO"));
        }
        match frame.kind {
            frames::RESPONSE | frames::EVENT | frames::ERROR if frame.stream % 2 == 1 => return self.answer(frame),
            frames::PING => {
                let ping: v1::Ping = frames::read(frame.payload)?;
                let pong = v1::Pong { opaque: ping.opaque, ..v1::Pong::default() };
                self.send(frames::PONG, 0, 0, &pong.encode_to_vec());
            }
            frames::GOAWAY => return self.go_away(frames::read(frame.payload)?),
            frames::HELLO => return self.greeted(frames::read(frame.payload)?),
            frames::REQUEST if frame.stream != 0 && frame.stream % 2 == 0 => {
                self.client.tools.asked(self, frame.stream, frame.method, frame.payload);
            }
            frames::CANCEL => self.client.tools.taken_back(self, frame.stream),
            frames::ERROR => {
                let said = Error::refused(frames::read(frame.payload)?);
                log::warn!(target: "heddle", "the server does not take an answer: {said}");
            }
            frames::PONG | frames::EVENT => {}
            kind => {
                return Err(Error::protocol(format!(
                    "the server sent a frame of kind {kind} on stream {}",
                    frame.stream
                )));
            }
        }
        Ok(())
    }

    fn answer(self: &Arc<Self>, frame: Frame) -> Result<(), Error> {
        let is_end =
            frame.kind == frames::ERROR || (frame.kind == frames::RESPONSE && frame.flags & frames::END_OF_STREAM != 0);
        let mut state = lock(&self.state);
        let who = match state.streams.remove(&frame.stream) {
            None if frame.stream < state.next => return Ok(()), // One that has ended may be answered late.
            None => {
                let text = format!("the server answers on stream {}, which was never opened", frame.stream);
                return Err(Error::protocol(text));
            }
            Some(Handler::Stream(stream)) if !is_end => {
                state.streams.insert(frame.stream, Handler::Stream(stream.clone()));
                Handler::Stream(stream)
            }
            Some(who) => who,
        };
        drop(state);
        let told = match who {
            Handler::Stream(stream) => stream.frame(frame),
            Handler::Call(waiting) => self.answered(waiting, frame),
        };
        self.end_if_done();
        told
    }

    fn answered(&self, waiting: oneshot::Sender<Answered>, frame: Frame) -> Result<(), Error> {
        self.room.add_permits(1);
        let size = frame.size;
        let (result, told) = match frame.kind {
            frames::RESPONSE => (Ok(frame.payload), Ok(())),
            frames::ERROR => match frames::read(frame.payload) {
                Ok(said) => (Err(Error::refused(said)), Ok(())),
                Err(fault) => (Err(fault.clone()), Err(fault)),
            },
            _ => (Err(Error::protocol("the server sent an event where an answer is due")), Ok(())),
        };
        // A caller that has gone needs no answer.
        let _ = waiting.send(Answered { result, size });
        told
    }

    fn greeted(&self, hello: v1::ServerHello) -> Result<(), Error> {
        let mut state = lock(&self.state);
        if state.hello.is_some() {
            return Err(Error::protocol("the server said HELLO twice"));
        }
        if hello.version != 1 {
            return Err(Error::protocol(format!("the server speaks version {} of the protocol", hello.version)));
        }
        if hello.server_time != 0 {
            state.ahead = hello.server_time.saturating_sub(unix_milliseconds());
        }
        let limit = match hello.limits.as_ref().and_then(|limits| limits.requests_in_flight) {
            Some(limit) if limit > 0 => (limit as usize).min(MOST_IN_FLIGHT),
            _ => DEFAULT_IN_FLIGHT,
        };
        self.room.add_permits(limit);
        state.hello = Some(hello);
        drop(state);
        self.ready.set();
        Ok(())
    }

    // Out

    pub(crate) fn send(&self, kind: u8, method: u16, stream: u32, payload: &[u8]) {
        self.queue(&mut lock(&self.state), kind, method, stream, payload, &[]);
    }

    fn queue(&self, state: &mut State, kind: u8, method: u16, stream: u32, payload: &[u8], metadata: &[u8]) {
        if !state.has_ended {
            frames::append(&mut state.out, kind, method, stream, payload, metadata);
            self.wake.notify_one();
        }
    }

    pub(crate) fn wake_writer(&self) {
        self.wake.notify_one();
    }

    /// Everything that was queued meanwhile goes in one write.
    async fn write(self: Arc<Self>, mut output: impl AsyncWrite + Send + Unpin) {
        let mut spare = Vec::new();
        loop {
            self.wake.notified().await;
            let (out, has_ended, is_leaving) = {
                let mut state = lock(&self.state);
                (std::mem::replace(&mut state.out, spare), state.has_ended, state.is_leaving)
            };
            if has_ended {
                // One that is left says good-bye; another is of no use any more.
                if is_leaving {
                    let last = async {
                        output.write_all(&out).await?;
                        output.shutdown().await
                    };
                    let _ = tokio::time::timeout(FLUSH_TIME, last).await;
                }
                return;
            }
            let written = tokio::select! {
                written = async { output.write_all(&out).await?; output.flush().await } => written,
                () = self.gone.wait() => Ok(()),
            };
            if let Err(error) = written {
                return self.end(Error::lost(format!("the connection ended: {error}")));
            }
            spare = out;
            spare.clear();
            spare.shrink_to(SPARE_BYTES);
        }
    }

    pub(crate) fn open(&self, method: u16, payload: &[u8], metadata: &[u8], who: Handler) -> Result<u32, Error> {
        let mut state = lock(&self.state);
        if !state.is_usable() || state.next > LAST_STREAM {
            return Err(Error::unserved("the connection takes no more calls"));
        }
        let (bytes, most) = (payload.len() + metadata.len(), state.frame_bytes());
        if bytes > most || metadata.len() > usize::from(u16::MAX) {
            return Err(Error::new(Kind::TooLarge, format!("the message has {bytes} bytes; the server takes {most}")));
        }
        let stream = state.next;
        state.next += 2;
        state.streams.insert(stream, who);
        self.queue(&mut state, frames::REQUEST, method, stream, payload, metadata);
        Ok(stream)
    }

    pub(crate) fn cancel(&self, stream: u32) {
        let mut state = lock(&self.state);
        if state.streams.contains_key(&stream) {
            self.queue(&mut state, frames::CANCEL, 0, stream, &[], &[]);
        }
    }

    // Time

    fn age(&self) -> u64 {
        u64::try_from(self.born.elapsed().as_micros()).unwrap_or(u64::MAX)
    }

    async fn watch(self: Arc<Self>) {
        let (after, lost) = (self.client.options.ping_after, self.client.options.lost_after);
        let step = (after.min(lost) / 4).max(Duration::from_millis(1));
        loop {
            tokio::select! {
                () = tokio::time::sleep(step) => {}
                () = self.gone.wait() => return,
            }
            let silence = Duration::from_micros(self.age().saturating_sub(self.heard.load(Ordering::Relaxed)));
            if silence >= lost {
                return self.end(Error::lost(format!("nothing came from the server for {} s", silence.as_secs())));
            }
            let mut state = lock(&self.state);
            let is_early = state.pinged.map_or(false, |at| at.elapsed() < PING_INTERVAL.min(after));
            if state.hello.is_some() && silence >= after && !is_early {
                state.pinged = Some(Instant::now());
                let ping = v1::Ping { opaque: self.age().to_be_bytes().to_vec() };
                self.queue(&mut state, frames::PING, 0, 0, &ping.encode_to_vec(), &[]);
            }
        }
    }
}
