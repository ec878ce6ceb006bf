// The ledger of the clients' requests and of the answers and events that they got: the server must keep all of it.

import HeddleCore
import HeddleProtocol

/// A thread as clients know it.
struct KnownThread {
  var tenant: String
  var root: ThreadID
  /// The number of the newest event that a client has seen, in an answer or as an event.
  var acknowledged: UInt64 = 0
  var isDeleted = false
  /// A client has asked for its deletion: it may be gone.
  var mayBeDeleted = false
  var turns: [TurnID] = []
  var revision: UInt64 = 1
  /// The life of the process in which the thread is ephemeral; nil: it is stored.
  var life: Int?
}

/// Text that one request brought.
struct Mark {
  enum Kind { case name, input, steered }
  var thread: ThreadID
  var kind: Kind
  /// Whether the answer said that it was done; nil: there is no answer.
  var isDone: Bool?
  var sequence: UInt64 = 0
}

/// The answer that the audit got.
enum Reply {
  case success([UInt8])
  case failure(WireError)
}

struct Ledger {
  var threads: [ThreadID: KnownThread] = [:]
  /// In the order in which they became known.
  var order: [ThreadID] = []
  /// Every event that any client has seen, by number.
  var events: [ThreadID: [UInt64: UInt64]] = [:]
  var marks: [String: Mark] = [:]
  var settings: [(thread: ThreadID, revision: UInt64, settings: Settings)] = []
  /// Whole events of ephemeral threads, which cannot be read back from a disk.
  var inMemory: [ThreadID: [UInt64: Event]] = [:]
  /// Changes with a key that were answered: sent again, they must be answered the same.
  var keyed: [Answered] = []
  var isAuditing = false
  var audited: Reply?
  var nextMark = 0
}

extension World {
  // MARK: Requests

  func nextCall(_ client: Client) -> Call? {
    let own = ledger.order.filter { ledger.threads[$0]?.tenant == client.tenant }
    if own.isEmpty || chance.percent(own.count < 3 ? 20 : 4) {
      return keyed(.threadStart(start()))
    }
    guard let thread = chance.pick(own) else { return nil }
    let turns = ledger.threads[thread]?.turns ?? []
    switch chance.below(100) {
    case 0..<26: return input(thread, .input)
    case 26..<32:
      guard let turn = turns.last else { return nil }
      let mark = mark(thread, .steered)
      return keyed(
        .turnSteer(SteerTurnRequest(thread: thread, turn: turn, input: Self.input(mark))), mark)
    case 32..<40: return update(thread)
    case 40..<46:
      let mark = mark(thread, .name)
      return keyed(.threadSetName(SetThreadNameRequest(thread: thread, name: mark)), mark)
    case 46..<58: return Call(request: .threadSubscribe(SubscribeRequest(thread: thread)))
    case 58..<63:
      guard let turn = turns.last else { return nil }
      return keyed(.turnInterrupt(InterruptTurnRequest(thread: thread, turn: turn)))
    case 63..<67:
      guard let turn = chance.pick(turns) else { return nil }
      return keyed(.turnCancelQueued(CancelQueuedTurnRequest(thread: thread, turn: turn)))
    case 67..<70:
      return keyed(.threadRollback(RollbackThreadRequest(thread: thread, turns: Int32(chance.within(1...2)))))
    case 70..<74:
      return fork(thread, turns)
    case 74..<77: return keyed(.threadCompact(CompactThreadRequest(thread: thread)))
    case 77: return keyed(.threadArchive(ArchiveThreadRequest(thread: thread)))
    case 78..<80: return keyed(.threadUnarchive(UnarchiveThreadRequest(thread: thread)))
    case 80:
      // A thread takes those below it along (T6); which they are, a client need not know.
      let root = ledger.threads[thread]?.root
      for other in ledger.order where ledger.threads[other]?.root == root {
        ledger.threads[other]?.mayBeDeleted = true
      }
      return keyed(.threadDelete(DeleteThreadRequest(thread: thread)))
    case 81..<84: return Call(request: .agentListTree(ListTreeRequest(thread: thread)))
    case 84: return keyed(.agentInterrupt(InterruptAgentRequest(thread: agent(of: thread))))
    case 85: return keyed(.agentClose(CloseAgentRequest(thread: agent(of: thread))))
    case 86..<89:
      return Call(request: .threadListItems(ListItemsRequest(thread: thread, pageSize: Int32(chance.within(1...9)))))
    case 89, 90: return Call(request: .threadList(ListThreadsRequest(pageSize: Int32(chance.within(1...5)))))
    case 91..<93: return Call(request: .settingsRead(ReadSettingsRequest(thread: thread)))
    case 93..<95: return foreignCall(client)
    default: return repeated(client)
    }
  }

