// The exporter of spans between the start of the process and its end. It ends after the server, whose last spans it sends.

import HeddleTraces
import ServiceLifecycle

struct TraceService: Service, CustomStringConvertible {
  let exporter: SpanExporter

  var description: String { "traces" }

  func run() async throws { await cancelWhenGracefulShutdown { await exporter.run() } }
}
