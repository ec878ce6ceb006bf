// The model of a simulation: answers, calls tools and fails by chance. It also checks its input: a history that no provider
// would take is a finding.

import HeddleCore
import HeddleProtocol
import HeddleRuntime

// @unchecked: a simulation has one thread.
final class SimulatedModel: ModelProvider, @unchecked Sendable {
  let name = "scripted"
  let concurrency: Int
  private unowned let world: World

  init(_ world: World, concurrency: Int) {
    self.world = world
    self.concurrency = concurrency
  }

  func answer(_ request: ModelRequest, emit: @escaping @Sendable (ModelSignal) async -> Void) async throws {
    world.count("model.asked")
    world.check(request)
    let acts = world.plan(request)
    world.trace("model of \(request.thread): \(acts)")
    for act in acts {
      try Task.checkCancellation()
      switch act {
      case .wait(let milliseconds): try await world.wait(milliseconds)
      case .signal(let signal): await emit(signal)
      case .fail(let failure): throw failure
      }
    }
    world.trace("model of \(request.thread) is done")
  }
}

/// The next act of the model.
enum ModelAct: Sendable {
  case wait(Int64)
  case signal(ModelSignal)
  case fail(ModelFailure)
}

extension World {
  /// Decided when it is asked, so that one seed gives one run.
  func plan(_ request: ModelRequest) -> [ModelAct] {
    if request.isCompaction {
      count("model.summaries")
      return [
        .wait(Int64(chance.below(20))), .signal(.text("A summary \(chance.below(1_000)).")), .signal(.usage(usage())),
      ]
    }
    var acts: [ModelAct] = []
    if faulty, chance.percent(3) {
      count("model.retries")
      acts += [
        .signal(.text("cut off")),
        .signal(.retrying(attempt: 1, TurnError(reason: "model_failed", message: "again"), waitMilliseconds: 5)),
        .wait(5), .signal(.asked),
      ]
    }
    if chance.percent(20) { acts.append(.signal(.thought("hm \(chance.below(100))"))) }
    // Fewer and fewer steps, so that turns come to an end.
    let calls = request.items.suffix(12).count { if case .toolCall? = $0.kind { true } else { false } }
    if !request.tools.isEmpty, calls < 4, chance.percent(faulty ? 45 : 15) {
      for number in 0..<chance.within(1...3) {
        guard let tool = chance.pick(request.tools) else { break }
        count("model.calls")
        acts.append(
          .signal(
            .toolCall(
              id: "c\(request.items.count)-\(number)-\(chance.below(1_000_000))", name: tool.name,
              arguments: arguments(tool.name, request), providerID: "")))
      }
    } else {
      for _ in 0..<chance.within(1...4) {
        if chance.percent(40) { acts.append(.wait(Int64(chance.within(1...400)))) }
        acts.append(.signal(.text("word\(chance.below(10_000)) ")))
      }
    }
    if faulty {
      if chance.percent(3) {
        count("model.failures")
        acts.append(.fail(ModelFailure(.modelFailed, "It failed.")))
      } else if chance.percent(2) {
        count("model.stalls")
        acts.append(.wait(10_000_000))
      }
    }
    return acts + [.signal(.usage(usage()))]
  }

  private func usage() -> TokenUsage {
    TokenUsage(inputTokens: UInt64(chance.within(1...2_000)), outputTokens: UInt64(chance.within(1...50)))
  }

  private func arguments(_ tool: String, _ request: ModelRequest) -> String {
    let names = ["a", "b", "c"]
    let name = chance.pick(names) ?? "a"
    let agent = agents[request.root].flatMap { chance.pick($0) }.map(\.description) ?? "nobody"
    let isV2 = request.context.version == .v2
    switch tool {
    case "spawn_agent":
      return isV2
        ? "{\"task_name\":\"\(name)\(chance.below(4))\",\"message\":\"task \(chance.below(1_000))\"}"
        : "{\"message\":\"task \(chance.below(1_000))\"}"
    case "wait_agent":
      return isV2 ? "{\"timeout_ms\":10000}" : "{\"targets\":[\"\(agent)\"],\"timeout_ms\":10000}"
    case "list_agents": return "{}"
    case "send_message", "followup_task", "send_input":
      return "{\"target\":\"\(agent)\",\"message\":\"mail \(chance.below(1_000_000))\"}"
    case "interrupt_agent", "close_agent": return "{\"target\":\"\(agent)\"}"
    case "resume_agent": return "{\"id\":\"\(agent)\"}"
    default: return "{\"question\":\"why \(chance.below(1_000))?\"}"
    }
  }

  // MARK: Checks of requests

  /// The model's input equals the history in the log, whether it comes from the disk or from a cache.
  private func compare(_ request: ModelRequest) {
    guard !request.isCompaction, !Task.isCancelled, let sqlite = life.sqlite, !life.isDead else { return }
    var codec = Codec(limits: .trusted)
    for tenant in ["left", "right"] {
      guard let items = try? SessionManager.context(request.thread, tenant: tenant, sqlite, &codec) else { continue }
      count("contexts compared")
      if items != request.items {
        violated("U: the model of thread \(request.thread) is given what the log does not say")
      }
    }
  }

  func check(_ request: ModelRequest) {
    compare(request)
    if request.parent != nil, agents[request.root]?.contains(request.thread) != true {
      agents[request.root, default: []].append(request.thread)
    }
    var open: Set<String> = []
    var seen: Set<ItemID> = []
    var fragment: String?
    var tools: String?
    for item in request.items {
      if item.id != ItemID(), !seen.insert(item.id).inserted {
        violated("an item stands twice in the input of thread \(request.thread)")
      }
      switch item.kind {
      case .toolCall(let call)?: open.insert(call.callId)
      case .toolOutput(let output)?:
        if open.remove(output.callId) == nil { violated("an output without a call: \(output.callId)") }
      case .message(let message)? where message.role == .developer:
        for part in message.content {
          guard case .text(let text)? = part.part else { continue }
          if text.hasPrefix("<client_tools>") { tools = text }
          guard text.hasPrefix("<multi_agent_mode>") else { continue }
          // M6: the same mode is not told twice in a row.
          if text == fragment { violated("M6: the mode is told twice in a row in thread \(request.thread)") }
          fragment = text
        }
      case .agentMessage(let message)?:
        if message.recipient.isEmpty { violated("a message to nobody") }
      default: break
      }
      if item.status == .failed { violated("a discarded item is in the input of thread \(request.thread)") }
    }
    if !open.isEmpty {
      violated("U: calls without an output in the input of thread \(request.thread): \(open.sorted())")
    }
    checkTools(tools, request)
    // M4: the turn's mode is the mode in the model's context.
    if let mode = request.context.effectiveMode, fragment == nil, mode != .unspecified, !request.isCompaction {
      violated("M6: a mode is effective and was never told in thread \(request.thread)")
    }
  }

  /// S6: the model is offered exactly the tools of the last list in its context.
  private func checkTools(_ told: String?, _ request: ModelRequest) {
    guard let told, !request.isCompaction else { return }
    count("model.tools told")
    let offered = request.tools.filter { !CollaborationTools.isReserved($0.name) }
    if told != toolsFragment(offered, limitBytes: rules.limits.toolsFragmentBytes) {
      violated("S6: thread \(request.thread) is offered \(offered.map(\.name)) and was told: \(told)")
    }
  }
}
