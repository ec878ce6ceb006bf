// One copy of the recorded clients: its connections, its ids, its place in each lane. All of it on one loop.

import HeddleCapture
import HeddleCore
import HeddleProtocol
import NIOCore

/// Made and used on `loop`.
final class ReplayCopy: FrameReceiver {
  struct Place: Sendable {
    /// Which copy, and how many there are.
    var index: Int
    var count: Int
  }

  private struct Lane {
    var next = 0
    /// Needs of the next step that are met already.
    var met = 0
    /// When the next step became the next one: what bounds its wait.
    var since: Int64 = 0
  }

  let loop: any EventLoop
  let plan: ReplayPlan
  private let address: SocketAddress
  let options: ReplayOptions
  private let place: Place
  private let patience: Int64
  let statistics: LoopStatistics
  private let writer: CaptureWriter?
  private let finished: () -> Void

  private var lanes: [Lane]
  var links: [ReplayLink]
  private var values: LearnedValues
  private var start: Int64 = 0
  private var requests = 0
  private var timer: Scheduled<Void>?
  private var repeating: [RepeatedTask] = []
  private var timerAt = Int64.max
  private var isPumping = false
  /// Something outside brings the server back.
  private var isWaiting = false
  private var isDone = false

  init(
    loop: any EventLoop, plan: ReplayPlan, address: SocketAddress, options: ReplayOptions, place: Place,
    statistics: LoopStatistics, writer: CaptureWriter?, finished: @escaping () -> Void
  ) {
    self.loop = loop
    self.plan = plan
    self.address = address
    self.options = options
    self.place = place
    patience = Int64(options.patience * 1e9)
    self.statistics = statistics
    self.writer = writer
    self.finished = finished
    lanes = plan.lanes.map { _ in Lane() }
    links = plan.connections.map { _ in ReplayLink() }
    values = LearnedValues(plan)
  }

  func begin(at start: Int64) {
    self.start = start
    for index in lanes.indices { lanes[index].since = start }
    statistics.now.active += 1
    let bound = NIOLoopBound(self, eventLoop: loop)
    if options.faults.dropPercent > 0 {
      repeating.append(
        loop.scheduleRepeatedTask(initialDelay: .seconds(1), delay: .seconds(1)) { _ in bound.value.drawCuts() })
    }
    if readsSlowly {
      repeating.append(
        loop.scheduleRepeatedTask(initialDelay: .milliseconds(50), delay: .milliseconds(50)) { _ in
          for link in bound.value.links where link.isOpen { link.channel?.read() }
        })
    }
    pump()
  }

  private var readsSlowly: Bool { place.index < options.faults.slowReaders }

  /// Ends before its time.
  func stop() {
    for lane in lanes.indices { lanes[lane].next = plan.lanes[lane].count }
    for index in links.indices {
      links[index].isClosed = true
      links[index].channel?.close()
    }
    end()
  }

  private func end() {
    guard !isDone else { return }
    isDone = true
    timer?.cancel()
    for task in repeating { task.cancel() }
    statistics.now.active -= 1
    finished()
  }

  // MARK: Sending

  /// Sends all steps that may be sent now, and sees to it that it is called again in time.
  func pump() {
    guard !isPumping, !isWaiting, !isDone else { return }
    isPumping = true
    defer { isPumping = false }
    var wake = Int64.max
    var moved = true
    // A step of one lane may be what another waits for: its connection.
    while moved {
      moved = false
      wake = .max
      for lane in lanes.indices {
        while !isWaiting, let at = advance(lane) {
          if at > 0 {
            wake = min(wake, at)
            break
          }
          moved = true
        }
      }
    }
    for index in links.indices where links[index].isDirty {
      links[index].isDirty = false
      links[index].channel?.flush()
    }
    if lanes.indices.allSatisfy({ lanes[$0].next == plan.lanes[$0].count }) { return finishIfClosed() }
    // A timer that rings too early does no harm, and setting one anew for every answer would cost more.
    if wake < timerAt {
      timer?.cancel()
      timerAt = wake
      let delay = max(0, wake - monotonicNanoseconds())
      timer = loop.assumeIsolated().scheduleTask(in: .nanoseconds(delay)) {
        self.timerAt = .max
        self.pump()
      }
    }
  }

  private func finishIfClosed() {
    if links.allSatisfy({ $0.channel == nil || !$0.isOpen }) { end() }
  }

