// A client of the simulated server. It sends random requests, retries unanswered ones with the same key, resumes
// subscriptions where they were, and records everything that the server says; the checks hold the server to that
// record.

import HeddleCore
import HeddleProtocol

/// A request on its way, and its purpose.
struct Call {
  var request: Request
  var key: IdempotencyKey?
  /// Text that only this request brought, to be found again in the log.
  var mark = ""
  var attempts = 0
  /// When it was sent last.
  var sentAt: Int64 = 0
  /// The request brings a token, maybe another tenant's.
  var hasToken = false
  var isForeign = false
  /// Settings that it changes.
  var fields: [String] = []
  /// The version of the thread to be forked, if it was known when the fork was asked for.
  var source: PinnedVersion?

  /// For another tenant's thread, or for one that is not there.
  var isStrange: Bool { mark == "foreign" || mark == "unknown" }
}

/// A subscription, as the client knows it.
struct Following {
  var thread: ThreadID
  var cursor: UInt64
  /// Up to `cursor` everything is known; false until the first answer.
  var epoch: UInt64?
  /// Bytes that the server may still send on this connection's stream; nil: no bound.
  var credit: Int?
  /// The thread's last status on this connection's stream.
  var status: ThreadState?
  /// The text of unfinished items on this connection's stream.
  var texts = StreamedTexts()
  /// Calls of the server that have come on this connection's stream and have not ended.
  var calls: Set<String> = []
}

/// An answer that a client got, and its request.
struct Answered {
  var call: Call
  var bytes: [UInt8]
  var sequence: UInt64
}

// @unchecked: a simulation has one thread.
final class Client: @unchecked Sendable {
  let number: Int
  let tenant: String
  private unowned let world: World
  private(set) var link: Link?
  /// The door that it comes in by.
  let door: Link.Door
  /// Speaks that door's protocol, unless it is that of frames.
  private var bridge: (any Bridge)?
  private var input: [UInt8] = []
  private var isOpen = false
  private var nextStream: UInt32 = 1
  private var pending: [UInt32: Call] = [:]
  private var streams: [UInt32: Following] = [:]
  /// To be sent again: not answered, and maybe done.
  var again: [Call] = []
  /// The position of each thread's subscription, kept over connections.
  var cursors: [ThreadID: Following] = [:]
  private var toResume: [ThreadID] = []
  private var codec = Codec(limits: .trusted)
  private var strikes = 0
  private static let creditBytes = 1_024

  /// The connection's token is forged or expired, so the server must refuse it.
  private var isForged = false
  /// The end of the token's time; nil: it does not expire.
  private var tokenEnds: Int64?

  init(_ world: World, number: Int, door: Link.Door) {
    self.world = world
    self.number = number
    self.door = door
    tenant = number % 3 == 2 ? "right" : "left"
  }

  var isIdle: Bool { pending.isEmpty && again.isEmpty && toResume.isEmpty && (cursors.isEmpty || isConnected) }
  var isConnected: Bool { link != nil && isOpen }
  var waitsFor: [String] { pending.values.map { String(describing: $0.request).prefix(200) + " (try \($0.attempts))" } }

  // MARK: The connection

  func connect() {
    guard link == nil, let made = world.connect(address: "127.0.0.\(number + 1)", door: door) else { return }
    link = made
    world.count("connected by \(door)")
    switch door {
    case .frames: bridge = nil
    case .grpc: bridge = GRPCBridge(window: UInt32(world.chance.within(1...65_535)))
    case .http: bridge = HTTPBridge()
    }
    isOpen = false
    input = []
    nextStream = 1
    send(
      .hello, 0, 0,
      codec.encode(
        ClientHello(
          clientName: "simulated", token: token(),
          features: world.chance.percent(50) ? ["call_tool", "request_user_input"] : [])))
  }

