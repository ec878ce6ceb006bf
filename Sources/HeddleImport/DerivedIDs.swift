// Identifiers for what has none in a rollout, or one that is no UUID. They are a pure function of the thread, a text and
// a time: whoever imports a file twice gets the same ids twice (rules.md I1). They have the shape of a UUIDv7, so that
// they sort by time like all others.

import HeddleCore

struct DerivedIDs {
  private let thread: ThreadID

  init(thread: ThreadID) { self.thread = thread }

  func make<ID: Identifier>(_ type: ID.Type = ID.self, from text: String, at time: Int64) -> ID {
    let digest = Self.digest(thread.bytes + Array(text.utf8))
    let high = UInt64(truncatingIfNeeded: time) << 16 | 0x7000 | digest.high & 0xFFF
    let low = 0x8000_0000_0000_0000 | digest.low >> 2
    return ID(high: high, low: low)
  }

  /// The id that a rollout wrote for a turn: itself if it is a UUID, else a fixed id for that text.
  func turn(_ text: String) -> TurnID {
    if let id = TurnID(text), id != TurnID() { return id }
    return make(from: "turn \(text)", at: 0)
  }

  /// The id of a thread, likewise; it does not depend on this thread.
  static func thread(_ text: String) -> ThreadID {
    if let id = ThreadID(text), id != ThreadID() { return id }
    return DerivedIDs(thread: ThreadID()).make(from: "thread \(text)", at: 0)
  }

  /// 128 bits that differ for different texts. No cryptography: whoever wants a collision only harms a history of their
  /// own. Two FNV-1a sums, which spread badly in their high bits, and the last step of SplitMix64 over each.
  private static func digest(_ bytes: [UInt8]) -> (high: UInt64, low: UInt64) {
    var first: UInt64 = 0xCBF2_9CE4_8422_2325
    var second: UInt64 = 0x6C62_272E_07BB_0142
    for byte in bytes {
      first = (first ^ UInt64(byte)) &* 0x0000_0100_0000_01B3
      second = (second ^ UInt64(byte)) &* 0x0000_0100_0000_01B3
      second = second << 7 | second >> 57
    }
    return (mixed(first ^ second << 1), mixed(second))
  }

  private static func mixed(_ value: UInt64) -> UInt64 {
    var z = value
    z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
    return z ^ (z >> 31)
  }
}