  /// Takes the next step of a lane: 0 when it was taken, the time to look again, nil at the end of the lane.
  private func advance(_ lane: Int) -> Int64? {
    guard lanes[lane].next < plan.lanes[lane].count else { return nil }
    let step = plan.steps[plan.lanes[lane][lanes[lane].next]]
    let now = monotonicNanoseconds()
    guard ready(step, lane, now) else { return lanes[lane].since + patience }
    let due = due(step)
    if due > now { return due }
    guard prepare(step) else { return .max }
    // Without a schedule a frame is due when nothing holds it up any more.
    if case .unlimited = options.pace {
      send(step, intended: now, now: now)
    } else {
      send(step, intended: due, now: now)
    }
    lanes[lane].next += 1
    lanes[lane].met = 0
    lanes[lane].since = max(now, due)
    return 0
  }

  private func ready(_ step: ReplayStep, _ lane: Int, _ now: Int64) -> Bool {
    if links[step.connection].isClosed { return true }
    while lanes[lane].met < step.needs.count {
      let (milestone, count) = step.needs[lanes[lane].met]
      guard links[milestone.connection].missing(milestone, count) <= 0 else { break }
      lanes[lane].met += 1
    }
    if lanes[lane].met == step.needs.count, values.areKnown(to: step) { return true }
    guard now - max(lanes[lane].since, due(step)) >= patience else { return false }
    statistics.now.unmet += 1
    for (milestone, count) in step.needs[lanes[lane].met...] {
      links[milestone.connection].forgive(milestone, count)
    }
    return true
  }

  private func due(_ step: ReplayStep) -> Int64 {
    switch options.pace {
    case .unlimited: start
    case .speed(let factor): start + Int64(Double(step.at) / factor)
    case .schedule(let schedule):
      step.isRequest ? start + schedule.due(requests * place.count + place.index) : start
    }
  }

  /// Whether the connection of a step can take it; opens it if need be.
  private func prepare(_ step: ReplayStep) -> Bool {
    let index = step.connection
    if links[index].isClosed { return true }
    guard let channel = links[index].channel else {
      guard step.isFrame else { return true }
      connect(index)
      return false
    }
    return channel.isOpen && channel.isWritable && !links[index].cut.isReturning
  }

  func connect(_ index: Int) {
    let channel = FrameChannel(index: index, receiver: self)
    links[index].channel = channel
    links[index].isOpen = true
    channel.connect(address, on: loop, readsSlowly: readsSlowly, encryption: options.encryption)
  }

  private func send(_ step: ReplayStep, intended: Int64, now: Int64) {
    switch step.action {
    case .frame: sendFrame(step, intended: intended, now: now)
    case .close: end(step.connection, fromClient: true)
    case .loss(let connections): lose(connections)
    case .skip: break
    }
  }

  private func end(_ index: Int, fromClient: Bool) {
    guard !links[index].isClosed else { return }
    links[index].isClosed = true
    writer?.writeEnd(
      at: wallNanoseconds(), path: plan.paths[index], fromClient: fromClient)
    links[index].channel?.close()
  }

  /// Here the recorded server was lost. `atLoss`, if there is one, does the same to this one; everything else waits.
  private func lose(_ connections: [Int]) {
    for index in connections {
      links[index].channel?.flush()
      // Its end is no surprise.
      if options.atLoss == nil { end(index, fromClient: false) } else { links[index].isClosed = true }
    }
    guard let atLoss = options.atLoss else { return }
    isWaiting = true
    loop.makeFutureWithTask(atLoss).assumeIsolated().whenComplete { _ in
      for index in connections {
        self.links[index].isClosed = false
        self.end(index, fromClient: false)
      }
      self.isWaiting = false
      let now = monotonicNanoseconds()
      for lane in self.lanes.indices { self.lanes[lane].since = now }
      self.pump()
    }
  }

