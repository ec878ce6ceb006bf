// One walk over the bytes of a message before protobuf-c sees them. protobuf-c 1.4.1 has no depth limit, cuts varints and
// strings silently, takes any bytes for text, and burns 44 s on a singular sub-message repeated 65,000 times in one frame
// (measured; protocol.md, "Decoding, safely"). Whatever gets past this walk costs it linear time.
//
// What is checked at each field, in this order:
//
//   tag             5 bytes at most, field number 1 … 2^29 - 1
//   wire type       varint, fixed 64, length-delimited, fixed 32; no groups (3, 4), none of 6 and 7
//   value           complete; varints of 64 bits at most; lengths within the message around them
//   known field     the wire type that its type has; repeated scalars may be packed
//   text            UTF-8 without NUL
//   counts          unknown fields, elements of a repeated field, repeats of a singular message, depth

import CHeddleProtocol

struct PreScan: ~Copyable {
  /// May change from message to message, but for the nesting, which the counters have room for.
  var limits: DecodeLimits
  /// One row of 256 counters for each level of nesting.
  private let counters: UnsafeMutablePointer<UInt32>
  private let nesting: Int
  /// A singular message of the last message stands in pieces; they are joined before protobuf-c sees them.
  private(set) var hasPieces = false

  init(limits: DecodeLimits) {
    self.limits = limits
    nesting = limits.nesting
    counters = .allocate(capacity: 256 * (limits.nesting + 1))
  }

  deinit { counters.deallocate() }

  mutating func check(_ bytes: UnsafeRawBufferPointer, schema: UInt16) throws(DecodeError) {
    hasPieces = false
    guard let base = bytes.baseAddress, bytes.count > 0 else { return }
    guard let message = heddle_schema_message(schema) else { throw .malformed }
    try scan(base, bytes.count, message, depth: 0)
  }

  private mutating func scan(
    _ p: UnsafeRawPointer, _ end: Int, _ message: UnsafePointer<heddle_message>, depth: Int
  ) throws(DecodeError) {
    guard depth < nesting else { throw .tooDeep }
    let counts = counters + 256 * depth
    counts.update(repeating: 0, count: Int(message.pointee.field_count))
    var unknown = 0
    var at = 0
    while at < end {
      let tag = try varint(p, &at, end, maximumBytes: 5)
      let number = tag >> 3
      guard number >= 1, number < 1 << 29 else { throw .malformed }
      let wire = UInt8(tag & 7)
      guard let index = lookUp(number, message) else {
        unknown += 1
        guard unknown <= limits.unknownFields else { throw .tooManyUnknown }
        try skip(p, &at, end, wire)
        continue
      }
      counts[index] &+= 1
      try value(p, &at, end, wire, message.pointee.fields + index, counts + index, depth)
    }
  }

  @inline(__always)
  private func lookUp(_ number: UInt64, _ message: UnsafePointer<heddle_message>) -> Int? {
    guard number < UInt64(message.pointee.number_count) else { return nil }
    let index = message.pointee.by_number[Int(number)]
    return index == 255 ? nil : Int(index)
  }

  private mutating func value(
    _ p: UnsafeRawPointer, _ at: inout Int, _ end: Int, _ wire: UInt8, _ field: UnsafePointer<heddle_field>,
    _ count: UnsafeMutablePointer<UInt32>, _ depth: Int
  ) throws(DecodeError) {
    let repeated = field.pointee.flags & UInt8(HEDDLE_REPEATED) != 0
    switch (Int(field.pointee.wire_class), wire) {
    case (HEDDLE_VARINT, 0): _ = try varint(p, &at, end, maximumBytes: 10)
    case (HEDDLE_FIXED64, 1): try advance(&at, 8, end)
    case (HEDDLE_FIXED32, 5): try advance(&at, 4, end)
    case (HEDDLE_VARINT, 2) where repeated: try packed(p, &at, end, field, count)
    case (HEDDLE_TEXT, 2):
      let length = try length(p, &at, end)
      try checkText(UnsafeRawBufferPointer(start: p + at, count: length), field)
      at += length
    case (HEDDLE_BYTES, 2):
      let length = try length(p, &at, end)
      at += length
    case (HEDDLE_MESSAGE, 2):
      let length = try length(p, &at, end)
      if !repeated && count.pointee > 1 {
        guard count.pointee <= limits.singularRepeats else { throw .budget }
        hasPieces = true
      }
      guard let inner = heddle_schema_message(field.pointee.target) else { throw .malformed }
      try scan(p + at, length, inner, depth: depth + 1)
      at += length
    default: throw .malformed
    }
    if count.pointee > limits.repeatedElements {
      // A singular field that often is no mistake of a client but an attack on the decoder's memory (P19).
      if repeated { throw .tooManyElements(field: name(field)) } else { throw .budget }
    }
  }

