// All chance of a run: one generator, one seed.

/// SplitMix64.
struct Chance {
  private var state: UInt64

  init(seed: UInt64) { state = seed }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var z = state
    z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
    return z ^ (z >> 31)
  }

  /// From 0 up to `bound`, which is positive.
  mutating func below(_ bound: Int) -> Int { Int(next() % UInt64(bound)) }

  mutating func within(_ range: ClosedRange<Int>) -> Int { range.lowerBound + below(range.count) }

  /// True in `share` of a hundred cases.
  mutating func percent(_ share: Int) -> Bool { below(100) < share }

  mutating func pick<T>(_ values: [T]) -> T? { values.isEmpty ? nil : values[below(values.count)] }

  mutating func bytes16() -> [UInt8] { next().bigEndianBytes16 + next().bigEndianBytes16 }
}

extension UInt64 {
  fileprivate var bigEndianBytes16: [UInt8] { (0..<8).map { UInt8(truncatingIfNeeded: self >> (56 - 8 * $0)) } }
}

/// FNV-1a: a digest of a run, in one number.
struct Digest {
  private(set) var value: UInt64 = 0xCBF2_9CE4_8422_2325

  mutating func add(_ bytes: some Sequence<UInt8>) {
    for byte in bytes { value = (value ^ UInt64(byte)) &* 0x100_0000_01B3 }
  }

  mutating func add(_ number: UInt64) {
    for shift in 0..<8 { value = (value ^ (number >> (8 * UInt64(shift)) & 0xFF)) &* 0x100_0000_01B3 }
  }
}
