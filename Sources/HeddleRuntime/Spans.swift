// Spans: pieces of work with a beginning and an end, which a sink takes to where traces are kept. There are none without
// a sink; the trace of a request is passed on to providers all the same.

import HeddleCore
import HeddleMetrics
import Synchronization

/// The part that the server has in a piece of work; the numbers are those of OpenTelemetry.
public enum SpanKind: UInt64, Sendable {
  case within = 1
  case server = 2
  case client = 3
}

public enum SpanValue: Equatable, Sendable {
  case text(String)
  case number(Int64)
}

/// A piece of work that has ended. It holds no text of people or of models.
public struct Span: Sendable {
  public var context: TraceContext
  /// The span that it is a part of; 0: it is a root.
  public var parent: UInt64
  public var name: String
  public var kind: SpanKind
  /// Unix nanoseconds.
  public var begin: Int64
  public var end: Int64
  public var attributes: [(name: String, value: SpanValue)]
  /// The stable name of the error that it ended with.
  public var failure: String?
}

/// A receiver of spans. It must not wait.
public protocol SpanSink: Sendable {
  /// The share of requests without a trace of their own that begin one, 0 to 1.
  var ratio: Double { get }
  func take(_ span: Span)
  /// Spans that are lost are counted here from now on.
  func count(in metrics: TelemetryMetrics)
}

/// A piece of work that goes on.
public final class OpenSpan: Sendable {
  public let context: TraceContext
  private let tracer: Tracer
  private let beganAt: Int
  /// Nil: it has ended.
  private let span: Mutex<Span?>

  fileprivate init(_ span: Span, _ tracer: Tracer) {
    context = span.context
    self.tracer = tracer
    beganAt = tracer.clock.nanoseconds()
    self.span = Mutex(span)
  }

  public func set(_ name: String, _ value: SpanValue) { span.withLock { $0?.attributes.append((name, value)) } }

  /// The first end counts.
  public func end(failure: String? = nil) {
    guard
      var span = span.withLock({ span in
        defer { span = nil }
        return span
      })
    else { return }
    // A span's length is of the clock that does not step.
    span.end = span.begin &+ Int64(max(0, tracer.clock.nanoseconds() &- beganAt))
    if let failure {
      span.failure = failure
      span.attributes.append(("error.type", .text(failure)))
    }
    tracer.sink.take(span)
  }
}

/// Begins spans.
public struct Tracer: Sendable {
  let sink: any SpanSink
  let clock: RuntimeClock

  /// Nil: the trace is not recorded.
  public func begin(
    _ name: String, _ kind: SpanKind, under parent: TraceContext, _ attributes: [(name: String, value: SpanValue)] = []
  ) -> OpenSpan? {
    guard parent.isSampled else { return nil }
    var context = parent
    context.span = .random(in: 1 ... .max)
    return open(context, parent: parent.span, name, kind, attributes)
  }

  /// A trace of its own for some requests that have none.
  public func beginRoot(
    _ name: String, _ kind: SpanKind, _ attributes: [(name: String, value: SpanValue)] = []
  ) -> OpenSpan? {
    guard sink.ratio > 0, Double.random(in: 0..<1) < sink.ratio else { return nil }
    let context = TraceContext(
      traceHigh: .random(in: .min ... .max), traceLow: .random(in: 1 ... .max), span: .random(in: 1 ... .max),
      isSampled: true)
    return open(context, parent: 0, name, kind, attributes)
  }

  private func open(
    _ context: TraceContext, parent: UInt64, _ name: String, _ kind: SpanKind,
    _ attributes: [(name: String, value: SpanValue)]
  ) -> OpenSpan {
    let now = clock.now().multipliedReportingOverflow(by: 1_000_000).partialValue
    return OpenSpan(
      Span(
        context: context, parent: parent, name: name, kind: kind, begin: now, end: now, attributes: attributes,
        failure: nil), self)
  }
}
