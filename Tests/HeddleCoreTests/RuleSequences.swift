// Random sequences of steps, run against the machine and against `RuleModel` side by side; everything visible is compared
// after each step. A sequence that fails is shrunk and printed so that it can be kept in `Regressions/`.

import Foundation
import HeddleCore

/// A thread's life, reproducible.
struct RuleSequence: Sendable {
  var origin: Origin
  var features: Int
  var steps: [Step]

  init(_ origin: Origin, features: Int, _ steps: [Step]) {
    self.origin = origin
    self.features = features
    self.steps = steps
  }

  /// The sequence that belongs to a seed.
  init(seed: UInt64, length: Int = 32) {
    var random = IDGenerator(seed: seed)
    features = random.below(8)
    origin =
      switch random.below(11) {
      case 10: .agent
      case 0: .child(of: [.v1, .v2, .disabled][random.below(3)])
      case 1: .imported(turns: 1 + random.below(3), nil)
      case 2: .imported(turns: random.below(3), [.v1, .v2, .disabled][random.below(3)])
      default: .new(model: random.below(4), mode: random.mode())
      }
    steps = []
    for _ in 0..<length { steps.append(Step(&random)) }
  }
}

extension IDGenerator {
  mutating func below(_ limit: Int) -> Int { Int(random() % UInt64(limit)) }

  mutating func mode() -> MultiAgentMode? { [nil, .explicitRequestOnly, .proactive][below(3)] }
}

extension Step {
  /// A step, the frequent ones more often: turns that run and end are what the other steps act upon.
  fileprivate init(_ random: inout IDGenerator) {
    self =
      switch random.below(148) {
      case 100..<107: .ask
      case 107..<114: random.below(4) == 0 ? .deadline(random.below(2)) : .answer(random.below(2))
      case 114..<117: .retry
      case 117..<119: .tooLarge
      case 119..<123: .sumUp
      case 123..<127, 140..<148: .summary
      case 127..<132: .mail(wantsTurn: random.below(2) == 0)
      case 132: .sameMail
      case 133..<136: .slot
      case 136: .delivered
      case 137..<139: .close(byClient: random.below(2) == 0)
      case 139: .reopen
      case 0..<22: Self.turn(&random)
      case 22..<40: .finish
      case 40..<46: .say
      case 46..<49: .checkpoint
      case 49..<52: .tool
      case 52..<54: .fail
      case 54..<58: .steer
      case 58: .steerWrong
      case 59..<63: .interrupt
      case 63: .interruptAgain
      case 64..<66: .cancel(random.below(RuleModel.queueLimit))
      case 66..<71: .rollback(Int32(1 + random.below(3)))
      case 71: .compact
      case 72..<75: .fork
      case 75..<77: .forkUpTo(random.below(4))
      case 77..<79: .resume
      case 79: .archive
      case 80..<82: .unarchive
      case 82..<87: .restart
      case 87..<90: .features(random.below(8))
      case 90: .hints(random.below(2) == 0)
      case 91: .markers(random.below(2) == 0)
      case 92: .stale
      case 93: .clear
      case 94..<96: .model(random.below(5))
      default: .select(random.below(3) == 0 ? .explicitRequestOnly : .proactive)
      }
  }

  private static func turn(_ random: inout IDGenerator) -> Step {
    let whenBusy = [WhenBusy.unspecified, .queue, .queue, .refuse, .steer][random.below(5)]
    return .turn(
      whenBusy, model: random.below(4) == 0 ? random.below(5) : nil, mode: random.below(3) == 0 ? random.mode() : nil)
  }
}

extension Features {
  /// `multi_agent`, `multi_agent_v2`, `multi_agent_mode` as three bits.
  init(bits: Int) {
    self.init(multiAgent: bits & 1 != 0, multiAgentV2: bits & 2 != 0, multiAgentMode: bits & 4 != 0)
  }
}

// MARK: - Running

/// A sequence on its way: the driver, and the part of its log that has been read.
private struct RuleRun {
  private struct Entry {
    var sequence: UInt64
    var turn: TurnID?
    var token: Token
    /// Not said in the turn: it replaces the context before it.
    var isReplacement = false
  }

