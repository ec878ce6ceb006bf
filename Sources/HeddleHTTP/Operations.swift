// The routes for operators: probes, metrics, the state of the server, the level of its log.

import HeddleCore
import HeddleJSON
import HeddleMetrics
import HeddleService
import NIOCore
import NIOHTTP1

extension HTTPConnection {
  // MARK: Probes

  func probe(isReady: Bool) -> HTTPResponse {
    guard shared.pulses.allAnswer else { return HTTPResponse(503, text: "a loop does not answer") }
    guard isReady else { return HTTPResponse(200, text: "ok") }
    switch core.serving {
    case .draining: return HTTPResponse(503, text: "draining")
    case .readOnly: return HTTPResponse(503, text: "read-only")
    default: return HTTPResponse(200, text: "ok")
    }
  }

  // MARK: Metrics

  func scrape() -> HTTPResponse {
    guard shared.scrapes.admits(at: now) else {
      var response = HTTPResponse(429, text: "Ten scrapes a second are enough.")
      response.headers.append(("retry-after", "1"))
      return response
    }
    var text = MetricsText()
    text.append(core.metrics)
    ProcessMetrics.append(to: &text)
    return HTTPResponse(200, "text/plain; version=0.0.4; charset=utf-8", text.bytes)
  }

  // MARK: Debugging

  func state() -> HTTPResponse {
    let metrics = core.metrics
    let loops = shared.pulses.silences.map { JSONValue.object([.init("silentMilliseconds", .number("\($0)"))]) }
    let value = JSONValue.object([
      .init("version", .text(core.version)), .init("node", .text(core.manager.store.node.description)),
      .init("serving", .text("\(core.serving)")), .init("loops", .list(loops)),
      .init("connections", .number("\(metrics.connections)")),
      .init("requestsInFlight", .number("\(metrics.requestsInFlight)")),
      .init("threadsLoaded", .number("\(metrics.threadsLoaded)")),
      .init("turnsRunning", .number("\(metrics.turnsRunning)")),
      .init("storeWaitingBytes", .number("\(metrics.store.waitingBytes.value)")),
      .init("storeIsReadOnly", .bool(metrics.store.isReadOnly.value != 0)),
      .init("logLevel", shared.rules.logLevel.map { .text($0.read()) } ?? .null),
    ])
    return HTTPResponse(200, "application/json", Array((value.written(pretty: true) + "\n").utf8))
  }

  /// The body is the name of a level.
  func logLevel(_ exchange: Exchange) -> HTTPResponse {
    guard let control = shared.rules.logLevel else { return HTTPResponse(404, text: "There is nothing here.") }
    guard exchange.head.method == .PUT else { return HTTPResponse(200, text: control.read()) }
    let name = String(decoding: exchange.body.readableBytesView, as: UTF8.self)
    guard control.change(name.filter { !$0.isWhitespace }) else {
      return HTTPResponse(400, text: "trace, debug, info, notice, warning, error or critical is needed.")
    }
    core.auditChange("log level", control.read(), by: identified?.caller.principal, from: peer.address)
    core.logger.notice("the level of the log was changed", metadata: ["level": "\(control.read())"])
    return HTTPResponse(200, text: control.read())
  }
}
