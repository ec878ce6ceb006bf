// Metrics as Prometheus reads them: its text format, version 0.0.4.

import HeddleCore

public enum PrometheusText {
  /// All metrics of the catalog.
  public static func text(_ metrics: Metrics) -> String {
    var out = ""
    for metric in Metrics.catalog { write(metric, metric.samples(of: metrics), to: &out) }
    return out
  }

  private static func write(_ metric: Metric, _ samples: [Sample], to out: inout String) {
    out += "# HELP \(metric.name) \(escaped(metric.help, quotes: false))\n"
    out += "# TYPE \(metric.name) \(metric.kind.rawValue)\n"
    for sample in samples {
      let labels = zip(metric.labels, sample.labels).map { "\($0)=\"\(escaped($1, quotes: true))\"" }
      switch sample.value {
      case .number(let number): out += "\(metric.name)\(braces(labels)) \(number)\n"
      case .histogram(let reading): write(reading, metric.name, labels, to: &out)
      }
    }
  }

  private static func write(_ reading: HistogramReading, _ name: String, _ labels: [String], to out: inout String) {
    for bucket in reading.buckets {
      let bound = bucket.upTo.isFinite ? "\(bucket.upTo)" : "+Inf"
      out += "\(name)_bucket\(braces(labels + ["le=\"\(bound)\""])) \(bucket.count)\n"
    }
    out += "\(name)_sum\(braces(labels)) \(reading.sum)\n"
    out += "\(name)_count\(braces(labels)) \(reading.count)\n"
  }

  private static func braces(_ labels: [String]) -> String {
    labels.isEmpty ? "" : "{\(labels.joined(separator: ","))}"
  }

  private static func escaped(_ text: String, quotes: Bool) -> String {
    var out = ""
    for character in text {
      switch character {
      case "\\": out += "\\\\"
      case "\n": out += "\\n"
      case "\"" where quotes: out += "\\\""
      default: out.append(character)
      }
    }
    return out
  }
}