  private(set) var driver: ThreadDriver
  private var entries: [Entry] = []
  private var starts: [(sequence: UInt64, turn: TurnID, ordinal: UInt64, mode: MultiAgentMode?)] = []
  private var ends: [(sequence: UInt64, TurnStatus)] = []
  private var pins: [UInt64] = []
  private var read = 0
  /// The log applied as it grows, to compare with the record (ThreadMachine.I2).
  private var shadow: ThreadRecord
  private var refused: Reason?
  private let hints: [String]
  private let explicit: String
  private let proactive: String
  private let summary = ModelTexts().summaryIntroduction + "\n\n"

  init(_ origin: Origin, features: Int) throws {
    var rules = ServerRules.with(Features(bits: features))
    rules.limits.queuedTurns = RuleModel.queueLimit
    hints = [rules.texts.rootHint, rules.texts.agentHint]
    explicit = modeFragment(.explicitRequestOnly, texts: rules.texts, limitBytes: rules.limits.modeFragmentBytes)
    proactive = modeFragment(.proactive, texts: rules.texts, limitBytes: rules.limits.modeFragmentBytes)
    shadow = ThreadRecord(revision: 1)
    switch origin {
    case .new(let model, let mode):
      var change = SettingsChange.model(RuleModel.models[model])
      if let mode { change.mode = ModeSelection(choice: .set(mode)) }
      driver = try ThreadDriver.start(change, rules: rules, tools: Self.tools)
    case .child(let version):
      driver = try ThreadDriver.start(rules: rules, inherited: version, depth: 1, tools: Self.tools)
    case .agent:
      driver = try ThreadDriver.start(
        rules: rules, inherited: .v1, depth: 1, parent: ThreadDriver.parentOfAgents, path: "/root/a",
        tools: Self.tools)
    case .imported(let turns, let version):
      let pin = version.map { VersionPinned(version: $0, source: .stored) }
      driver = ThreadDriver.load(importedHistory(turns: turns, pin: pin, tools: Self.tools), rules: rules)
      shadow = ThreadRecord()
    }
    readLog()
  }

  private static let tools = [ToolDefinition(name: "look", description: "looks", schema: "{}")]

  private mutating func readLog() {
    let log = driver.log
    while read < log.count {
      let event = log[read]
      read += 1
      shadow.apply(event)
      switch event.kind {
      case .versionPinned?: pins.append(event.sequence)
      case .turnStarted(let started)?:
        starts.append((event.sequence, started.turn, started.ordinal, started.context?.effectiveMode))
      case .turnEnded(let ended)?: ends.append((event.sequence, ended.status))
      case .itemCompleted(let completed)?:
        if let item = completed.item {
          entries.append(Entry(sequence: event.sequence, turn: event.turn, token: token(item)))
        }
      case .contextCompacted(let compacted)?:
        for message in compacted.compaction?.replacement ?? [] {
          let item = Item(status: .completed, kind: .message(message))
          entries.append(
            Entry(sequence: event.sequence, turn: event.turn, token: token(item), isReplacement: true))
        }
      default: break
      }
    }
  }

  private func token(_ item: Item) -> Token {
    switch item.kind {
    case .message(let message)?:
      let text = message.text
      switch message.role {
      case .assistant: return .answer(text, whole: item.status == .completed)
      case .developer where hints.contains(text): return .hint
      case .developer where text == explicit: return .mode(.explicitRequestOnly)
      case .developer where text == proactive: return .mode(.proactive)
      case .user: return .user(text.hasPrefix(summary) ? String(text.dropFirst(summary.count)) : text)
      default: return .user("\(message.role.name): \(text)")
      }
    case .toolCall(let call)?: return .call(call.callId)
    case .toolOutput(let output)?: return .output(output.callId)
    case .marker(let marker)?: return .marker(marker.role)
    case .agentMessage(let message)?: return .mail(message.text)
    default: return .user("\(String(describing: item.kind))")
    }
  }