  /// One of the tree's agents, if any is known.
  private func agent(of thread: ThreadID) -> ThreadID {
    chance.pick(agents[ledger.threads[thread]?.root ?? thread] ?? []) ?? thread
  }

  private func keyed(_ request: Request, _ mark: String = "") -> Call {
    Call(request: request, key: chance.percent(85) ? unusedKey() : nil, mark: mark)
  }

  /// Something that was answered, with the same key.
  private func repeated(_ client: Client) -> Call? {
    let own = ledger.keyed.filter { answered in
      guard let thread = Self.thread(answered.call.request) else { return false }
      return ledger.threads[thread]?.tenant == client.tenant && !mayBeGone(thread)
    }
    guard var call = chance.pick(own)?.call else { return nil }
    call.mark = "again"
    return call
  }

  private func start() -> StartThreadRequest {
    var start = StartThreadRequest(subscribe: chance.percent(30))
    if chance.percent(30) {
      start.tools = [ToolDefinition(name: "look", description: "Looks.", schema: "{\"type\":\"object\"}")]
      start.asksUser = chance.percent(50)
    }
    start.ephemeral = chance.percent(15)
    if chance.percent(40) { start.settings = SettingsChange(mode: mode()) }
    return start
  }

  private func mode() -> ModeSelection {
    ModeSelection(choice: .set(chance.percent(50) ? .proactive : .explicitRequestOnly))
  }

  private func update(_ thread: ThreadID) -> Call {
    let (change, fields) = anyChange()
    let known = ledger.threads[thread]?.revision ?? 1
    let expected = chance.percent(40) ? (chance.percent(70) ? known : known &- 1) : nil
    var call = keyed(
      .settingsUpdate(
        UpdateSettingsRequest(
          thread: thread, change: change, expectedRevision: expected, tools: chance.percent(30) ? tools() : nil)))
    call.fields = fields
    return call
  }

  private func fork(_ thread: ThreadID, _ turns: [TurnID]) -> Call {
    var call = keyed(
      .threadFork(
        ForkThreadRequest(
          thread: thread, lastTurn: chance.percent(50) ? chance.pick(turns) : nil,
          subscribe: chance.percent(30), tools: chance.percent(20) ? tools() : nil)))
    call.source = combinations.versions[thread]
    return call
  }

  /// None, one tool or two; a name that comes again has another description.
  private func tools() -> ToolSelection {
    let names = [[], ["look"], ["look", "listen"]][chance.below(3)]
    let set = names.map {
      ToolDefinition(name: $0, description: "Tool \(ledger.nextMark).", schema: "{\"type\":\"object\"}")
    }
    return ToolSelection(set: set, clear: set.isEmpty)
  }

  private func mark(_ thread: ThreadID, _ kind: Mark.Kind) -> String {
    ledger.nextMark += 1
    let text = "mark-\(ledger.nextMark)."
    ledger.marks[text] = Mark(thread: thread, kind: kind)
    return text
  }

  private func input(_ thread: ThreadID, _ kind: Mark.Kind) -> Call {
    let mark = mark(thread, kind)
    let when: WhenBusy = [.queue, .queue, .refuse, .steer][chance.below(4)]
    return keyed(.turnStart(StartTurnRequest(thread: thread, input: manyParts(mark), whenBusy: when)), mark)
  }

  private static func input(_ text: String) -> TurnInput { TurnInput(content: [ContentPart(part: .text(text))]) }