  /// A token for HELLO, now and then a forged or an expired one.
  private func token() -> String {
    isForged = false
    tokenEnds = nil
    guard world.tokensEnd else { return Tokens.unending(tenant) }
    if world.faulty, world.chance.percent(5) {
      isForged = true
      world.count("token.forged")
      let isLate = world.chance.percent(50)
      if world.plant == .forgedTokenTaken { return Tokens.unending(tenant) }
      return Tokens.brief(tenant, ends: world.now / 1_000 + (isLate ? -60 : 60), isForged: !isLate)
    }
    return brief()
  }

  /// One that ends soon, or not before the run does.
  private func brief() -> String {
    let ends = world.now / 1_000 + Int64(world.faulty ? world.chance.within(1...20) : 86_400)
    tokenEnds = max(tokenEnds ?? 0, (ends + Tokens.leeway) * 1_000)
    return Tokens.brief(tenant, ends: world.plant == .tokenNeverEnds ? ends + 86_400 : ends)
  }

  /// The connection has ended: unanswered requests may or may not have been carried out.
  func disconnected() {
    link?.reset()
    link = nil
    bridge = nil
    isOpen = false
    for stream in pending.keys.sorted() {
      guard let call = pending[stream] else { continue }
      // Without a key there is no way to find out.
      if call.key != nil { again.append(call) }
    }
    pending = [:]
    toResume = cursors.keys.sorted()
    streams = [:]
  }

  private func send(
    _ kind: FrameKind, _ method: Int32, _ stream: UInt32, _ payload: [UInt8], beside: Metadata? = nil
  ) {
    if let bridge {
      bridge.send(
        BridgedFrame(
          kind: kind, method: Method(rawValue: method) ?? .unspecified, stream: stream, metadata: beside ?? Metadata(),
          payload: payload))
      link?.toServer += bridge.takeOutgoing()
      return
    }
    let metadata = beside.map { codec.encode($0) } ?? []
    let header = FrameHeader(
      kind, method: UInt16(truncatingIfNeeded: method), stream: stream,
      metadataLength: UInt16(truncatingIfNeeded: metadata.count), length: UInt32(metadata.count + payload.count))
    var bytes = [UInt8](repeating: 0, count: FrameHeader.byteCount)
    bytes.withUnsafeMutableBytes { if let base = $0.baseAddress { header.write(to: base) } }
    link?.toServer += bytes + metadata + payload
  }

  func send(_ call: Call) {
    var call = call
    call.attempts += 1
    world.trace("client \(number) of \(tenant) asks \(String(describing: call.request).prefix(200))")
    let stream = nextStream
    nextStream += 2
    call.sentAt = world.now
    var beside = Metadata()
    if world.plant != .keyIgnored { beside.idempotencyKey = call.key }
    if world.plant == .keyRounded { beside.idempotencyKey = call.key.map { IdempotencyKey(high: $0.high, low: 1) } }
    call.hasToken = false
    // Other doors take the token of each call for itself: another tenant's is no mistake there.
    call.isForeign = bridge == nil && world.tokensEnd && world.faulty && world.chance.percent(1)
    if call.isForeign {
      world.count("token.foreign")
      let other = world.plant == .foreignTokenTaken ? tenant : tenant == "left" ? "right" : "left"
      beside.token = Tokens.brief(other, ends: world.now / 1_000 + 60)
    } else if tokenEnds != nil, world.chance.percent(10) {
      world.count("token.fresh")
      beside.token = brief()
    }
    call.hasToken = !beside.token.isEmpty
    pending[stream] = call
    var request = call.request
    if world.plant == .revisionNotChecked, case .settingsUpdate(var update) = request {
      update.expectedRevision = nil
      request = .settingsUpdate(update)
    }
    if world.plant == .revisionNotCheckedEverywhere, case .settingsUpdate(var update) = request,
      update.change?.metadata.isEmpty == false
    {
      update.expectedRevision = nil
      request = .settingsUpdate(update)
    }
    if world.plant == .memoryOnDisk, case .threadStart(var start) = request {
      start.ephemeral = false
      request = .threadStart(start)
    }
    send(.request, request.method.rawValue, stream, codec.encode(request), beside: beside)
  }

  // MARK: Requests

