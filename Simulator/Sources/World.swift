// One run: a server, a few clients, a disk, a network and a model, in one thread, from one seed. A phase with faults, a
// phase without, in which everything that was begun must end, then a power cut, a fresh start, and the audit.

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

/// The end of a run that found something.
struct Violation: Error { let text: String }

/// One life of the server's process.
// @unchecked: a simulation has one thread.
final class Life: @unchecked Sendable {
  let loop = EmbeddedEventLoop()
  let jobs = JobQueue()
  var reads: [@Sendable () -> Void] = []
  var firstRead = 0
  var sqlite: SQLiteStore?
  var store: SimulatedStore?
  var manager: SessionManager?
  var server: EmbeddedServer?
  var isReady = false
  /// The process is gone or going: nothing it does counts.
  var isDead = false
  var hasFailed = false
}

// @unchecked: a simulation has one thread.
final class World: @unchecked Sendable {
  let seed: UInt64
  let plant: Plant?
  var chance: Chance
  var digest = Digest()
  private(set) var now: Int64 = 1_700_000_000_000
  /// The difference of the wall clock from it (D10).
  private var wallOffset: Int64 = 0
  private(set) var faulty = true
  private(set) var violation: String?
  private(set) var counts: [String: Int] = [:]
  private(set) var life = Life()
  private(set) var lives = 0
  private var clients: [Client] = []
  private var timers: [(at: Int64, number: Int, resume: @Sendable () -> Void)] = []
  private var timerNumber = 0
  private let steps: Int
  var rules: ServerRules
  /// Clients come in with tokens that end while they work.
  let tokensEnd: Bool
  private let authentication: Authentication
  /// The larger, the rarer are faults.
  private let faultEvery: Int
  /// How many of a hundred reads fail, while there are faults.
  private let readFailures: Int
  private let logger: Logger
  var ledger = Ledger()
  var combinations = Combinations()
  /// Agents of a tree that the model has seen: for its choice of a target.
  var agents: [ThreadID: [ThreadID]] = [:]

  static let disk = "heddle-simulated"

  init(seed: UInt64, steps: Int, plant: Plant?, authentication: Authentication) {
    self.authentication = authentication
    self.seed = seed
    self.steps = steps
    self.plant = plant
    chance = Chance(seed: seed)
    var logger = Logger(label: "simulated") { _ in SwiftLogNoOpLogHandler() }
    logger.logLevel = .critical
    self.logger = logger
    var rules = ServerRules()
    rules.features = Features(
      multiAgent: true, multiAgentV2: chance.percent(60), multiAgentMode: chance.percent(50))
    rules.limits.modelIdleMilliseconds = 60_000
    rules.limits.unloadMilliseconds = chance.percent(50) ? 2_000 : 1_800_000
    rules.limits.clientToolMilliseconds = 5_000
    rules.limits.userInputMilliseconds = 5_000
    rules.limits.agentsRunningV2 = chance.within(2...4)
    rules.limits.agentsOpenV1 = chance.within(1...4)
    rules.limits.outgoingBytes = 64 * 1024
    rules.limits.queuedTurns = chance.within(1...4)
    // So few that those of one tree push each other out.
    if chance.percent(33) { rules.limits.loadedThreads = chance.within(1...4) }
    if chance.percent(33) { rules.limits.waitingWriteBytes = chance.within(1...16) * 1_024 }
    if chance.percent(33) { rules.limits.contextBytes = chance.within(1...16) * 1_024 }
    if chance.percent(33) { rules.limits.runningTurnsPerTenant = chance.within(1...4) }
    if chance.percent(33) { rules.limits.ephemeralBytes = chance.within(2...8) * 8 * 1_024 }
    if chance.percent(25) {
      rules.limits.connectionAgeMilliseconds = Int64(chance.within(2...20)) * 1_000
      rules.limits.connectionGraceMilliseconds = Int64(chance.within(1...4)) * 1_000
    }
    self.rules = rules
    readFailures = chance.percent(33) ? chance.within(1...10) : 0
    tokensEnd = chance.percent(50)
    let count = chance.within(2...4)
    faultEvery = [150, 600, 2_400, 10_000][chance.below(4)]
    simulated_disk_reset(chance.next())
    clients = (0..<count).map { number in
      let door = chance.below(10)
      return Client(self, number: number, door: door < 6 ? .frames : door < 9 ? .grpc : .http)
    }
  }

  // MARK: Notes

  /// For a person who looks into a finding.
  var traces = false

  func trace(_ text: @autoclosure () -> String) {
    if traces { print("\(now - 1_700_000_000_000) \(text())") }
  }

