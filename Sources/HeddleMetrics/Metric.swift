// One metric as it is shown: a name and a kind by the conventions of Prometheus, a sentence of help, labels, and how its
// samples are read.

/// A metric of the catalog.
public struct Metric: Sendable {
  public enum Kind: String, Sendable { case counter, gauge, histogram }

  public let name: String
  public let kind: Kind
  public let help: String
  /// The names of its labels; each sample has a value for each.
  public let labels: [String]
  private let read: @Sendable (Metrics) -> [Sample]

  init(
    _ name: String, _ kind: Kind, _ help: String, _ labels: [String] = [],
    _ read: @escaping @Sendable (Metrics) -> [Sample]
  ) {
    self.name = name
    self.kind = kind
    self.help = help
    self.labels = labels
    self.read = read
  }

  /// Its samples as they are now. Those of a metric with labels that were never counted are left out.
  public func samples(of metrics: Metrics) -> [Sample] { read(metrics) }
}

/// One value of a metric.
public struct Sample: Equatable, Sendable {
  public enum Value: Equatable, Sendable {
    case number(Int)
    case histogram(HistogramReading)
  }

  public var labels: [String]
  public var value: Value

  init(_ value: Int, _ labels: [String] = []) {
    self.labels = labels
    self.value = .number(value)
  }

  init(_ reading: HistogramReading, _ labels: [String] = []) {
    self.labels = labels
    value = .histogram(reading)
  }
}
