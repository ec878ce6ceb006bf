// The values of the audit log and of traces.

public final class TelemetryMetrics: Sendable {
  /// Lines that the audit file did not take.
  public let auditLost = SharedValue()
  /// Spans that did not reach the collector.
  public let spansDropped = SharedValue()

  package init() {}
}
