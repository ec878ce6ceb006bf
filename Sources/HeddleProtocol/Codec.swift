// Bytes to values, by way of protobuf-c: pre-scan, unpack into the arena, copy into plain Swift values. Values to bytes
// straight, by generated code (BackwardWriter.swift). One codec belongs to one loop; it is never shared.

import CHeddleProtocol
import CProtobufC
import HeddleCore

/// Encodes and decodes, one message at a time.
public struct Codec: ~Copyable {
  let arena = Arena()
  var scanner: PreScan
  var writer = BackwardWriter()
  let limits: DecodeLimits
  /// For clients: see `Tolerance`.
  let toleratesUnknown: Bool

  public init(limits: DecodeLimits = DecodeLimits(), toleratesUnknown: Bool = false) {
    self.limits = limits
    self.toleratesUnknown = toleratesUnknown
    scanner = PreScan(limits: limits)
  }

  deinit { arena.destroy() }

  /// Decodes one message. Nothing of `bytes` is kept.
  public mutating func decode<M: WireMessage>(_ type: M.Type, _ bytes: UnsafeRawBufferPointer) throws(DecodeError) -> M
  {
    let budget = limits.budget(bytes.count)
    do throws(DecodeError) { return try decode(type, bytes, budget: budget) } catch {
      guard toleratesUnknown, error.isOfANewerSchema else { throw error }
      Tolerance.begin()
      defer { Tolerance.end() }
      return try decode(type, bytes, budget: budget)
    }
  }

  /// Decodes a message of our own: see `DecodeLimits.trusted`.
  public mutating func decodeTrusted<M: WireMessage>(_ type: M.Type, _ bytes: [UInt8]) throws(DecodeError) -> M {
    scanner.limits = .trusted
    defer { scanner.limits = limits }
    return try bytes.withUnsafeBytes { raw in
      Result { () throws(DecodeError) in try decode(type, raw, budget: DecodeLimits.trusted.budget(raw.count)) }
    }.get()
  }

  private mutating func decode<M: WireMessage>(
    _ type: M.Type, _ bytes: UnsafeRawBufferPointer, budget: Int
  ) throws(DecodeError) -> M {
    try scanner.check(bytes, schema: M.schemaIndex)
    guard scanner.hasPieces else { return try unpack(type, bytes, budget: budget) }
    return try SubmessageMerger.merge(bytes, schema: M.schemaIndex).withUnsafeBytes { merged in
      Result { () throws(DecodeError) in try unpack(type, merged, budget: budget) }
    }.get()
  }

  /// Bytes that the pre-scan has accepted.
  private func unpack<M: WireMessage>(
    _ type: M.Type, _ bytes: UnsafeRawBufferPointer, budget: Int
  ) throws(DecodeError) -> M {
    arena.reset(budget: budget)
    var allocator = arena.cAllocator
    // An empty message has no address to read from; protobuf-c wants one all the same.
    let unpacked = withUnsafePointer(to: UInt8(0)) { none in
      protobuf_c_message_unpack(
        M.descriptor, &allocator, bytes.count, bytes.baseAddress?.assumingMemoryBound(to: UInt8.self) ?? none)
    }
    // The pre-scan has accepted the bytes, so only the budget can still fail.
    guard let unpacked else { throw .budget }
    return try M(c: UnsafeRawPointer(unpacked).assumingMemoryBound(to: M.CMessage.self))
  }

  public mutating func decode<M: WireMessage>(_ type: M.Type, _ bytes: [UInt8]) throws(DecodeError) -> M {
    let result: Result<M, DecodeError> = bytes.withUnsafeBytes { raw in
      do throws(DecodeError) { return .success(try decode(type, raw)) } catch { return .failure(error) }
    }
    return try result.get()
  }

  /// Appends the message's bytes to `sink` and returns their count.
  @discardableResult
  public mutating func encode<M: WireWritable>(_ message: M, into sink: inout some ByteSink) -> Int {
    writer.reset()
    message.write(&writer)
    let bytes = writer.bytes
    sink.append(bytes)
    return bytes.count
  }

  /// Appends a frame with the message in it; the header's length is set here.
  public mutating func encode<M: WireWritable>(_ message: M, behind header: FrameHeader, into sink: inout some ByteSink)
  {
    writer.reset()
    message.write(&writer)
    writer.frame(header)
    sink.append(writer.bytes)
  }

  public mutating func encode<M: WireWritable>(_ message: M) -> [UInt8] {
    var out = [UInt8]()
    encode(message, into: &out)
    return out
  }
}

// Functions that the generated glue reads fields with.

func readText(_ data: ProtobufCBinaryData) -> String {
  String(decoding: UnsafeBufferPointer(start: data.data, count: data.len), as: UTF8.self)
}

func readBytes(_ data: ProtobufCBinaryData) -> [UInt8] {
  [UInt8](UnsafeBufferPointer(start: data.data, count: data.len))
}

func readID<ID: Identifier>(_ data: ProtobufCBinaryData, _ field: String) throws(DecodeError) -> ID {
  guard data.len == 16, let p = data.data else {
    if data.len == 0, Tolerance.isOn { return ID(high: 0, low: 0) }
    throw .badID(field: field)
  }
  let raw = UnsafeRawPointer(p)
  return ID(
    high: UInt64(bigEndian: raw.loadUnaligned(as: UInt64.self)),
    low: UInt64(bigEndian: raw.loadUnaligned(fromByteOffset: 8, as: UInt64.self)))
}

func readEnum<E: RawRepresentable<Int32>>(_ raw: UInt32, _ field: String, allowsZero: Bool) throws(DecodeError) -> E {
  let value = Int32(bitPattern: raw)
  if let out = E(rawValue: value), value != 0 || allowsZero { return out }
  guard Tolerance.isOn, let zero = E(rawValue: 0) else { throw .unknownEnum(field: field, value: value) }
  return zero
}
