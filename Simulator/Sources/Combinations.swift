// Combinations that a client comes to rarely: keys that nearly equal others (rules.md E2), another tenant's thread in every
// method (attacks.md M2), and the version of a fork beside its source's, whatever the catalog says by now (V3).

import HeddleCore
import HeddleProtocol

/// A method that was called with a thread that the client must not know of, and the door by which.
struct StrangeCall: Hashable {
  let method: Method
  let door: Link.Door
}

/// The part of a run that these look at.
struct Combinations {
  /// Every key that was ever used.
  var keys: Set<IdempotencyKey> = []
  var keysInOrder: [IdempotencyKey] = []
  /// Each method's answer for a thread that the client must not know of.
  var strange: [StrangeCall: [UInt8]] = [:]
  /// The version of a thread, from the first answer or event that contains it.
  var versions: [ThreadID: PinnedVersion] = [:]
  /// The number of the catalog, of all that the server has had.
  var catalog = 0
}

/// A thread's version, and the catalog that the server had when a client first saw the version.
struct PinnedVersion {
  var version: MultiAgentVersion
  var catalog: Int
}

extension World {
  // MARK: Nearly equal keys

  /// An unused key; every fifth differs in one bit from a used one.
  func unusedKey() -> IdempotencyKey {
    var key = IdempotencyKey(high: chance.next(), low: chance.next())
    if chance.percent(20), let used = chance.pick(combinations.keysInOrder) {
      let bit = chance.below(128)
      let near = IdempotencyKey(
        high: bit < 64 ? used.high ^ (1 << UInt64(bit)) : used.high,
        low: bit < 64 ? used.low : used.low ^ (1 << UInt64(bit - 64)))
      if !combinations.keys.contains(near) {
        count("keys nearly equal")
        key = near
      }
    }
    combinations.keys.insert(key)
    combinations.keysInOrder.append(key)
    return key
  }

  /// A key that was never used before finds no earlier answer (E2).
  func checkFresh(_ answer: Answered) {
    guard answer.call.key != nil, answer.call.attempts == 1, Self.isReplayed(answer.bytes) else { return }
    violated("E2: \(answer.call.request.method.path) with a new key gets the answer of another request")
  }

  /// Field 15 of an answer to a change.
  private static func isReplayed(_ bytes: [UInt8]) -> Bool {
    var place = 0
    func number() -> UInt64 {
      var value: UInt64 = 0
      var shift: UInt64 = 0
      while place < bytes.count, shift < 64 {
        let byte = bytes[place]
        place += 1
        value |= UInt64(byte & 0x7F) << shift
        if byte & 0x80 == 0 { break }
        shift += 7
      }
      return value
    }
    while place < bytes.count {
      let tag = number()
      switch tag & 7 {
      case 0:
        let value = number()
        if tag == 15 << 3 { return value != 0 }
      case 1: place += 8
      case 2: place += Int(clamping: number())
      case 5: place += 4
      default: return false
      }
    }
    return false
  }

  // MARK: Another tenant's thread

  /// A request for another tenant's thread or for a missing one, by any method of the schema.
  func foreignCall(_ client: Client) -> Call? {
    let foreign = ledger.order.filter { ledger.threads[$0]?.tenant != client.tenant }
    guard let thread = chance.pick(foreign), let method = chance.pick(Self.methodsOnThreads) else { return nil }
    let turn = chance.pick(ledger.threads[thread]?.turns ?? []) ?? TurnID(high: 1, low: 1)
    let nobody = ThreadID(high: chance.next(), low: chance.next())
    let none = TurnID(high: chance.next(), low: chance.next())
    guard let asked = Self.request(method, thread, turn), let twin = Self.request(method, nobody, none) else {
      return nil
    }
    client.again.append(Call(request: twin, mark: "unknown"))
    return Call(request: asked, mark: "foreign")
  }

  static let methodsOnThreads = Method.allCases.filter { request($0, ThreadID(), TurnID()) != nil }

