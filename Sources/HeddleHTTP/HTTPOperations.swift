// Routes for those who run the server: probes, metrics and the state of the server.

import HeddleCore
import HeddleJSON
import HeddleMetrics
import HeddleProtocol
import HeddleRPC
import HeddleRuntime
import HeddleService
import NIOCore
import NIOHTTP1
import Synchronization

/// Whether every event loop of the server answers. A probe posts a question to each loop and looks at the answers of the
/// last one.
final class LoopPulse: Sendable {
  static let silenceMilliseconds: Int64 = 5_000
  private struct State {
    /// When each loop answered last, and since when it owes an answer.
    var answered: [Int: Int64] = [:]
    var asked: [Int: Int64] = [:]
  }

  private let state = Mutex(State())

  init() {}

  /// Asks all loops; false: one has owed an answer for too long.
  func isBeating(_ loops: [LoopContext], now: Int64) -> Bool {
    var isAlive = true
    for loop in loops {
      let index = loop.index
      let asks = state.withLock { state in
        if let since = state.asked[index] {
          if now - since >= Self.silenceMilliseconds { isAlive = false }
          return false
        }
        state.asked[index] = now
        return true
      }
      guard asks else { continue }
      loop.eventLoop.execute { self.state.withLock { $0.asked[index] = nil } }
    }
    return isAlive
  }
}

extension HTTPConnection {
  func answerLive(_ exchange: HTTPExchange) {
    guard context.pulse.isBeating(core.manager.contexts, now: now) else {
      return exchange.respond(.serviceUnavailable, text: "an event loop does not answer\n")
    }
    exchange.respond(.ok, text: "ok\n")
  }

  func answerReady(_ exchange: HTTPExchange) {
    guard context.pulse.isBeating(core.manager.contexts, now: now) else {
      return exchange.respond(.serviceUnavailable, text: "an event loop does not answer\n")
    }
    switch core.serving {
    case .draining: exchange.respond(.serviceUnavailable, text: "draining\n")
    case .readOnly: exchange.respond(.serviceUnavailable, text: "read-only\n")
    default: exchange.respond(.ok, text: "ok\n")
    }
  }

  func answerMetrics(_ exchange: HTTPExchange) {
    guard context.rules.openMetrics || context.isLoopback || isOperator(exchange) else { return }
    guard context.scrapes.admit(now) else {
      return exchange.respond(.tooManyRequests, text: "Metrics are read ten times a second at most.\n", [("retry-after", "1")])
    }
    exchange.respond(
      .ok, Array(PrometheusText.text(core.metrics).utf8), type: "text/plain; version=0.0.4; charset=utf-8")
  }

  func answerState(_ exchange: HTTPExchange) {
    guard isOperator(exchange) else { return }
    let metrics = core.metrics
    let state = JSONValue.object([
      JSONValue.Member("serving", .text("\(core.serving)")), JSONValue.Member("version", .text(core.version)),
      JSONValue.Member("connections", .number("\(metrics.connections)")),
      JSONValue.Member("threadsLoaded", .number("\(metrics.threadsLoaded)")),
      JSONValue.Member("turnsRunning", .number("\(metrics.turnsRunning)")),
      JSONValue.Member("requestsInFlight", .number("\(metrics.requestsInFlight)")),
      JSONValue.Member("loops", .number("\(core.manager.contexts.count)")),
    ])
    exchange.respond(.ok, Array((state.written(pretty: true) + "\n").utf8), type: "application/json")
  }

  /// False: the request has been answered.
  private func isOperator(_ exchange: HTTPExchange) -> Bool {
    guard let seat = seat(exchange, metadata(of: exchange)) else { return false }
    guard seat.caller.principal?.isAdmin == true else {
      exchange.refuse(Refusal(.permissionDenied))
      return false
    }
    return true
  }
}

/// Ten scrapes a second, of all clients together.
final class ScrapeRate: Sendable {
  private static let most = 10
  private let state = Mutex((second: Int64(0), count: 0))

  init() {}

  func admit(_ now: Int64) -> Bool {
    state.withLock { state in
      if now / 1_000 != state.second { state = (now / 1_000, 0) }
      state.count += 1
      return state.count <= Self.most
    }
  }
}
