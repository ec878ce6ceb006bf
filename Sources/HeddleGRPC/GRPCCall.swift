// One call of a client: a stream of HTTP/2. Its request is collected here until it is complete, and its response waits here
// until nghttp2 asks for it.
//
//   reading    head or body is not complete.                        → waiting, served, ended
//   waiting    complete; the disk or the client's reading has to catch up first. → served, ended
//   served     its seat has it.                                     → ended
//   ended      the last answer has been queued, or the client has taken the call back.

import HeddleCore
import HeddleProtocol
import HeddleRPC
import HeddleService
import HeddleStorage
import NIOCore

/// Confined to the loop of its connection, which is the proof for `@unchecked Sendable`.
final class GRPCCall: CallExchange, @unchecked Sendable {
  enum Stage { case reading, waiting, served, ended }

  /// The kind of call that a path names.
  enum Target {
    case method(Method)
    case health(HealthMethod)
    case reflection
    case unknown
  }

  enum Ending {
    case success
    case failure(WireError)
  }

  let id: Int32
  unowned let connection: GRPCConnection
  var head: GRPCHead
  var form = CallProtocol.grpc
  /// The header with which an answer of Connect says that it knows no compression.
  var accepts: StaticString?
  var reader: MessageReader
  var stage = Stage.reading
  var target = Target.unknown
  /// Its request is complete, so nothing more of it comes.
  var isComplete = false
  let beganAt: Int64
  private(set) var seat: Seat?
  private(set) var number: UInt32 = 0
  /// The bytes of responses that nghttp2 has not taken.
  private(set) var output = ByteBuffer()
  var ending: Ending?
  var hasHeaders = false
  /// nghttp2 waits until it is told that there are bytes.
  private var isDeferred = false
  /// Its bytes give credit back to a subscription.
  private(set) var isStream = false
  /// When nghttp2 last took bytes of it, or there were none.
  private(set) var movedAt: Int64
  var watch: HealthWatch?
  var questions = ReflectionReader()

  init(_ id: Int32, _ connection: GRPCConnection, now: Int64) {
    self.id = id
    self.connection = connection
    head = GRPCHead()
    reader = MessageReader(maximumBytes: Int(connection.core.limits.frameBytes))
    beganAt = now
    movedAt = now
  }

  var waitingBytes: Int { output.readableBytes }

  /// Gives the call to a seat; false: the seat has no more numbers.
  func take(_ seat: Seat) -> Bool {
    guard let number = seat.begin(self) else { return false }
    self.seat = seat
    self.number = number
    stage = .served
    return true
  }

  /// The client has taken the call back, or the connection has ended.
  func close() {
    stage = .ended
    connection.waitingBytes -= output.readableBytes
    output = ByteBuffer()
    if let seat {
      self.seat = nil
      seat.cancelled(number)
    }
  }

  // MARK: CallExchange

  func answer(_ message: AnswerMessage, _ method: Method) {
    guard stage != .ended else { return }
    switch message {
    case .response(let response, let isLast):
      write(response, .response, method, isLast: isLast)
      if isLast { end(.success) }
    case .stored(let bytes):
      // `replayed = true` behind the stored bytes: field 15 of every mutation's answer.
      write(raw: bytes + [15 << 3, 1])
      end(.success)
    case .opening(let event):
      isStream = true
      write(event, .response, method, isLast: false)
    case .error(let error):
      connection.observe(error, .error, method, number, of: seat)
      end(.failure(error))
    }
  }

  func send(_ event: StoredEvent, of agent: ThreadID?) -> Int {
    var message = ByteBuffer()
    // Field 2 of `SubscriptionEvent`, and for an agent `thread`, field 12: the stored bytes stay as they are.
    message.writeInteger(UInt8(2 << 3 | 2))
    message.appendVarint(UInt64(event.payload.count))
    message.writeBytes(event.payload)
    if let agent {
      message.writeBytes([12 << 3 | 2, 16])
      message.writeBytes(agent.bytes)
    }
    return write(raw: message.readableBytesView)
  }

  func send(_ event: SubscriptionEvent) -> Int { write(event, .event, .threadSubscribe, isLast: false) }

  // MARK: Out

  /// The frame that the message equals, cut: its bytes from the flags on are gRPC's prefix and the message.
  @discardableResult
  private func write(_ message: some WireWritable, _ kind: FrameKind, _ method: Method, isLast: Bool) -> Int {
    let header = FrameHeader(kind, method: UInt16(truncatingIfNeeded: method.rawValue), stream: number)
    var frame = ByteBuffer()
    connection.loop.codec.encode(message, behind: header, into: &frame)
    connection.observe(frame, isLast: isLast, of: seat)
    frame.moveReaderIndex(forwardBy: FrameHeader.flagsOffset)
    return queue(&frame)
  }

