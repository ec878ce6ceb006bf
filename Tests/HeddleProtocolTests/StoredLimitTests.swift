// Every limit that bounds a stored record, one below it, at it and one above: the record is written, read back with the
// limits of the store, and says the same. Above it stands what a server with larger limits may have left behind.

import HeddleCore
import Testing

@testable import HeddleProtocol

@Suite struct StoredLimitTests {
  /// One kind of record for each that the store keeps.
  enum Record {
    case event(Event.Kind)
    case thread(ThreadRecord)
    case turn(Turn)
  }

  struct Edge: CustomTestStringConvertible, Sendable {
    let name: String
    let limit: Int
    let records: @Sendable (Int) -> [Record]
    var testDescription: String { name }

    init(_ name: String, _ limit: Int, _ records: @escaping @Sendable (Int) -> [Record]) {
      (self.name, self.limit, self.records) = (name, limit, records)
    }
  }

  private static let limits = Limits()

  private static func text(_ bytes: Int) -> String { String(repeating: "x", count: bytes) }

  private static func parts(_ count: Int, _ text: String = "x") -> [ContentPart] {
    Array(repeating: ContentPart(part: .text(text)), count: count)
  }

  /// An input wherever one can stand: waiting, steered, in the history, not yet seen by the model.
  private static func inputs(_ input: TurnInput) -> [Record] {
    let item = ItemID(high: 1, low: 1)
    let queued = QueuedTurn(id: TurnID(high: 1, low: 2), input: input)
    var waiting = ThreadRecord()
    waiting.queue = [queued]
    var running = ThreadRecord()
    running.running = RunningTurn(pending: [PendingInput(input: input, item: item)])
    let said = Item(id: item, kind: .message(MessageItem(role: .user, content: input.content)))
    return [
      .event(.turnQueued(TurnQueued(turn: queued))), .event(.inputSteered(InputSteered(input: input, item: item))),
      .event(.itemCompleted(ItemCompleted(item: said))), .thread(waiting), .thread(running),
    ]
  }

  /// Settings wherever they stand.
  private static func settings(_ change: (inout Settings.Fields) -> Void) -> [Record] {
    var fields = Settings.Fields()
    change(&fields)
    let settings = Settings(fields: fields)
    var record = ThreadRecord()
    record.settings = settings
    record.baseline = TurnContext(settings: settings)
    record.running = RunningTurn(context: TurnContext(settings: settings))
    return [
      .event(.threadCreated(ThreadCreated(settings: settings))),
      .event(.settingsUpdated(SettingsUpdated(revision: 2, settings: settings))), .thread(record),
      .turn(Turn(context: TurnContext(settings: settings))),
    ]
  }

  private static func tools(_ tools: [ToolDefinition]) -> [Record] {
    var record = ThreadRecord()
    record.tools = tools
    record.running = RunningTurn(tools: ToolSelection(set: tools))
    return [
      .event(.threadCreated(ThreadCreated(tools: tools))),
      .event(.settingsUpdated(SettingsUpdated(revision: 2, tools: ToolSelection(set: tools)))), .thread(record),
    ]
  }

  private static func item(_ kind: Item.Kind) -> [Record] {
    [.event(.itemCompleted(ItemCompleted(item: Item(id: ItemID(high: 1, low: 1), kind: kind))))]
  }

  private static func mail(_ count: Int, bytes: Int) -> [Record] {
    let mail = AgentMail(id: ItemID(high: 1, low: 1), author: "/root", content: parts(1, text(bytes)))
    var record = ThreadRecord()
    record.mailbox = Array(repeating: mail, count: count)
    record.outbox = record.mailbox
    return [
      .event(.mailQueued(MailQueued(mail: mail))), .event(.mailReceived(MailReceived(mail: mail))), .thread(record),
    ]
  }

  private static func named(_ name: String) -> [Record] {
    var record = ThreadRecord()
    record.name = name
    return [
      .event(.nameChanged(NameChanged(name: name))), .event(.threadCreated(ThreadCreated(name: name))),
      .thread(record),
    ]
  }

