// The meaning of a request. Checks stand here in the order in which they are made: framing, host, origin, route, verb,
// identity, and what the route needs.

import HeddleCore
import HeddleProtocol
import HeddleRPC
import HeddleService
import HeddleTokens
import NIOCore
import NIOHTTP1

extension HTTPConnection {
  /// A head has come.
  func begin(_ head: HTTPRequestHead) {
    var begun = Exchange(head, at: now)
    exchange = begun
    guard Self.isUnambiguous(head) else { return refuse(.malformed) }
    // The parser takes the bytes behind such a request for another protocol.
    if head.headers.contains(name: "upgrade") { begun.closes = true }
    if let response = refusal(&begun) {
      begun.early = response
      // Nobody sends a body for which it does not wait, and no body is read to the end for nothing.
      if head.headers.contains(name: "expect") { begun.closes = true }
    }
    if let length = head.headers.first(name: "content-length").flatMap(Int.init), begun.early == nil,
      length > begun.bodyLimit
    {
      begun.early = tooLarge(begun)
      begun.closes = true
    }
    exchange = begun
    if begun.closes, let early = begun.early, begun.waitMilliseconds == 0, Self.hasBody(head) {
      return refuse(early)
    }
    if begun.early == nil, head.headers.first(name: "expect")?.lowercased() == "100-continue" {
      output.writeStaticString("HTTP/1.1 100 Continue\r\n\r\n")
      scheduleFlush()
    }
  }

  private static func hasBody(_ head: HTTPRequestHead) -> Bool {
    head.headers.contains(name: "transfer-encoding") || head.headers.first(name: "content-length") != "0"
  }

  /// Whether every reader finds the same end of the request (attacks.md H1).
  private static func isUnambiguous(_ head: HTTPRequestHead) -> Bool {
    let lengths = head.headers["content-length"]
    let codings = head.headers["transfer-encoding"]
    guard head.version.major == 1, head.headers["host"].count == 1, head.uri.utf8.first == UInt8(ascii: "/") else {
      return false
    }
    guard lengths.count <= 1, codings.count <= 1, lengths.isEmpty || codings.isEmpty else { return false }
    guard codings.isEmpty || (head.version.minor > 0 && codings[0].lowercased() == "chunked") else { return false }
    return lengths.first?.utf8.allSatisfy { (0x30...0x39).contains($0) } ?? true
  }

  func tooLarge(_ exchange: Exchange) -> HTTPResponse {
    guard case .plain = exchange.form else { return ConnectErrors.response(ConnectBody.tooLarge(core.limits).wire) }
    return HTTPResponse(413, text: "The body of the request is too large.")
  }

  /// Why a request is not served, as far as its head tells.
  private func refusal(_ exchange: inout Exchange) -> HTTPResponse? {
    let head = exchange.head
    let host = head.headers.first(name: "host") ?? ""
    let local = channel?.channel.localAddress?.ipAddress
    guard shared.rules.accepts(host: host, localAddress: local) else {
      return HTTPResponse(421, text: "This host is not served here; name it in http.hosts.")
    }
    for origin in head.headers["origin"] {
      guard shared.rules.accepts(origin: origin, host: host, isEncrypted: peer.isEncrypted) else {
        return HTTPResponse(403, text: "Pages of this origin may not call; name it in http.origins.")
      }
      if shared.rules.origins.contains(origin) { exchange.origin = origin }
    }
    let route = exchange.route
    if head.method == .OPTIONS, let preflight = CrossOrigin.preflight(exchange) { return preflight }
    if route == .nothing { return HTTPResponse(404, text: "There is nothing here.") }
    guard route.allows(head.method) else {
      var response = HTTPResponse(405, text: "This method is not allowed here.")
      response.headers.append(("allow", route.allowed))
      return response
    }
    if route.isProbe || route == .root { return nil }
    if route == .frames { return frameRefusal(head) }
    if route == .metrics, shared.rules.openMetrics || isLocal { return nil }
    switch identify(exchange) {
    case .failure(let refused):
      exchange.waitMilliseconds = refused.waitMilliseconds
      metrics.refused(refused.refusal.reason)
      return ConnectErrors.response(refused.refusal.wire)
    case .success(let caller): return refusal(&exchange, caller)
    }
  }

