//! Frames: a head of 16 bytes, optional metadata, a message (docs/protocol.md).

use prost::bytes::{Buf, Bytes, BytesMut};
use prost::Message;
use tokio::io::{AsyncRead, AsyncReadExt};

use crate::errors::{Error, Kind};

pub(crate) const REQUEST: u8 = 1;
pub(crate) const RESPONSE: u8 = 2;
pub(crate) const EVENT: u8 = 3;
pub(crate) const ERROR: u8 = 4;
pub(crate) const CANCEL: u8 = 5;
pub(crate) const CREDIT: u8 = 6;
pub(crate) const PING: u8 = 7;
pub(crate) const PONG: u8 = 8;
pub(crate) const GOAWAY: u8 = 9;
pub(crate) const HELLO: u8 = 10;

pub(crate) const HEAD_BYTES: usize = 16;
pub(crate) const END_OF_STREAM: u8 = 0x02;
const MAGIC: u8 = 0xfa;
const VERSION: u8 = 1;
const KNOWN_FLAGS: u8 = 0x82;
/// The server's frames may be larger than a client's: a stored event may hold an item of 4 MiB.
pub(crate) const RECEIVED_BYTES: usize = 8 << 20;
const READ_BYTES: usize = 64 << 10;

#[derive(Debug)]
pub(crate) struct Frame {
    pub kind: u8,
    pub flags: u8,
    pub method: u16,
    pub stream: u32,
    pub payload: Bytes,
    pub size: usize,
}

pub(crate) fn append(out: &mut Vec<u8>, kind: u8, method: u16, stream: u32, payload: &[u8], metadata: &[u8]) {
    // Metadata is a key, a deadline and a trace; `open` refuses one that does not fit.
    let beside = u16::try_from(metadata.len()).unwrap_or(u16::MAX);
    let length = u32::try_from(metadata.len() + payload.len()).unwrap_or(u32::MAX);
    out.extend_from_slice(&[MAGIC, kind]);
    out.extend_from_slice(&method.to_be_bytes());
    out.extend_from_slice(&stream.to_be_bytes());
    out.push(VERSION);
    out.extend_from_slice(&beside.to_be_bytes());
    out.push(0);
    out.extend_from_slice(&length.to_be_bytes());
    out.extend_from_slice(metadata);
    out.extend_from_slice(payload);
}

/// Bytes that become frames.
#[derive(Default)]
pub(crate) struct Decoder {
    buffer: BytesMut,
}

impl Decoder {
    /// Reads once. The end of the bytes is an error.
    pub(crate) async fn fill(&mut self, from: &mut (impl AsyncRead + Unpin)) -> Result<(), Error> {
        self.buffer.reserve(READ_BYTES);
        match from.read_buf(&mut self.buffer).await {
            Ok(0) => Err(Error::lost("the connection ended")),
            Ok(_) => Ok(()),
            Err(error) => Err(Error::lost(format!("the connection ended: {error}"))),
        }
    }

    /// The next frame that this client knows, or none yet.
    pub(crate) fn next(&mut self, largest: usize) -> Result<Option<Frame>, Error> {
        loop {
            let head = match self.buffer.get(..HEAD_BYTES) {
                Some(head) => head,
                None => return Ok(None),
            };
            let (kind, flags) = (head[1], head[11]);
            let method = u16::from_be_bytes([head[2], head[3]]);
            let stream = u32::from_be_bytes([head[4], head[5], head[6], head[7]]);
            let metadata = usize::from(u16::from_be_bytes([head[9], head[10]]));
            let length = u32::from_be_bytes([head[12], head[13], head[14], head[15]]) as usize;
            check(head, metadata, length, largest)?;
            if self.buffer.len() - HEAD_BYTES < length {
                return Ok(None);
            }
            self.buffer.advance(HEAD_BYTES);
            let mut payload = self.buffer.split_to(length).freeze();
            // Kinds with the top bit may be skipped.
            if kind & 0x80 != 0 {
                continue;
            }
            payload.advance(metadata);
            if payload.is_empty() && matches!(kind, EVENT | ERROR | GOAWAY | HELLO) {
                return Err(Error::protocol(format!("the server sent a frame of kind {kind} without content")));
            }
            return Ok(Some(Frame { kind, flags, method, stream, payload, size: HEAD_BYTES + length }));
        }
    }
}

fn check(head: &[u8], metadata: usize, length: usize, largest: usize) -> Result<(), Error> {
    let (kind, flags) = (head[1], head[11]);
    let fault = if head[0] != MAGIC {
        "this is no server of Heddle, or one that speaks TLS: its bytes are no frames".to_string()
    } else if head[8] != VERSION {
        format!("the server speaks version {} of the protocol, the client version {VERSION}", head[8])
    } else if metadata > length {
        "the server sent a frame whose metadata is longer than the frame".to_string()
    } else if kind & 0x80 == 0 && !(REQUEST..=HELLO).contains(&kind) {
        format!("the server sent a frame of the unknown kind {kind}")
    } else if kind & 0x80 == 0 && flags & !KNOWN_FLAGS != 0 {
        format!("the server sent a frame with the unknown flags {flags:#x}")
    } else if length > largest {
        let text = format!("the server sent a frame of {length} bytes; the client takes {largest}");
        return Err(Error::new(Kind::TooLarge, text));
    } else {
        return Ok(());
    };
    Err(Error::protocol(fault))
}

pub(crate) fn read<M: Message + Default>(payload: impl Buf) -> Result<M, Error> {
    M::decode(payload)
        .map_err(|fault| Error::protocol(format!("the server sent a message that cannot be read: {fault}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames_are_the_same_wherever_the_bytes_are_cut() {
        let mut bytes = Vec::new();
        append(&mut bytes, RESPONSE, 104, 1, b"abc", b"");
        append(&mut bytes, 0xc0, 0, 0, b"skipped", b"");
        append(&mut bytes, EVENT, 118, 3, b"event", b"beside");
        for cut in 0..bytes.len() {
            let mut decoder = Decoder::default();
            let mut found = Vec::new();
            for part in [&bytes[..cut], &bytes[cut..]] {
                decoder.buffer.extend_from_slice(part);
                while let Some(frame) = decoder.next(1_000).unwrap() {
                    found.push((frame.kind, frame.method, frame.stream, frame.payload.to_vec(), frame.size));
                }
            }
            let wanted = vec![(RESPONSE, 104, 1, b"abc".to_vec(), 19), (EVENT, 118, 3, b"event".to_vec(), 27)];
            assert_eq!(found, wanted, "cut at {cut}");
        }
    }

    #[test]
    fn no_bytes_of_a_peer_panic() {
        let mut bytes = Vec::new();
        append(&mut bytes, RESPONSE, 104, 1, b"abc", b"");
        for at in 0..bytes.len() {
            for value in 0..=255 {
                let mut changed = bytes.clone();
                changed[at] = value;
                let mut decoder = Decoder { buffer: BytesMut::from(&changed[..]) };
                let _ = decoder.next(1_000);
            }
        }
    }
}
