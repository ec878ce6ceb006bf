// One connection of a load.
//
//   greeting   HELLO is on its way.                             Can go to preparing, lost.
//   preparing  its thread is started, or followed.              Can go to working, lost.
//   working    requests go, in a closed or an open loop.        Can go to greeting (cut on purpose), lost.
//   lost       the connection ended by itself; it is told and not made again.
//
// A connection that is stopped waits a while for the answers to its Starts: they name threads that have to be removed.

import HeddleCapture
import HeddleCore
import HeddleProtocol
import NIOCore
import Synchronization

/// The thread that all of a fan-out follow, as soon as there is one.
final class SharedThread: Sendable {
  private let thread = Mutex<ThreadID?>(nil)
  var id: ThreadID? {
    get { thread.withLock { $0 } }
    set { thread.withLock { $0 = newValue } }
  }
}

/// `@unchecked Sendable`: confined to `loop`; every call comes from a handler or a task of that loop.
final class LoadConnection: LoopWork, FrameReceiver, @unchecked Sendable {
  private enum State { case greeting, preparing, working, lost }

  private let loop: any EventLoop
  private let options: LoadOptions
  private let address: SocketAddress
  private let index: Int
  private let statistics: LoopStatistics
  private let shared: SharedThread
  private let ended: @Sendable () -> Void

  private var state = State.greeting
  private var channel: FrameChannel?
  private var frames = LoadFrames()
  private var work: [[UInt8]] = []
  private var nextStream: UInt32 = 1
  private var start: Int64 = 0
  private var sent = 0
  private var inFlight = 0
  /// When the request of a stream should have left, by stream / 2 in a ring: more than that are never in flight.
  private var intended = [Int64](repeating: 0, count: 1024)
  private var methods = [UInt16](repeating: 0, count: 1024)
  /// Threads that this connection runs turns on, by the stream of their events.
  private var turns: [UInt32: (frame: [UInt8], began: Int64, watch: StreamWatch)] = [:]
  private var free: [UInt32] = []
  private var watch: StreamWatch?
  private var followed: UInt32 = 0
  private var lastSequence: UInt64?
  private var timers: [RepeatedTask] = []
  private var timer: Scheduled<Void>?
  private var isOver = false
  private var hasEnded = false
  /// Threads that it started, if they are to be noted, and requests that may have started one. Read when all loops have
  /// ended.
  private(set) var made: [ThreadID] = []
  private(set) var startsInFlight = 0

  /// How long an answer to a Start is waited for behind the end.
  static let patience = 5.0

  /// As many as the server allows on one connection, less some.
  private static let maximumInFlight = 240

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

  private var follows: Bool { options.mix == .fanout && index > 0 }
  private var readsSlowly: Bool { follows && index <= options.slowReaders }

  func begin(at start: Int64) {
    self.start = start
    statistics.now.active += 1
    connect()
    if follows, options.dropPercent > 0 {
      timers.append(
        loop.scheduleRepeatedTask(initialDelay: .seconds(1), delay: .seconds(1)) { _ in
          if self.state == .working, Double.random(in: 0..<100) < self.options.dropPercent { self.drop() }
        })
    }
    if readsSlowly {
      timers.append(
        loop.scheduleRepeatedTask(initialDelay: .milliseconds(50), delay: .milliseconds(50)) { _ in
          self.channel?.read()
        })
    }
  }

  func stop() {
    guard !isOver else { return }
    isOver = true
    timer?.cancel()
    for task in timers { task.cancel() }
    statistics.now.active -= 1
    statistics.now.inFlight -= inFlight
    if startsInFlight == 0 || !options.notesThreads || state == .lost { end() }
  }

  private func end() {
    guard !hasEnded else { return }
    hasEnded = true
    channel?.close()
    ended()
  }

  private func connect() {
    let channel = FrameChannel(index: index, receiver: self)
    self.channel = channel
    channel.connect(address, on: loop, readsSlowly: readsSlowly)
  }