  private static func streaming(_ bytes: Int) -> [Record] {
    var record = ThreadRecord()
    record.running = RunningTurn(openItems: [OpenItem(item: Item(), text: text(bytes))], answer: text(bytes))
    return item(.message(MessageItem(role: .assistant, content: parts(1, text(bytes))))) + [.thread(record)]
  }

  private static let ofInput = [
    Edge("repeatedElements: parts of an input", limits.repeatedElements) { inputs(TurnInput(content: parts($0))) },
    Edge("parts of an input as many as a stranger's memory allows", 496) { inputs(TurnInput(content: parts($0))) },
    Edge("turnInputBytes", limits.turnInputBytes) { inputs(TurnInput(content: parts(1, text($0)))) },
    Edge("shortTextBytes: a client's number", limits.shortTextBytes) {
      inputs(TurnInput(content: parts(1), clientId: text($0)))
    },
    Edge("queuedTurns and queuedTurnBytes", limits.queuedTurns) { count in
      let whole = TurnInput(content: parts(1, text(limits.queuedTurnBytes / limits.queuedTurns)))
      let pieces = TurnInput(content: parts(limits.repeatedElements / limits.queuedTurns))
      return [whole, pieces].map { input in
        var record = ThreadRecord()
        record.queue = Array(repeating: QueuedTurn(id: TurnID(high: 1, low: 1), input: input), count: count)
        return .thread(record)
      }
    },
    Edge("steeredInputs", limits.steeredInputs) { count in
      let whole = TurnInput(content: parts(1, text(limits.queuedTurnBytes / limits.steeredInputs)))
      let pieces = TurnInput(content: parts(limits.repeatedElements / limits.steeredInputs))
      return [whole, pieces].map { input in
        var record = ThreadRecord()
        record.running = RunningTurn(pending: Array(repeating: PendingInput(input: input), count: count))
        return .thread(record)
      }
    },
    Edge("longTextBytes: an output schema", limits.longTextBytes) { bytes in
      let turn = QueuedTurn(id: TurnID(high: 1, low: 1), input: TurnInput(content: parts(1)), outputSchema: text(bytes))
      var record = ThreadRecord()
      record.queue = [turn]
      let context = TurnContext(outputSchema: text(bytes))
      return [.event(.turnQueued(TurnQueued(turn: turn))), .thread(record), .turn(Turn(context: context))]
    },
    Edge("keptInputBytes: many short inputs beside a summary", limits.keptInputBytes) { count in
      let whole = MessageItem(role: .user, content: parts(count))
      let inputs = Array(repeating: MessageItem(role: .user, content: parts(1)), count: count)
      return [[whole], inputs].flatMap { messages in
        let compaction = CompactionItem(replacement: messages)
        return item(.compaction(compaction)) + [.event(.contextCompacted(ContextCompacted(compaction: compaction)))]
      }
    },
  ]

  private static let ofSettings = [
    Edge("nameBytes", limits.nameBytes) { named(text($0)) },
    Edge("shortTextBytes", limits.shortTextBytes) { bytes in
      settings {
        $0.model = text(bytes)
        $0.modelProvider = text(bytes)
        $0.reasoningEffort = text(bytes)
        $0.reasoningSummary = text(bytes)
        $0.serviceTier = text(bytes)
      }
    },
    Edge("longTextBytes: instructions", limits.longTextBytes) { bytes in
      settings {
        $0.baseInstructions = text(bytes)
        $0.developerInstructions = text(bytes)
      }
    },
    Edge("metadataEntries", limits.metadataEntries) { count in
      settings { $0.metadata = (0..<count).map { NameValue(name: "\($0)", value: "") } }
    },
    Edge("metadataEntries, all full", limits.metadataEntries) { count in
      settings {
        $0.metadata = Array(
          repeating: NameValue(name: text(limits.shortTextBytes), value: text(limits.metadataValueBytes)), count: count)
      }
    },
    Edge("metadataValueBytes", limits.metadataValueBytes) { bytes in
      settings {
        $0.metadata = [NameValue(name: "n", value: text(bytes))]
        $0.workingFolder = text(bytes)
      }
    },
    Edge("tools", limits.tools) { tools(Array(repeating: ToolDefinition(name: "t"), count: $0)) },
    Edge("tools, as long as a frame allows", limits.tools) { count in
      let schema = text(Int(limits.frameBytes) / limits.tools)
      return tools(Array(repeating: ToolDefinition(name: text(limits.shortTextBytes), schema: schema), count: count))
    },
    Edge("shortTextBytes and longTextBytes: one tool", limits.longTextBytes) {
      tools([ToolDefinition(name: text(limits.shortTextBytes), description: text($0), schema: text($0))])
    },
  ]

