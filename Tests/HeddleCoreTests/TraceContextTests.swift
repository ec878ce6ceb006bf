import HeddleCore
import Testing

@Suite struct TraceContextTests {
  private static let trace = "0af7651916cd43dd8448eb211c80319c"
  private static let good = "00-\(trace)-b7ad6b7169203331-01"

  @Test("A traceparent is read and written as it is")
  func roundTrip() throws {
    let context = try #require(TraceContext(traceparent: Self.good, tracestate: "a=1,b=2"))
    #expect(context.traceID == Self.trace && context.spanID == "b7ad6b7169203331" && context.isSampled)
    #expect(context.traceparent == Self.good && context.state == "a=1,b=2")
    #expect(TraceContext(traceparent: Self.good.dropLast(2) + "00")?.isSampled == false)
    #expect(TraceContext(traceparent: Self.good.dropLast(2) + "ff")?.traceparent == Self.good)
  }

  private static let zeros = String(repeating: "0", count: 32)
  private static let wrong: [String] = [
    "", "00", good + "-", good + "-00", String(good.dropLast()), good.uppercased(), " " + good,
    "ff-\(trace)-b7ad6b7169203331-01", "0g-\(trace)-b7ad6b7169203331-01", "00_\(trace)-b7ad6b7169203331-01",
    "00-\(zeros)-b7ad6b7169203331-01", "00-\(trace)-0000000000000000-01", "00-\(trace)-b7ad6b71692033é1-01",
  ]

  @Test("A text that is no traceparent counts as none", arguments: wrong)
  func refused(_ text: String) { #expect(TraceContext(traceparent: text) == nil) }

  @Test("A later version may go on behind a dash")
  func later() {
    #expect(TraceContext(traceparent: "01" + Self.good.dropFirst(2) + "-what-ever")?.traceID == Self.trace)
    #expect(TraceContext(traceparent: "01" + Self.good.dropFirst(2) + "what") == nil)
  }

  @Test(
    "A tracestate that is too long or no ASCII is left out",
    arguments: ["a=\u{7}", "a=é", String(repeating: "a", count: 513)])
  func state(_ text: String) throws {
    #expect(try #require(TraceContext(traceparent: Self.good, tracestate: text)).state.isEmpty)
  }
}
