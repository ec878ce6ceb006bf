// The real store on the simulated disk, with room in front of it for planted bugs.

import CSimulatedDisk
import HeddleCore
import HeddleMetrics
import HeddleProtocol
import HeddleSQLite
import HeddleStorage

// @unchecked: a simulation has one thread.
final class SimulatedStore: Store, StoreReader, StoreHealth, @unchecked Sendable {
  let sqlite: SQLiteStore
  private let plant: Plant?
  /// How often this store was opened before: some bugs show only after a restart.
  private let life: Int
  /// Whether a read fails now; a later try may succeed.
  private let readFails: () -> Bool
  private let violated: (String) -> Void
  private let pool: ReadPool
  private var noticed: (@Sendable (StoreNotice) -> Void)?
  private var isReadOnly = false
  private var calls: UInt64 = 0
  /// Completions of writes that have not been called yet, in order: other reads can see the data before that.
  private var untold: [() -> Void] = []

  init(
    _ sqlite: SQLiteStore, plant: Plant?, life: Int, reads: ReadExecution, readFails: @escaping () -> Bool,
    violated: @escaping (String) -> Void
  ) throws(StoreError) {
    self.sqlite = sqlite
    pool = try ReadPool(reads, sqlite.metrics)
    self.plant = plant
    self.life = life
    self.readFails = readFails
    self.violated = violated
  }

  private func mayFail() throws(StoreError) {
    if readFails() { throw .unreadable("the simulated disk") }
  }

  var hasUntold: Bool { !untold.isEmpty }

  /// Tells of the write that ended first.
  func tell() {
    if !untold.isEmpty { untold.removeFirst()() }
  }

  /// Every third time.
  private var strikes: Bool {
    calls += 1
    return calls % 3 == 0
  }

  var node: NodeID { sqlite.node }
  var metrics: StoreMetrics { sqlite.metrics }
  /// Drops the listener for notices, and nothing else: a process that is killed closes nothing.
  func close() { noticed = nil }

  // MARK: Health

  var health: any StoreHealth { self }

  func listen(_ tell: @escaping @Sendable (StoreNotice) -> Void) { noticed = tell }

  func becameReadOnly() {
    simulated_disk_set_capacity(0)
    isReadOnly = true
  }

  func look() {
    guard isReadOnly else { return }
    isReadOnly = false
    pool.submit { self.noticed?(.writable) }
  }

  // MARK: Writing

  func submit(
    _ mutations: [Mutation], lane: WriteLane, completion told: @escaping @Sendable (Result<Void, StoreError>) -> Void
  ) {
    let completion: @Sendable (Result<Void, StoreError>) -> Void = { result in self.untold.append { told(result) } }
    let mutations = plant == .halvesApart ? mutations.flatMap(Self.halves) : mutations
    for mutation in mutations {
      checkWhole(mutation)
      checkReadable(mutation)
    }
    switch plant {
    case .ackBeforeSync:
      sqlite.submit(mutations, lane: lane) { _ in }
      completion(.success(()))
    case .failureHidden: sqlite.submit(mutations, lane: lane) { _ in completion(.success(())) }
    case .tombstoneIgnored:
      let kept = mutations.map { mutation in
        Mutation(mutation.writes.filter { if case .delete = $0 { false } else { true } })
      }
      sqlite.submit(kept, lane: lane, completion: completion)
    case .forkCutShort: sqlite.submit(mutations.map(Self.cut), lane: lane, completion: completion)
    default: sqlite.submit(mutations, lane: lane, completion: completion)
    }
  }

  /// A change of two threads is one mutation, which happens as a whole or not at all: a message leaves its sender's outbox
  /// with the event that puts it into its receiver's mailbox (A5), an agent begins with its parent's event about it (A1).
  private func checkWhole(_ mutation: Mutation) {
    var codec = Codec(limits: .trusted)
    var taken: Set<ItemID> = []
    var given: Set<ItemID> = []
    var born: Set<ThreadID> = []
    var told: Set<ThreadID> = []
    for case .events(let thread, let stored) in mutation.writes {
      for stored in stored {
        switch (try? codec.decodeTrusted(Event.self, stored.payload))?.kind {
        case .mailReceived(let received)?:
          if let mail = received.mail, mail.kind == .finalAnswer || mail.kind == .notification { given.insert(mail.id) }
        case .mailDelivered(let delivered)?: taken.insert(delivered.mail)
        case .threadCreated(let created)? where created.lineage?.source == .agent: born.insert(thread)
        case .agentActivity(let activity)? where activity.kind == .spawned: told.insert(activity.agent)
        default: break
        }
      }
    }
    if let mail = given.subtracting(taken).min() {
      violated("A5: message \(mail) is given but not taken in one mutation")
    }
    if let agent = born.subtracting(told).min() {
      violated("A1: agent \(agent) begins in a mutation without its parent")
    }
  }

