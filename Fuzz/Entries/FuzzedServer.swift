// The server of one input: the real connections, sessions, runtime and store on a simulated disk, in one thread, with a
// clock that moves only on request.

import CSimulatedDisk
import HeddleCore
import HeddleMetrics
import HeddleProtocol
import HeddleRuntime
import HeddleSQLite
import HeddleServer
import HeddleStorage
import HeddleTokens
import Logging
import NIOCore
import NIOEmbedded

// @unchecked: inputs are run one after the other, on one thread.
final class FuzzedServer: @unchecked Sendable {
  /// One life of the process.
  private final class Life: @unchecked Sendable {
    let loop = EmbeddedEventLoop()
    let jobs = FuzzJobs()
    var reads: [@Sendable () -> Void] = []
    var sqlite: SQLiteStore?
    var manager: SessionManager?
    var server: EmbeddedServer?
    var isReady = false
    var hasFailed = false
  }

  private static let disk = StoreImages.disk
  /// The most rounds that one step may set off before it counts as endless.
  private static let maximumRounds = 20_000

  private(set) var now: Int64 = 1_700_000_000_000
  private var life = Life()
  private var lives: UInt64 = 0
  private var clients: [FuzzedClient?] = Array(repeating: nil, count: SessionScript.connections)
  private var ids: [[UInt8]: [UInt8]] = [:]
  private var timers: [(at: Int64, number: Int, wake: FuzzedWait)] = []
  private var timerNumber = 0
  private let rules: ServerRules

  private let door: FuzzedDoor

  init(_ door: FuzzedDoor) throws(Finding) {
    self.door = door
    var rules = ServerRules()
    rules.features = Features(multiAgent: true, multiAgentV2: true, multiAgentMode: true)
    // Small, so that an input of a few frames reaches them.
    rules.limits.queuedTurns = 2
    rules.limits.glitches = 20
    rules.limits.outgoingBytes = 16 * 1024
    rules.limits.clientToolMilliseconds = 5_000
    rules.limits.userInputMilliseconds = 5_000
    rules.limits.unloadMilliseconds = 40_000
    rules.limits.snapshotEvents = 8
    self.rules = rules
    simulated_disk_register(Self.disk)
    simulated_disk_reset(1)
    try start()
  }

  // MARK: Lives

  private func start() throws(Finding) {
    let life = Life()
    self.life = life
    lives += 1
    do {
      let sqlite = try SQLiteStore(
        simulated: Self.disk, node: NodeID(high: 1, low: 1), reads: .by { life.reads.append($0) })
      life.sqlite = sqlite
      let manager = SessionManager(
        store: sqlite, group: life.loop, rules: rules, providers: [FuzzedModel(self)],
        clock: RuntimeClock(now: { self.now }, instant: { self.now }),
        metrics: Metrics(store: sqlite.metrics), seed: lives, logger: Self.logger, taskExecutor: life.jobs
      ) { _ in life.hasFailed = true }
      life.manager = manager
      life.server = EmbeddedServer(
        manager: manager, limits: rules.limits, authentication: try Authentication(tokens: Self.tokens),
        cursorKey: [UInt8](repeating: 7, count: 32), seed: lives, logger: Self.logger)
      Task(executorPreference: life.jobs) {
        do {
          try await manager.recover()
          life.isReady = true
        } catch { life.hasFailed = true }
      }
    } catch { throw Finding("the store does not open: \(error)") }
    try settle()
    guard life.isReady else { throw Finding("the server does not come up") }
  }

  /// As a client of the corpora has them: two of a tenant, one of another, one for operators.
  private static let tokens = """
    tttttttttttttttttttttttttttttttt left
    uuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuu right
    vvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvv left admin
    """

  private static let logger: Logger = {
    var logger = Logger(label: "fuzz") { _ in SwiftLogNoOpLogHandler() }
    logger.logLevel = .critical
    return logger
  }()

  func restart(cut: Bool) throws(Finding) {
    end(cut: cut)
    try start()
  }

  /// Frees everything that the process held. Its last attempts reach neither disk nor network.
  func end(cut: Bool = false) {
    for index in clients.indices { hangUp(index) }
    if cut { simulated_disk_cut() } else { simulated_disk_kill() }
    life.sqlite?.vanish()
    if let manager = life.manager { Task(executorPreference: life.jobs) { await manager.stop() } }
    for timer in timers { timer.wake.resume() }
    timers = []
    for _ in 0..<Self.maximumRounds { guard work(writes: false) else { break } }
    life.loop.shutdownGracefully { _ in }
    life.manager = nil
    life.server = nil
    life.sqlite = nil
    life.reads = []
  }

  func checkDisk() throws(Finding) {
    let found: [String]
    do throws(StoreError) { found = try life.sqlite?.check() ?? ["no store"] } catch {
      throw Finding("the store cannot be checked: \(error)")
    }
    guard found.isEmpty else { throw Finding("the store is not whole: \(found.joined(separator: "; "))") }
  }

  // MARK: Steps

  func take(_ step: SessionScript.Step) throws(Finding) {
    switch step {
    case .send(let index, let bytes, let piece):
      let client = try connected(index)
      client?.send(withIDs(bytes), piece: piece)
    case .wait(let milliseconds): advance(Int64(milliseconds))
    case .hangUp(let index): hangUp(index)
    case .kill: try restart(cut: false)
    case .cut: try restart(cut: true)
    case .toggle(let index): clients[index]?.toggle()
    }
  }