  /// The mark, and sometimes as many short parts behind it as a request can bring.
  private func manyParts(_ mark: String) -> TurnInput {
    var input = Self.input(mark)
    guard chance.below(24) == 0 else { return input }
    input.content += Array(repeating: ContentPart(part: .text("x")), count: chance.below(496))
    return input
  }

  static func thread(_ request: Request) -> ThreadID? {
    switch request {
    case .turnStart(let r): r.thread
    case .turnSteer(let r): r.thread
    case .settingsUpdate(let r): r.thread
    case .threadSetName(let r): r.thread
    case .turnInterrupt(let r): r.thread
    case .threadRollback(let r): r.thread
    case .threadCompact(let r): r.thread
    case .callAnswer(let r): r.thread
    default: nil
    }
  }

  /// The thread of a request whose answer names no event of the thread.
  private static func other(_ request: Request) -> ThreadID? {
    switch request {
    case .threadFork(let r): r.thread
    case .threadArchive(let r): r.thread
    case .threadUnarchive(let r): r.thread
    case .turnCancelQueued(let r): r.thread
    case .settingsRead(let r): r.thread
    case .threadListItems(let r): r.thread
    default: nil
    }
  }

  // MARK: Answers and events

  func answered(_ client: Client, _ answer: Answered) {
    count("answer.\(answer.call.request.method.path)")
    if answer.call.mark == "audit" { return ledger.audited = .success(answer.bytes) }
    if answer.call.isStrange { return compareStrange(client, answer.call, answer.bytes) }
    if answer.call.mark == "again" { return compare(answer) }
    checkFresh(answer)
    if let thread = Self.thread(answer.call.request) {
      acknowledge(thread, answer.sequence)
      if answer.call.key != nil, ledger.keyed.count < 50 { ledger.keyed.append(answer) }
    }
    var codec = Codec(limits: .trusted)
    switch answer.call.request {
    case .threadStart(let start):
      if let started = try? codec.decode(StartThreadResponse.self, answer.bytes) {
        if start.ephemeral { count("threads in memory") }
        know(started.thread?.id, client.tenant, answer.sequence, isEphemeral: start.ephemeral)
      }
    case .threadFork:
      if let forked = try? codec.decode(ForkThreadResponse.self, answer.bytes) {
        know(forked.thread?.id, client.tenant, answer.sequence)
        checkFork(forked.thread, answer.call)
      }
    case .threadDelete(let delete): ledger.threads[delete.thread]?.isDeleted = true
    case .turnStart(let start):
      guard let started = try? codec.decode(StartTurnResponse.self, answer.bytes) else { return }
      ledger.threads[start.thread]?.turns.append(started.turn)
      done(answer)
    case .turnSteer, .threadSetName: done(answer)
    case .settingsUpdate(let update): updated(update, answer, &codec)
    case .agentListTree:
      guard let tree = try? codec.decode(ListTreeResponse.self, answer.bytes), let root = tree.agents.first else {
        return
      }
      agents[root.thread] = tree.agents.dropFirst().map(\.thread)
      for agent in tree.agents { know(agent.thread, client.tenant, 0, root: root.thread) }
    default: break
    }
  }

  private func done(_ answer: Answered) {
    ledger.marks[answer.call.mark]?.isDone = true
    ledger.marks[answer.call.mark]?.sequence = answer.sequence
  }

  private func updated(_ update: UpdateSettingsRequest, _ answer: Answered, _ codec: inout Codec) {
    guard let updated = try? codec.decode(UpdateSettingsResponse.self, answer.bytes), let settings = updated.settings
    else {
      return violated("an answer to an update without settings")
    }
    checkUpdate(update, updated, answer.call)
    if let tools = update.tools, tools.set.map(\.name) != updated.tools {
      violated("S6: an update is answered with the tools \(updated.tools)")
    }
    if updated.changed { ledger.settings.append((update.thread, updated.revision, settings)) }
    let known = ledger.threads[update.thread]?.revision ?? 1
    ledger.threads[update.thread]?.revision = max(known, updated.revision)
  }