  /// Records that are written can be read, and are equal to the written ones (D1). With a stranger's limits, as the server reads:
  /// only `decodeTrusted` lifts them.
  private func checkReadable(_ mutation: Mutation) {
    var codec = Codec()
    for write in mutation.writes {
      do throws(DecodeError) {
        switch write {
        case .events(_, let stored): for stored in stored { try comesBack(Event.self, stored.payload, &codec) }
        case .snapshot(_, _, let record): try comesBack(ThreadRecord.self, record, &codec)
        case .turn(_, _, _, let turn): try comesBack(Turn.self, turn, &codec)
        case .thread, .key, .feature, .delete: break
        }
      } catch {
        violated("D1: a record is written that cannot be read: \(error)")
      }
    }
  }

  private func comesBack<M: WireMessage>(_ type: M.Type, _ bytes: [UInt8], _ codec: inout Codec) throws(DecodeError) {
    if codec.encode(try codec.decodeTrusted(type, bytes)) != bytes {
      violated("D1: a record is written that says something else when it is read: \(type)")
    }
  }

  /// Each thread's writes by themselves.
  private static func halves(_ mutation: Mutation) -> [Mutation] {
    var threads: [ThreadID] = []
    var parts: [ThreadID: [StoreWrite]] = [:]
    for write in mutation.writes {
      guard let thread = Self.thread(write) else { return [mutation] }
      if parts[thread] == nil { threads.append(thread) }
      parts[thread, default: []].append(write)
    }
    return threads.map { Mutation(parts[$0] ?? []) }
  }

  private static func thread(_ write: StoreWrite) -> ThreadID? {
    switch write {
    case .events(let thread, _): thread
    case .thread(let row): row.id
    case .snapshot(let thread, _, _): thread
    case .turn(let thread, _, _, _): thread
    case .key, .feature, .delete: nil
    }
  }

  private static func cut(_ mutation: Mutation) -> Mutation {
    Mutation(
      mutation.writes.map { write in
        guard case .thread(var row) = write, let last = row.segments.last, last.lastSequence > 2 else { return write }
        row.segments[row.segments.count - 1].lastSequence -= 1
        return .thread(row)
      })
  }

  // MARK: Loading

  func load(_ thread: ThreadID, tenant: String) throws(StoreError) -> LoadedThread? {
    try mayFail()
    let other = tenant == "left" ? "right" : "left"
    var found = try sqlite.load(thread, tenant: tenant)
    if found == nil, plant == .tenantNotChecked { found = try sqlite.load(thread, tenant: other) }
    if plant == .tenantNotChecked { found?.row.tenant = tenant }
    guard var loaded = found, let plant, life > 0 || plant == .tenantNotChecked else { return found }
    if plant == .tailNotRead {
      loaded.tail = []
      return loaded
    }
    var codec = Codec(limits: .trusted)
    guard let snapshot = loaded.snapshot, let stored = try? codec.decodeTrusted(ThreadRecord.self, snapshot) else {
      return loaded
    }
    var record = stored
    for event in loaded.tail {
      if let event = try? codec.decodeTrusted(Event.self, event.payload) { record.apply(event) }
    }
    guard Self.spoil(&record, plant) else { return loaded }
    loaded.snapshot = codec.encode(record)
    loaded.tail = []
    return loaded
  }