  /// Cuts the connection off without a word, and comes again.
  private func drop() {
    statistics.now.dropped += 1
    state = .greeting
    watch = nil
    nextStream = 1
    let old = channel
    channel = nil
    old?.close()
    connect()
  }

  // MARK: what comes

  func opened(_ channel: FrameChannel) {
    guard channel === self.channel else { return channel.close() }
    statistics.now.connections += 1
    channel.append(frames.hello(options.token))
    channel.flush()
    if readsSlowly { channel.read() }
  }

  func closed(_ channel: FrameChannel) {
    guard channel === self.channel else { return }
    guard !isOver else { return end() }
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
    case .goaway: statistics.now.failed("going_away")
    default: break
    }
  }

  /// Everything that came together has been seen: what it allows to be sent goes in one piece.
  func readEnded(_ channel: FrameChannel) {
    guard channel === self.channel else { return }
    pump()
    channel.flush()
  }

  private func prepare() {
    state = .preparing
    switch options.mix {
    case .settings: ask(frames.start(options, subscribe: false), .threadStart)
    case .turns: for _ in 0..<options.depth { ask(frames.start(options, subscribe: true), .threadStart) }
    case .fanout: if index == 0 { ask(frames.start(options, subscribe: false), .threadStart) } else { follow() }
    case .start, .list, .search, .status: beginWork(ThreadID())
    }
  }

  private func follow() {
    guard state == .preparing, !isOver else { return }
    guard let thread = shared.id else {
      loop.scheduleTask(in: .milliseconds(10)) { self.follow() }
      return
    }
    followed = nextStream
    ask(frames.subscribe(thread, after: options.resumes ? lastSequence : nil), .threadSubscribe)
    channel?.flush()
  }

  private func beginWork(_ thread: ThreadID) {
    state = .working
    work = frames.work(options, thread)
  }

  private func answered(_ header: FrameHeader, _ message: UnsafeRawBufferPointer) {
    guard header.stream % 2 == 1 else { return }
    let slot = Int(header.stream / 2) & 1023
    let since = intended[slot]
    guard since != 0 else { return }
    intended[slot] = 0
    inFlight -= 1
    note(header, slot, message)
    guard !isOver else { return startsInFlight == 0 ? end() : () }
    statistics.now.inFlight -= 1
    let now = monotonicNanoseconds()
    statistics.now.answered(methods[slot], after: now - since)
    if header.knownKind == .error {
      statistics.now.failed(ErrorPeek.reason(message))
      if options.mix == .turns, state == .working { retry(header.stream) }
      if state == .preparing { channel?.close() }
      return
    }
    if state == .preparing { prepared(header, message, now) }
  }

  private func note(_ header: FrameHeader, _ slot: Int, _ message: UnsafeRawBufferPointer) {
    guard options.notesThreads, methods[slot] == Self.start else { return }
    startsInFlight -= 1
    if header.knownKind == .response, let thread = Self.thread(message) { made.append(thread) }
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
      watch = StreamWatch(opened: now)
      state = .working
      return
    }
    guard let thread = Self.thread(message) else { return }
    if options.mix == .turns {
      turns[header.stream] = (frames.work(options, thread)[0], 0, StreamWatch(opened: now))
      free.append(header.stream)
      if turns.count == options.depth { state = .working }
    } else {
      if options.mix == .fanout { shared.id = thread }
      beginWork(thread)
    }
  }

  private func happened(_ header: FrameHeader, _ message: UnsafeRawBufferPointer) {
    statistics.now.events += 1
    guard let peek = EventPeek(message) else { return }
    if follows, header.stream == followed {
      watch?.event(peek, at: monotonicNanoseconds(), &statistics.now)
      if let sequence = peek.sequence {
        // Across connections: what a resumed subscription leaves out or repeats.
        if options.resumes, let last = lastSequence, watch?.isFirst == true {
          if sequence > last + 1 { statistics.now.gaps += sequence - last - 1 }
          if sequence <= last { statistics.now.duplicates += 1 }
        }
        lastSequence = sequence
      }
      return
    }
    let now = monotonicNanoseconds()
    turns[header.stream]?.watch.event(peek, at: now, &statistics.now)
    if peek.kind == EventPeek.turnEnded, let turn = turns[header.stream], turn.began != 0 {
      statistics.now.methods[0, default: Histogram()].record(now - turn.began)
      turns[header.stream]?.began = 0
      free.append(header.stream)
    }
  }

  /// A turn that was refused: its thread is free again.
  private func retry(_ stream: UInt32) {
    guard let waiting = starting.removeValue(forKey: stream) else { return }
    turns[waiting]?.began = 0
    free.append(waiting)
  }

  private var starting: [UInt32: UInt32] = [:]

  // MARK: what goes

  private func pump() {
    guard state == .working, !isOver, !follows else { return }
    guard let schedule = options.schedule else {
      while inFlight < limit, sendNext(at: nil) {}
      return
    }
    let now = monotonicNanoseconds()
    // Followers send nothing: what is asked for in a second is the writer's alone.
    let senders = options.mix == .fanout ? 1 : options.connections
    while inFlight < Self.maximumInFlight {
      let due = start + schedule.due(sent * senders + (options.mix == .fanout ? 0 : index))
      if due > now {
        // One that rings no later is enough: answers that come meanwhile need not set it anew.
        guard timer == nil else { return }
        timer = loop.scheduleTask(in: .nanoseconds(due - now)) {
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
    default: min(options.depth, Self.maximumInFlight)
    }
  }

  /// Sends the next request; false when there is nothing to send it on.
  private func sendNext(at due: Int64?) -> Bool {
    guard channel?.isWritable == true else { return false }
    if options.mix == .turns {
      guard let thread = free.popLast(), let turn = turns[thread] else { return false }
      turns[thread]?.began = due ?? monotonicNanoseconds()
      starting[nextStream] = thread
      if starting.count > 2048 { starting.removeAll() }
      ask(turn.frame, .turnStart, at: due)
    } else {
      ask(work[sent % work.count], nil, at: due)
    }
    sent += 1
    return true
  }

  private func ask(_ frame: [UInt8], _ method: Method?, at due: Int64? = nil) {
    var frame = frame
    frame.setStream(nextStream)
    let now = monotonicNanoseconds()
    let slot = Int(nextStream / 2) & 1023
    intended[slot] = due ?? now
    methods[slot] = method.map { UInt16(clamping: $0.rawValue) } ?? UInt16(frame[2]) << 8 | UInt16(frame[3])
    inFlight += 1
    if methods[slot] == Self.start, options.notesThreads { startsInFlight += 1 }
    statistics.now.inFlight += 1
    statistics.now.sent(intended: due ?? now, now: now, bytes: frame.count)
    channel?.append(frame)
    // A connection whose streams are used up would have to come anew; that is after two billion requests.
    nextStream &+= 2
  }
}

public enum Load {
  public static func run(
    _ options: LoadOptions, stop: RunStop, sample: (RunSample, RunResult) -> Void = { _, _ in }
  ) async throws -> RunResult {
    let address = try HostAddress.resolve(options.host, port: options.port)
    let runner = Runner(loops: min(options.loops, options.connections))
    let working = WorkCount(options.connections)
    let shared = SharedThread()
    let works = (0..<options.connections).map { index in
      let loop = index % runner.loops.count
      return LoadConnection(
        loop: runner.loops[loop], options: options, address: address, index: index,
        statistics: runner.statistics[loop], shared: shared, ended: { working.end() })
    }
    var result = try await runner.run(
      works, seconds: options.seconds, stop: stop, patience: options.notesThreads ? LoadConnection.patience : 0,
      isDone: { working.isZero }, sample: sample)
    // No loop runs any more.
    for work in works {
      result.made += work.made
      result.unknownStarts += work.startsInFlight
    }
    return result
  }
}

/// How many are still at work.
final class WorkCount: Sendable {
  private let count: Atomic<Int>
  init(_ count: Int) { self.count = Atomic(count) }
  var isZero: Bool { count.load(ordering: .relaxed) == 0 }
  func end() { count.subtract(1, ordering: .relaxed) }
}