  private func packed(
    _ p: UnsafeRawPointer, _ at: inout Int, _ end: Int, _ field: UnsafePointer<heddle_field>,
    _ count: UnsafeMutablePointer<UInt32>
  ) throws(DecodeError) {
    let length = try length(p, &at, end)
    let stop = at + length
    // The block was counted as one element when its tag was read; only an empty one stays counted as that.
    if at < stop { count.pointee &-= 1 }
    while at < stop {
      _ = try varint(p, &at, stop, maximumBytes: 10)
      count.pointee &+= 1
      guard count.pointee <= limits.repeatedElements else { throw .tooManyElements(field: name(field)) }
    }
  }

  private func skip(_ p: UnsafeRawPointer, _ at: inout Int, _ end: Int, _ wire: UInt8) throws(DecodeError) {
    switch wire {
    case 0: _ = try varint(p, &at, end, maximumBytes: 10)
    case 1: try advance(&at, 8, end)
    case 2:
      let length = try length(p, &at, end)
      at += length
    case 5: try advance(&at, 4, end)
    default: throw .malformed
    }
  }

  @inline(__always)
  private func advance(_ at: inout Int, _ count: Int, _ end: Int) throws(DecodeError) {
    guard end - at >= count else { throw .malformed }
    at += count
  }

  @inline(__always)
  private func length(_ p: UnsafeRawPointer, _ at: inout Int, _ end: Int) throws(DecodeError) -> Int {
    let length = try varint(p, &at, end, maximumBytes: 5)
    guard length <= UInt64(end - at) else { throw .malformed }
    return Int(length)
  }

  @inline(__always)
  private func varint(
    _ p: UnsafeRawPointer, _ at: inout Int, _ end: Int, maximumBytes: Int
  ) throws(DecodeError) -> UInt64 {
    var value: UInt64 = 0
    var shift: UInt64 = 0
    for index in 0..<maximumBytes {
      guard at < end else { throw .malformed }
      let byte = p.load(fromByteOffset: at, as: UInt8.self)
      at += 1
      // The tenth byte has room for one bit: anything above it would be cut silently (P5).
      if index == 9 && byte > 1 { throw .malformed }
      value |= UInt64(byte & 0x7F) << shift
      if byte < 0x80 { return value }
      shift += 7
    }
    throw .malformed
  }

  private func checkText(_ text: UnsafeRawBufferPointer, _ field: UnsafePointer<heddle_field>) throws(DecodeError) {
    switch TextCheck(text) {
    case .good: return
    case .hasNUL: throw .embeddedNUL(field: name(field))
    case .notUTF8: throw .invalidUTF8(field: name(field))
    }
  }

  private func name(_ field: UnsafePointer<heddle_field>) -> String { String(cString: field.pointee.name) }
}

/// Whether bytes are UTF-8 without a NUL. Eight ASCII bytes at a time; the rest by the table of RFC 3629.
enum TextCheck: Equatable {
  case good
  case hasNUL
  case notUTF8

  init(_ text: UnsafeRawBufferPointer) {
    var at = 0
    let end = text.count
    while at < end {
      if end - at >= 8 {
        let word = text.loadUnaligned(fromByteOffset: at, as: UInt64.self)
        let hasHighBit = word & 0x8080_8080_8080_8080 != 0
        let hasZero = (word &- 0x0101_0101_0101_0101) & ~word & 0x8080_8080_8080_8080 != 0
        if !hasHighBit && !hasZero {
          at += 8
          continue
        }
      }
      let byte = text[at]
      if byte == 0 {
        self = .hasNUL
        return
      }
      guard let length = Self.sequence(text, at, end) else {
        self = .notUTF8
        return
      }
      at += length
    }
    self = .good
  }

  /// Bytes of the well-formed character at `at`, or nil.
  private static func sequence(_ text: UnsafeRawBufferPointer, _ at: Int, _ end: Int) -> Int? {
    let first = text[at]
    func follows(_ index: Int, _ range: ClosedRange<UInt8> = 0x80...0xBF) -> Bool {
      at + index < end && range.contains(text[at + index])
    }
    switch first {
    case 0x01...0x7F: return 1
    case 0xC2...0xDF: return follows(1) ? 2 : nil
    case 0xE0: return follows(1, 0xA0...0xBF) && follows(2) ? 3 : nil
    case 0xE1...0xEC, 0xEE...0xEF: return follows(1) && follows(2) ? 3 : nil
    case 0xED: return follows(1, 0x80...0x9F) && follows(2) ? 3 : nil
    case 0xF0: return follows(1, 0x90...0xBF) && follows(2) && follows(3) ? 4 : nil
    case 0xF1...0xF3: return follows(1) && follows(2) && follows(3) ? 4 : nil
    case 0xF4: return follows(1, 0x80...0x8F) && follows(2) && follows(3) ? 4 : nil
    default: return nil
    }
  }
}
