// A run as JSON: what `--json` prints, what `--html` draws, and what another run is compared with.

import HeddleCore
import HeddleJSON
import HeddleProtocol

public struct RunReport: Sendable {
  public var name: String
  public var result: RunResult

  public init(name: String, result: RunResult) {
    self.name = name
    self.result = result
  }

  public static let percents: [Double] = [50, 90, 99, 99.9, 99.99, 100]

  public var json: JSONValue {
    let total = result.total
    var members: [JSONValue.Member] = [
      .init("name", .text(name)), .init("seconds", Self.decimal(result.seconds)),
      .init("stopped", .bool(result.wasStopped)),
    ]
    members += Self.counts(total, seconds: result.seconds)
    members.append(.init("latency", Self.times(total.latency)))
    members.append(.init("curve", Self.curve(total.latency)))
    let methods = total.methods.keys.sorted().map { number in
      JSONValue.Member(Self.methodName(number), Self.times(total.methods[number] ?? Histogram()))
    }
    members.append(.init("methods", .object(methods)))
    members.append(
      .init(
        "streams",
        .object([
          .init("events", .number("\(total.events)")),
          .init("events_per_second", Self.rate(total.events, result.seconds)),
          .init("first_event", Self.times(total.firstEvent)), .init("gap", Self.times(total.eventGap)),
          .init("left_out", .number("\(total.gaps)")), .init("came_again", .number("\(total.duplicates)")),
        ])))
    members.append(.init("samples", .list(result.samples.map(Self.sample))))
    return .object(members)
  }

  /// 0 stands for whole turns, from the intended time of their start to their end.
  public static func methodName(_ number: UInt16) -> String {
    number == 0 ? "whole turns" : Method(rawValue: Int32(number))?.path ?? "\(number)"
  }

  private static func sample(_ sample: RunSample) -> JSONValue {
    .object(
      [.init("at", decimal(sample.seconds))] + counts(sample.counts, seconds: sample.length) + [
        .init("latency", times(sample.counts.latency))
      ])
  }

  private static func counts(_ counts: RunStatistics, seconds: Double) -> [JSONValue.Member] {
    [
      .init("requests", .number("\(counts.requests)")), .init("answers", .number("\(counts.answers)")),
      .init("answers_per_second", rate(counts.answers, seconds)), .init("events", .number("\(counts.events)")),
      .init("late", .number("\(counts.late)")), .init("behind_ms", milliseconds(counts.behind)),
      .init("unmet", .number("\(counts.unmet)")), .init("in_flight", .number("\(counts.inFlight)")),
      .init("active", .number("\(counts.active)")), .init("connections", .number("\(counts.connections)")),
      .init("dropped", .number("\(counts.dropped)")), .init("bytes_in", .number("\(counts.bytesIn)")),
      .init("bytes_out", .number("\(counts.bytesOut)")),
      .init(
        "errors",
        .object(counts.errors.keys.sorted().map { .init($0, .number("\(counts.errors[$0] ?? 0)")) })),
    ]
  }

  /// Milliseconds.
  static func times(_ histogram: Histogram) -> JSONValue {
    var members: [JSONValue.Member] = [
      .init("count", .number("\(histogram.count)")), .init("mean", decimal(histogram.mean / 1e6)),
    ]
    for percent in percents {
      let name = percent == 100 ? "max" : "p\(percent == percent.rounded() ? "\(Int(percent))" : "\(percent)")"
      members.append(.init(name, milliseconds(histogram.percentile(percent))))
    }
    return .object(members)
  }

  /// Points for a chart whose axis shows how rare a time is: 50 %, 75 %, 87.5 %, …
  private static func curve(_ histogram: Histogram) -> JSONValue {
    var points = [JSONValue]()
    var rest = 1.0
    while rest * Double(histogram.count) >= 0.5, points.count < 100 {
      points.append(.list([decimal((1 - rest) * 100), milliseconds(histogram.percentile((1 - rest) * 100))]))
      rest /= 1.25
    }
    if histogram.count > 0 { points.append(.list([.number("100"), milliseconds(histogram.largest)])) }
    return .list(points)
  }

  static func rate(_ count: UInt64, _ seconds: Double) -> JSONValue {
    decimal(seconds > 0 ? Double(count) / seconds : 0)
  }

  static func milliseconds(_ nanoseconds: Int64) -> JSONValue { decimal(Double(nanoseconds) / 1e6) }

  /// Four digits behind the point are enough for a time in milliseconds.
  static func decimal(_ value: Double) -> JSONValue {
    guard value.isFinite, abs(value) < 1e15 else { return .number("0") }
    let rounded = (value * 10_000).rounded() / 10_000
    return .number(rounded == rounded.rounded() ? "\(Int64(rounded))" : "\(rounded)")
  }
}

/// A second of a run, for people: what the live view shows.
public enum RunLine {
  /// On one line.
  public static func text(_ sample: RunSample, _ result: RunResult) -> String {
    words(sample, result).joined(separator: "  ")
  }

  /// On as many lines as it takes on a terminal of so many columns: a line that the terminal broke could not be rewritten.
  public static func lines(_ sample: RunSample, _ result: RunResult, columns: Int) -> [String] {
    var lines = [""]
    for word in words(sample, result) {
      let word = String(word.prefix(max(1, columns)))
      if lines[lines.count - 1].isEmpty {
        lines[lines.count - 1] = word
      } else if lines[lines.count - 1].count + 2 + word.count <= columns {
        lines[lines.count - 1] += "  " + word
      } else {
        lines.append(word)
      }
    }
    return lines
  }

  private static func words(_ sample: RunSample, _ result: RunResult) -> [String] {
    let counts = sample.counts
    func time(_ percent: Double) -> String { milliseconds(counts.latency.percentile(percent)) }
    var words = [
      "\(Int(sample.seconds.rounded())) s", "\(whole(Double(counts.answers) / max(sample.length, 1e-9)))/s",
      "p50 \(time(50))", "p90 \(time(90))", "p99 \(time(99))", "max \(time(100))", "in flight \(counts.inFlight)",
    ]
    if counts.events > 0 { words.append("events \(whole(Double(counts.events) / max(sample.length, 1e-9)))/s") }
    if result.total.late > 0 {
      words.append("late \(result.total.late), behind \(milliseconds(counts.behind))")
    }
    if result.total.gaps + result.total.duplicates > 0 {
      words.append("gaps \(result.total.gaps), twice \(result.total.duplicates)")
    }
    if result.total.unmet > 0 { words.append("unmet \(result.total.unmet)") }
    for reason in result.total.errors.keys.sorted() { words.append("\(reason) \(result.total.errors[reason] ?? 0)") }
    return words
  }

  static func milliseconds(_ nanoseconds: Int64) -> String {
    let value = Double(nanoseconds) / 1e6
    let digits: Double = value < 10 ? 100 : value < 100 ? 10 : 1
    let rounded = (value * digits).rounded() / digits
    return (rounded == rounded.rounded() ? "\(Int64(rounded))" : "\(rounded)") + " ms"
  }

  static func whole(_ value: Double) -> String { "\(Int64(min(max(0, value), 1e15).rounded()))" }
}