  /// The request comes from this machine, and no proxy brings it.
  private var isLocal: Bool {
    guard let local = channel?.channel.remoteAddress?.ipAddress, local == peer.address else { return false }
    return HTTPRules.isLoopback(local)
  }

  private func refusal(_ exchange: inout Exchange, _ caller: Caller) -> HTTPResponse? {
    switch exchange.route {
    case .live, .ready, .root, .frames, .nothing: return nil
    case .metrics, .state, .logLevel:
      exchange.bodyLimit = 64
      guard caller.principal?.isAdmin == true else { return ConnectErrors.response(Refusal(.permissionDenied).wire) }
      return nil
    case .unknownMethod: return ConnectErrors.response(Refusal(.unknownMethod).wire)
    case .events:
      exchange.form = .events
      return nil
    case .call(let method): return refusal(&exchange, method)
    }
  }

  // MARK: Identity

  struct Unidentified: Error {
    let refusal: Refusal
    var waitMilliseconds: Int64 = 0
  }

  /// The caller of this request: the one of the request before, unless another identity is shown.
  private func identify(_ exchange: Exchange) -> Result<Caller, Unidentified> {
    let headers = exchange.head.headers
    let (authorization, isTwice) = exchange.header("authorization")
    guard !isTwice else { return .failure(Unidentified(refusal: Refusal(.invalidToken))) }
    let (xfcc, l5d) = (headers["x-forwarded-client-cert"], headers["l5d-client-id"])
    if let identified, identified.authorization == authorization ?? "", xfcc.isEmpty, l5d.isEmpty {
      return .success(identified.caller)
    }
    var token = ""
    if let authorization {
      guard authorization.prefix(7).lowercased() == "bearer " else {
        return .failure(Unidentified(refusal: Refusal(.invalidToken)))
      }
      token = String(authorization.dropFirst(7).trimmed)
    }
    let identity: PeerIdentity
    switch peer.identity(xfcc: xfcc, l5dClientID: l5d) {
    case .failure(let refusal): return .failure(Unidentified(refusal: refusal))
    case .success(let known): identity = known
    }
    switch core.authenticate(token, identity, from: peer.address) {
    case .refused(let refusal, let wait): return .failure(Unidentified(refusal: refusal, waitMilliseconds: wait))
    case .accepted(let credential, let generation):
      if let identified, identified.credential == credential { return .success(identified.caller) }
      return caller(of: credential, generation, authorization ?? "")
    }
  }

  private func caller(
    of credential: Credential, _ generation: UInt64, _ authorization: String
  ) -> Result<Caller, Unidentified> {
    if identified != nil {
      leaveCaller()
      _ = core.quotas.opened(address: peer.address)
    }
    // From here on the caller counts the connection.
    countsAlone = false
    let caller = Caller(core: core, loop: loop, metrics: metrics, address: peer.address, rules: .calls)
    caller.attach(self)
    identified = Identified(caller: caller, credential: credential, authorization: authorization)
    lastStream = 0
    let refusal = caller.open(credential, generation: generation, unwantedNotices: ["thread_started"], abilities: [])
    if let refusal {
      exchange?.closes = true
      return .failure(Unidentified(refusal: refusal))
    }
    return .success(caller)
  }

  // MARK: Serving

  /// The request is there as a whole.
  func complete() {
    guard let exchange else { return }
    if let early = exchange.early {
      guard exchange.waitMilliseconds > 0 else { return respond(early) }
      loop.context.eventLoop.scheduleTask(in: .milliseconds(exchange.waitMilliseconds)) { self.respond(early) }
      return
    }
    switch exchange.route {
    case .live: respond(probe(isReady: false))
    case .ready: respond(probe(isReady: true))
    case .metrics: respond(scrape())
    case .state: respond(state())
    case .logLevel: respond(logLevel(exchange))
    case .root: respond(HTTPResponse(200, text: "Heddle \(core.version). Calls: POST /heddle.v1.ServerService/Status."))
    case .unknownMethod, .nothing: respond(HTTPResponse(404, text: "There is nothing here."))
    case .events(let thread): follow(thread, exchange)
    case .frames: switchToFrames(exchange.head)
    case .call(let method): call(method, exchange)
    }
  }
}
