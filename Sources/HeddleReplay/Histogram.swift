// Times counted in buckets whose width grows with them, after HdrHistogram: three significant digits from a nanosecond to
// over an hour, whatever the number of values. Adding one costs a shift and an increment.
//
//   value         bucket
//   below 2048    its own
//   others        1024 for each doubling: value >> shift, so a bucket is at most 0.1 % wide

public struct Histogram: Equatable, Sendable {
  private static let digits = 11
  private static let half = 1 << 10
  /// Larger values count as this one: 73 minutes.
  public static let maximum: Int64 = 1 << 42

  private var counts: [UInt64] = []
  public private(set) var count: UInt64 = 0
  public private(set) var largest: Int64 = 0
  public private(set) var smallest = Int64.max
  private var sum: Double = 0

  public init() {}

  public mutating func record(_ value: Int64) {
    let value = min(max(0, value), Self.maximum)
    let index = Self.index(value)
    if index >= counts.count { counts += [UInt64](repeating: 0, count: index + 1 - counts.count) }
    counts[index] += 1
    count += 1
    sum += Double(value)
    if value > largest { largest = value }
    if value < smallest { smallest = value }
  }

  public mutating func add(_ other: Histogram) {
    if other.counts.count > counts.count {
      counts += [UInt64](repeating: 0, count: other.counts.count - counts.count)
    }
    for (index, number) in other.counts.enumerated() where number > 0 { counts[index] += number }
    count += other.count
    sum += other.sum
    largest = max(largest, other.largest)
    smallest = min(smallest, other.smallest)
  }

  public var mean: Double { count == 0 ? 0 : sum / Double(count) }

  /// The value that `percent` of all do not exceed; 0 when there is none.
  public func percentile(_ percent: Double) -> Int64 {
    guard count > 0 else { return 0 }
    let rank = max(1, UInt64((min(max(percent, 0), 100) / 100 * Double(count)).rounded(.up)))
    var seen: UInt64 = 0
    for (index, number) in counts.enumerated() {
      seen += number
      if seen >= rank { return min(Self.top(index), largest) }
    }
    return largest
  }

  private static func index(_ value: Int64) -> Int {
    guard value >= 1 << digits else { return Int(value) }
    let shift = 63 - value.leadingZeroBitCount - (digits - 1)
    return shift * half + Int(value >> Int64(shift))
  }

  /// The largest value of a bucket.
  private static func top(_ index: Int) -> Int64 {
    guard index >= 1 << digits else { return Int64(index) }
    let shift = index / half - 1
    let base = Int64(index - shift * half)
    return ((base + 1) << Int64(shift)) - 1
  }
}