  /// A request of the method for the thread; nil: the method takes none.
  static func request(_ method: Method, _ thread: ThreadID, _ turn: TurnID) -> Request? {
    let input = TurnInput(content: [ContentPart(part: .text("not mine"))])
    switch method {
    case .unspecified, .threadStart, .threadListLoaded, .threadSearch, .catalogListModels, .catalogListFeatures,
      .catalogSetFeature, .serverStatus, .serverStopCapture, .serverReadCapture, .clientCallTool,
      .clientRequestUserInput:
      return nil
    case .threadResume: return .threadResume(ResumeThreadRequest(thread: thread))
    case .threadFork: return .threadFork(ForkThreadRequest(thread: thread, lastTurn: turn))
    case .threadRead: return .threadRead(ReadThreadRequest(thread: thread))
    case .threadList: return .threadList(ListThreadsRequest(parent: thread, forkedFrom: thread))
    case .threadListTurns: return .threadListTurns(ListTurnsRequest(thread: thread))
    case .threadListItems: return .threadListItems(ListItemsRequest(thread: thread))
    case .threadSetName: return .threadSetName(SetThreadNameRequest(thread: thread, name: "not mine"))
    case .threadArchive: return .threadArchive(ArchiveThreadRequest(thread: thread))
    case .threadUnarchive: return .threadUnarchive(UnarchiveThreadRequest(thread: thread))
    case .threadDelete: return .threadDelete(DeleteThreadRequest(thread: thread))
    case .threadRollback: return .threadRollback(RollbackThreadRequest(thread: thread, turns: 1))
    case .threadCompact: return .threadCompact(CompactThreadRequest(thread: thread))
    case .threadInjectItems: return .threadInjectItems(InjectItemsRequest(thread: thread))
    case .threadExport: return .threadExport(ExportThreadRequest(thread: thread))
    case .threadSubscribe: return .threadSubscribe(SubscribeRequest(thread: thread))
    case .threadUnsubscribe: return .threadUnsubscribe(UnsubscribeRequest(thread: thread))
    case .turnStart: return .turnStart(StartTurnRequest(thread: thread, input: input))
    case .turnSteer: return .turnSteer(SteerTurnRequest(thread: thread, turn: turn, input: input))
    case .turnInterrupt: return .turnInterrupt(InterruptTurnRequest(thread: thread, turn: turn))
    case .turnListQueue: return .turnListQueue(ListQueueRequest(thread: thread))
    case .turnCancelQueued: return .turnCancelQueued(CancelQueuedTurnRequest(thread: thread, turn: turn))
    case .settingsRead: return .settingsRead(ReadSettingsRequest(thread: thread))
    case .settingsUpdate:
      return .settingsUpdate(UpdateSettingsRequest(thread: thread, change: SettingsChange(serviceTier: "not mine")))
    case .agentListTree: return .agentListTree(ListTreeRequest(thread: thread))
    case .agentInterrupt: return .agentInterrupt(InterruptAgentRequest(thread: thread))
    case .agentClose: return .agentClose(CloseAgentRequest(thread: thread))
    case .callAnswer:
      return .callAnswer(
        AnswerCallRequest(
          thread: thread, turn: turn, callId: "c1", answer: .tool(CallToolResponse(success: true))))
    case .serverStartCapture: return .serverStartCapture(StartCaptureRequest(thread: thread))
    }
  }

  /// Another tenant's thread and one that is not there get the same answer by the same door, byte for byte
  /// (attacks.md M2).
  func compareStrange(_ client: Client, _ call: Call, _ answer: [UInt8]) {
    let method = call.request.method
    let key = StrangeCall(method: method, door: client.door)
    count("\(call.mark).\(method.path)")
    if let before = combinations.strange[key], before != answer {
      violated("attacks.md M2: \(method.path) tells another tenant's thread from one that is not there")
    }
    combinations.strange[key] = answer
  }

  // MARK: Versions

  /// The catalog of the next life: the same models, which may ask for other runtimes.
  func changeCatalog() {
    guard chance.percent(50) else { return }
    count("catalog changed")
    combinations.catalog += 1
    for index in rules.catalog.models.indices {
      rules.catalog.models[index].version = [.unspecified, .v1, .v2, .disabled][chance.below(4)]
    }
  }

  /// A thread has one version for its whole life, in every answer and event (V7).
  func learn(_ version: MultiAgentVersion?, of thread: ThreadID?) {
    guard let version, version != .unspecified, let thread else { return }
    guard let before = combinations.versions[thread] else {
      return combinations.versions[thread] = PinnedVersion(version: version, catalog: combinations.catalog)
    }
    if before.version != version { violated("V7: thread \(thread) was \(before.version.name) and is \(version.name)") }
  }

  /// A fork has its source's version (V3), if that was pinned when the fork was asked for.
  func checkFork(_ fork: AgentThread?, _ call: Call) {
    guard var fork, case .threadFork(let asked) = call.request else { return }
    if plant == .forkAsksCatalog, combinations.catalog > 0, fork.version != .unspecified,
      let wanted = rules.catalog.model(fork.settings?.model ?? "")?.version, wanted != .unspecified
    {
      fork.version = wanted
    }
    learn(fork.version, of: fork.id)
    guard let source = call.source else { return }
    count(combinations.catalog > source.catalog ? "forks compared under another catalog" : "forks compared")
    if fork.version != source.version {
      violated(
        "V3: thread \(asked.thread) is \(source.version.name), its fork \(fork.id) is \(fork.version.name)")
    }
  }
}