  private func sendFrame(_ step: ReplayStep, intended: Int64, now: Int64) {
    if step.isRequest { requests += 1 }
    let index = step.connection
    guard !links[index].isClosed, let channel = links[index].channel else {
      if step.isRequest { statistics.now.failed("connection_lost") }
      links[index].isClosed = true
      return
    }
    var bytes = step.bytes
    values.write(into: &bytes, of: step)
    if let call = step.answersCall {
      guard call < links[index].calls.count else { return }
      let stream = links[index].calls[call]
      bytes.setStream(stream)
      links[index].cut.answeredCalls += 1
      if let (offset, call) = step.shown, let hash = links[index].actions[call] {
        bytes.replaceSubrange(offset..<offset + hash.count, with: hash)
      }
    }
    if options.faults.dropPercent > 0 { links[index].cut.sent(step, bytes) }
    if step.isRequest {
      let request = (intended: intended, method: step.header.method)
      if links[index].pending.updateValue(request, forKey: step.header.stream) == nil { statistics.now.inFlight += 1 }
      statistics.now.sent(intended: intended, now: now, bytes: bytes.count)
    }
    channel.append(bytes)
    links[index].isDirty = true
    if let writer, let header = bytes.withUnsafeBytes({ FrameHeader($0) }) {
      writer.write(
        header, Array(bytes[FrameHeader.byteCount...]), at: wallNanoseconds(), path: plan.paths[index], fromClient: true
      )
    }
  }

  // MARK: Receiving

  func opened(_ channel: FrameChannel) {
    guard channel === links[channel.index].channel else { return channel.close() }
    statistics.now.connections += 1
    if links[channel.index].cut.isReturning { returned(channel) }
    if readsSlowly { channel.read() }
    pump()
  }

  func readEnded(_ channel: FrameChannel) {
    if links[channel.index].cut.isDrawn, channel === links[channel.index].channel { cut(channel.index) }
    pump()
  }

  func closed(_ channel: FrameChannel) {
    let index = channel.index
    guard channel === links[index].channel else { return }
    links[index].isOpen = false
    if !links[index].isClosed {
      links[index].isClosed = true
      statistics.now.failed("connection_lost")
      writer?.writeEnd(
        at: wallNanoseconds(), path: plan.paths[index], fromClient: false)
    }
    statistics.now.inFlight -= links[index].pending.count
    links[index].pending = [:]
    pump()
  }

  func received(_ channel: FrameChannel, _ header: FrameHeader, _ body: UnsafeRawBufferPointer) {
    let index = channel.index
    statistics.now.bytesIn += UInt64(FrameHeader.byteCount + body.count)
    guard !links[index].isClosed, channel === links[index].channel else { return }
    if links[index].cut.isReturning, takesBack(channel, header, body) { return }
    writer?.write(
      header, Array(body), at: wallNanoseconds(), path: plan.paths[index], fromClient: false)
    let message = UnsafeRawBufferPointer(rebasing: body[min(Int(header.metadataLength), body.count)...])
    switch header.knownKind {
    case .ping:
      channel.append(FrameHeader(.pong, length: UInt32(message.count)), Array(message))
      channel.flush()
    case .request: called(index, header, message)
    case .response, .error: answered(index, header, message)
    case .event: happened(index, header, message)
    default: break
    }
    guard let milestone = Milestone(index, header, message) else { return }
    let count = links[index].saw(milestone)
    values.learn(ReplayMoment(milestone: milestone, count: count), header, body, message)
  }

  private func called(_ index: Int, _ header: FrameHeader, _ message: UnsafeRawBufferPointer) {
    links[index].calls.append(header.stream)
    guard FrameMessages.method(header) == .clientRequestUserInput,
      let hash = IDScan.actionHash(message, schema: RequestUserInputRequest.schemaIndex)
    else { return }
    links[index].actions[links[index].calls.count - 1] = Array(message[hash])
  }

  private func answered(_ index: Int, _ header: FrameHeader, _ message: UnsafeRawBufferPointer) {
    guard let request = links[index].pending.removeValue(forKey: header.stream) else {
      // The end of a subscription.
      return links[index].cut.ended(header.stream)
    }
    let now = monotonicNanoseconds()
    statistics.now.inFlight -= 1
    statistics.now.answered(request.method, after: now - request.intended)
    if header.knownKind == .error { statistics.now.failed(ErrorPeek.reason(message)) }
    if header.knownKind == .response, header.flags & FrameHeader.endOfStream == 0 {
      links[index].streams[header.stream] = StreamWatch(opened: now)
      if options.faults.dropPercent > 0 { links[index].cut.opened(header.stream, request.method, message) }
    } else if options.faults.dropPercent > 0 {
      links[index].cut.ended(header.stream)
    }
  }

  private func happened(_ index: Int, _ header: FrameHeader, _ message: UnsafeRawBufferPointer) {
    statistics.now.events += 1
    guard header.stream != 0, let peek = EventPeek(message) else { return }
    links[index].streams[header.stream]?.event(peek, at: monotonicNanoseconds(), &statistics.now)
  }
}