  /// One thing, if it can do something.
  func act(mayAsk: Bool) {
    guard link != nil else { return connect() }
    guard isOpen, pending.count < 4 else { return }
    if let empty = streams.keys.sorted().first(where: { streams[$0]?.credit ?? 1 <= 0 }), world.chance.percent(10) {
      return grant(empty)
    }
    if let call = again.first {
      again.removeFirst()
      return send(call)
    }
    if let thread = toResume.first {
      toResume.removeFirst()
      if let place = cursors[thread] { return subscribe(place) }
    }
    guard mayAsk, let call = world.nextCall(self) else { return }
    if !call.isStrange, case .threadSubscribe(let wanted) = call.request, let thread = wanted.thread {
      guard door != .http, !streams.values.contains(where: { $0.thread == thread }) else { return }
      return subscribe(cursors[thread] ?? Following(thread: thread, cursor: 0))
    }
    send(call)
  }

  private func subscribe(_ place: Following) {
    var place = place
    // On other doors the window of the stream is the credit.
    place.credit = bridge == nil && world.chance.percent(20) ? Self.creditBytes : nil
    place.status = nil
    place.texts = StreamedTexts()
    place.calls = []
    streams[nextStream] = place
    send(
      Call(
        request: .threadSubscribe(
          SubscribeRequest(
            thread: place.thread, epoch: place.epoch, after: place.cursor,
            credit: place.credit.map { UInt32($0) },
            answers: world.chance.percent(50) ? [.callTool, .requestUserInput] : []))))
  }

  var subscriptions: Int { streams.count }

  /// A subscription that has not got the newest event of its thread, or believes that it is at work, though nothing holds
  /// it back any more (durability.md: Complete). Asked at rest, when no thread is.
  func lacking(head: (ThreadID) -> UInt64) -> Following? {
    streams.values.sorted { $0.thread < $1.thread }
      .first { ($0.cursor < head($0.thread) || $0.status == .active) && ($0.credit ?? 1) > 0 }
  }

  // MARK: Frames of the server

  func receive(_ bytes: [UInt8]) {
    if let bridge {
      bridge.receive(bytes)
      input += bridge.takeFrames()
      link?.toServer += bridge.takeOutgoing()
    } else {
      input += bytes
    }
    while let header = input.withUnsafeBytes({ FrameHeader($0) }) {
      let end = FrameHeader.byteCount + Int(header.length)
      guard input.count >= end else { break }
      let payload = Array(input[(FrameHeader.byteCount + Int(header.metadataLength))..<end])
      input.removeFirst(end)
      world.digest.add(payload)
      frame(header, payload)
    }
    if bridge?.hasEnded == true { disconnected() }
  }

  private func frame(_ header: FrameHeader, _ payload: [UInt8]) {
    switch header.knownKind {
    case .hello:
      isOpen = true
      if isForged { world.violated("attacks.md A2: a token that is forged or has ended lets somebody in") }
    case .response: response(header, payload)
    case .error: failed(header, payload)
    case .event: event(header, payload)
    case .request: asked(header)
    case .goaway:
      world.count("goaway")
      if let away = try? codec.decode(GoAway.self, payload), let reason = away.error?.reason {
        world.count("goaway.\(reason)")
      }
    case .ping: send(.pong, 0, 0, payload)
    default: break
    }
  }

  private func response(_ header: FrameHeader, _ payload: [UInt8]) {
    var stream = header.stream
    if world.plant == .answerToAnother, let call = pending[stream] {
      let others = pending.keys.sorted().filter { $0 != stream && pending[$0]?.request.method == call.request.method }
      if let other = others.first { stream = other }
    }
    guard let call = pending.removeValue(forKey: stream) else {
      return world.violated("S: an answer on stream \(stream), where nothing was asked")
    }
    if call.isForeign {
      world.violated("attacks.md A22: another tenant's token is taken beside \(call.request.method.path)")
    }
    // The server looks four times a second.
    if let tokenEnds, call.sentAt > tokenEnds + 3_000 {
      world.violated("attacks.md A10: the token ended at \(tokenEnds); a request of \(call.sentAt) is served")
    }
    if header.flags & FrameHeader.endOfStream != 0 {
      if case .threadSubscribe = call.request { streams[stream] = nil }
    } else {
      follow(stream, call.request, payload)
    }
    world.answered(self, Answered(call: call, bytes: payload, sequence: Self.sequence(payload)))
  }

