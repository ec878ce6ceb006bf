// Protobuf's wire format: numbers, blocks, and what may be skipped.

import { ProtocolError } from './errors.js'

/** Wire types. */
export const VARINT = 0
export const FIXED_64 = 1
export const LENGTH = 2
export const FIXED_32 = 5

/** Bytes that grow. */
export class Writer {
  bytes = new Uint8Array(256)
  length = 0

  /** @param {number} more */
  room(more) {
    if (this.length + more <= this.bytes.length) return
    const larger = new Uint8Array(Math.max(2 * this.bytes.length, this.length + more))
    larger.set(this.bytes.subarray(0, this.length))
    this.bytes = larger
  }

  /** @param {number} value not negative */
  varint(value) {
    this.room(10)
    while (value >= 0x80) {
      this.bytes[this.length++] = (value % 0x80) | 0x80
      value = Math.floor(value / 0x80)
    }
    this.bytes[this.length++] = value
  }

  /** @param {bigint} value */
  big(value) {
    this.room(10)
    value = BigInt.asUintN(64, value)
    while (value >= 0x80n) {
      this.bytes[this.length++] = Number(value & 0x7fn) | 0x80
      value >>= 7n
    }
    this.bytes[this.length++] = Number(value)
  }

  /** @param {Uint8Array} data */
  raw(data) {
    this.room(data.length)
    this.bytes.set(data, this.length)
    this.length += data.length
  }

  take() { return this.bytes.slice(0, this.length) }
}

export class Reader {
  at = 0

  /** @param {Uint8Array} bytes */
  constructor(bytes) { this.bytes = bytes }

  byte() {
    if (this.at >= this.bytes.length) throw new ProtocolError('a field is cut off')
    return this.bytes[this.at++]
  }

  /** A number; beyond 2^53 it is not exact. */
  varint() {
    let low = 0
    let high = 0
    for (let shift = 0; shift < 70; shift += 7) {
      const byte = this.byte()
      if (shift < 28) low += (byte & 0x7f) * 2 ** shift
      else high += (byte & 0x7f) * 2 ** (shift - 28)
      if (byte < 0x80) return high * 2 ** 28 + low
    }
    throw new ProtocolError('a number has more than ten bytes')
  }

  big() {
    let value = 0n
    for (let shift = 0n; shift < 70n; shift += 7n) {
      const byte = this.byte()
      value |= BigInt(byte & 0x7f) << shift
      if (byte < 0x80) return BigInt.asUintN(64, value)
    }
    throw new ProtocolError('a number has more than ten bytes')
  }

  signed() {
    const start = this.at
    const value = this.varint()
    if (value < 2 ** 53) return value
    this.at = start
    return Number(BigInt.asIntN(64, this.big()))
  }

  /** @param {number} size */
  float(size) {
    if (this.at + size > this.bytes.length) throw new ProtocolError('a field is cut off')
    const view = new DataView(this.bytes.buffer, this.bytes.byteOffset + this.at, size)
    this.at += size
    return size === 8 ? view.getFloat64(0, true) : view.getFloat32(0, true)
  }

  /** The end of the block whose length comes next. */
  end() {
    const length = this.varint()
    if (length > this.bytes.length - this.at) throw new ProtocolError('a field is longer than its message')
    return this.at + length
  }

  block() {
    const end = this.end()
    const block = this.bytes.subarray(this.at, end)
    this.at = end
    return block
  }

  /** @param {number} wire */
  skip(wire) {
    if (wire === VARINT) this.big()
    else if (wire === FIXED_64) this.float(8)
    else if (wire === LENGTH) this.block()
    else if (wire === FIXED_32) this.float(4)
    else throw new ProtocolError(`there is no wire type ${wire}`)
  }
}
