// Percentiles are those of the values that were recorded, within a thousandth.

import Testing

@testable import HeddleReplay

@Suite struct HistogramTests {
  @Test func percentilesAreWithinAThousandthOfTheSortedValues() {
    var random = SplitMix(seed: 9)
    var histogram = Histogram()
    var values = [Int64]()
    for _ in 0..<20_000 {
      // All magnitudes alike, as latencies have them.
      let value = Int64(random.next() >> UInt64(22 + random.below(40)))
      values.append(value)
      histogram.record(value)
    }
    values.sort()
    for percent in [0.0, 1, 10, 50, 90, 99, 99.9, 99.99, 100] {
      let rank = max(1, Int((percent / 100 * Double(values.count)).rounded(.up)))
      let exact = values[rank - 1]
      let found = histogram.percentile(percent)
      #expect(found >= exact && found <= exact + exact / 1000 + 1, "p\(percent): \(found) for \(exact)")
    }
    #expect(histogram.count == 20_000)
    #expect(histogram.largest == values.last && histogram.smallest == values.first)
  }

  @Test func twoHistogramsAddUpToOneOfAllValues() {
    var first = Histogram()
    var second = Histogram()
    var whole = Histogram()
    for value in stride(from: Int64(1), to: 5_000_000, by: 997) {
      if value % 3 == 0 { first.record(value) } else { second.record(value * 40) }
      whole.record(value % 3 == 0 ? value : value * 40)
    }
    first.add(second)
    for percent in [0.0, 25, 50, 99, 100] { #expect(first.percentile(percent) == whole.percentile(percent)) }
    #expect(first.count == whole.count && first.mean == whole.mean)
  }

  @Test func valuesOutOfRangeCountAsTheNearest() {
    var histogram = Histogram()
    histogram.record(-5)
    histogram.record(.max)
    #expect(histogram.percentile(0) == 0)
    #expect(histogram.percentile(100) == Histogram.maximum)
    #expect(Histogram().percentile(50) == 0)
  }

  @Test func aScheduleRisesEvenlyAndThenKeepsItsRate() {
    let schedule = RateSchedule(perSecond: 1000, ramp: 2)
    // The ramp has half as many requests as the full rate.
    #expect(abs(schedule.due(1000) - 2_000_000_000) < 1000)
    #expect(abs(schedule.due(250) - 1_000_000_000) < 1000)
    #expect(abs(schedule.due(2000) - 3_000_000_000) < 1000)
    for number in 1..<3000 { #expect(schedule.due(number) > schedule.due(number - 1)) }
  }
}
