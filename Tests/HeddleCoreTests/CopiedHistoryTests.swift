// rules.md A4: the part of its parent's history that a spawned agent gets.

import HeddleCore
import Testing

@Suite struct CopiedHistoryTests {
  private let hints = ["you are the root", "you are an agent"]

  private func item(_ kind: Item.Kind, _ status: ItemStatus = .completed) -> Item {
    Item(id: ItemID(high: 1, low: 1), status: status, kind: kind)
  }

  private func message(
    _ role: Role, _ text: String, _ phase: Phase = .unspecified, _ status: ItemStatus = .completed
  ) -> Item {
    item(.message(MessageItem(role: role, content: [ContentPart(part: .text(text))], phase: phase)), status)
  }

  private func kept(_ items: [Item], _ version: MultiAgentVersion = .v2) -> [String?] {
    CopiedHistory.filter(items, version: version, hints: hints).map(\.text)
  }

  private let call = Item.Kind.toolCall(ToolCallItem(callId: "c", name: "look", arguments: "{}"))
  private let output = Item.Kind.toolOutput(ToolOutputItem(callId: "c"))

  @Test("A4: system, developer and user messages are copied, in order; so are answers that say they are final")
  func copied() {
    let items = [
      message(.system, "s"), message(.developer, "d"), message(.user, "u"), message(.assistant, "a", .finalAnswer),
    ]
    #expect(kept(items) == ["s", "d", "u", "a"])
    #expect(kept(items, .v1) == ["s", "d", "u", "a"])
    #expect(kept([]) == [])
  }

  @Test("A4: thoughts, calls, outputs, messages of agents, markers and things of the provider are not copied")
  func dropped() {
    let items = [
      item(.reasoning(ReasoningItem(summary: ["hm"]))), item(call), item(output),
      item(.agentMessage(AgentMessageItem(author: "/root", content: [ContentPart(part: .text("psst"))]))),
      item(.marker(MarkerItem(kind: .interruption, role: .user, text: "stopped"))), item(.opaque(OpaquePart())),
      item(.compaction(CompactionItem(summary: "so far"))), message(.unspecified, "?"), Item(status: .completed),
    ]
    #expect(kept(items) == [] && kept(items, .v1) == [])
  }

  @Test("A4: what the assistant says on the way to its answer is not copied, whether it says so or calls a tool next")
  func commentary() {
    #expect(kept([message(.assistant, "on my way", .commentary)]) == [])
    #expect(
      kept([message(.assistant, "I look"), item(call), item(output), message(.assistant, "it is so")]) == ["it is so"])
    #expect(kept([message(.assistant, "I look"), item(.reasoning(ReasoningItem())), item(call)]) == [])
    #expect(kept([message(.assistant, "it is so"), item(.reasoning(ReasoningItem()))]) == ["it is so"])
    #expect(kept([message(.assistant, "it is so"), message(.user, "and?"), item(call)]) == ["it is so", "and?"])
    #expect(kept([message(.assistant, "final", .finalAnswer), item(call)]) == ["final"])
  }

  @Test("A4 M6: what the agent's own initial context says again is not copied: its instructions and any mode")
  func saidAgain() {
    let mode = "<multi_agent_mode>spawn</multi_agent_mode>"
    let items = [
      message(.developer, "be brief"), message(.developer, hints[0]), message(.developer, mode), message(.user, "u"),
      message(.developer, "be brief, please"), message(.user, "be brief"), message(.user, mode),
    ]
    for version in [MultiAgentVersion.v1, .v2] {
      let copied = CopiedHistory.filter(items, version: version, hints: [], saidAgain: ["be brief"]).map(\.text)
      #expect(copied == [hints[0], "u", "be brief, please", "be brief", mode])
    }
    // With the whole conversation the agent continues from its parent's baseline.
    #expect(kept(items) == ["be brief", mode, "u", "be brief, please", "be brief", mode])
    let noneSaid = CopiedHistory.filter(items, version: .v2, hints: hints, saidAgain: []).map(\.text)
    #expect(noneSaid == ["be brief", "u", "be brief, please", "be brief", mode])
  }

  @Test("A4: what was cut off is not copied")
  func cutOff() {
    let items = [
      message(.assistant, "half a wo", .unspecified, .interrupted),
      message(.assistant, "first try", .finalAnswer, .failed),
      message(.user, "still open", .unspecified, .unspecified),
    ]
    #expect(kept(items) == [])
  }

  @Test("A4: V2 leaves the usage hints out, where they are the whole message; V1 knows none")
  func hint() {
    let two = Item(
      status: .completed,
      kind: .message(
        MessageItem(
          role: .developer,
          content: [ContentPart(part: .text("you are the root")), ContentPart(part: .text("more"))])))
    let items = [
      message(.developer, "you are the root"), message(.developer, "you are an agent"),
      message(.developer, "he said: you are the root"), two, message(.user, "you are the root"),
    ]
    #expect(kept(items) == ["he said: you are the root", "you are the rootmore", "you are the root"])
    #expect(kept(items, .v1).count == 5)
  }

  @Test("A4: copied items are an idle agent's history before its first turn, and open no calls")
  func given() throws {
    let driver = try ThreadDriver.agent(.v2)
    driver.handle(.copied([message(.user, "u"), message(.assistant, "a"), item(call)]))
    #expect(driver.modelInput.count == 3)
    #expect(driver.record.running == nil && driver.record.agent?.lastTask == "" && driver.record.preview == "")
    driver.receive(1, "do it", .newTask, trigger: true)
    driver.handle(.slotGranted)
    #expect(driver.record.running?.openCalls == [])
    #expect(driver.folded() == driver.record)
  }

  @Test("A4 M9: an agent with the whole history goes on from what its parent was told; with less, it is told anew")
  func baseline() throws {
    let rules = ServerRules.with(.v2Mode)
    let parent = try ThreadDriver.start(.select(.proactive), rules: rules)
    try parent.startTurn()
    let context = try #require(parent.record.running?.context)
    for isWhole in [true, false] {
      var environment = MachineEnvironment(now: 1, instant: 0, ids: IDGenerator(seed: 5), rules: rules)
      var lineage = Lineage(source: .agent, root: parent.record.id, parent: parent.record.id)
      lineage.depth = 1
      var settings = try #require(context.settings)
      settings.mode = context.effectiveMode
      let created = ThreadCreated(
        thread: environment.ids.next(at: 1), lineage: lineage, settings: settings, createdAt: 1,
        baseline: isWhole ? context : nil)
      var machine = ThreadMachine(record: ThreadRecord(revision: 1), identity: testIdentity)
      var effects: [Effect] = []
      machine.begin(created, inherited: context.version, &environment, &effects)
      #expect(machine.record.version == .v2 && machine.record.versionSource == .inherited)
      machine.handle(.mail(.test(1, trigger: true)), &environment, &effects)
      effects = []
      machine.handle(.slotGranted, &environment, &effects)
      #expect(machine.record.running?.context?.effectiveMode == .proactive)
      let told = effects.filter { effect in
        guard case .append(let event) = effect, case .itemCompleted(let completed)? = event.kind,
          case .message(let message)? = completed.item?.kind
        else { return false }
        return message.role == .developer
      }
      // The hint of an agent and its mode.
      #expect(told.count == (isWhole ? 0 : 2))
    }
  }
}