  private func compare(_ answer: Answered) {
    count("answers compared")
    guard let first = ledger.keyed.first(where: { $0.call.key == answer.call.key }) else { return }
    // Field 15, `replayed`, is the only difference.
    let wanted = first.bytes.suffix(2) == [120, 1] ? first.bytes : first.bytes + [120, 1]
    if answer.bytes != wanted {
      violated("E2: \(answer.call.request.method.path) with its key again is answered otherwise")
    }
  }

  func refused(_ client: Client, _ call: Call, _ error: WireError) {
    if call.mark == "audit" { return ledger.audited = .failure(error) }
    if call.isStrange {
      var codec = Codec(limits: .trusted)
      return compareStrange(client, call, codec.encode(error))
    }
    if error.reason == "idempotency_mismatch" {
      return violated("E2: \(call.request.method.path) with its own key is taken for another request")
    }
    if error.reason == "revision_mismatch" { for field in call.fields { count("settings stale.\(field)") } }
    if call.mark == "again" {
      // It may have been deleted since it was asked again.
      if let thread = Self.thread(call.request), mayBeGone(thread) { return }
      return violated("E2: \(call.request.method.path) was answered; with its key again it is refused: \(error.reason)")
    }
    // Refused: nothing has happened. But an earlier try of the same request may have been the one that was done and then
    // undone by others, so only a first try is certain.
    if call.attempts <= 1 { ledger.marks[call.mark]?.isDone = false }
    if let thread = Self.thread(call.request) ?? Self.other(call.request), error.reason == "thread" {
      if !mayBeGone(thread) { violated("D1: thread \(thread) was there and is not: \(call.request.method.path)") }
    }
  }

  /// A client has asked for its deletion, or it was ephemeral and has been idle, or the process has ended since.
  func mayBeGone(_ thread: ThreadID) -> Bool {
    guard let known = ledger.threads[thread] else { return true }
    return known.mayBeDeleted || known.life.map { $0 != lives || rules.limits.unloadMilliseconds < 60_000 } ?? false
  }

  func know(
    _ thread: ThreadID?, _ tenant: String, _ sequence: UInt64, root: ThreadID? = nil, isEphemeral: Bool = false
  ) {
    guard let thread else { return violated("an answer without its thread") }
    if ledger.threads[thread] == nil {
      ledger.threads[thread] = KnownThread(tenant: tenant, root: root ?? thread)
      if isEphemeral { ledger.threads[thread]?.life = lives }
      if let root, let above = ledger.threads[root] {
        ledger.threads[thread]?.mayBeDeleted = above.mayBeDeleted
        ledger.threads[thread]?.life = above.life
      }
      ledger.order.append(thread)
    }
    acknowledge(thread, sequence)
  }

  private func acknowledge(_ thread: ThreadID, _ sequence: UInt64) {
    guard let known = ledger.threads[thread] else { return }
    ledger.threads[thread]?.acknowledged = max(known.acknowledged, sequence)
  }

  /// An event is the same for every reader at all times (E).
  func saw(_ event: Event, of thread: ThreadID, _ bytes: [UInt8]) {
    count("event.\(event.kind.map(Self.name) ?? "none")")
    var hash = Digest()
    hash.add(bytes)
    if let before = ledger.events[thread]?[event.sequence] {
      if before != hash.value { violated("D2: event \(event.sequence) of thread \(thread) is not what it was") }
    } else {
      ledger.events[thread, default: [:]][event.sequence] = hash.value
    }
    if ledger.threads[thread]?.life != nil { ledger.inMemory[thread, default: [:]][event.sequence] = event }
    acknowledge(thread, event.sequence)
    if case .versionPinned(let pin)? = event.kind { learn(pin.version, of: thread) }
    if case .turnStarted(let started)? = event.kind, ledger.threads[thread]?.turns.contains(started.turn) == false {
      ledger.threads[thread]?.turns.append(started.turn)
    }
  }

  static func name(_ kind: Event.Kind) -> String {
    String(String(describing: kind).prefix { $0 != "(" })
  }
}
