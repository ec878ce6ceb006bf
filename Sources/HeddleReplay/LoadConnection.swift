// One connection of a load.
//
//   greeting   HELLO is on its way.                             Can go to preparing, lost.
//   preparing  its thread is started, or followed.              Can go to working, lost.
//   working    requests go, in a closed or an open loop.        Can go to greeting (cut on purpose), leaving, lost.
//   leaving    the server replaces it because of its age: nothing is sent; answers and turns come to their end.
//                                                               Can go to greeting, lost.
//   lost       the connection ended by itself; it is told and not made again.
//
// A connection that is stopped waits a while for the answers to its Starts: they name threads that have to be removed.

import HeddleCapture
import HeddleCore
import HeddleProtocol
import NIOCore

/// Made and used on `loop`.
final class LoadConnection: LoopWork, FrameReceiver {
  private enum State { case greeting, preparing, working, leaving, lost }

  private enum End {
    case none
    /// It sends nothing more.
    case stopped
    case ended
  }

  private let loop: any EventLoop
  private let options: LoadOptions
  private let address: SocketAddress
  private let index: Int
  private let statistics: LoopStatistics
  private let shared: SharedThread
  private let ended: @Sendable () -> Void

  private var state = State.greeting
  private var end = End.none
  private var channel: FrameChannel?
  private var frames = LoadFrames()
  private var work: [[UInt8]] = []
  private var start: Int64 = 0
  private var sent = 0
  private var requests = LoadRequests()
  private var turns = LoadTurns()
  private var follower = LoadFollower()
  private var timers: [RepeatedTask] = []
  private var timer: Scheduled<Void>?
  /// Nothing unless threads are to be noted.
  private(set) var made = MadeThreads()

  /// How long an answer to a Start is waited for behind the end.
  static let patience = 5.0

  init(
    loop: any EventLoop, options: LoadOptions, address: SocketAddress, index: Int, statistics: LoopStatistics,
    shared: SharedThread, ended: @escaping @Sendable () -> Void
  ) {
    self.loop = loop
    self.options = options
    self.address = address
    self.index = index
    self.statistics = statistics
    self.shared = shared
    self.ended = ended
  }

  private var isOver: Bool { end != .none }
  private var follows: Bool { options.mix == .fanout && index > 0 }
  private var readsSlowly: Bool { follows && index <= options.slowReaders }

  func begin(at start: Int64) {
    self.start = start
    statistics.now.active += 1
    connect()
    let bound = NIOLoopBound(self, eventLoop: loop)
    if follows, options.dropPercent > 0 {
      timers.append(
        loop.scheduleRepeatedTask(initialDelay: .seconds(1), delay: .seconds(1)) { _ in bound.value.drawDrop() })
    }
    if readsSlowly {
      timers.append(
        loop.scheduleRepeatedTask(initialDelay: .milliseconds(50), delay: .milliseconds(50)) { _ in
          bound.value.channel?.read()
        })
    }
  }

  func stop() {
    guard !isOver else { return }
    end = .stopped
    timer?.cancel()
    for task in timers { task.cancel() }
    statistics.now.active -= 1
    statistics.now.inFlight -= requests.count
    if made.unknownStarts == 0 || !options.notesThreads || state == .lost { finish() }
  }

  private func finish() {
    guard end != .ended else { return }
    end = .ended
    channel?.close()
    ended()
  }

  private func connect() {
    let channel = FrameChannel(index: index, receiver: self)
    self.channel = channel
    channel.connect(address, on: loop, readsSlowly: readsSlowly, encryption: options.encryption)
  }

  private func drawDrop() {
    if state == .working, Double.random(in: 0..<100) < options.dropPercent { drop() }
  }

  /// Cuts the connection off without a word, and comes again.
  private func drop() {
    statistics.now.dropped += 1
    reconnect()
  }

  private func goneAway(_ message: UnsafeRawBufferPointer) {
    var codec = Codec()
    let notice = try? codec.decode(GoAway.self, message)
    guard state == .working, notice?.error?.reason == Self.age else { return statistics.now.failed("going_away") }
    state = .leaving
    reconnectIfDone()
  }

  private func reconnectIfDone() {
    guard state == .leaving, !isOver, requests.count == 0, turns.running == 0 else { return }
    turns = LoadTurns()
    reconnect()
  }

  private static let age = Reason.connectionAge.rawValue

  private func reconnect() {
    state = .greeting
    follower.disconnect()
    requests.reconnect()
    let old = channel
    channel = nil
    old?.close()
    connect()
  }

  // MARK: Receiving

  func opened(_ channel: FrameChannel) {
    guard channel === self.channel else { return channel.close() }
    statistics.now.connections += 1
    channel.append(frames.hello(options.token))
    channel.flush()
    if readsSlowly { channel.read() }
  }

  func closed(_ channel: FrameChannel) {
    guard channel === self.channel else { return }
    guard !isOver else { return finish() }
    statistics.now.failed("connection_lost")
    state = .lost
    stop()
  }

  func received(_ channel: FrameChannel, _ header: FrameHeader, _ body: UnsafeRawBufferPointer) {
    guard channel === self.channel else { return }
    statistics.now.bytesIn += UInt64(FrameHeader.byteCount + body.count)
    let message = UnsafeRawBufferPointer(rebasing: body[min(Int(header.metadataLength), body.count)...])
    switch header.knownKind {
    case .hello: prepare()
    case .ping: channel.append(FrameHeader(.pong, length: UInt32(message.count)), Array(message))
    case .response, .error: answered(header, message)
    case .event: happened(header, message)
    case .goaway: goneAway(message)
    default: break
    }
  }

