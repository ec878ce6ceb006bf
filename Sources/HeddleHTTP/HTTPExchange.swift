// One request and its response.
//
//   collecting   the body is not complete.                     → waiting, served, ended
//   waiting      complete; the disk has to catch up.           → served
//   served       its seat has it, or its stream goes on.       → ended
//   ended        the last byte of the response has been written.

import HeddleCore
import HeddleProtocol
import HeddleRPC
import HeddleService
import HeddleStorage
import NIOCore
import NIOHTTP1

/// Confined to the loop of its connection, which is the proof for `@unchecked Sendable`.
final class HTTPExchange: CallExchange, @unchecked Sendable {
  enum Stage { case collecting, served, ended }

  /// How the response is written.
  enum Form: Equatable {
    case plain
    case unary(isJSON: Bool)
    case stream(isJSON: Bool)
    case events
  }

  unowned let connection: HTTPConnection
  let head: HTTPHead
  let route: HTTPRoute
  var form = Form.plain
  private let beganAt: Int64
  private var body = ByteBuffer()
  private var bodyFault: Refusal?
  private(set) var stage = Stage.collecting
  private(set) var isComplete = false
  /// Nothing follows on this connection.
  var isLast: Bool
  private(set) var hasBegun = false
  private(set) var seat: Seat?
  private(set) var number: UInt32 = 0
  private var sentAt: Int64
  private var hasEnded = false

  init(_ connection: HTTPConnection, _ head: HTTPHead, _ route: HTTPRoute, now: Int64) {
    self.connection = connection
    self.head = head
    self.route = route
    isLast = !head.keepsAlive
    beganAt = now
    sentAt = now
  }

  var heldBytes: Int { stage == .collecting ? body.readableBytes : 0 }

  // MARK: The request

  func took(_ bytes: ByteBuffer) {
    guard stage == .collecting, bodyFault == nil else { return }
    let limit = Int(connection.core.limits.frameBytes) + MessageReader.prefixBytes
    guard body.readableBytes + bytes.readableBytes <= limit else {
      body = ByteBuffer()
      bodyFault = Refusal(.frameTooLarge, [("limit", "\(connection.core.limits.frameBytes)")])
      // Its rest would be read for nothing.
      isLast = true
      return refuse(bodyFault ?? Refusal(.frameTooLarge))
    }
    var bytes = bytes
    body.writeBuffer(&bytes)
  }

  func completed() {
    isComplete = true
    if stage == .ended { return finishExchange() }
    guard stage == .collecting else { return }
    connection.serve(self)
  }

  /// The body, which is kept no longer.
  func takeBody() -> ByteBuffer {
    defer { body = ByteBuffer() }
    return body
  }

  /// Gives the call to a seat; false: the seat has no more numbers.
  func take(_ seat: Seat) -> Bool {
    guard let number = seat.begin(self) else { return false }
    self.seat = seat
    self.number = number
    stage = .served
    return true
  }

  /// A stream that has no seat: nothing more of the request is expected.
  func tick(_ now: Int64) {
    if stage == .collecting, now - beganAt >= connection.core.limits.frameMilliseconds {
      connection.metrics.closed(.frameTimeout)
      return connection.refuseSlow()
    }
    // So that proxies between keep a quiet stream.
    if form == .events, hasBegun, stage == .served, now - sentAt >= 15_000, connection.hasRoom {
      write(":\n\n")
      sentAt = now
    }
  }

  /// The connection has ended.
  func close() {
    stage = .ended
    guard let seat else { return }
    self.seat = nil
    seat.cancelled(number)
  }

  /// The server ends what goes on.
  func end(_ refusal: Refusal) {
    guard stage == .served, form == .events || isStream else { return }
    seat?.endSubscriptions(refusal)
  }

  private var isStream: Bool { if case .stream = form { true } else { false } }
  private var isJSON: Bool {
    switch form {
    case .unary(let isJSON), .stream(let isJSON): isJSON
    case .events: true
    case .plain: false
    }
  }

  // MARK: CallExchange

  func answer(_ message: AnswerMessage, _ method: Method) {
    guard stage != .ended else { return }
    switch message {
    case .response(let response, _): succeed(connection.loop.codec.encode(response), method.responseSchema)
    case .stored(let bytes): succeed(bytes + [15 << 3, 1], method.responseSchema)
    case .opening(let event):
      begin(.ok, [("content-type", streamType), ("cache-control", "no-store")], length: nil)
      _ = send(event)
    case .error(let error): fail(error)
    }
  }

  func send(_ event: StoredEvent, of agent: ThreadID?) -> Int {
    var message: [UInt8] = [2 << 3 | 2]
    message.appendVarint(UInt64(event.payload.count))
    message += event.payload
    if let agent { message += [12 << 3 | 2, 16] + agent.bytes }
    return send(message, sequence: event.sequence)
  }

