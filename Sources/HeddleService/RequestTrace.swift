// The place of a request in a trace, and its span if there is one.

import HeddleCore
import HeddleRuntime

/// Confined to its caller's loop.
final class RequestTrace {
  let context: TraceContext
  private let span: OpenSpan?

  /// Nil: the caller has no trace, and none begins here. A `traceparent` that cannot be read counts as none.
  init?(_ metadata: Metadata?, _ method: Method, _ tracer: Tracer?) {
    let parent = metadata.flatMap { TraceContext(traceparent: $0.traceparent, tracestate: $0.tracestate) }
    let name = "heddle.v1." + method.path
    let attributes: [(name: String, value: SpanValue)] = [
      ("rpc.system", .text("heddle")), ("rpc.method", .text(name)),
    ]
    span =
      if let parent { tracer?.begin(name, .server, under: parent, attributes) } else {
        tracer?.beginRoot(name, .server, attributes)
      }
    guard let context = span?.context ?? parent else { return nil }
    self.context = context
  }

  func end(_ answer: Answer) {
    if case .refused(let refusal) = answer { end(refusal) } else { span?.end() }
  }

  func end(_ refusal: Refusal) { span?.end(failure: refusal.reason.rawValue) }
}
