// Metrics as text, in the exposition format 0.0.4 of Prometheus.

/// Writes metrics as text.
public struct MetricsText {
  public static let contentType = "text/plain; version=0.0.4; charset=utf-8"

  public private(set) var bytes: [UInt8] = []

  public init() {}

  /// All metrics of a server.
  public mutating func append(_ metrics: Metrics) {
    for metric in Metrics.catalog { append(metric, metric.samples(of: metrics)) }
  }

  /// A metric that is not in the catalog: a number about the process.
  public mutating func append(_ name: String, _ kind: Metric.Kind, _ help: String, _ value: String) {
    head(name, kind, help)
    bytes += "\(name) \(value)\n".utf8
  }

  mutating func append(_ metric: Metric, _ samples: [Sample]) {
    guard !samples.isEmpty else { return }
    head(metric.name, metric.kind, metric.help)
    for sample in samples {
      let labels = zip(metric.labels, sample.labels).map { "\($0)=\"\(Self.escaped($1))\"" }
      switch sample.value {
      case .number(let value): line(metric.name, labels, "\(value)")
      case .histogram(let reading):
        for bucket in reading.buckets {
          let bound = bucket.upTo == .infinity ? "+Inf" : Self.number(bucket.upTo)
          line(metric.name + "_bucket", labels + ["le=\"\(bound)\""], "\(bucket.count)")
        }
        line(metric.name + "_sum", labels, Self.number(reading.sum))
        line(metric.name + "_count", labels, "\(reading.count)")
      }
    }
  }

  private mutating func head(_ name: String, _ kind: Metric.Kind, _ help: String) {
    bytes += "# HELP \(name) \(help)\n# TYPE \(name) \(kind.rawValue)\n".utf8
  }

  private mutating func line(_ name: String, _ labels: [String], _ value: String) {
    let set = labels.isEmpty ? "" : "{" + labels.joined(separator: ",") + "}"
    bytes += "\(name)\(set) \(value)\n".utf8
  }

  /// Without the `.0` that Swift puts behind whole numbers.
  private static func number(_ value: Double) -> String {
    let text = value.description
    return text.hasSuffix(".0") ? String(text.dropLast(2)) : text
  }

  private static func escaped(_ text: String) -> String {
    guard text.utf8.contains(where: { $0 == UInt8(ascii: "\\") || $0 == UInt8(ascii: "\"") || $0 == 0x0A }) else {
      return text
    }
    return text.reduce(into: "") { out, character in
      switch character {
      case "\\": out += "\\\\"
      case "\"": out += "\\\""
      case "\n": out += "\\n"
      default: out.append(character)
      }
    }
  }
}
