// The place of a piece of work in a distributed trace, as the headers `traceparent` and `tracestate` of W3C Trace Context
// carry it.

/// A span of a trace, by its ids.
public struct TraceContext: Hashable, Sendable {
  public var traceHigh: UInt64
  public var traceLow: UInt64
  public var span: UInt64
  /// Its maker records it.
  public var isSampled: Bool
  /// The value of `tracestate`, which is passed on as it came.
  public var state: String

  public init(traceHigh: UInt64, traceLow: UInt64, span: UInt64, isSampled: Bool, state: String = "") {
    self.traceHigh = traceHigh
    self.traceLow = traceLow
    self.span = span
    self.isSampled = isSampled
    self.state = state
  }

  /// Longer values are dropped, as the recommendation allows.
  static let stateBytes = 512

  /// Nil: the text is no `traceparent`, so the caller has no trace. A `tracestate` that cannot be passed on is left out.
  public init?(traceparent: String, tracestate: String = "") {
    let text = Array(traceparent.utf8)
    let dash = UInt8(ascii: "-")
    guard text.count >= 55, text[2] == dash, text[35] == dash, text[52] == dash,
      let version = Self.number(text[0..<2]), version != 0xFF,
      // Version 0 ends here; later ones may go on behind another dash.
      version == 0 ? text.count == 55 : text.count == 55 || text[55] == dash,
      let high = Self.number(text[3..<19]), let low = Self.number(text[19..<35]),
      let span = Self.number(text[36..<52]), let flags = Self.number(text[53..<55]), high | low != 0, span != 0
    else { return nil }
    let isPrintable = tracestate.utf8.allSatisfy { (0x20...0x7E).contains($0) }
    self.init(
      traceHigh: high, traceLow: low, span: span, isSampled: flags & 1 != 0,
      state: isPrintable && tracestate.utf8.count <= Self.stateBytes ? tracestate : "")
  }

  /// Lower-case hexadecimal digits alone.
  private static func number(_ digits: ArraySlice<UInt8>) -> UInt64? {
    digits.reduce(UInt64?.some(0)) { value, digit in
      switch digit {
      case UInt8(ascii: "0")...UInt8(ascii: "9"): value.map { $0 << 4 | UInt64(digit - UInt8(ascii: "0")) }
      case UInt8(ascii: "a")...UInt8(ascii: "f"): value.map { $0 << 4 | UInt64(digit - UInt8(ascii: "a") + 10) }
      default: nil
      }
    }
  }

  public var traceID: String { Self.text(traceHigh) + Self.text(traceLow) }
  public var spanID: String { Self.text(span) }
  public var traceparent: String { "00-\(traceID)-\(spanID)-\(isSampled ? "01" : "00")" }

  private static func text(_ value: UInt64) -> String {
    let digits = String(value, radix: 16)
    return String(repeating: "0", count: 16 - digits.utf8.count) + digits
  }
}
