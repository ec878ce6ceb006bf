// Wire bytes by hand, for messages that no encoder would make.

enum Wire {
  static func varint(_ value: UInt64) -> [UInt8] {
    value < 0x80 ? [UInt8(value)] : [UInt8(value & 0x7F) | 0x80] + varint(value >> 7)
  }

  static func tag(_ number: UInt64, _ type: UInt64) -> [UInt8] { varint(number << 3 | type) }

  static func number(_ field: UInt64, _ value: UInt64) -> [UInt8] { tag(field, 0) + varint(value) }

  static func block(_ field: UInt64, _ bytes: [UInt8]) -> [UInt8] {
    tag(field, 2) + varint(UInt64(bytes.count)) + bytes
  }

  static func text(_ field: UInt64, _ text: String) -> [UInt8] { block(field, Array(text.utf8)) }
}