  /// Carries out a step; nil, or the broken law of the machine.
  mutating func take(_ step: Step, _ number: Int) throws -> String? {
    refused = nil
    let before = driver.record
    switch step {
    case .select(let mode): send(.updateSettings(.select(mode), expectedRevision: nil))
    case .clear: send(.updateSettings(.clearMode, expectedRevision: nil))
    case .model(let index): send(.updateSettings(.model(modelName(index)), expectedRevision: nil))
    case .stale: send(.updateSettings(.select(.proactive), expectedRevision: before.revision + 7))
    case .turn(let whenBusy, let model, let mode):
      let change = SettingsChange(model: model.map(modelName), mode: mode.map { ModeSelection(choice: .set($0)) })
      send(.startTurn(StartTurnRequest(input: .text("t\(number)"), settings: change, whenBusy: whenBusy)))
    case .say: driver.model(.text("a\(number) "))
    case .checkpoint: if before.running != nil { driver.handle(.timer(.checkpoint)) }
    case .tool: driver.model(.toolCall(id: "c\(number)", name: "none", arguments: "{}", providerID: ""))
    case .finish: driver.model(.finished)
    case .fail: driver.model(.failed(TurnError(reason: "model_failed", message: "no")))
    case .steer: send(.steerTurn(before.running?.id ?? TurnID(), .text("s\(number)")))
    case .steerWrong: send(.steerTurn(TurnID(high: 1, low: 1), .text("s\(number)")))
    case .interrupt: if let running = before.running { send(.interruptTurn(running.id, known: false)) }
    case .interruptAgain: if let last = before.recentTurns.last { send(.interruptTurn(last.id, known: false)) }
    case .cancel(let place):
      if before.queue.indices.contains(place) { send(.cancelQueuedTurn(before.queue[place].id, known: false)) }
    case .rollback(let count):
      _ = driver.rollback(count)
      refused = driver.refusal?.reason
    case .ask: driver.model(.toolCall(id: "c\(number)", name: "look", arguments: "{}", providerID: ""))
    case .retry: driver.model(.retrying(attempt: 2, TurnError(reason: "model_failed"), waitMilliseconds: 1))
    case .tooLarge: driver.model(.failed(TurnError(reason: TurnFailure.contextWindow.rawValue)))
    case .summary: driver.model(.compacted(summary: "sum\(number)", kept: []))
    case .answer(let place):
      if let call = openCall(place) { driver.answer(call) }
    case .deadline(let place):
      if let call = openCall(place) { driver.handle(.timer(.call(call))) }
    case .mail(let wantsTurn): driver.receive(UInt64(number), "m\(number)", trigger: wantsTurn)
    case .sameMail:
      if let mail = before.mailbox.first { driver.handle(.mail(mail)) }
    case .slot: driver.handle(.slotGranted)
    case .delivered: if let mail = before.outbox.first { driver.handle(.mailDelivered(mail.id)) }
    case .close(let byClient): driver.handle(.close(byClient: byClient))
    case .reopen: driver.handle(.reopen)
    case .sumUp: send(.compact)
    case .compact: if before.running == nil { driver.inject(.contextCompacted(ContextCompacted())) }
    case .fork: try fork(nil)
    case .forkUpTo(let index):
      let ended = driver.turns.filter { $0.endedAt != nil && !before.isHidden($0.ordinal) }
      if ended.indices.contains(index) { try fork(ended[index]) }
    case .resume: send(.resume)
    case .archive: send(.archive(root: before.id))
    case .unarchive: send(.unarchive(root: before.id))
    case .restart: driver.restart()
    case .features(let bits): driver.rules.features = Features(bits: bits)
    case .hints(let on): driver.rules.texts.usageHints = on
    case .markers(let on): driver.rules.texts.interruptionMarker = on
    }
    readLog()
    if refused != nil, driver.record != before { return "a refused command left a trace" }
    if driver.record != shadow { return "the record differs from the fold of the log" }
    return brokenLaw
  }

  private func openCall(_ place: Int) -> String? {
    let open = driver.machine.openClientCalls
    return open.indices.contains(place) ? open[place].call.callId : nil
  }

  private func modelName(_ index: Int) -> String {
    index < RuleModel.models.count ? RuleModel.models[index] : "nobody"
  }

  private mutating func send(_ command: ThreadCommand) {
    driver.send(command)
    refused = driver.refusal?.reason
  }

  private mutating func fork(_ turn: Turn?) throws {
    let source = driver
    let before = source.record
    driver = try source.fork(turn)
    guard source.record == before else { throw Refusal(.internal, [("source", "noticed its fork")]) }
    let cut = driver.log.first.map { $0.sequence - 1 } ?? 0
    entries.removeAll { $0.sequence > cut }
    starts.removeAll { $0.sequence > cut }
    ends.removeAll { $0.sequence > cut }
    pins.removeAll { $0 > cut }
    read = 0
    shadow = driver.base
  }

