// Calls in the Connect protocol, and server-sent events, which are a Subscribe.

import HeddleCore
import HeddleProtocol
import HeddleRPC
import HeddleService
import NIOCore
import NIOHTTP1

extension HTTPConnection {
  /// Why a call is not served, as far as its head tells.
  func refusal(_ exchange: inout Exchange, _ method: Method) -> HTTPResponse? {
    let isStream = method == .threadSubscribe
    switch callProtocol(exchange) {
    case .connectUnary(let isJSON)? where !isStream: exchange.form = .unary(isJSON: isJSON)
    case .connectStream(let isJSON)? where isStream: exchange.form = .stream(isJSON: isJSON)
    case .grpc?, .connectUnary?, .connectStream?, nil:
      var response = HTTPResponse(
        415, text: isStream ? "Subscribe needs application/connect+json." : "A call needs application/json.")
      response.headers.append(
        (
          "accept-post",
          isStream ? "application/connect+json, application/connect+proto" : "application/json, application/proto"
        ))
      return response
    }
    if let (error, accept) = Self.connect(exchange.head.headers).refusal(isStream: isStream) {
      var response = ConnectErrors.response(error)
      if let accept { response.headers.append((accept, "identity")) }
      return response
    }
    // JSON takes more room than the bytes that it stands for.
    let frameBytes = Int(core.limits.frameBytes)
    exchange.bodyLimit = exchange.form == .unary(isJSON: false) ? frameBytes : 2 * frameBytes
    return nil
  }

  private static func connect(_ headers: HTTPHeaders) -> ConnectHead {
    ConnectHead(
      version: headers.first(name: "connect-protocol-version"), coding: headers.first(name: "content-encoding"),
      streamCoding: headers.first(name: "connect-content-encoding"), timeout: headers.first(name: "connect-timeout-ms"))
  }

  /// curl says that its body is a form, so a form counts as JSON where no browser can be the sender: browsers name their
  /// origin with every POST.
  private func callProtocol(_ exchange: Exchange) -> CallProtocol? {
    let (type, isTwice) = exchange.header("content-type")
    guard let type, !isTwice else { return nil }
    if type.lowercased() == "application/x-www-form-urlencoded", !exchange.head.headers.contains(name: "origin"),
      !exchange.head.headers.contains(name: "cookie")
    {
      return .connectUnary(isJSON: true)
    }
    return CallProtocol(contentType: type)
  }

  func call(_ method: Method, _ exchange: Exchange) {
    var message: Result<ByteBuffer, Refusal>
    switch exchange.form {
    case .unary(isJSON: false): message = .success(exchange.body)
    case .unary(isJSON: true): message = ConnectBody.wire(json: exchange.body, method, core.limits)
    case .stream(let isJSON):
      message = ConnectBody.message(exchange.body, core.limits)
      if isJSON { message = message.flatMap { ConnectBody.wire(json: $0, method, core.limits) } }
    case .plain, .events: return
    }
    switch metadata(exchange) {
    case .failure(let refusal): conclude(refusal.wire, exchange)
    case .success(let metadata): serve(method, message, metadata)
    }
  }

  /// The headers of a call that mean something to the service.
  private func metadata(_ exchange: Exchange) -> Result<Metadata, Refusal> {
    let headers = exchange.head.headers
    var metadata = Metadata()
    metadata.traceparent = headers.first(name: "traceparent") ?? ""
    metadata.tracestate = headers.first(name: "tracestate") ?? ""
    metadata.requestId = headers.first(name: "x-request-id") ?? ""
    switch Self.connect(headers).deadlineMilliseconds {
    case .success(let milliseconds): metadata.deadlineMs = milliseconds.map { Int64(clamping: $0) }
    case .failure(let refusal): return .failure(refusal)
    }
    if let key = headers.first(name: "heddle-idempotency-key-bin") {
      guard let bytes = Base64.bytes(key), let key = IdempotencyKey(bytes: bytes) else {
        return .failure(Refusal(.badId, [("field", "idempotency_key")]))
      }
      metadata.idempotencyKey = key
    }
    return .success(metadata)
  }

  /// In the order of every door: the method, the metadata, the message.
  private func serve(_ method: Method, _ message: Result<ByteBuffer, Refusal>, _ metadata: Metadata) {
    guard let caller = identified?.caller, !isClosing else { return }
    lastStream += lastStream == 0 ? 1 : 2
    let stream = lastStream
    exchange?.stream = stream
    if case .success(let bytes) = message { heard(method, stream, metadata, bytes) }
    if let refusal = caller.refusal(of: method) ?? caller.refusal(of: metadata) {
      return caller.refuse(stream, method, refusal)
    }
    switch message.flatMap({ loop.decodeRequest(method, $0) }) {
    case .failure(let refusal): caller.refuse(stream, method, refusal)
    case .success(let request): caller.serve(stream, request, metadata)
    }
  }

  // MARK: Server-sent events

  func follow(_ thread: ThreadID, _ exchange: Exchange) {
    let asked = EventsQuery.request(
      thread, query: exchange.query, lastEventID: exchange.head.headers.first(name: "last-event-id"))
    let message = asked.map { ByteBuffer(bytes: loop.codec.encode($0)) }
    serve(.threadSubscribe, message, Metadata())
  }
}

/// The parameters of a stream of events.
enum EventsQuery {
  static func request(_ thread: ThreadID, query: Substring, lastEventID: String?) -> Result<SubscribeRequest, Refusal> {
    var request = SubscribeRequest(thread: thread)
    guard let parameters = Query.parameters(query) else {
      return .failure(Refusal(.malformed, [("field", "query")]))
    }
    for (name, value) in parameters.sorted(by: { $0.key < $1.key }) {
      switch name {
      case "after":
        guard let number = number(value) else { return .failure(Refusal(.outOfRange, [("field", "after")])) }
        request.after = number
      case "epoch":
        guard let number = number(value) else { return .failure(Refusal(.outOfRange, [("field", "epoch")])) }
        request.epoch = number
      case "tree" where value == "true" || value == "false": request.tree = value == "true"
      case "kinds":
        for kind in value.split(separator: ",") {
          guard let known = SubscriptionKind.allCases.first(where: { $0.name.lowercased() == kind }),
            known != .unspecified
          else { return .failure(Refusal(.unknownEnum, [("field", "kinds")])) }
          request.kinds.append(known)
        }
      default: return .failure(Refusal(.malformed, [("field", "query")]))
      }
    }
    // A browser that connects again says the last event that it has seen.
    if let lastEventID, !lastEventID.isEmpty {
      guard let number = number(lastEventID) else {
        return .failure(Refusal(.outOfRange, [("field", "last-event-id")]))
      }
      request.after = number
    }
    return .success(request)
  }

  private static func number(_ text: String) -> UInt64? {
    guard !text.isEmpty, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
    return UInt64(text)
  }
}
