// One connection to a server:
//
//   opening   HELLO is on its way.                                                  Can go to open, ended.
//   open      calls go.                                                             Can go to leaving, ended.
//   leaving   GOAWAY came, or the client replaces it: nothing new, what it covers goes on.  Can go to ended.
//   ended     everybody who waited has been told.

import Foundation
import HeddleCore
import HeddleProtocol
import NIOCore

/// Used on the client's loop only.
final class Connection {
  /// The one that waits for a stream's frames.
  enum Owner {
    case call(Wait<Answer>)
    case subscription(FollowStream)
  }

  struct Answer: Sendable {
    var payload: [UInt8]
    var size: Int
  }

  let id: Int
  let channel: any Channel
  let host: ClientConfiguration.Host
  /// The features that its HELLO names.
  let features: [String]
  var hello: ServerHello?
  /// The server's clock less this one, in milliseconds.
  var ahead: Int64 = 0
  var isLeaving = false
  var hasEnded = false
  /// The reason of its end: a GOAWAY that came before says more than the end of the bytes.
  var fault: HeddleError?
  var greeted: Wait<Void>?
  var gone: [Wait<Void>] = []
  var streams: [UInt32: Owner] = [:]
  var pings: [[UInt8]: Wait<Pong>] = [:]
  var follows: Set<ThreadID?> = []
  var nextStream: UInt32 = 1
  var limit = 256
  var inFlight = 0
  var room: CircularBuffer<Wait<Void>> = []
  var heard = NIODeadline.now()
  var pinged = NIODeadline.uptimeNanoseconds(0)
  var watching: RepeatedTask?
  var isFlushing = false

  init(_ id: Int, _ channel: any Channel, _ host: ClientConfiguration.Host, features: [String]) {
    self.id = id
    self.channel = channel
    self.host = host
    self.features = features
  }

  var isUsable: Bool { hello != nil && !isLeaving && !hasEnded }

  var frameLimit: Int { Int(hello?.limits?.frameBytes ?? 0) == 0 ? 4 << 20 : Int(hello?.limits?.frameBytes ?? 0) }
}

// In.
extension ClientCore {
  func received(_ frame: Frame, on connection: Connection) {
    if connection.hasEnded { return }
    do throws(HeddleError) { try take(frame, connection) } catch { end(connection, error) }
  }

  private func take(_ frame: Frame, _ connection: Connection) throws(HeddleError) {
    guard let kind = frame.header.knownKind else {
      if frame.header.isSkippable { return }
      throw .violation("a frame of the unknown kind \(frame.header.kind)")
    }
    if frame.message.isEmpty, [.event, .error, .goaway, .hello].contains(kind) {
      throw .violation("a frame of kind \(frame.header.kind) without content")
    }
    let stream = frame.header.stream
    switch kind {
    case .hello: return try greeted(frame, connection)
    case .ping:
      return send(
        connection, .pong, message: codec.encode(Pong(opaque: try decode(Ping.self, frame).opaque, status: .serving)))
    case .pong:
      let pong = try decode(Pong.self, frame)
      connection.pings.removeValue(forKey: pong.opaque)?.end(.success(pong))
      return
    case .goaway: return goAway(try decode(GoAway.self, frame), connection)
    default: break
    }
    // An error of the connection is a refusal of HELLO.
    guard connection.hello != nil || (kind == .error && stream == 0) else {
      throw .violation("the server's first frame is no HELLO")
    }
    switch kind {
    case .response, .event, .error: try answered(frame, kind, connection)
    case .request: try asked(frame, connection)
    case .cancel: tools.takenBack(connection.id, stream)
    default: throw .violation("a frame of kind \(frame.header.kind) on stream \(stream)")
    }
  }

  private func answered(_ frame: Frame, _ kind: FrameKind, _ connection: Connection) throws(HeddleError) {
    let stream = frame.header.stream
    if stream & 1 == 0 {
      switch kind {
      case .event: notices.yield(try decode(SubscriptionEvent.self, frame))
      // An error of the connection itself: the server closes it. On another one: the server does not take an answer.
      case .error where stream == 0: throw .refused(try decode(WireError.self, frame))
      case .error: configuration.logger?.warning("the server does not take an answer of a tool")
      default: throw .violation("an answer on stream \(stream)")
      }
      return
    }
    guard let owner = connection.streams[stream] else {
      // One that has ended may be answered late; one that was never opened may not.
      if stream < connection.nextStream { return }
      throw .violation("an answer on stream \(stream), which was never opened")
    }
    switch owner {
    case .call(let wait):
      connection.streams[stream] = nil
      placeIsFree(connection)
      try finish(wait, frame, kind, connection)
    case .subscription(let follow):
      if kind == .error || (kind == .response && frame.endsStream) { connection.streams[stream] = nil }
      try came(frame, kind, follow)
    }
    endIfDone(connection)
  }

