import HeddleCore
import Logging
import Testing

@testable import HeddleMetrics
@testable import HeddleRuntime
@testable import HeddleTraces

@Suite struct SpanExporterTests {
  private func span(_ number: UInt64) -> Span {
    Span(
      context: TraceContext(traceHigh: 1, traceLow: 2, span: number, isSampled: true), parent: 0, name: "turn",
      kind: .within, begin: 10, end: 20, attributes: [], failure: nil)
  }

  @Test("Spans that find no room are dropped and counted; nobody waits", .timeLimit(.minutes(1)))
  func full() async throws {
    // Nothing listens on port 1.
    let destination = try #require(SpanDestination(endpoint: "http://127.0.0.1:1", ratio: 0))
    let exporter = SpanExporter(destination, version: "1", node: "n", logger: Logger(label: "test"))
    let metrics = TelemetryMetrics()
    exporter.count(in: metrics)
    for number in 1...2_100 { exporter.take(span(UInt64(number))) }
    #expect(metrics.spansDropped.value == 52)
    let running = Task { await exporter.run() }
    running.cancel()
    await running.value
    #expect(metrics.spansDropped.value == 2_100, "what nobody took is counted too")
  }

  @Test(
    "The base of a collector's URL is wanted",
    arguments: ["", "127.0.0.1:4318", "ftp://there", "http://", "http://user@there", "http://there?x=1"])
  func refused(_ endpoint: String) { #expect(SpanDestination(endpoint: endpoint, ratio: 0) == nil) }

  @Test("The path of traces is added once")
  func path() {
    for endpoint in ["http://there:4318", "http://there:4318/", "http://there:4318/v1/traces"] {
      #expect(SpanDestination(endpoint: endpoint, ratio: 0)?.url == "http://there:4318/v1/traces")
    }
    #expect(SpanDestination(endpoint: "https://there/otlp", ratio: 0)?.url == "https://there/otlp/v1/traces")
  }

  @Test("A span's bytes, by hand")
  func bytes() {
    let encoder = SpanEncoder(version: "", node: "")
    var odd = span(0x0102_0304_0506_0708)
    odd.attributes = [("n", .number(-1))]
    odd.failure = "e"
    let bytes = encoder.request([odd])
    let ids: [UInt8] = [0x0A, 16, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 2, 0x12, 8, 1, 2, 3, 4, 5, 6, 7, 8]
    let name: [UInt8] = [0x2A, 4] + Array("turn".utf8) + [0x30, 1]
    let times: [UInt8] = [0x39, 10, 0, 0, 0, 0, 0, 0, 0, 0x41, 20, 0, 0, 0, 0, 0, 0, 0]
    let minusOne: [UInt8] = [0x18] + Array(repeating: 0xFF, count: 9) + [1]
    let attribute: [UInt8] = [0x4A, 16, 0x0A, 1, UInt8(ascii: "n"), 0x12, 11] + minusOne
    let status: [UInt8] = [0x7A, 5, 0x12, 1, UInt8(ascii: "e"), 0x18, 2]
    let flags: [UInt8] = [0x85, 1, 1, 0, 0, 0]
    #expect(Array(bytes.suffix(ids.count + 64)).firstRange(of: ids) != nil)
    #expect(bytes.suffix(name.count + 18 + 18 + 7 + 6) == (name + times + attribute + status + flags)[...])
  }
}
