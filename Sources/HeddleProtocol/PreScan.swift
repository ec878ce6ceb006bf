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
    guard bytes.count > 0 else { return }
    guard let message = heddle_schema_message(schema) else { throw .malformed }
    var reader = WireReader(bytes)
    try scan(&reader, message, depth: 0)
  }

  private mutating func scan(
    _ reader: inout WireReader, _ message: UnsafePointer<heddle_message>, depth: Int
  ) throws(DecodeError) {
    guard depth < nesting else { throw .tooDeep }
    let counts = counters + 256 * depth
    counts.update(repeating: 0, count: Int(message.pointee.field_count))
    var unknown = 0
    while !reader.isAtEnd {
      guard let (number, wire) = reader.tag() else { throw .malformed }
      guard let index = lookUp(number, message) else {
        unknown += 1
        guard unknown <= limits.unknownFields else { throw .tooManyUnknown }
        guard reader.skip(wire) else { throw .malformed }
        continue
      }
      counts[index] &+= 1
      try value(&reader, wire, message.pointee.fields + index, counts + index, depth)
    }
  }

  @inline(__always)
  private func lookUp(_ number: UInt64, _ message: UnsafePointer<heddle_message>) -> Int? {
    guard number < UInt64(message.pointee.number_count) else { return nil }
    let index = message.pointee.by_number[Int(number)]
    return index == 255 ? nil : Int(index)
  }

  private mutating func value(
    _ reader: inout WireReader, _ wire: UInt8, _ field: UnsafePointer<heddle_field>,
    _ count: UnsafeMutablePointer<UInt32>, _ depth: Int
  ) throws(DecodeError) {
    let repeated = field.pointee.flags & UInt8(HEDDLE_REPEATED) != 0
    switch (Int(field.pointee.wire_class), wire) {
    case (HEDDLE_VARINT, 0): guard reader.varint() != nil else { throw .malformed }
    case (HEDDLE_FIXED64, 1): guard reader.advance(8) else { throw .malformed }
    case (HEDDLE_FIXED32, 5): guard reader.advance(4) else { throw .malformed }
    case (HEDDLE_VARINT, 2) where repeated: try packed(try block(&reader), field, count)
    case (HEDDLE_TEXT, 2):
      let text = try block(&reader)
      try checkText(UnsafeRawBufferPointer(rebasing: text.bytes[text.at..<text.end]), field)
    case (HEDDLE_BYTES, 2): _ = try block(&reader)
    case (HEDDLE_MESSAGE, 2):
      var inner = try block(&reader)
      if !repeated && count.pointee > 1 {
        guard count.pointee <= limits.singularRepeats else { throw .budget }
        hasPieces = true
      }
      guard let target = heddle_schema_message(field.pointee.target) else { throw .malformed }
      try scan(&inner, target, depth: depth + 1)
    default: throw .malformed
    }
    if count.pointee > limits.repeatedElements {
      // A singular field that often is no mistake of a client but an attack on the decoder's memory (P19).
      if repeated { throw .tooManyElements(field: name(field)) } else { throw .budget }
    }
  }

  private func packed(
    _ block: WireReader, _ field: UnsafePointer<heddle_field>, _ count: UnsafeMutablePointer<UInt32>
  ) throws(DecodeError) {
    var reader = block
    // The block was counted as one element when its tag was read; only an empty one stays counted as that.
    if !reader.isAtEnd { count.pointee &-= 1 }
    while !reader.isAtEnd {
      guard reader.varint() != nil else { throw .malformed }
      count.pointee &+= 1
      guard count.pointee <= limits.repeatedElements else { throw .tooManyElements(field: name(field)) }
    }
  }

  /// The bytes of a length-delimited value.
  @inline(__always)
  private func block(_ reader: inout WireReader) throws(DecodeError) -> WireReader {
    guard let block = reader.block() else { throw .malformed }
    return WireReader(reader.bytes, in: block)
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