  private static let ofTurns = [
    Edge("modelItemBytes", limits.modelItemBytes) { streaming($0) },
    Edge("checkpointBytes", limits.checkpointBytes) { bytes in
      [.event(.itemCheckpoint(ItemCheckpoint(text: text(bytes))))] + streaming(bytes)
    },
    Edge("toolCalls", limits.toolCalls) { count in
      var record = ThreadRecord()
      record.running = RunningTurn(openCalls: Array(repeating: ToolCallItem(callId: "c", name: "n"), count: count))
      return [.thread(record)]
    },
    Edge("toolOutputBytes", limits.toolOutputBytes) {
      item(.toolOutput(ToolOutputItem(callId: "c", content: parts(1, text($0)))))
    },
    Edge("repeatedElements: parts of a tool's output", limits.repeatedElements) {
      item(.toolOutput(ToolOutputItem(callId: "c", content: parts($0))))
    },
    Edge("modelItemBytes: a call's arguments", limits.modelItemBytes) {
      item(.toolCall(ToolCallItem(callId: "c", name: "n", arguments: text($0))))
    },
    Edge("modelItemBytes: a thought", limits.modelItemBytes) { item(.reasoning(ReasoningItem(content: [text($0)]))) },
    Edge("modeFragmentBytes", limits.modeFragmentBytes) {
      item(.message(MessageItem(role: .developer, content: parts(1, text($0)))))
    },
    Edge("toolsFragmentBytes", limits.toolsFragmentBytes) {
      item(.message(MessageItem(role: .developer, content: parts(1, text($0)))))
    },
    Edge("mailBytes", limits.mailBytes) { mail(1, bytes: $0) },
    Edge("mailboxMessages", limits.mailboxMessages) { mail($0, bytes: 1) },
    Edge("mailboxMessages and mailboxBytes", limits.mailboxMessages) {
      mail($0, bytes: limits.mailboxBytes / limits.mailboxMessages)
    },
  ]

  private func comesBack<M: WireMessage>(_ record: M, _ name: String) throws {
    // A stranger's limits, as the server reads: only `decodeTrusted` lifts them.
    var codec = Codec()
    let bytes = codec.encode(record)
    #expect(try codec.decodeTrusted(M.self, bytes) == record, "\(name)")
  }

  @Test("D1: a record at the edge of a limit comes back", arguments: ofInput + ofSettings + ofTurns)
  func edge(_ edge: Edge) throws {
    for size in edge.limit - 1...edge.limit + 1 {
      for record in edge.records(size) {
        switch record {
        case .event(let kind): try comesBack(Event(sequence: 1, kind: kind), "\(edge.name) at \(size)")
        case .thread(let thread): try comesBack(thread, "\(edge.name) at \(size)")
        case .turn(let turn): try comesBack(turn, "\(edge.name) at \(size)")
        }
      }
    }
  }

  @Test(
    "D1: some of these are more than a stranger may send: the test would find a stranger's limits in the store's way")
  func strangersAreRefused() {
    func isRefused<M: WireMessage>(_ record: M) -> Bool {
      var codec = Codec()
      let bytes = codec.encode(record)
      do throws(DecodeError) { _ = try codec.decode(M.self, bytes) } catch { return true }
      return false
    }
    let refused = (Self.ofInput + Self.ofSettings + Self.ofTurns).filter { edge in
      edge.records(edge.limit).contains { record in
        switch record {
        case .event(let kind): isRefused(Event(sequence: 1, kind: kind))
        case .thread(let thread): isRefused(thread)
        case .turn(let turn): isRefused(turn)
        }
      }
    }
    #expect(!refused.isEmpty)
  }
}
