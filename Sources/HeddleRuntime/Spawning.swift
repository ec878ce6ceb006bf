// Starting an agent (rules.md A4): a place in the tree first, then the part of its parent's history that it copies,
// then the new thread, its first task, its first turn, and the output of the call, in one mutation.

import HeddleCore
import HeddleStorage
import NIOCore

extension Trees {
  func spawn(_ command: SpawnCommand, _ call: AgentCall) async throws(AgentError) {
    let rules = shard.rules
    guard let context = call.session.machine.record.running?.context else { return }
    let settings = try Self.settings(command, context, rules)
    let chance = shard.environment.ids.random()
    let birth = try call.tree.tree.spawn(command, by: call.id, chance: chance, rules.limits)
    guard shard.node.permits.take(call.tree.tenant, limit: rules.limits.runningTurnsPerTenant) else {
      call.tree.tree.endBirth(birth)
      throw noPermit
    }
    var items: [Item] = []
    if command.history != .none {
      let copied = await copy(command.history, call)
      guard call.isOpen else { return spawnFailed(birth, call.tree) }
      guard let copied else {
        spawnFailed(birth, call.tree)
        throw AgentError("The conversation could not be read; start the agent without it.")
      }
      // The tree was read anew, and does not count this agent's place.
      guard live[call.session.root] === call.tree else {
        spawnFailed(birth, call.tree)
        throw AgentError("Something of this tree could not be written; start the agent again.")
      }
      items = copied
    }
    begin(command, birth, settings, items, call)
  }

  /// The agent is not created: its place is free for an agent that waits for one.
  private func spawnFailed(_ birth: AgentTree.Birth, _ tree: LiveTree) {
    tree.tree.endBirth(birth)
    shard.node.permits.giveBack(tree.tenant)
    grantWaitingLater(tree)
  }

  /// The part of the history that the agent begins with; nil: it cannot be read.
  private func copy(_ part: CopiedTurns, _ call: AgentCall) async -> [Item]? {
    let turns: Int? = if case .last(let count) = part { count } else { nil }
    let source = call.session.contextSource(all: turns == nil)
    if turns == nil, let kept = source.kept { return kept.items }
    let answer = await shard.read(.long(ObjectIdentifier(call.session))) { reader, codec throws(StoreError) in
      try source.read(reader, &codec, turns: turns)
    }
    guard case .success(let history) = answer else { return nil }
    if turns == nil { call.session.keep(history, source.range) }
    return history.items
  }

  /// The agent's settings: those of its parent's turn, with the changes of the call.
  private static func settings(
    _ command: SpawnCommand, _ context: TurnContext, _ rules: ServerRules
  ) throws(AgentError) -> Settings {
    if context.version == .v2, command.history == .all, command.overrides {
      throw AgentError(
        "An agent with your whole conversation has your role, model and effort; leave them out, or copy less of it.")
    }
    var settings = context.settings ?? Settings()
    settings.mode = context.version == .v2 ? context.effectiveMode : nil
    var change = SettingsChange()
    change.reasoningEffort = command.reasoningEffort
    change.serviceTier = command.serviceTier
    if let name = command.model {
      guard rules.catalog.model(name) != nil else {
        let names = rules.catalog.models.filter { !$0.hidden }.map(\.id).joined(separator: ", ")
        throw AgentError("There is no model `\(name.prefix(utf8Bytes: 80))`. There are: \(names).")
      }
      change.model = name
    }
    do throws(Refusal) { settings = try settings.applying(change, rules: rules) } catch {
      throw AgentError(error.wire.message)
    }
    try checkEffort(command.reasoningEffort, settings, rules)
    if let text = try role(command.role, rules.texts) {
      settings.developerInstructions = settings.developerInstructions.map { $0 + "\n\n" + text } ?? text
    }
    return settings
  }

  private static func checkEffort(
    _ effort: String?, _ settings: Settings, _ rules: ServerRules
  ) throws(AgentError) {
    let known = rules.catalog.model(settings.model)?.reasoningEfforts ?? []
    guard let effort, !known.isEmpty, !known.contains(effort) else { return }
    throw AgentError(
      "The model `\(settings.model)` knows no effort `\(effort.prefix(utf8Bytes: 80))`. It knows: "
        + "\(known.joined(separator: ", ")).")
  }