  func count(_ name: String, _ number: Int = 1) { counts[name, default: 0] += number }

  func violated(_ text: String) {
    if violation == nil { violation = text }
  }

  // MARK: Time

  /// Returns after so much simulated time, or when the task is cancelled.
  func wait(_ milliseconds: Int64) async throws {
    timerNumber += 1
    let number = timerNumber
    let at = now + milliseconds
    let waiter = Waiting()
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        waiter.park(continuation)
        timers.append((at, number, { waiter.resume() }))
      }
    } onCancel: {
      waiter.resume()
    }
    try Task.checkCancellation()
  }

  // @unchecked: a simulation has one thread.
  private final class Waiting: @unchecked Sendable {
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

  private func advance(_ milliseconds: Int64) {
    now += milliseconds
    life.loop.advanceTime(by: .milliseconds(milliseconds))
    let due = timers.filter { $0.at <= now }.sorted { ($0.at, $0.number) < ($1.at, $1.number) }
    timers.removeAll { $0.at <= now }
    for timer in due { timer.resume() }
  }

  // MARK: The server's lives

  func connect(address: String, door: Link.Door) -> Link? {
    guard life.isReady, !life.isDead, let server = life.server else { return nil }
    return Link(server, life.loop, address: address, door: door)
  }

  private func start() throws {
    let life = Life()
    self.life = life
    if lives > 0 { changeCatalog() }
    // The power may go while the server comes up, again and again.
    if faulty, chance.percent(20) { simulated_disk_cut_after(Int64(chance.within(1...60))) }
    do {
      simulated_disk_renew("heddle.db-wal")
      let sqlite = try SQLiteStore(simulated: Self.disk, node: NodeID(high: seed, low: 1))
      life.sqlite = sqlite
      // Audits the disk before anything else changes it.
      try auditDisk(sqlite)
      let store = try SimulatedStore(
        sqlite, plant: plant, life: lives, reads: .by { life.reads.append($0) }
      ) { [unowned self] in
        readFails()
      } violated: {
        [unowned self] in
        violated($0)
      }
      life.store = store
      let manager = SessionManager(
        store: store, group: life.loop, rules: rules,
        providers: [SimulatedModel(self, concurrency: chance.within(0...3))],
        clock: RuntimeClock(now: { self.now + self.wallOffset }, instant: { self.now }),
        metrics: Metrics(store: store.metrics), seed: chance.next(), logger: logger, taskExecutor: life.jobs
      ) { _ in life.hasFailed = true }
      life.manager = manager
      life.server = EmbeddedServer(
        manager: manager, limits: rules.limits, authentication: authentication,
        cursorKey: [UInt8](repeating: 7, count: 32), seed: chance.next(), logger: logger)
      Task(executorPreference: life.jobs) {
        do {
          try await manager.recover()
          life.isReady = true
        } catch { life.hasFailed = true }
      }
      lives += 1
    } catch {
      if simulated_disk_is_off() != 0 {
        count("fault.cut at the start")
        return die(cut: true)
      }
      if let violation = error as? Violation { throw violation }
      throw Violation(text: "D5: the store does not open again: \(error)")
    }
  }

  /// The process ends at once; with `cut`, the machine with it.
  private func die(cut: Bool) {
    guard !life.isDead else { return }
    count(cut ? "fault.power cut" : "fault.kill")
    trace(cut ? "power cut" : "kill")
    life.isDead = true
    simulated_disk_set_faults(diskFaults(errors: false))
    if cut { simulated_disk_cut() } else { simulated_disk_kill() }
    for client in clients where client.link != nil { client.disconnected() }
    bury(life)
  }

  /// Frees everything that the life held. Its last attempts reach neither disk nor network.
  private func bury(_ life: Life) {
    life.sqlite?.vanish()
    life.reads.removeFirst(life.firstRead)
    life.firstRead = 0
    if let manager = life.manager {
      Task(executorPreference: life.jobs) { await manager.stop() }
    }
    for timer in timers { timer.resume() }
    timers = []
    for _ in 0..<10_000 {
      while life.store?.hasUntold == true { life.store?.tell() }
      life.loop.run()
      let reads = life.reads
      life.reads = []
      for read in reads { read() }
      // Tasks that waited for the reads go on, and may read again.
      life.loop.run()
      guard !life.jobs.isEmpty || !life.reads.isEmpty || life.store?.hasUntold == true else { break }
      while life.jobs.step() {}
    }
    // Work that the loop still holds looks for the manager, so the loop goes first.
    life.loop.shutdownGracefully { _ in }
    life.manager = nil
    life.server = nil
    life.store?.close()
    life.store = nil
    life.sqlite = nil
  }

  private func readFails() -> Bool {
    guard faulty, readFailures > 0, chance.percent(readFailures) else { return false }
    count("fault.read")
    return true
  }

  private func diskFaults(errors: Bool) -> simulated_disk_faults {
    var faults = simulated_disk_faults()
    faults.keeps = UInt32(chance.below(1_000_001))
    faults.tears = UInt32(chance.below(1_000_001 - Int(faults.keeps)))
    faults.trashes = UInt32(chance.below(1_000_001 - Int(faults.keeps) - Int(faults.tears)))
    if errors, chance.percent(20) { faults.write_error = 2_000 }
    if errors, chance.percent(20) { faults.sync_error = 20_000 }
    if errors, chance.percent(20) { faults.disk_full = 5_000 }
    if errors, chance.percent(20) { faults.read_error = 50_000 }
    faults.ignores_syncs = plant == .lyingDisk ? 1 : 0
    return faults
  }

  // MARK: Steps

  /// Everything that the server has to do right now, one thing of it.
  private func serverStep() {
    switch chance.below(5) {
    case 0: _ = life.sqlite?.step()
    case 4: life.store?.tell()
    case 1: _ = life.jobs.step()
    case 2:
      if life.firstRead < life.reads.count {
        let read = life.reads[life.firstRead]
        life.firstRead += 1
        if life.firstRead == life.reads.count {
          life.reads = []
          life.firstRead = 0
        }
        read()
      }
    default: life.loop.run()
    }
    for client in clients { client.link?.collect() }
  }

  private func networkStep() {
    guard let client = chance.pick(clients), let link = client.link else { return }
    link.deliver(chance.percent(70) ? 4_096 : chance.within(1...64))
    let bytes = link.arrived(chance.percent(70) ? 65_536 : chance.within(1...64))
    if !bytes.isEmpty { client.receive(bytes) }
    link.collect()
    if link.isClosed, link.toClient.isEmpty { client.disconnected() }
  }

  private func faultStep() throws {
    switch chance.below(faultEvery) {
    case 0: die(cut: true)
    case 1, 10, 11:
      count("fault.cut in a write")
      simulated_disk_cut_after(Int64(chance.within(1...40)))
    case 2: die(cut: false)
    case 3...5:
      if let client = chance.pick(clients), client.link != nil {
        count("fault.reset")
        client.disconnected()
      }
    case 6, 7:
      if let link = chance.pick(clients)?.link {
        count("fault.deaf")
        if chance.percent(50) { link.serverIsDeaf.toggle() } else { link.clientIsDeaf.toggle() }
      }
    case 8:
      count("fault.disk")
      simulated_disk_set_faults(diskFaults(errors: true))
    case 9:
      count("fault.garbage")
      if let link = chance.pick(clients)?.link { link.toServer += chance.bytes16() }
    case 12:
      // Only the end of a token is compared with the wall clock, and checks of it use that clock too.
      guard !tokensEnd else { break }
      count("fault.clock")
      wallOffset = Int64(chance.within(0...2) - 1) * 86_400_000 + Int64(chance.within(-5_000...5_000))
    default: break
    }
  }

  private func step(mayAsk: Bool) throws {
    if life.isDead || life.hasFailed {
      if life.hasFailed, !life.isDead {
        // As the process does: it ends, and is started again (durability.md D8).
        count("fault.storage failed")
        die(cut: false)
      }
      try start()
      return
    }
    if faulty { try faultStep() }
    guard !life.isDead else { return }
    switch chance.below(10) {
    case 0...4: serverStep()
    case 5...7: networkStep()
    case 8:
      if let client = chance.pick(clients) { client.act(mayAsk: mayAsk) }
    default: advance(Int64(chance.percent(5) ? chance.within(100...3_000) : chance.within(0...20)))
    }
    // A cut in the middle of a write: its result for the process does not matter any more.
    if simulated_disk_is_off() != 0 { die(cut: true) }
    if let violation { throw Violation(text: violation) }
  }

  // MARK: The run

  func run(tells: Bool = false) throws {
    traces = tells
    defer {
      if tells { tell() }
      if !life.isDead { die(cut: false) }
      collectCounts()
    }
    try start()
    for _ in 0..<steps { try step(mayAsk: true) }
    faulty = false
    simulated_disk_set_faults(diskFaults(errors: false))
    for client in clients {
      client.link?.serverIsDeaf = false
      client.link?.clientIsDeaf = false
    }
    try settle("after the faults")
    try auditThreadsInMemory()
    // Everything that was acknowledged is on disk, whatever the power does.
    die(cut: true)
    try start()
    try settle("after the last power cut")
    try audit()
  }

  private func collectCounts() {
    let disk = simulated_disk_count()
    for (name, number) in [
      ("disk.writes", disk.writes), ("disk.syncs", disk.syncs), ("disk.EIO at a write", disk.write_errors),
      ("disk.EIO at a sync", disk.sync_errors), ("disk.EIO at a read", disk.read_errors), ("disk.ENOSPC", disk.full),
      ("disk.kept", disk.kept),
      ("disk.dropped", disk.dropped), ("disk.torn", disk.torn), ("disk.trashed", disk.trashed),
    ] { count(name, Int(clamping: number)) }
  }

  /// Liveness: without faults everything that was begun comes to an end.
  private func settle(_ when: String) throws {
    var waited = false
    for round in 0..<40_000 {
      try step(mayAsk: false)
      if round % 50 == 0 { advance(100) }
      guard round % 20 == 0, life.isReady, !life.isDead else { continue }
      // Work that others have handed to the loop is nowhere else.
      life.loop.run()
      guard clients.allSatisfy(\.isIdle), isQuiet, lacking == nil, let manager = life.manager else { continue }
      if let taken = manager.taken(followers: clients.reduce(0) { $0 + $1.subscriptions }).first {
        throw Violation(text: "TurnPermits.P1, AgentTree.G1, T5: at rest \(taken)")
      }
      if manager.treesOfNothing == 0 { return }
      // They go when threads are looked through for idle ones.
      if waited {
        throw Violation(text: "T5: \(manager.treesOfNothing) trees are kept of which nothing is loaded")
      }
      waited = true
      advance(60_000)
    }
    throw Violation(text: "liveness: \(when) something never ends: \(whatGoesOn)")
  }

  private var isQuiet: Bool {
    guard let manager = life.manager else { return false }
    return manager.metrics.turnsRunning == 0 && life.jobs.isEmpty && life.reads.isEmpty && life.sqlite?.step() == false
      && life.store?.hasUntold == false
      && ((try? life.sqlite?.active(in: .all).isEmpty) ?? nil) ?? false
  }

  /// A subscription that has not got everything, and its missing events.
  private var lacking: String? {
    for client in clients {
      guard let following = client.lacking(head: newest) else { continue }
      return "E: client \(client.number) has events up to \(following.cursor) of thread \(following.thread), which has "
        + "\(newest(following.thread)), believes it \(following.status.map { "\($0)" } ?? "unknown"), credit "
        + "\(following.credit.map { "\($0)" } ?? "without bound")"
    }
    return nil
  }

  /// The number of a thread's last event: on disk, or, of an ephemeral thread, the last that a client has seen.
  private func newest(_ thread: ThreadID) -> UInt64 {
    guard let known = ledger.threads[thread] else { return 0 }
    return max(known.acknowledged, (try? life.sqlite?.row(thread, tenant: known.tenant)?.sequence) ?? 0)
  }

  private var whatGoesOn: String {
    let busy =
      clients.filter { !$0.isIdle }.map { "client \($0.number) waits for \($0.waitsFor)" } + [lacking].compactMap { $0 }
    let active = (try? life.sqlite?.active(in: .all).map(\.id.description)) ?? nil
    return
      (busy + [
        "running: \(life.manager?.metrics.turnsRunning ?? -1)", "active: \(active ?? [])", "time: \(now)",
        "ready: \(life.isReady)", "reads: \(life.reads.count)",
      ]).joined(
        separator: ", ")
  }

  /// Asks through a connection of its own and waits for the answer.
  func ask(_ request: Request, tenant: String) throws -> Reply {
    guard let auditor = clients.first(where: { $0.tenant == tenant }) else { throw Violation(text: "no client") }
    ledger.audited = nil
    ledger.isAuditing = true
    defer { ledger.isAuditing = false }
    var asked: Link?
    for _ in 0..<40_000 {
      if let found = ledger.audited { return found }
      // Its token may have ended meanwhile: the next connection is asked again.
      if !auditor.isConnected {
        auditor.act(mayAsk: false)
      } else if asked !== auditor.link {
        asked = auditor.link
        auditor.send(Call(request: request, mark: "audit"))
      }
      try step(mayAsk: false)
    }
    throw Violation(text: "liveness: \(request.method.path) is never answered")
  }
}
