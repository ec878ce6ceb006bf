// What the requests of the HTTP door mean: one table of routes.
//
//   GET  /livez, /healthz            200 while every loop answers
//   GET  /readyz                     200 while calls are taken
//   GET  /metrics                    numbers for Prometheus
//   POST /heddle.v1.X/Y              Connect
//   GET  /v1/threads/{id}/events     server-sent events
//   GET  /debug/state                what the server holds, for operators

import HeddleCore
import HeddleProtocol
import HeddleRPC
import HeddleRuntime
import HeddleService
import HeddleTokens
import NIOCore
import NIOHTTP1

/// The meaning of a path.
enum HTTPRoute: Equatable {
  case live
  case ready
  case metrics
  case call(Method)
  case unknownCall
  case events(ThreadID)
  case badEvents
  case debugState
  case none

  private static let events = "/events"
  private static let threads = "/v1/threads/"

  init(path: String) {
    switch path {
    case "/livez", "/healthz": self = .live
    case "/readyz": self = .ready
    case "/metrics": self = .metrics
    case "/debug/state": self = .debugState
    default:
      if path.hasPrefix(MethodPaths.prefix) {
        self = MethodPaths.method(path).map { .call($0) } ?? .unknownCall
      } else if path.hasPrefix(Self.threads), path.hasSuffix(Self.events),
        path.utf8.count > Self.threads.utf8.count + Self.events.utf8.count
      {
        let id = path.dropFirst(Self.threads.count).dropLast(Self.events.count)
        self = ThreadID(String(id)).map { .events($0) } ?? .badEvents
      } else {
        self = .none
      }
    }
  }

  /// Methods of HTTP that it takes.
  var methods: [HTTPMethod] {
    switch self {
    case .call, .unknownCall: [.POST]
    case .none: []
    default: [.GET, .HEAD]
    }
  }
}

extension HTTPConnection {
  // MARK: Heads

  func began(_ head: HTTPRequestHead) {
    do throws(HTTPHead.Fault) {
      let checked = try HTTPHead(head, isEncrypted: peer.isEncrypted, context.rules)
      exchange = HTTPExchange(self, checked, HTTPRoute(path: checked.path), now: now)
      if head.headers.first(name: "expect")?.lowercased() == "100-continue" {
        write(.head(HTTPResponseHead(version: .http1_1, status: .continue)))
        flush()
      }
    } catch {
      metrics.closed(.notUnderstood)
      refuseHead(error)
    }
  }

  /// The response has been written; the next request may come.
  func ended(_ exchange: HTTPExchange) {
    guard self.exchange === exchange else { return }
    self.exchange = nil
    times.idle(at: now)
    flush()
    if exchange.isLast, phase == .open {
      metrics.closed(core.isDraining ? .shuttingDown : .notInitialized)
      closeLater()
    }
  }

  // MARK: Requests

  /// The request is complete.
  func serve(_ exchange: HTTPExchange) {
    guard exchange.route.methods.contains(exchange.head.method) || exchange.route == .none else {
      let allowed = exchange.route.methods.map(\.rawValue).joined(separator: ", ")
      return exchange.respond(.methodNotAllowed, text: "Use \(allowed).\n", [("allow", allowed)])
    }
    switch exchange.route {
    case .live: answerLive(exchange)
    case .ready: answerReady(exchange)
    case .metrics: answerMetrics(exchange)
    case .call(let method): call(exchange, method)
    case .unknownCall: exchange.refuse(Refusal(.unknownMethod))
    case .events(let thread): follow(exchange, thread)
    case .badEvents: exchange.refuse(Refusal(.badId, [("field", "thread")]))
    case .debugState: answerState(exchange)
    case .none: exchange.respond(.notFound, text: "There is nothing here; see docs/http.md for the routes.\n")
    }
  }

  // MARK: Calls

  private func call(_ exchange: HTTPExchange, _ method: Method) {
    let types = exchange.head.headers["content-type"]
    guard types.count == 1, let type = contentType(types[0], exchange), isSpoken(type, method) else {
      let spoken =
        method == .threadSubscribe
        ? "application/connect+json, application/connect+proto" : "application/json, application/proto"
      return exchange.respond(.unsupportedMediaType, text: "Send one of \(spoken).\n", [("accept-post", spoken)])
    }
    exchange.form =
      switch type {
      case .connectStream(let isJSON): .stream(isJSON: isJSON)
      case .connectUnary(let isJSON): .unary(isJSON: isJSON)
      case .grpc: .plain
      }
    let codings = exchange.head.headers["content-encoding"] + exchange.head.headers["connect-content-encoding"]
    guard codings.allSatisfy({ $0.lowercased() == "identity" }) else {
      var error = Refusal(.unknownFlags).wire
      error.code = .unimplemented
      metrics.refused(.unknownFlags)
      return exchange.fail(error)
    }
    var metadata = metadata(of: exchange)
    if let text = exchange.head.headers.first(name: "connect-timeout-ms") {
      switch CallTimeout.connect(text) {
      case nil: metadata.refuse(Refusal(.outOfRange, [("field", "connect-timeout-ms")]))
      case 0?: metadata.refuse(Refusal(.deadlineExceeded))
      case let timeout?: metadata.deadlineMilliseconds = timeout
      }
    }
    switch message(of: exchange, method) {
    case .failure(let refusal): exchange.refuse(refusal)
    case .success(let message): serve(exchange, method, message, metadata)
    }
  }

