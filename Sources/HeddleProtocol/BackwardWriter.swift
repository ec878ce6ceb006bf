// Encoding, last byte first. A message's length stands before its bytes; written backwards it is known when it is
// needed, so one walk over the values is enough and nothing is built in between. Measured against filling protoc-c's
// structs, `protobuf_c_message_get_packed_size` and `protobuf_c_message_pack`, this takes a sixth of the instructions
// (docs/performance.md). Bytes of a peer are decoded by protobuf-c all the same; the tests decode with it every message
// that is written here and have it pack that again: the bytes must be the same.
//
// B1  `at` lies within the block; the written bytes are `at ..< end`.
// B2  Values are our own and bounded by the limits: room that cannot be had is a limit that was not checked.

import CProtobufC
import HeddleCore

/// A value that writes itself as the bytes of a message.
public protocol WireWritable {
  /// Writes the fields, the last one first.
  func write(_ out: inout BackwardWriter)
}

/// A message of the schema: generated code knows how to read its C struct and how to write its bytes.
public protocol WireMessage: WireWritable, Equatable, Sendable {
  associatedtype CMessage
  /// Its place in the schema table.
  static var schemaIndex: UInt16 { get }
  static var descriptor: UnsafePointer<ProtobufCMessageDescriptor> { get }
  init()
  init(c: UnsafePointer<CMessage>) throws(DecodeError)
}

/// The bytes of one message, from its end to its beginning.
public struct BackwardWriter: ~Copyable {
  private var start: UnsafeMutableRawPointer
  private var end: UnsafeMutableRawPointer
  private var at: UnsafeMutableRawPointer

  /// Kept between messages; the room that a larger one needed is given back.
  private static let keptBytes = 64 * 1024

  init() {
    start = .allocate(byteCount: 4096, alignment: 16)
    end = start + 4096
    at = end
  }

  deinit { start.deallocate() }

  var count: Int { end - at }

  var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: at, count: end - at) }

  mutating func reset() {
    if end - start > Self.keptBytes {
      start.deallocate()
      start = .allocate(byteCount: Self.keptBytes, alignment: 16)
      end = start + Self.keptBytes
    }
    at = end
  }

  @inline(never)
  private mutating func grow(_ more: Int) {
    let used = end - at
    let capacity = max(2 * (end - start), used + more)
    let larger = UnsafeMutableRawPointer.allocate(byteCount: capacity, alignment: 16)
    (larger + (capacity - used)).copyMemory(from: at, byteCount: used)
    start.deallocate()
    start = larger
    end = larger + capacity
    at = end - used
  }

  /// Moves `at` back by `count` bytes, which the caller fills.
  @inline(__always)
  private mutating func room(_ count: Int) -> UnsafeMutableRawPointer {
    if at - start < count { grow(count) }
    at -= count
    return at
  }

  /// The header of a frame, in front of the payload that has been written.
  mutating func frame(_ header: FrameHeader) {
    var header = header
    header.length = UInt32(clamping: count)
    header.write(to: room(FrameHeader.byteCount))
  }

  // MARK: Values without a tag

  @inline(__always)
  mutating func unsigned(_ value: UInt64) {
    if value < 0x80 { return room(1).storeBytes(of: UInt8(truncatingIfNeeded: value), as: UInt8.self) }
    let count = (70 - value.leadingZeroBitCount) / 7
    let to = room(count)
    var rest = value
    for index in 0..<count - 1 {
      to.storeBytes(of: UInt8(truncatingIfNeeded: rest) | 0x80, toByteOffset: index, as: UInt8.self)
      rest >>= 7
    }
    to.storeBytes(of: UInt8(truncatingIfNeeded: rest), toByteOffset: count - 1, as: UInt8.self)
  }

  @inline(__always)
  mutating func unsigned(_ value: UInt32) { unsigned(UInt64(value)) }

  /// Negative numbers of any width take ten bytes.
  @inline(__always)
  mutating func signed(_ value: Int32) { unsigned(UInt64(bitPattern: Int64(value))) }

  private mutating func copy(_ source: UnsafeRawBufferPointer) {
    guard let from = source.baseAddress, source.count > 0 else { return }
    room(source.count).copyMemory(from: from, byteCount: source.count)
  }

  // MARK: Fields: the value, then its tag in front of it

  @inline(__always)
  package mutating func unsigned(_ value: UInt64, _ tag: UInt64) {
    unsigned(value)
    unsigned(tag)
  }

  @inline(__always)
  mutating func unsigned(_ value: UInt32, _ tag: UInt64) { unsigned(UInt64(value), tag) }

  @inline(__always)
  mutating func signed(_ value: Int64, _ tag: UInt64) { unsigned(UInt64(bitPattern: value), tag) }

  @inline(__always)
  mutating func signed(_ value: Int32, _ tag: UInt64) { signed(Int64(value), tag) }

  @inline(__always)
  mutating func bool(_ value: Bool, _ tag: UInt64) { unsigned(UInt64(value ? 1 : 0), tag) }

  mutating func float(_ value: Float, _ tag: UInt64) {
    room(4).storeBytes(of: value.bitPattern.littleEndian, as: UInt32.self)
    unsigned(tag)
  }

  package mutating func text(_ value: String, _ tag: UInt64) {
    var value = value
    let count = value.withUTF8 { bytes in
      copy(UnsafeRawBufferPointer(bytes))
      return bytes.count
    }
    unsigned(UInt64(count))
    unsigned(tag)
  }

  package mutating func bytes(_ value: [UInt8], _ tag: UInt64) {
    value.withUnsafeBytes { copy($0) }
    unsigned(UInt64(value.count))
    unsigned(tag)
  }

  package mutating func fixed32(_ value: UInt32, _ tag: UInt64) {
    room(4).storeBytes(of: value.littleEndian, as: UInt32.self)
    unsigned(tag)
  }

  package mutating func fixed64(_ value: UInt64, _ tag: UInt64) {
    room(8).storeBytes(of: value.littleEndian, as: UInt64.self)
    unsigned(tag)
  }

  /// A message of another schema, whose fields `write` writes, the last one first.
  package mutating func nested(_ tag: UInt64, _ write: (inout BackwardWriter) -> Void) {
    let before = count
    write(&self)
    unsigned(UInt64(count - before))
    unsigned(tag)
  }

  mutating func id(_ value: some Identifier, _ tag: UInt64) {
    let to = room(16)
    to.storeBytes(of: value.high.bigEndian, as: UInt64.self)
    to.storeBytes(of: value.low.bigEndian, toByteOffset: 8, as: UInt64.self)
    unsigned(16 as UInt64)
    unsigned(tag)
  }

  mutating func message(_ value: some WireMessage, _ tag: UInt64) {
    let before = count
    value.write(&self)
    unsigned(UInt64(count - before))
    unsigned(tag)
  }

  mutating func packed<T>(_ values: [T], _ tag: UInt64, _ write: (inout BackwardWriter, T) -> Void) {
    guard !values.isEmpty else { return }
    let before = count
    for value in values.reversed() { write(&self, value) }
    unsigned(UInt64(count - before))
    unsigned(tag)
  }
}