  /// A broken invariant of the effects of every input, whatever the rules say (ThreadMachine.I2, I3; durability.md, atomic).
  private var brokenLaw: String? {
    let appended = driver.appended
    if appended.map(\.more) != appended.indices.map({ $0 < appended.count - 1 }) { return "`more` is wrong" }
    guard var last = appended.first.map({ $0.sequence - 1 }) else { return nil }
    for effect in driver.effects {
      switch effect {
      case .append(let event):
        if event.sequence != last + 1 { return "events \(last) and \(event.sequence) follow each other" }
        last = event.sequence
      case .reply(_, _, let after), .status(_, let after), .startModel(_, let after):
        if after != last { return "an effect behind event \(last) waits for \(after)" }
      default: break
      }
    }
    return last == driver.record.sequence ? nil : "the record is not at its last event"
  }

  var visible: Visible {
    let record = driver.record
    let summary = driver.machine.summary()
    let listed = starts.filter { !record.isHidden($0.ordinal) }
    let hidden = starts.filter { record.isHidden($0.ordinal) }.map(\.turn)
    let input = entries.filter { entry in
      (entry.isReplacement ? entry.sequence == record.contextStart : entry.sequence > record.contextStart)
        && !(entry.turn.map { hidden.contains($0) } ?? false)
    }
    var running: String?
    if let turn = record.running?.id {
      for case .user(let text) in entries.lazy.filter({ $0.turn == turn && !$0.isReplacement }).map(\.token) {
        running = text
        break
      }
    }
    return Visible(
      refused: refused, version: summary.version, source: summary.versionSource, selection: summary.settings?.mode,
      model: summary.settings?.model ?? "", revision: summary.revision, turnCount: Int(summary.turnCount),
      archived: summary.archived, running: running,
      queue: record.queue.map { $0.input.map { MessageItem(role: .user, content: $0.content).text } ?? "" },
      effectiveMode: listed.last?.mode, ends: ends.map(\.1), pins: pins.count,
      mailbox: record.mailbox.map { MessageItem(content: $0.content).text }, outbox: record.outbox.count,
      isClosed: summary.closed, input: input.map(\.token))
  }
}

extension RuleSequence {
  /// Runs it on both sides; nil, or where and how they part.
  func mismatch(twist: Twist? = nil) -> String? {
    do {
      var run = try RuleRun(origin, features: features)
      var model = RuleModel(origin, features: features, twist: twist)
      if run.visible != model.visible { return difference("at the start", run.visible, model.visible) }
      for (number, step) in steps.enumerated() {
        if let law = try run.take(step, number) { return "step \(number) \(step): \(law)" }
        model.take(step, number)
        let (seen, expected) = (run.visible, model.visible)
        if seen != expected { return difference("step \(number) \(step)", seen, expected) }
      }
      return run.driver.folded() == run.driver.record ? nil : "the record differs from the fold of the whole log"
    } catch {
      return "threw \(error)"
    }
  }

  private func difference(_ place: String, _ seen: Visible, _ expected: Visible) -> String {
    var out = "\(place):"
    for (a, b) in zip(Mirror(reflecting: seen).children, Mirror(reflecting: expected).children) {
      let (is_, should) = ("\(a.value)", "\(b.value)")
      if is_ != should { out += "\n    \(a.label ?? "?") is \(is_)\n    and should be \(should)" }
    }
    return out.replacingOccurrences(of: "HeddleCore.", with: "").replacingOccurrences(of: "HeddleCoreTests.", with: "")
  }

  /// The shortest sequence found by leaving out steps, in ever smaller pieces, that still fails.
  func shrunk(twist: Twist? = nil) -> RuleSequence {
    var best = self
    var size = max(1, best.steps.count / 2)
    while true {
      var start = 0
      var isShorter = false
      while start < best.steps.count {
        var shorter = best
        shorter.steps.removeSubrange(start..<min(start + size, best.steps.count))
        if shorter.mismatch(twist: twist) != nil {
          best = shorter
          isShorter = true
        } else {
          start += size
        }
      }
      if size == 1, !isShorter { return best }
      size = max(1, size / 2)
    }
  }

  /// As it is written in `Regressions/KeptSequences.swift`.
  var source: String {
    let steps = steps.map { "." + "\($0)" }.joined(separator: ", ")
    return "RuleSequence(.\(origin), features: \(features), [\(steps)])"
      .replacingOccurrences(of: "HeddleCore.WhenBusy", with: "")
      .replacingOccurrences(of: "HeddleCore.MultiAgentMode", with: "")
      .replacingOccurrences(of: "HeddleCore.MultiAgentVersion", with: "")
  }
}
