// Frames: a head of 16 bytes, optional metadata, a message (docs/protocol.md).

import { HeddleError, ProtocolError } from './errors.js'

export const Kind = Object.freeze({
  REQUEST: 1, RESPONSE: 2, EVENT: 3, ERROR: 4, CANCEL: 5, CREDIT: 6, PING: 7, PONG: 8, GOAWAY: 9, HELLO: 10,
})
export const END_OF_STREAM = 0x02
/** The server's frames may be larger than a client's: a stored event may hold an item of 4 MiB. */
export const RECEIVED_BYTES = 8 * 2 ** 20
const HEAD = 16
const KNOWN_FLAGS = 0x82
/** @type {number[]} */
const NEED_CONTENT = [Kind.EVENT, Kind.ERROR, Kind.GOAWAY, Kind.HELLO]
const NOTHING = new Uint8Array()

/**
 * @typedef {{ kind: number, flags: number, method: number, stream: number, payload: Uint8Array, size: number }} Frame
 */

/**
 * @param {number} kind
 * @param {number} method
 * @param {number} stream
 * @param {Uint8Array} payload
 * @param {Uint8Array} [metadata]
 */
export function pack(kind, method, stream, payload, metadata = NOTHING) {
  const out = new Uint8Array(HEAD + metadata.length + payload.length)
  const view = new DataView(out.buffer)
  out[0] = 0xfa
  out[1] = kind
  view.setUint16(2, method)
  view.setUint32(4, stream)
  out[8] = 1
  view.setUint16(9, metadata.length)
  view.setUint32(12, metadata.length + payload.length)
  out.set(metadata, HEAD)
  out.set(payload, HEAD + metadata.length)
  return out
}

/** Cuts a stream of bytes into frames. */
export class Cutter {
  largest = RECEIVED_BYTES
  /** @type {Uint8Array[]} */
  #pieces = []
  #length = 0
  /** Bytes that must be there before anything can be done. */
  #wanted = HEAD;

  /**
   * @param {Uint8Array} data
   * @returns {Generator<Frame, void, void>}
   */
  *cut(data) {
    this.#pieces.push(data)
    this.#length += data.length
    while (this.#length >= this.#wanted) {
      const bytes = this.#joined()
      const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length)
      const metadata = view.getUint16(9)
      const length = view.getUint32(12)
      this.#check(bytes, metadata, length)
      if (bytes.length < HEAD + length) {
        this.#wanted = HEAD + length
        return
      }
      this.#wanted = HEAD
      this.#pieces = [bytes.subarray(HEAD + length)]
      this.#length = bytes.length - HEAD - length
      const kind = bytes[1]
      // Kinds with the top bit may be skipped.
      if (kind & 0x80) continue
      const payload = bytes.subarray(HEAD + metadata, HEAD + length)
      if (payload.length === 0 && NEED_CONTENT.includes(kind)) {
        throw new ProtocolError(`the server sent a frame of kind ${kind} without content`)
      }
      yield { kind, flags: bytes[11], method: view.getUint16(2), stream: view.getUint32(4), payload, size: HEAD + length }
    }
  }

  #joined() {
    if (this.#pieces.length === 1) return this.#pieces[0]
    const whole = new Uint8Array(this.#length)
    let at = 0
    for (const piece of this.#pieces) {
      whole.set(piece, at)
      at += piece.length
    }
    this.#pieces = [whole]
    return whole
  }

  /**
   * @param {Uint8Array} bytes
   * @param {number} metadata
   * @param {number} length
   */
  #check(bytes, metadata, length) {
    const kind = bytes[1]
    if (bytes[0] !== 0xfa) throw new ProtocolError('this is no server of Heddle, or one that speaks TLS: its bytes are no frames')
    if (bytes[8] !== 1) throw new ProtocolError(`the server speaks version ${bytes[8]} of the protocol, the client version 1`)
    if (metadata > length) throw new ProtocolError('the server sent a frame whose metadata is longer than the frame')
    if (!(kind & 0x80)) {
      if (kind < 1 || kind > Kind.HELLO) throw new ProtocolError(`the server sent a frame of the unknown kind ${kind}`)
      if (bytes[11] & ~KNOWN_FLAGS) throw new ProtocolError(`the server sent a frame with the unknown flags ${bytes[11]}`)
    }
    if (length > this.largest) {
      throw new HeddleError('TooLarge', `the server sent a frame of ${length} bytes; the client takes ${this.largest}`)
    }
  }
}