  /// False: this bug is not one of loading.
  private static func spoil(_ record: inout ThreadRecord, _ plant: Plant) -> Bool {
    switch plant {
    case .versionForgotten:
      record.version = .unspecified
      record.versionSource = .unspecified
    case .selectionFromEffective: record.settings?.mode = record.baseline?.effectiveMode
    case .baselineForgotten: record.baseline = nil
    case .mailLost: record.mailbox = []
    case .outboxLost: record.outbox = []
    case .queueLost: record.queue = []
    case .runningTurnForgotten: record.running = nil
    case .snapshotAhead: record.sequence += 1
    case .rollbackForgotten: record.hiddenTurns = []
    case .toolsForgotten: record.tools = []
    case .settingsForgotten: record.settings?.developerInstructions = nil
    default: return false
    }
    return true
  }

  // MARK: Reading

  func read<Value: Sendable>(
    _ lane: ReadLane, _ work: @escaping @Sendable (any StoreReader, inout Codec) throws(StoreError) -> Value,
    completion: @escaping @Sendable (Result<Value, StoreError>) -> Void
  ) {
    pool.read(lane, from: self, work, completion: completion)
  }

  func row(_ thread: ThreadID, tenant: String) throws(StoreError) -> ThreadRow? {
    try mayFail()
    let found = try sqlite.row(thread, tenant: tenant)
    guard found == nil, plant == .rowOfAnotherTenant else { return found }
    return try sqlite.row(thread, tenant: tenant == "left" ? "right" : "left")
  }

  func events(_ thread: ThreadID, after: UInt64, limit: Int, bytes: Int) throws(StoreError) -> [StoredEvent] {
    try mayFail()
    switch plant {
    case .resumeOffByOne where after > 0: return try sqlite.events(thread, after: after + 1, limit: limit, bytes: bytes)
    case .resumeRepeats where after > 0: return try sqlite.events(thread, after: after - 1, limit: limit, bytes: bytes)
    case .eventDroppedForSlow:
      var found = try sqlite.events(thread, after: after, limit: limit, bytes: bytes)
      if found.count > 2, strikes { found.remove(at: 1) }
      return found
    default: return try sqlite.events(thread, after: after, limit: limit, bytes: bytes)
    }
  }

  func events(
    _ thread: ThreadID, kinds: [UInt8], from: UInt64, backwards: Bool, ordinal: UInt64?, hidden: [TurnRange], limit: Int
  ) throws(StoreError) -> [StoredEvent] {
    try mayFail()
    var found = try sqlite.events(
      thread, kinds: kinds, from: from, backwards: backwards, ordinal: ordinal, hidden: hidden, limit: limit)
    if plant == .listSkips, limit < .max, found.count > 2 { found.remove(at: 1) }
    return found
  }

  func turns(
    _ thread: ThreadID, from: UInt64, backwards: Bool, hidden: [TurnRange], limit: Int
  ) throws(StoreError) -> [(ordinal: UInt64, payload: [UInt8])] {
    try mayFail()
    return try sqlite.turns(thread, from: from, backwards: backwards, hidden: hidden, limit: limit)
  }

  func turn(_ thread: ThreadID, id: TurnID) throws(StoreError) -> (ordinal: UInt64, payload: [UInt8])? {
    try mayFail()
    return try sqlite.turn(thread, id: id)
  }

  func turn(_ thread: ThreadID, ordinal: UInt64) throws(StoreError) -> [UInt8]? {
    try mayFail()
    return try sqlite.turn(thread, ordinal: ordinal)
  }

  func list(tenant: String, filter: ThreadFilter, after: ListPosition?, limit: Int) throws(StoreError) -> ThreadPage {
    try mayFail()
    return try sqlite.list(tenant: tenant, filter: filter, after: after, limit: limit)
  }

  func tree(root: ThreadID, tenant: String) throws(StoreError) -> [ThreadRow] {
    try mayFail()
    return try sqlite.tree(root: root, tenant: tenant)
  }

  func active(in slots: SlotSet) throws(StoreError) -> [ThreadRow] { try sqlite.active(in: slots) }
  func strays(in slots: SlotSet) throws(StoreError) -> [(thread: ThreadID, root: ThreadID)] {
    try sqlite.strays(in: slots)
  }
  func features() throws(StoreError) -> [String: Bool] { try sqlite.features() }

  func key(_ key: IdempotencyKey, tenant: String) throws(StoreError) -> KeyRecord? {
    try mayFail()
    if plant == .keysForgotten { return nil }
    var found = try sqlite.key(key, tenant: tenant)
    // The answer of something that happened before.
    if plant == .wrongAnswerForKey { found?.response = [8, 1] }
    return found
  }
}