  private func finish(
    _ wait: Wait<Connection.Answer>, _ frame: Frame, _ kind: FrameKind, _ connection: Connection
  ) throws(HeddleError) {
    switch kind {
    case .response:
      // A plain call has no use for the events that follow.
      if !frame.endsStream { send(connection, .cancel, stream: frame.header.stream) }
      wait.end(.success(Connection.Answer(payload: frame.message, size: frame.header.frameByteCount)))
    case .error:
      do throws(HeddleError) { wait.end(.failure(.refused(try decode(WireError.self, frame)))) } catch {
        wait.end(.failure(error))
        throw error
      }
    default: wait.end(.failure(.violation("an event where an answer is due")))
    }
  }

  private func greeted(_ frame: Frame, _ connection: Connection) throws(HeddleError) {
    let hello = try decode(ServerHello.self, frame)
    guard connection.hello == nil else { throw .violation("the server said HELLO twice") }
    guard hello.version == UInt32(FrameHeader.currentVersion) else {
      throw .violation("the server speaks version \(hello.version)")
    }
    connection.hello = hello
    if hello.serverTime != 0 { connection.ahead = hello.serverTime &- ClientCore.milliseconds }
    if let most = hello.limits?.requestsInFlight, most > 0 { connection.limit = Int(most) }
    connection.greeted?.end(.success(()))
    connection.greeted = nil
  }

  private func goAway(_ notice: GoAway, _ connection: Connection) {
    let said = HeddleError.refused(notice.error ?? WireError(code: .unavailable, message: "the server goes away"))
    connection.fault = connection.fault ?? said
    guard connection.hello != nil else { return end(connection, said) }
    connection.isLeaving = true
    let unserved = connection.streams.filter { $0.key > notice.lastStream }
    for (stream, owner) in unserved {
      connection.streams[stream] = nil
      var lost = HeddleError.unserved("the server goes away and did not serve this request: \(said.message)")
      lost.refusal = said.refusal
      tell(owner, lost, connection)
    }
    wakeAll(connection)
    moveSubscriptions(connection)
    endIfDone(connection)
  }

  func decode<M: WireMessage>(_ type: M.Type, _ frame: Frame) throws(HeddleError) -> M {
    do throws(DecodeError) { return try codec.decode(type, frame.message) } catch {
      throw .undecodable("\(type)", error)
    }
  }

  private func tell(_ owner: Connection.Owner, _ error: HeddleError, _ connection: Connection) {
    switch owner {
    case .call(let wait):
      placeIsFree(connection)
      wait.end(.failure(error))
    case .subscription(let follow): broke(follow, error)
    }
  }
}

// Out.
extension ClientCore {
  func send(
    _ connection: Connection, _ kind: FrameKind, method: Method = .unspecified, stream: UInt32 = 0, flags: UInt8 = 0,
    metadata: [UInt8] = [], message: [UInt8] = []
  ) {
    if connection.hasEnded { return }
    // Both lengths fit: the caller has checked them against the server's limit, and metadata is a few short fields.
    let header = FrameHeader(
      kind, method: UInt16(clamping: method.rawValue), stream: stream, metadataLength: UInt16(clamping: metadata.count),
      flags: flags, length: UInt32(clamping: metadata.count + message.count))
    var buffer = connection.channel.allocator.buffer(capacity: header.frameByteCount)
    buffer.writeWithUnsafeMutableBytes(minimumWritableBytes: FrameHeader.byteCount) { room in
      guard let base = room.baseAddress else { return 0 }
      header.write(to: base)
      return FrameHeader.byteCount
    }
    buffer.writeBytes(metadata)
    buffer.writeBytes(message)
    connection.channel.write(buffer, promise: nil)
    // Everything that is sent in one turn of the loop goes in one write.
    guard !connection.isFlushing else { return }
    connection.isFlushing = true
    let id = connection.id
    onLoop { core in
      guard let connection = core.connections[id] else { return }
      connection.isFlushing = false
      connection.channel.flush()
    }
  }

  /// Opens a stream with a request. A number never comes twice: the connection is left first, after two billion calls.
  func open(
    _ connection: Connection, _ method: Method, _ payload: [UInt8], metadata: [UInt8], _ owner: Connection.Owner
  ) throws(HeddleError) -> UInt32 {
    guard connection.isUsable, connection.nextStream < .max - 2 else {
      leave(connection)
      throw .unserved("the connection takes no more calls")
    }
    let size = metadata.count + payload.count
    guard size <= connection.frameLimit else {
      throw HeddleError(
        .tooLarge, "the message has \(size) bytes, but the server takes \(connection.frameLimit) at most")
    }
    let stream = connection.nextStream
    connection.nextStream += 2
    connection.streams[stream] = owner
    send(connection, .request, method: method, stream: stream, metadata: metadata, message: payload)
    return stream
  }

