// The times of an HTTP connection, and its ends: slow heads and bodies, idle connections, clients that take nothing, drain.

import HeddleCore
import HeddleRPC
import HeddleService
import NIOCore
import NIOHTTP1

/// A value over a clock that is handed in.
struct HTTPTimes {
  /// A connection without a request is kept for so long: longer than most proxies keep theirs, so that they close first.
  static let keepMilliseconds: Int64 = 120_000

  var isCounted = false
  private(set) var hasSpoken = false
  private let openedAt: Int64
  private var heardAt: Int64
  /// When the last response ended.
  private var idleSince: Int64
  private var bytesWaiting = 0
  private var movedAt: Int64

  init(now: Int64) {
    openedAt = now
    heardAt = now
    idleSince = now
    movedAt = now
  }

  mutating func heard(at now: Int64) {
    heardAt = now
    hasSpoken = true
  }

  mutating func idle(at now: Int64) { idleSince = now }

  enum Verdict: Equatable { case fine, close, timeout }

  /// Without a request at hand. The first head has its time from the beginning on.
  func tickIdle(_ now: Int64, _ limits: Limits) -> Verdict {
    if !hasSpoken { return now - openedAt >= limits.helloMilliseconds ? .timeout : .fine }
    return now - idleSince >= Self.keepMilliseconds ? .close : .fine
  }

  /// Bytes wait for the socket; true: it has taken none for too long.
  mutating func isStalled(_ now: Int64, waiting: Int, _ limits: Limits) -> Bool {
    if waiting == 0 || waiting < bytesWaiting { movedAt = now }
    if waiting > bytesWaiting, bytesWaiting == 0 { movedAt = now }
    bytesWaiting = waiting
    return waiting > 0 && now - movedAt >= limits.slowConsumerMilliseconds
  }
}

extension HTTPConnection {
  /// Called a few times a second.
  func tick(_ now: Int64) {
    guard phase == .open else { return }
    let waiting = (try? channel?.channel.syncOptions?.getOption(.bufferedWritableBytes)) ?? 0
    if times.isStalled(now, waiting: waiting, core.limits) {
      metrics.closed(.slowConsumer)
      return closeNow()
    }
    for seat in seats.all { seat.tick(now) }
    seats.tidy(now)
    guard let exchange else {
      if core.isDraining, times.hasSpoken {
        metrics.closed(.shuttingDown)
        return closeNow()
      }
      switch times.tickIdle(now, core.limits) {
      case .fine: return
      case .close:
        metrics.closed(.idleTimeout)
        return closeNow()
      case .timeout:
        metrics.closed(.notInitialized)
        return refuseSlow()
      }
    }
    exchange.tick(now)
    if core.isEnding { exchange.end(Refusal(.shuttingDown)) }
  }

  func refuseSlow() {
    respondAndClose(.requestTimeout, "The request did not come in time.\n")
  }

  func refuseHead(_ fault: HTTPHead.Fault) { respondAndClose(fault.status, fault.text) }

  /// A response to what is no request, and the end. Only where no response has begun.
  func respondAndClose(_ status: HTTPResponseStatus, _ text: String) {
    guard phase == .open else { return }
    if exchange?.hasBegun == true { return closeNow() }
    exchange?.close()
    exchange = nil
    phase = .closing
    var headers = HTTPHeaders([("content-type", "text/plain"), ("connection", "close")])
    headers.add(name: "content-length", value: "\(text.utf8.count)")
    // Past the pipeline handler, which waits for the end of a request that will never come.
    let bytes =
      "HTTP/1.1 \(status.code) \(status.reasonPhrase)\r\n"
      + headers.map { "\($0.name): \($0.value)\r\n" }.joined() + "\r\n" + text
    guard let head = try? channel?.pipeline.syncOperations.context(handlerType: HTTPResponseEncoder.self) else {
      return closeNow()
    }
    head.writeAndFlush(NIOAny(IOData.byteBuffer(ByteBuffer(string: bytes))), promise: nil)
    closeLater()
  }

  func closeNow() {
    phase = .closing
    channel?.close(promise: nil)
  }

  func closeLater() {
    phase = .closing
    channel?.close(mode: .output, promise: nil)
    channel?.read()
    eventLoop.scheduleTask(in: .milliseconds(500)) { self.channel?.close(promise: nil) }
  }

  /// The client says nothing more: its request, if it is complete, is answered.
  func inputClosed() {
    guard let exchange, exchange.isComplete else { return closeNow() }
    exchange.isLast = true
  }
}
