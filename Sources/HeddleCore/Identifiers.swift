// Identifiers: 16 bytes, held as two integers, which is what makes them cheap keys (performance.md: a dictionary look-up
// of 48 ns against 204 for a string). Each kind is a type of its own, so that a turn is never taken for a thread.

/// An identifier: 128 bits, printed as a UUID.
public protocol Identifier: Hashable, Sendable, Comparable, CustomStringConvertible {
  var high: UInt64 { get }
  var low: UInt64 { get }
  init(high: UInt64, low: UInt64)
}

extension Identifier {
  /// The identifier without a bit set: means "absent" where a field is not optional.
  public init() { self.init(high: 0, low: 0) }

  public static func < (a: Self, b: Self) -> Bool { (a.high, a.low) < (b.high, b.low) }

  /// The 16 bytes as they go on the wire and to the disk, most significant first.
  public var bytes: [UInt8] {
    var out = [UInt8]()
    out.reserveCapacity(16)
    for word in [high, low] {
      for shift in stride(from: UInt64(56), through: 0, by: -8) { out.append(UInt8(truncatingIfNeeded: word >> shift)) }
    }
    return out
  }

  /// Reads 16 bytes; nil for any other count.
  public init?(bytes: some Collection<UInt8>) {
    guard bytes.count == 16 else { return nil }
    var high: UInt64 = 0
    var low: UInt64 = 0
    for (index, byte) in bytes.enumerated() {
      if index < 8 { high = high << 8 | UInt64(byte) } else { low = low << 8 | UInt64(byte) }
    }
    self.init(high: high, low: low)
  }

  /// `01a20044-d67b-76b3-817d-21e857a0ab2a`
  public var description: String {
    let digits = Array("0123456789abcdef".utf8)
    var out = [UInt8]()
    out.reserveCapacity(36)
    for (index, byte) in bytes.enumerated() {
      if index == 4 || index == 6 || index == 8 || index == 10 { out.append(UInt8(ascii: "-")) }
      out.append(digits[Int(byte >> 4)])
      out.append(digits[Int(byte & 15)])
    }
    return String(decoding: out, as: UTF8.self)
  }

  /// Reads a UUID, with dashes in their places or with none, in either case; nil for anything else.
  public init?(_ text: String) {
    let utf8 = Array(text.utf8)
    guard utf8.count == 36 || utf8.count == 32 else { return nil }
    var nibbles = [UInt8]()
    for (index, byte) in utf8.enumerated() {
      if utf8.count == 36, index == 8 || index == 13 || index == 18 || index == 23 {
        guard byte == UInt8(ascii: "-") else { return nil }
        continue
      }
      switch byte {
      case UInt8(ascii: "0")...UInt8(ascii: "9"): nibbles.append(byte - UInt8(ascii: "0"))
      case UInt8(ascii: "a")...UInt8(ascii: "f"): nibbles.append(byte - UInt8(ascii: "a") + 10)
      case UInt8(ascii: "A")...UInt8(ascii: "F"): nibbles.append(byte - UInt8(ascii: "A") + 10)
      default: return nil
      }
    }
    guard nibbles.count == 32 else { return nil }
    self.init(bytes: stride(from: 0, to: 32, by: 2).map { nibbles[$0] << 4 | nibbles[$0 + 1] })
  }
}

/// A thread: the conversation of one agent.
public struct ThreadID: Identifier {
  public let high: UInt64
  public let low: UInt64
  public init(high: UInt64, low: UInt64) { (self.high, self.low) = (high, low) }
}

/// A turn: one input and all the work it causes.
public struct TurnID: Identifier {
  public let high: UInt64
  public let low: UInt64
  public init(high: UInt64, low: UInt64) { (self.high, self.low) = (high, low) }
}

/// An item: one thing in a turn.
public struct ItemID: Identifier {
  public let high: UInt64
  public let low: UInt64
  public init(high: UInt64, low: UInt64) { (self.high, self.low) = (high, low) }
}

/// A connection, as long as it lasts.
public struct ConnectionID: Identifier {
  public let high: UInt64
  public let low: UInt64
  public init(high: UInt64, low: UInt64) { (self.high, self.low) = (high, low) }
}

/// A server node, as long as its data folder lasts.
public struct NodeID: Identifier {
  public let high: UInt64
  public let low: UInt64
  public init(high: UInt64, low: UInt64) { (self.high, self.low) = (high, low) }
}

/// A key that a client makes so that a retry finds its first result (rules.md E2).
public struct IdempotencyKey: Identifier {
  public let high: UInt64
  public let low: UInt64
  public init(high: UInt64, low: UInt64) { (self.high, self.low) = (high, low) }
}

/// Makes UUIDv7 identifiers from a seed and the time it is handed: no clock and no randomness of its own, so that the
/// same inputs give the same identifiers in production, in tests and in simulation.
public struct IDGenerator: Sendable {
  private var state: UInt64
  private var lastMillisecond: Int64 = 0
  private var counter: UInt64 = 0

  public init(seed: UInt64) { state = seed }

  /// SplitMix64.
  public mutating func random() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var z = state
    z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
    return z ^ (z >> 31)
  }

  /// The next identifier: rising within one generator, even when the clock steps back (durability.md D10).
  public mutating func next<ID: Identifier>(_ type: ID.Type = ID.self, at now: Int64) -> ID {
    if now > lastMillisecond {
      lastMillisecond = now
      counter = random() & 0x7FF
    } else {
      counter &+= 1
      if counter > 0xFFF {
        lastMillisecond &+= 1
        counter = random() & 0x7FF
      }
    }
    let high = UInt64(truncatingIfNeeded: lastMillisecond) << 16 | 0x7000 | counter
    let low = 0x8000_0000_0000_0000 | (random() >> 2)
    return ID(high: high, low: low)
  }
}