  /// The thread's events follow on the stream of the answer, from the answer's own event on (T1).
  private func follow(_ stream: UInt32, _ request: Request, _ payload: [UInt8]) {
    let thread: AgentThread?
    switch request {
    case .threadStart: thread = (try? codec.decode(StartThreadResponse.self, payload))?.thread
    case .threadFork: thread = (try? codec.decode(ForkThreadResponse.self, payload))?.thread
    default: return
    }
    guard let thread else { return world.violated("an answer without its thread") }
    world.count("followed from the answer")
    streams[stream] = Following(thread: thread.id, cursor: thread.sequence)
    cursors[thread.id] = streams[stream]
  }

  /// Field 1 of every answer to a change.
  static func sequence(_ bytes: [UInt8]) -> UInt64 {
    guard bytes.first == 8 else { return 0 }
    var value: UInt64 = 0
    for (index, byte) in bytes.dropFirst().prefix(10).enumerated() {
      value |= UInt64(byte & 0x7F) << (7 * UInt64(index))
      if byte & 0x80 == 0 { break }
    }
    return value
  }

  private func failed(_ header: FrameHeader, _ payload: [UInt8]) {
    guard let error = try? codec.decode(WireError.self, payload) else {
      return world.violated("an ERROR that cannot be read")
    }
    world.count("error.\(error.reason)")
    world.trace(
      "client \(number) of \(tenant): \(error.reason) to \(String(describing: pending[header.stream]).prefix(300))")
    if let following = streams.removeValue(forKey: header.stream), pending[header.stream] == nil {
      // The subscription has ended; it is taken up again where it was.
      if error.reason == "thread" { cursors[following.thread] = nil } else { toResume.append(following.thread) }
      return
    }
    guard let call = pending.removeValue(forKey: header.stream) else { return }
    if !call.isStrange, case .threadSubscribe(let wanted) = call.request, let thread = wanted.thread {
      if error.reason == "future_seq" || error.reason == "epoch_mismatch" {
        world.violated("E: thread \(thread) was known up to \(wanted.after ?? 0), the server says \(error.reason)")
      }
      cursors[thread] = nil
      return
    }
    if call.hasToken, error.reason == "invalid_token" {
      // Somebody else's, or one that ended on its way. Nothing has happened: the same once more, as it should be.
      again.append(call)
      return
    }
    switch error.reason {
    // It was not served: the connection that takes this one's place brings it again.
    case "connection_age": if call.key != nil { again.append(call) }
    // The outcome is unknown: a retry with the key tells it.
    case "storage_failed", "read_failed", "data_loss", "internal", "shutting_down", "disk_full", "rate_limited",
      "cancelled":
      if call.key != nil { again.append(call) }
      if error.reason == "internal" || error.reason == "data_loss" {
        world.violated("the server answers \(error.reason) to \(call.request.method.path): \(error.message)")
      }
    default: world.refused(self, call, error)
    }
  }

  private func asked(_ header: FrameHeader) {
    guard world.chance.percent(80) else { return }
    world.count("client.answered")
    let isTool = Int32(header.method) == Method.clientCallTool.rawValue
    let answer =
      isTool
      ? codec.encode(
        CallToolResponse(content: [ContentPart(part: .text("done \(world.chance.below(1_000))"))], success: true))
      : codec.encode(WireError(code: .unimplemented, reason: "not_implemented", message: "no"))
    send(isTool ? .response : .error, Int32(header.method), header.stream, answer)
  }