  /// A form's type with JSON in it is what `curl -d` sends. Pages of other origins cannot come so far (HTTPHead).
  private func contentType(_ text: String, _ exchange: HTTPExchange) -> CallProtocol? {
    CallProtocol(contentType: text)
      ?? (text.lowercased() == "application/x-www-form-urlencoded" ? .connectUnary(isJSON: true) : nil)
  }

  private func isSpoken(_ type: CallProtocol, _ method: Method) -> Bool {
    switch type {
    case .grpc: false
    case .connectUnary: method != .threadSubscribe
    case .connectStream: method == .threadSubscribe
    }
  }

  func metadata(of exchange: HTTPExchange) -> CallMetadata {
    var metadata = CallMetadata()
    for (name, value) in exchange.head.headers {
      var (name, value) = (name.lowercased(), value)
      name.withUTF8 { name in
        value.withUTF8 { value in
          _ = metadata.take(UnsafeRawBufferPointer(name), UnsafeRawBufferPointer(value))
        }
      }
    }
    return metadata
  }

  /// The bytes of the request's message.
  private func message(of exchange: HTTPExchange, _ method: Method) -> Result<ByteBuffer, Refusal> {
    var body = exchange.takeBody()
    let isJSON: Bool
    switch exchange.form {
    case .stream(let json):
      isJSON = json
      var reader = MessageReader(maximumBytes: Int(core.limits.frameBytes))
      if let fault = body.withUnsafeReadableBytes({ reader.append($0) }) {
        return .failure(fault.refusal(limit: Int(core.limits.frameBytes)))
      }
      do throws(MessageReader.Fault) { body = try reader.finish() } catch {
        return .failure(error.refusal(limit: Int(core.limits.frameBytes)))
      }
    case .unary(let json): isJSON = json
    case .plain, .events: isJSON = false
    }
    guard isJSON else { return .success(body) }
    return CallJSON.wire(Array(body.readableBytesView), schema: method.requestSchema, core.limits).map {
      ByteBuffer(bytes: $0)
    }
  }

  private func serve(
    _ exchange: HTTPExchange, _ method: Method, _ message: ByteBuffer, _ metadata: CallMetadata
  ) {
    if let refusal = metadata.refusal { return exchange.refuse(refusal) }
    guard let seat = seat(exchange, metadata) else { return }
    guard exchange.take(seat) else { return exchange.refuse(Refusal(.tooManyConnections)) }
    let (caller, number) = (seat.caller, exchange.number)
    let beside = metadata.metadata
    observe(caller, method, number, beside, message)
    if let refusal = caller.refusal(of: method) { return caller.refuse(number, method, refusal) }
    if let beside, let refusal = caller.refusal(of: beside) { return caller.refuse(number, method, refusal) }
    switch loop.decodeRequest(method, message) {
    case .failure(let refusal): caller.refuse(number, method, refusal)
    case .success(let request): caller.serve(number, request, beside)
    }
  }

  /// The seat of the request's principal; nil: the request has been answered, or will be in a second.
  func seat(_ exchange: HTTPExchange, _ metadata: CallMetadata) -> Seat? {
    let identity: PeerIdentity
    switch metadata.identity(of: peer) {
    case .success(let found): identity = found
    case .failure(let refusal):
      exchange.refuse(refusal)
      return nil
    }
    switch seats.seat(metadata.token, identity, host: self) {
    case .seat(let seat):
      uncount()
      return seat
    case .refused(let refusal, let wait):
      guard wait > 0 else {
        exchange.refuse(refusal)
        return nil
      }
      eventLoop.scheduleTask(in: .milliseconds(wait)) { exchange.refuse(refusal) }
      return nil
    }
  }

  /// Shows an observer the frame that the request equals.
  private func observe(
    _ caller: Caller, _ method: Method, _ number: UInt32, _ metadata: Metadata?, _ message: ByteBuffer
  ) {
    guard let observer = loop.observer else { return }
    let beside = metadata.map { loop.codec.encode($0) } ?? []
    var frame = ByteBuffer()
    FrameHeader(
      .request, method: UInt16(truncatingIfNeeded: method.rawValue), stream: number,
      metadataLength: UInt16(clamping: beside.count), length: UInt32(clamping: beside.count + message.readableBytes)
    ).append(to: &frame)
    frame.writeBytes(beside)
    frame.writeBytes(message.readableBytesView)
    observer.heard(caller, frame.readableBytesView, at: observer.now())
  }

  // MARK: Events

  /// ThreadService/Subscribe as server-sent events: `id` is a sequence, so a browser goes on where it was.
  private func follow(_ exchange: HTTPExchange, _ thread: ThreadID) {
    exchange.form = .events
    let last = exchange.head.headers.first(name: "last-event-id") ?? exchange.head.query["after"]
    var after: UInt64?
    if let last {
      guard let number = UInt64(last) else {
        return exchange.refuse(Refusal(.outOfRange, [("field", "after")]))
      }
      after = number
    }
    var subscribe = SubscribeRequest(thread: thread)
    subscribe.after = after
    subscribe.tree = exchange.head.query["tree"] == "true"
    let message = ByteBuffer(bytes: loop.codec.encode(subscribe))
    serve(exchange, .threadSubscribe, message, metadata(of: exchange))
  }
}
