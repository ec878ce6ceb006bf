// Spans as OpenTelemetry's `ExportTraceServiceRequest`. Field numbers are those of opentelemetry/proto/trace/v1.

import HeddleProtocol
import HeddleRuntime

/// Writes requests to a collector.
struct SpanEncoder: Sendable {
  let version: String
  let node: String

  func request(_ spans: [Span]) -> [UInt8] {
    var codec = Codec()
    return codec.encode(Request(encoder: self, spans: spans))
  }

  private struct Request: WireWritable {
    let encoder: SpanEncoder
    let spans: [Span]

    func write(_ out: inout BackwardWriter) {
      out.nested(Tag.bytes(1)) { resource in
        resource.nested(Tag.bytes(2)) { scope in
          for span in spans.reversed() { scope.nested(Tag.bytes(2)) { encoder.write(span, &$0) } }
          scope.nested(Tag.bytes(1)) { $0.text("heddle", Tag.bytes(1)) }
        }
        resource.nested(Tag.bytes(1)) { out in
          encoder.write("service.instance.id", .text(encoder.node), Tag.bytes(1), &out)
          encoder.write("service.version", .text(encoder.version), Tag.bytes(1), &out)
          encoder.write("service.name", .text("heddle"), Tag.bytes(1), &out)
        }
      }
    }
  }

  private enum Tag {
    static func number(_ field: UInt64) -> UInt64 { field << 3 }
    static func fixed64(_ field: UInt64) -> UInt64 { field << 3 | 1 }
    static func bytes(_ field: UInt64) -> UInt64 { field << 3 | 2 }
    static func fixed32(_ field: UInt64) -> UInt64 { field << 3 | 5 }
  }

  /// The last field first.
  private func write(_ span: Span, _ out: inout BackwardWriter) {
    out.fixed32(span.context.isSampled ? 1 : 0, Tag.fixed32(16))
    if let failure = span.failure {
      out.nested(Tag.bytes(15)) { status in
        status.unsigned(2 as UInt64, Tag.number(3))
        status.text(failure, Tag.bytes(2))
      }
    }
    for (name, value) in span.attributes.reversed() { write(name, value, Tag.bytes(9), &out) }
    out.fixed64(UInt64(clamping: span.end), Tag.fixed64(8))
    out.fixed64(UInt64(clamping: span.begin), Tag.fixed64(7))
    out.unsigned(span.kind.rawValue, Tag.number(6))
    out.text(span.name, Tag.bytes(5))
    if span.parent != 0 { out.bytes(Self.bytes(span.parent), Tag.bytes(4)) }
    if !span.context.state.isEmpty { out.text(span.context.state, Tag.bytes(3)) }
    out.bytes(Self.bytes(span.context.span), Tag.bytes(2))
    out.bytes(Self.bytes(span.context.traceHigh) + Self.bytes(span.context.traceLow), Tag.bytes(1))
  }

  private func write(_ name: String, _ value: SpanValue, _ tag: UInt64, _ out: inout BackwardWriter) {
    out.nested(tag) { pair in
      pair.nested(Tag.bytes(2)) { any in
        switch value {
        case .text(let text): any.text(text, Tag.bytes(1))
        case .number(let number): any.unsigned(UInt64(bitPattern: number), Tag.number(3))
        }
      }
      pair.text(name, Tag.bytes(1))
    }
  }

  private static func bytes(_ value: UInt64) -> [UInt8] {
    (0..<8).map { UInt8(truncatingIfNeeded: value >> (56 - 8 * $0)) }
  }
}