  private func connected(_ index: Int) throws(Finding) -> FuzzedClient? {
    if let client = clients[index], !client.isClosed { return client }
    hangUp(index)
    guard let server = life.server else { return nil }
    clients[index] = FuzzedClient(server, life.loop, number: index, life: lives, door: door)
    return clients[index]
  }

  private func hangUp(_ index: Int) {
    clients[index]?.hangUp()
    clients[index] = nil
  }

  /// The bytes with ids in place of their marks.
  private func withIDs(_ bytes: [UInt8]) -> [UInt8] {
    guard bytes.count >= 16 else { return bytes }
    var out = bytes
    var at = 0
    while at + 16 <= out.count {
      guard out[at] == SessionScript.mark,
        out[at..<(at + SessionScript.markBytes)].allSatisfy({ $0 == SessionScript.mark }),
        let id = ids[Array(out[(at + SessionScript.markBytes)..<(at + 16)])]
      else {
        at += 1
        continue
      }
      out.replaceSubrange(at..<(at + 16), with: id)
      at += 16
    }
    return out
  }

  // MARK: Time

  func advance(_ milliseconds: Int64) {
    now += milliseconds
    life.loop.advanceTime(by: .milliseconds(milliseconds))
    let due = timers.filter { $0.at <= now }.sorted { ($0.at, $0.number) < ($1.at, $1.number) }
    timers.removeAll { $0.at <= now }
    for timer in due { timer.wake.resume() }
  }

  /// Returns after so much of the input's time, or when the task is cancelled.
  func wait(_ milliseconds: Int64) async throws {
    timerNumber += 1
    let wait = FuzzedWait()
    let timer = (at: now + milliseconds, number: timerNumber, wake: wait)
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        wait.park(continuation)
        timers.append(timer)
      }
    } onCancel: {
      wait.resume()
    }
    try Task.checkCancellation()
  }

  // MARK: Coming to rest

  /// Runs until nothing more happens by itself.
  func settle() throws(Finding) {
    for _ in 0..<Self.maximumRounds {
      let isBusy = work(writes: true)
      for client in clients {
        for (mark, id) in try client?.collect() ?? [] { ids[mark] = id }
      }
      if life.hasFailed { throw Finding("the store failed on a disk without a fault") }
      if !isBusy { return }
    }
    throw Finding("something goes on for ever")
  }

  /// One round of everything that waits; false: nothing waited.
  private func work(writes: Bool) -> Bool {
    life.loop.run()
    var isBusy = false
    while life.jobs.step() { isBusy = true }
    let reads = life.reads
    life.reads = []
    for read in reads {
      read()
      isBusy = true
    }
    if writes, life.sqlite?.step() == true { isBusy = true }
    life.loop.run()
    return isBusy
  }
}

/// A pause of the model.
// @unchecked: inputs are run one after the other, on one thread.
final class FuzzedWait: @unchecked Sendable {
  private var continuation: CheckedContinuation<Void, Never>?
  private var isOver = false

  func park(_ continuation: CheckedContinuation<Void, Never>) {
    if isOver { continuation.resume() } else { self.continuation = continuation }
  }

  func resume() {
    isOver = true
    continuation?.resume()
    continuation = nil
  }
}

/// Obeys the words of its input, so that a fuzz input decides about the model, too: `spawn_agent {…}` calls that
/// tool if there is one, `slow` and `stall` take their time, `fail` and `retry` fail, and anything else is repeated.
// @unchecked: inputs are run one after the other, on one thread.
final class FuzzedModel: ModelProvider, @unchecked Sendable {
  let name = "scripted"
  private unowned let server: FuzzedServer

  init(_ server: FuzzedServer) { self.server = server }

  func answer(_ request: ModelRequest, emit: @escaping @Sendable (ModelSignal) async -> Void) async throws {
    let words = Self.words(request)
    if request.isCompaction { return await emit(.text("A summary.")) }
    // After eight steps it has nothing more to ask.
    let called = request.items.suffix(16).count { if case .toolCall? = $0.kind { true } else { false } }
    if called < 8, let tool = request.tools.first(where: { words.hasPrefix($0.name) }) {
      let arguments = String(words.dropFirst(tool.name.count).drop { $0 == " " })
      return await emit(.toolCall(id: "c\(called)", name: tool.name, arguments: arguments, providerID: ""))
    }
    if words.hasPrefix("retry") {
      await emit(.text("cut off"))
      await emit(.retrying(attempt: 1, TurnError(reason: "model_failed", message: "again"), waitMilliseconds: 5))
      await emit(.asked)
    }
    if words.hasPrefix("fail") { throw ModelFailure(.modelFailed, "It failed.") }
    if words.hasPrefix("stall") { try await server.wait(10_000_000) }
    if words.hasPrefix("think") { await emit(.thought("hm")) }
    await emit(.text("It says "))
    if words.hasPrefix("slow") { try await server.wait(500) }
    await emit(.text(words))
    await emit(.usage(TokenUsage(inputTokens: 10, outputTokens: 5)))
  }

  /// The newest text of the input; nothing when the last thing was a tool's output.
  private static func words(_ request: ModelRequest) -> String {
    switch request.items.last?.kind {
    case .message(let message)?:
      for part in message.content { if case .text(let text)? = part.part { return text } }
      return ""
    case .agentMessage(let message)?:
      for part in message.content { if case .text(let text)? = part.part { return text } }
      return ""
    default: return ""
    }
  }
}