  /// Everything that came together has been seen: the requests that it allows go in one piece.
  func readEnded(_ channel: FrameChannel) {
    guard channel === self.channel else { return }
    pump()
    reconnectIfDone()
    channel.flush()
  }

  private func prepare() {
    state = .preparing
    switch options.mix {
    case .settings: ask(frames.start(options, subscribe: false), .threadStart)
    case .turns: for _ in 0..<options.depth { ask(frames.start(options, subscribe: true), .threadStart) }
    case .fanout where index == 0:
      guard let thread = shared.id else { return ask(frames.start(options, subscribe: false), .threadStart) }
      beginWork(thread)
    case .fanout: follow()
    case .start, .list, .search, .status: beginWork(ThreadID())
    }
  }

  private func follow() {
    guard state == .preparing, !isOver else { return }
    guard let thread = shared.id else {
      loop.assumeIsolated().scheduleTask(in: .milliseconds(10)) { self.follow() }
      return
    }
    follower.stream = requests.nextStream
    ask(frames.subscribe(thread, after: options.resumes ? follower.last : nil), .threadSubscribe)
    channel?.flush()
  }

  private func beginWork(_ thread: ThreadID) {
    state = .working
    work = frames.work(options, thread)
  }

  private func answered(_ header: FrameHeader, _ message: UnsafeRawBufferPointer) {
    guard let request = requests.end(header.stream) else { return }
    note(request.method, header, message)
    guard !isOver else { return made.unknownStarts == 0 ? finish() : () }
    statistics.now.inFlight -= 1
    // A request that crossed the GOAWAY was not served.
    if header.knownKind == .error, state == .leaving, ErrorPeek.reason(message) == Self.age {
      return turns.refused(header.stream)
    }
    let now = monotonicNanoseconds()
    statistics.now.answered(request.method, after: now - request.intended)
    if header.knownKind == .error {
      statistics.now.failed(ErrorPeek.reason(message))
      if options.mix == .turns, state == .working { turns.refused(header.stream) }
      if state == .preparing { channel?.close() }
      return
    }
    if state == .preparing { prepared(header, message, now) }
  }

  private func note(_ method: UInt16, _ header: FrameHeader, _ message: UnsafeRawBufferPointer) {
    guard options.notesThreads, method == Self.start else { return }
    made.unknownStarts -= 1
    if header.knownKind == .response, let thread = Self.thread(message) { made.ids.append(thread) }
  }

  private static let start = UInt16(clamping: Method.threadStart.rawValue)

  /// The thread is the first id of kind thread in the answer; the rest of it does not matter.
  private static func thread(_ message: UnsafeRawBufferPointer) -> ThreadID? {
    var thread: ThreadID?
    IDScan.ids(message, schema: Method.threadStart.responseSchema) { found in
      if thread == nil, found.kind == 1 { thread = ThreadID(high: found.id.high, low: found.id.low) }
    }
    return thread
  }

  private func prepared(_ header: FrameHeader, _ message: UnsafeRawBufferPointer, _ now: Int64) {
    if follows {
      follower.subscribed(at: now)
      state = .working
      return
    }
    guard let thread = Self.thread(message) else { return }
    if options.mix == .turns {
      turns.add(header.stream, frames.work(options, thread)[0], opened: now)
      if turns.count == options.depth { state = .working }
    } else {
      if options.mix == .fanout { shared.id = thread }
      beginWork(thread)
    }
  }

  private func happened(_ header: FrameHeader, _ message: UnsafeRawBufferPointer) {
    statistics.now.events += 1
    guard let peek = EventPeek(message) else { return }
    let now = monotonicNanoseconds()
    if follows, header.stream == follower.stream {
      follower.event(peek, at: now, resumes: options.resumes, &statistics.now)
    } else {
      turns.event(peek, on: header.stream, at: now, &statistics.now)
    }
  }

  // MARK: Sending

  private func pump() {
    guard state == .working, !isOver, !follows else { return }
    guard let schedule = options.schedule else {
      while requests.count < limit, sendNext(at: nil) {}
      return
    }
    let now = monotonicNanoseconds()
    // Followers send nothing: the writer alone makes the requests of a second.
    let senders = options.mix == .fanout ? 1 : options.connections
    while requests.count < LoadRequests.most {
      let due = start + schedule.due(sent * senders + (options.mix == .fanout ? 0 : index))
      if due > now {
        // One that rings no later is enough: answers that come meanwhile need not set it anew.
        guard timer == nil else { return }
        timer = loop.assumeIsolated().scheduleTask(in: .nanoseconds(due - now)) {
          self.timer = nil
          self.pump()
          self.channel?.flush()
        }
        return
      }
      guard sendNext(at: due) else { return }
    }
  }

  private var limit: Int {
    switch options.mix {
    case .turns: options.depth
    case .fanout: 1
    default: min(options.depth, LoadRequests.most)
    }
  }

  /// Sends the next request; false when there is nothing to send it on.
  private func sendNext(at due: Int64?) -> Bool {
    guard channel?.isWritable == true else { return false }
    if options.mix == .turns {
      guard let frame = turns.start(on: requests.nextStream, at: due ?? monotonicNanoseconds()) else { return false }
      ask(frame, .turnStart, at: due)
    } else {
      ask(work[sent % work.count], nil, at: due)
    }
    sent += 1
    return true
  }

  private func ask(_ frame: [UInt8], _ method: Method?, at due: Int64? = nil) {
    var frame = frame
    let now = monotonicNanoseconds()
    let method = requests.begin(&frame, method, intended: due ?? now)
    if method == Self.start, options.notesThreads { made.unknownStarts += 1 }
    statistics.now.inFlight += 1
    statistics.now.sent(intended: due ?? now, now: now, bytes: frame.count)
    channel?.append(frame)
  }
}