  func send(_ event: SubscriptionEvent) -> Int {
    var sequence: UInt64?
    if case .progress(let progress)? = event.kind { sequence = progress.sequence }
    return send(connection.loop.codec.encode(event), sequence: sequence)
  }

  private func send(_ message: [UInt8], sequence: UInt64?) -> Int {
    guard stage != .ended else { return 0 }
    sentAt = connection.now
    let payload = isJSON ? Array(CallJSON.text(message, schema: SubscriptionEvent.schemaIndex).utf8) : message
    var out = ByteBuffer()
    if form == .events {
      if let sequence { out.writeString("id: \(sequence)\n") }
      out.writeString("data: ")
      out.writeBytes(payload)
      out.writeString("\n\n")
    } else {
      envelope(0, payload, &out)
    }
    connection.write(.body(.byteBuffer(out)))
    return out.readableBytes
  }

  private func envelope(_ flags: UInt8, _ payload: some Collection<UInt8>, _ out: inout ByteBuffer) {
    out.writeInteger(flags)
    out.writeInteger(UInt32(clamping: payload.count))
    out.writeBytes(payload)
  }

  private var streamType: String {
    switch form {
    case .events: "text/event-stream"
    case .stream(isJSON: true): "application/connect+json"
    default: "application/connect+proto"
    }
  }

  // MARK: The response

  private func succeed(_ bytes: [UInt8], _ schema: UInt16) {
    let payload = isJSON ? Array(CallJSON.text(bytes, schema: schema).utf8) : bytes
    respond(.ok, payload, type: isJSON ? "application/json" : "application/proto")
  }

  /// A refusal before the call has reached a seat.
  func refuse(_ refusal: Refusal) {
    guard stage != .ended else { return }
    connection.metrics.refused(refusal.reason)
    fail(refusal.wire)
  }

  /// An error, as the form of the response has it.
  func fail(_ error: WireError) {
    guard stage != .ended else { return }
    let names = ConnectErrors.names(error.code)
    switch form {
    case .stream:
      if !hasBegun { begin(.ok, [("content-type", streamType)], length: nil) }
      var out = ByteBuffer()
      envelope(2, Array(ConnectErrors.endOfStream(error).utf8), &out)
      connection.write(.body(.byteBuffer(out)))
      finish()
    case .events where hasBegun:
      let json = ConnectErrors.json(error).written()
      write("event: error\ndata: \(json)\n\n")
      finish()
    default:
      var more = [("heddle-reason", error.reason)]
      if let wait = error.retryAfterMs { more.append(("retry-after", "\((wait + 999) / 1_000)")) }
      if error.code == .unauthenticated { more.append(("www-authenticate", "Bearer")) }
      let isMissing = error.reason == Reason.unknownMethod.rawValue
      respond(
        isMissing ? .notFound : HTTPResponseStatus(statusCode: names.status),
        Array(ConnectErrors.json(error).written().utf8), type: "application/json", more)
    }
  }

  func respond(_ status: HTTPResponseStatus, text: String, _ more: [(String, String)] = []) {
    respond(status, Array(text.utf8), type: "text/plain; charset=utf-8", more)
  }

  func respond(
    _ status: HTTPResponseStatus, _ bytes: [UInt8], type: String, _ more: [(String, String)] = []
  ) {
    guard stage != .ended else { return }
    begin(status, [("content-type", type)] + more, length: bytes.count)
    if !bytes.isEmpty, head.method != .HEAD { connection.write(.body(.byteBuffer(ByteBuffer(bytes: bytes)))) }
    finish()
  }

  private func begin(_ status: HTTPResponseStatus, _ headers: [(String, String)], length: Int?) {
    hasBegun = true
    stage = .served
    if connection.core.isDraining { isLast = true }
    var all = HTTPHeaders(headers)
    if let length { all.add(name: "content-length", value: "\(length)") }
    if isLast { all.add(name: "connection", value: "close") }
    // A page cannot take a response for something that it is not.
    all.add(name: "x-content-type-options", value: "nosniff")
    if let origin = head.headers.first(name: "origin") {
      all.add(name: "access-control-allow-origin", value: origin)
      all.add(name: "vary", value: "origin")
    }
    connection.write(.head(HTTPResponseHead(version: .http1_1, status: status, headers: all)))
  }

  private func write(_ text: String) { connection.write(.body(.byteBuffer(ByteBuffer(string: text)))) }

  private func finish() {
    guard !hasEnded else { return }
    hasEnded = true
    stage = .ended
    seat = nil
    connection.write(.end(nil))
    if isComplete { finishExchange() } else { isLast = true }
  }

  /// Request and response are both over.
  private func finishExchange() { connection.ended(self) }
}