  private static func role(_ name: String?, _ texts: ModelTexts) throws(AgentError) -> String? {
    switch name {
    case nil, "default": return nil
    case "explorer": return texts.explorerRole
    case "worker": return texts.workerRole
    case let other?:
      throw AgentError("There is no role `\(other.prefix(utf8Bytes: 80))`; there are: default, explorer, worker.")
    }
  }

  // MARK: Beginning

  private func begin(
    _ command: SpawnCommand, _ birth: AgentTree.Birth, _ settings: Settings, _ items: [Item], _ call: AgentCall
  ) {
    let parent = call.session.machine
    guard let context = parent.record.running?.context else { return spawnFailed(birth, call.tree) }
    shard.refreshTime()
    let id = shard.node.placement.newAgent(below: call.session.root, &shard.environment)
    let isWhole = command.history == .all
    let created = ThreadCreated(
      thread: id, lineage: birth.lineage, settings: settings, createdAt: shard.environment.now,
      tools: parent.record.toolsInUse, baseline: isWhole ? context : nil)
    let identity = ThreadIdentity(
      tenant: parent.identity.tenant, epoch: shard.environment.ids.random() >> 1, ephemeral: parent.identity.ephemeral)
    var machine = ThreadMachine(record: ThreadRecord(revision: 1), identity: identity)
    var effects: [Effect] = []
    machine.begin(created, inherited: context.version, &shard.environment, &effects)
    shard.writes.atomically {
      let child = shard.add(machine, effects, nil, nil)
      let copied = copied(items, context, settings, isWhole: isWhole)
      child.withPermit(isHandedOver: true) {
        if !copied.isEmpty { child.input(.copied(copied)) }
        start(child, command, birth, call)
      }
      call.tree.tree.endBirth(birth)
      if let member = call.tree.tree.member(id) { call.note(.spawned, member) }
      call.answer(result(id, birth, context.version))
    }
  }

  private func start(_ child: Session, _ command: SpawnCommand, _ birth: AgentTree.Birth, _ call: AgentCall) {
    child.hears(from: call.session)
    guard child.machine.record.version == .v2 else {
      _ = child.perform(.agentInput(TurnInput(content: [ContentPart(part: .text(command.text))])))
      return
    }
    let author = call.tree.tree.member(call.id)?.path ?? AgentPath.root
    child.input(
      .mail(
        AgentMail(
          id: shard.environment.ids.next(at: shard.environment.now), kind: .newTask, from: call.id, author: author,
          to: child.id, recipient: birth.path, content: [ContentPart(part: .text(command.text))], triggerTurn: true)))
    child.input(.slotGranted)
  }

  /// The part of its parent's history that the agent begins with. Behind the whole history, in V2, stands the hint that
  /// it is an agent.
  private func copied(_ items: [Item], _ context: TurnContext, _ settings: Settings, isWhole: Bool) -> [Item] {
    let texts = shard.rules.texts
    // The agent's instructions are its parent's, and perhaps those of a role behind them.
    let instructions = [context.settings?.developerInstructions, settings.developerInstructions].compactMap(\.self)
    var out = CopiedHistory.filter(
      items, version: context.version, hints: [texts.rootHint, texts.agentHint],
      saidAgain: isWhole ? nil : instructions)
    // Items in the place of a history that was summed up have no ids of their own.
    for index in out.indices where out[index].id == ItemID() {
      out[index].id = shard.environment.ids.next(at: shard.environment.now)
    }
    if isWhole, context.version == .v2, texts.usageHints, !texts.agentHint.isEmpty {
      let hint = MessageItem(role: .developer, content: [ContentPart(part: .text(texts.agentHint))])
      out.append(
        Item(id: shard.environment.ids.next(at: shard.environment.now), status: .completed, kind: .message(hint)))
    }
    return out
  }

  private func result(_ id: ThreadID, _ birth: AgentTree.Birth, _ version: MultiAgentVersion) -> String {
    guard version == .v2 else { return AgentResult.spawned(v1: id, nickname: birth.lineage.agentNickname) }
    return AgentResult.spawned(
      v2: birth.path, nickname: shard.rules.texts.spawnOptions ? birth.lineage.agentNickname : nil)
  }
}