  func cancel(_ stream: UInt32, on connection: Connection) {
    if connection.streams[stream] != nil { send(connection, .cancel, stream: stream) }
  }

  func ping(until deadline: ContinuousClock.Instant) async throws(HeddleError) -> Pong {
    let connection = try await connection(until: deadline)
    return try await wait(until: deadline) { ping(connection, $0) }
  }

  private func ping(_ connection: Connection, _ wait: Wait<Pong>?) {
    if connection.hasEnded { return wait?.end(.failure(.lost("the connection ended"))) ?? () }
    let opaque = withUnsafeBytes(of: UInt64.random(in: 0 ... .max)) { Array($0) }
    if let wait { connection.pings[opaque] = wait }
    connection.pinged = .now()
    send(connection, .ping, message: codec.encode(Ping(opaque: opaque)))
  }

  // MARK: places in flight

  /// Takes a place among the calls in flight.
  func takePlace(_ connection: Connection, until deadline: ContinuousClock.Instant?) async throws(HeddleError) {
    while connection.inFlight >= connection.limit, connection.isUsable {
      try await wait(until: deadline) { connection.room.append($0) }
    }
    connection.inFlight += 1
  }

  func placeIsFree(_ connection: Connection) {
    connection.inFlight -= 1
    while let next = connection.room.popFirst() {
      // One that was given up has no use for the place.
      if next.isOver { continue }
      return next.end(.success(()))
    }
  }

  private func wakeAll(_ connection: Connection) {
    let waits = connection.room
    connection.room = []
    for wait in waits { wait.end(.success(())) }
  }

  // MARK: time

  static var milliseconds: Int64 {
    var now = timespec()
    clock_gettime(CLOCK_REALTIME, &now)
    return Int64(now.tv_sec) &* 1_000 &+ Int64(now.tv_nsec) / 1_000_000
  }

  func watch(_ connection: Connection) {
    let after = TimeAmount(configuration.pingAfter)
    let lost = TimeAmount(configuration.lostAfter)
    let step = TimeAmount.nanoseconds(max(1_000_000, min(after, lost).nanoseconds / 4))
    let id = connection.id
    connection.watching = loop.scheduleRepeatedTask(initialDelay: step, delay: step) { [weak self] task in
      guard let self else { return task.cancel() }
      self.assumeIsolated { core in
        guard let connection = core.connections[id] else { return task.cancel() }
        let now = NIODeadline.now()
        if now - connection.heard >= lost {
          return core.end(connection, .lost("nothing came from the server for \(core.configuration.lostAfter)"))
        }
        // Not twice in five seconds.
        if now - connection.heard >= after, now - connection.pinged >= min(.seconds(5), after) {
          core.ping(connection, nil)
        }
      }
    }
  }

  // MARK: the end

  /// Nothing new goes out; it closes when everything is answered.
  func leave(_ connection: Connection) {
    if connection.isLeaving || connection.hasEnded { return }
    connection.isLeaving = true
    wakeAll(connection)
    moveSubscriptions(connection)
    endIfDone(connection)
  }

  func endIfDone(_ connection: Connection) {
    guard connection.isLeaving, connection.streams.isEmpty, !connection.hasEnded else { return }
    end(connection, connection.fault ?? .lost("the connection was replaced"))
  }

  /// Ends the connection, whatever it was doing (C3 of ClientCore.swift).
  func end(_ connection: Connection, _ error: HeddleError) {
    if connection.hasEnded { return }
    if connection.fault == nil || error.kind != .lost { connection.fault = error }
    let cause = connection.fault ?? error
    connection.channel.flush()
    connection.hasEnded = true
    connection.watching?.cancel()
    connections[connection.id] = nil
    if current === connection { current = nil }
    // Told before the waits end, so that whoever watches knows why they did.
    if connection.hello != nil, connection.greeted == nil {
      configuration.hooks.lost?(cause)
      configuration.logger?.info("a connection ended", metadata: ["reason": "\(cause)"])
    }
    connection.greeted?.end(.failure(cause))
    wakeAll(connection)
    let owners = connection.streams.values
    connection.streams = [:]
    for owner in owners { tell(owner, .lost(by: cause), connection) }
    for ping in connection.pings.values { ping.end(.failure(.lost(by: cause))) }
    connection.pings = [:]
    for wait in connection.gone { wait.end(.success(())) }
    connection.channel.close(promise: nil)
  }
}