  /// A call that came as an event is answered by a request, perhaps by one that is lost (rules.md A14).
  private func asked(_ call: OpenCall) {
    guard world.chance.percent(80) else { return }
    world.count("client.answered by request")
    let answer: AnswerCallRequest
    switch call.call {
    case .tool(let asked)?:
      let part = ContentPart(part: .text("done \(world.chance.below(1_000))"))
      answer = AnswerCallRequest(
        thread: asked.thread, turn: asked.turn, callId: asked.callId,
        answer: .tool(CallToolResponse(content: [part], success: true)))
    case .input(let asked)?:
      let error = WireError(code: .unimplemented, reason: "not_implemented", message: "no")
      answer = AnswerCallRequest(
        thread: asked.thread, turn: asked.turn, callId: asked.callId, answer: .refused(error))
    case nil: return world.violated("A14: a call that is none")
    }
    again.append(Call(request: .callAnswer(answer), key: world.chance.percent(85) ? world.unusedKey() : nil))
  }

  // MARK: Events

  private func event(_ header: FrameHeader, _ payload: [UInt8]) {
    guard header.stream > 0 else { return }
    guard let notice = try? codec.decode(SubscriptionEvent.self, payload) else {
      return world.violated("an EVENT that cannot be read")
    }
    if world.plant == .streamGoesSilent, streams[header.stream]?.cursor ?? 0 >= 20 { return }
    spend(FrameHeader.byteCount + payload.count, header.stream)
    take(notice, header.stream)
    strikes += 1
    if world.plant == .eventTwice, strikes % 5 == 0 { take(notice, header.stream) }
  }

  /// Messages must fit into the granted credit, except the last one, which may be larger than the rest of it.
  private func spend(_ bytes: Int, _ stream: UInt32) {
    guard let credit = streams[stream]?.credit else { return }
    if credit <= 0 {
      world.violated("S: \(bytes) bytes come on stream \(stream), \(-credit) over its credit")
    }
    streams[stream]?.credit = credit - bytes
  }

  private static func name(of call: OpenCall) -> String {
    switch call.call {
    case .tool(let asked)?: "\(asked.thread) \(asked.callId)"
    case .input(let asked)?: "\(asked.thread) \(asked.callId)"
    case nil: ""
    }
  }

  private func grant(_ stream: UInt32) {
    streams[stream]?.credit? += Self.creditBytes
    world.count("credit")
    if world.plant == .creditLost { return }
    for _ in 0..<(world.plant == .creditTwice ? 2 : 1) {
      send(.credit, 0, stream, codec.encode(Credit(bytes: UInt32(Self.creditBytes))))
    }
  }

  private func take(_ notice: SubscriptionEvent, _ stream: UInt32) {
    guard var following = streams[stream] else { return }
    var granted = false
    if world.plant == .textSoFarLost, case .snapshot? = notice.kind { return }
    if let kind = notice.kind, let wrong = following.texts.take(kind) {
      world.violated("E: thread \(following.thread): \(wrong) on client \(number)")
    }
    switch notice.kind {
    case .subscribed(let subscribed)?: following.epoch = subscribed.epoch
    case .event(let event)?:
      if event.sequence != following.cursor + 1 {
        world.violated(
          "E: thread \(following.thread): event \(event.sequence) follows \(following.cursor) on client \(number)")
      }
      following.cursor = event.sequence
      world.saw(event, of: following.thread, codec.encode(event))
      if world.chance.percent(10) { granted = true }
    case .live(let live)?:
      if live.sequence > following.cursor {
        world.violated("E: thread \(following.thread) is live at \(live.sequence), behind \(following.cursor)")
      }
      world.count("live")
    case .status(let changed)?:
      let state = changed.status?.state
      if world.plant != .statusLost || state != .idle { following.status = state }
      world.count("statuses")
    case .delta?: world.count("deltas")
    case .snapshot?: world.count("snapshots")
    case .call(let call)?:
      if !following.calls.insert(Self.name(of: call)).inserted {
        world.violated("A14: thread \(following.thread): a call comes twice to client \(number)")
      }
      asked(call)
    case .callEnded(let end)?:
      if following.calls.remove("\(end.thread) \(end.callId)") == nil {
        world.violated("A14: thread \(following.thread): a call ends that client \(number) was not asked")
      }
    default: break
    }
    streams[stream] = following
    cursors[following.thread] = following
    if granted { grant(stream) }
  }
}
