// Words for tests of agents: threads that were spawned, mail, calls, summaries.

import HeddleCore
import Testing

extension ThreadDriver {
  /// A spawned agent, as it is before its first task.
  static func agent(
    _ version: MultiAgentVersion, _ change: SettingsChange = SettingsChange(), path: String = "/root/a",
    rules: ServerRules = ServerRules()
  ) throws -> ThreadDriver {
    try ThreadDriver.start(
      change, rules: rules, seed: 21, inherited: version, depth: 1, parent: parentOfAgents, path: path)
  }

  static let parentOfAgents = ThreadID(high: 7, low: 7)

  /// A thread of this version with these tools of its client.
  static func client(
    _ tools: [String] = ["look"], _ version: String = "scripted", asksUser: Bool = false,
    rules: ServerRules = ServerRules()
  ) throws -> ThreadDriver {
    try ThreadDriver.start(
      .model(version), rules: rules, tools: tools.map { ToolDefinition(name: $0, description: $0, schema: "{}") },
      asksUser: asksUser)
  }

  /// The model calls these tools, all in one step, and has nothing more to say. A call's id is `c` and its place.
  func call(_ names: String...) {
    for (place, name) in names.enumerated() {
      model(.toolCall(id: "c\(place + 1)", name: name, arguments: "{}", providerID: ""))
    }
    model(.finished)
  }

  func answer(_ callID: String, _ text: String = "found") {
    guard let turn = record.running?.id else { return }
    handle(.toolAnswered(turn, callID: callID, .text(text)))
  }

  /// Mail comes; its id is made from the number.
  func receive(_ number: UInt64, _ text: String = "psst", _ kind: AgentMessageKind = .message, trigger: Bool = false) {
    handle(.mail(.test(number, text, kind, to: record.id, trigger: trigger)))
  }

  // MARK: Views

  /// Outputs of tool calls in the log, in order.
  var outputs: [ToolOutputItem] {
    items.compactMap { if case .toolOutput(let output)? = $0.kind { output } else { nil } }
  }

  /// Messages of agents in the log, in order.
  var agentMessages: [AgentMessageItem] {
    items.compactMap { if case .agentMessage(let message)? = $0.kind { message } else { nil } }
  }

  private var items: [Item] {
    log.compactMap { if case .itemCompleted(let completed)? = $0.kind { completed.item } else { nil } }
  }

  /// Kinds of the events that the last input appended.
  var happened: [String] {
    appended.map { event in event.kind.map { "\($0)".prefix { $0 != "(" } }.map(String.init) ?? "" }
  }

  /// Effects of the last input.
  var asked: [ClientCall] { effects.compactMap { if case .askClient(let call, _) = $0 { call } else { nil } } }
  var toolCalls: [String] { effects.compactMap { if case .callTool(_, let call, _) = $0 { call.name } else { nil } } }
  var endedCalls: [String] { effects.compactMap { if case .endClientCall(let id) = $0 { id } else { nil } } }
  var deliveries: [AgentMail] { effects.compactMap { if case .deliver(let mail, _) = $0 { mail } else { nil } } }
  var modelStarts: [ModelStart] { effects.compactMap { if case .startModel(let start, _) = $0 { start } else { nil } } }
  var statuses: [ThreadStatus] { effects.compactMap { if case .status(let status, _) = $0 { status } else { nil } } }
  var wantsTurn: Bool { effects.contains { if case .wantTurn = $0 { true } else { false } } }
  var timersSet: [ThreadTimer: Int64] {
    var out: [ThreadTimer: Int64] = [:]
    for case .setTimer(let timer, let at) in effects { out[timer] = at }
    return out
  }

  /// Every call has one output, and none comes before its call: what providers refuse a history for.
  var everyCallHasOneOutput: Bool {
    var open: [String] = []
    for item in items {
      switch item.kind {
      case .toolCall(let call)?: open.append(call.callId)
      case .toolOutput(let output)?:
        guard let index = open.firstIndex(of: output.callId) else { return false }
        open.remove(at: index)
      default: break
      }
    }
    return open == (record.running?.openCalls.map(\.callId) ?? [])
  }

  /// The end of every test of this kind: the log folds to the record in memory.
  func expectFolded(at location: SourceLocation = #_sourceLocation) {
    #expect(folded() == record, sourceLocation: location)
    #expect(everyCallHasOneOutput, sourceLocation: location)
  }
}

extension AgentMail {
  static func test(
    _ number: UInt64, _ text: String = "psst", _ kind: AgentMessageKind = .message,
    to: ThreadID = ThreadID(high: 1, low: 1), trigger: Bool = false
  ) -> AgentMail {
    AgentMail(
      id: ItemID(high: 0xA, low: number), kind: kind, from: ThreadID(high: 9, low: 9), author: "/root/b", to: to,
      recipient: "/root/a", content: [ContentPart(part: .text(text))], triggerTurn: trigger)
  }

  var text: String { MessageItem(content: content).text }
}

extension AgentMessageItem { var text: String { MessageItem(content: content).text } }
extension ToolOutputItem { var text: String { MessageItem(content: content).text } }

extension TokenUsage {
  static func tokens(_ input: UInt64, _ output: UInt64 = 0) -> TokenUsage {
    TokenUsage(inputTokens: input, outputTokens: output)
  }
}