  @discardableResult
  func write(raw bytes: some Collection<UInt8>) -> Int {
    var message = ByteBuffer()
    message.reserveCapacity(MessageReader.prefixBytes + bytes.count)
    message.writeInteger(UInt8(0))
    message.writeInteger(UInt32(clamping: bytes.count))
    message.writeBytes(bytes)
    return queue(&message)
  }

  private func queue(_ bytes: inout ByteBuffer) -> Int {
    guard stage != .ended, form == .grpc || reshape(&bytes) else { return 0 }
    let count = bytes.readableBytes
    append(&bytes)
    begin()
    return count
  }

  func append(_ bytes: inout ByteBuffer) {
    let count = bytes.readableBytes
    if output.readableBytes == 0 {
      output = bytes
      movedAt = connection.now
    } else {
      output.writeBuffer(&bytes)
    }
    connection.waitingBytes += count
  }

  private func begin() {
    guard !hasHeaders else {
      if isDeferred { connection.session?.resume(id) }
      isDeferred = false
      return connection.scheduleFlush()
    }
    hasHeaders = true
    connection.session?.submitResponse(id, form.responseHeaders, hasBody: true)
    connection.scheduleFlush()
  }

  private func end(_ how: Ending) {
    guard stage != .ended else { return }
    stage = .ended
    seat = nil
    if form != .grpc {
      endConnect(how)
    } else if hasHeaders {
      finish(how)
    } else {
      respond(how)
    }
    connection.answered(self)
  }

  /// The bytes that wait are the last ones.
  func finish(_ how: Ending) {
    ending = how
    if isDeferred { connection.session?.resume(id) }
    isDeferred = false
  }

  func succeed() { end(.success) }

  /// Ends the call before it has reached a seat.
  func refuse(_ refusal: Refusal) {
    guard stage != .ended else { return }
    connection.metrics.refused(refusal.reason)
    end(.failure(refusal.wire))
  }

  func fail(_ error: WireError) { end(.failure(error)) }

  /// Trailers and nothing else.
  private func respond(_ how: Ending) {
    hasHeaders = true
    guard case .failure(let error) = how else {
      connection.session?.submitResponse(id, GRPCHeaders.response, hasBody: true)
      ending = how
      return
    }
    var pairs: [(String, [UInt8])] = [
      (":status", Array("200".utf8)), ("content-type", Array("application/grpc".utf8)),
    ]
    pairs += GRPCHeaders.trailers(error, &connection.loop.codec)
    if error.reason == Reason.unknownFlags.rawValue {
      pairs.append(("grpc-accept-encoding", Array("identity".utf8)))
    }
    GRPCHeaders.with(pairs) { connection.session?.submitResponse(id, $0, hasBody: false) }
  }

  /// A status of HTTP alone, for requests that are no calls.
  func respond(status: String, _ more: [(String, String)] = []) {
    guard stage != .ended else { return }
    stage = .ended
    let pairs = ([(":status", status)] + more).map { ($0.0, Array($0.1.utf8)) }
    GRPCHeaders.with(pairs) { connection.session?.submitResponse(id, $0, hasBody: false) }
    connection.answered(self)
  }

  /// Bytes for nghttp2, which calls this inside `write`.
  func response(_ room: UnsafeMutableRawBufferPointer) -> HTTP2Session.Source {
    let count = min(room.count, output.readableBytes)
    if count > 0 {
      output.readWithUnsafeReadableBytes { bytes in
        room.copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes[..<count]))
        return count
      }
      movedAt = connection.now
      connection.took(count, of: self)
    }
    guard output.readableBytes == 0 else { return .bytes(count) }
    guard let ending else {
      guard count == 0 else { return .bytes(count) }
      isDeferred = true
      return .wait
    }
    // Connect has no trailers: the last message, or the status, has said how the call ended.
    guard form == .grpc else { return .end(count) }
    switch ending {
    case .success: connection.session?.submitTrailers(id, GRPCHeaders.success)
    case .failure(let error):
      let pairs = GRPCHeaders.trailers(error, &connection.loop.codec)
      GRPCHeaders.with(pairs) { connection.session?.submitTrailers(id, $0) }
    }
    return .trailers(count)
  }
}
