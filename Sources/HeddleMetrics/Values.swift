// The integers that metrics are made of. A value of a loop is written by that loop alone, so adding to it is a load, an
// addition and a store of a word that no other core writes: one instruction, without a lock on the cache line. Other
// threads read such a value at any time and see one that is a moment old.

import Synchronization

/// An integer that one event loop writes and any thread may read.
public struct LoopValue: ~Copyable, Sendable {
  @usableFromInline let number = Atomic<Int>(0)

  init() {}

  public var value: Int { number.load(ordering: .relaxed) }

  /// On its loop only. Overflow wraps: a counter of bytes is no reason to end the process.
  @inlinable
  public func add(_ count: Int) { number.store(number.load(ordering: .relaxed) &+ count, ordering: .relaxed) }
}

/// A row of integers that one event loop writes. An index beyond the row is counted in the first place.
public struct LoopRow<let count: Int>: ~Copyable, Sendable {
  @usableFromInline let values = InlineArray<count, LoopValue> { _ in LoopValue() }

  init() {}

  /// On its loop only.
  @inlinable
  public func add(_ count: Int, at index: Int) { values[values.indices.contains(index) ? index : 0].add(count) }

  public subscript(_ index: Int) -> Int { values[index].value }
}

/// An integer that several threads write: for work that is rare beside frames.
public struct SharedValue: ~Copyable, Sendable {
  /// For an owner whose decisions rest on the value and who therefore chooses the ordering.
  public let number = Atomic<Int>(0)

  init() {}

  public var value: Int { number.load(ordering: .relaxed) }
  /// Overflow wraps: a provider may report any number of tokens.
  public func add(_ count: Int) { number.wrappingAdd(count, ordering: .relaxed) }
  public func set(_ value: Int) { number.store(value, ordering: .relaxed) }
}

/// Counts of durations, by the bounds that they do not exceed. Several threads may write it.
public struct Histogram: ~Copyable, Sendable {
  /// Upper bounds in nanoseconds, ascending; at most 15.
  let bounds: [Int]
  private let counts = InlineArray<16, SharedValue> { _ in SharedValue() }
  private let sum = SharedValue()

  init(bounds: [Int]) { self.bounds = bounds }

  public func add(nanoseconds: Int) {
    counts[bounds.firstIndex { nanoseconds <= $0 } ?? bounds.count].add(1)
    sum.add(max(0, nanoseconds))
  }

  /// The sum of several histograms with the same bounds is the sum of their readings.
  var reading: HistogramReading {
    var buckets = bounds.indices.map {
      HistogramReading.Bucket(upTo: Self.seconds(bounds[$0]), count: counts[$0].value)
    }
    buckets.append(.init(upTo: .infinity, count: counts[bounds.count].value))
    for index in buckets.indices.dropFirst() { buckets[index].count += buckets[index - 1].count }
    return HistogramReading(buckets: buckets, sum: Self.seconds(sum.value))
  }

  private static func seconds(_ nanoseconds: Int) -> Double { Double(nanoseconds) / 1_000_000_000 }
}

/// A histogram as it is read: seconds, and how many durations were no longer than each bound.
public struct HistogramReading: Equatable, Sendable {
  public struct Bucket: Equatable, Sendable {
    public var upTo: Double
    public var count: Int
  }

  public var buckets: [Bucket]
  public var sum: Double

  public var count: Int { buckets.last?.count ?? 0 }
}

extension HistogramReading {
  /// Of readings with the same bounds.
  init(sumOf readings: [HistogramReading]) {
    self = readings.first ?? HistogramReading(buckets: [], sum: 0)
    for more in readings.dropFirst() {
      for index in buckets.indices { buckets[index].count += more.buckets[index].count }
      sum += more.sum
    }
  }
}
