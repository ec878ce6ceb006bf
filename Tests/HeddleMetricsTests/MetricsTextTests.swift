// The text that Prometheus reads.

import Testing

@testable import HeddleMetrics

@Suite struct MetricsTextTests {
  private func text(_ metric: Metric, _ samples: [Sample]) -> String {
    var text = MetricsText()
    text.append(metric, samples)
    return String(decoding: text.bytes, as: UTF8.self)
  }

  @Test("A metric has its help, its kind and a line for each sample")
  func numbers() {
    let metric = Metric("heddle_a_total", .counter, "Things.", ["door", "code"]) { _ in [] }
    #expect(
      text(metric, [Sample(1, ["frames", "OK"]), Sample(-2, ["http", "NOT_FOUND"])]) == """
        # HELP heddle_a_total Things.
        # TYPE heddle_a_total counter
        heddle_a_total{door="frames",code="OK"} 1
        heddle_a_total{door="http",code="NOT_FOUND"} -2

        """)
    #expect(text(metric, []) == "", "a metric without samples says nothing")
  }

  @Test("A histogram has buckets up to infinity, a sum and a count")
  func histograms() {
    let metric = Metric("heddle_a_seconds", .histogram, "Times.") { _ in [] }
    let reading = HistogramReading(
      buckets: [.init(upTo: 0.5, count: 1), .init(upTo: 1, count: 1), .init(upTo: .infinity, count: 3)], sum: 7.25)
    #expect(
      text(metric, [Sample(reading)]) == """
        # HELP heddle_a_seconds Times.
        # TYPE heddle_a_seconds histogram
        heddle_a_seconds_bucket{le="0.5"} 1
        heddle_a_seconds_bucket{le="1"} 1
        heddle_a_seconds_bucket{le="+Inf"} 3
        heddle_a_seconds_sum 7.25
        heddle_a_seconds_count 3

        """)
  }

  @Test("Values of labels are escaped")
  func escapes() {
    let metric = Metric("heddle_a", .gauge, "Things.", ["version"]) { _ in [] }
    #expect(text(metric, [Sample(1, ["a\\b\"c\nd"])]).hasSuffix("heddle_a{version=\"a\\\\b\\\"c\\nd\"} 1\n"))
  }
}
