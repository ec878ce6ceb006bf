// A second, small reading of rules.md V, M, S, U, T7 and the part of A about one thread, for property tests: one flat list of the model's context,
// from which everything is read anew. It shares nothing with HeddleCore but the names of versions and modes, and works
// another way on purpose: no baseline, no ranges, no record; it looks back in the list.

import HeddleCore

/// The next step of a client, a model or an operator.
enum Step: Equatable, Sendable {
  /// Settings: select or clear a mode, choose a model, name a stale revision.
  case select(MultiAgentMode), clear, model(Int), stale
  /// A turn; its text is the number of the step.
  case turn(WhenBusy, model: Int?, mode: MultiAgentMode?)
  /// The model: more text, a checkpoint of it, a tool call, the end of the step, a failure.
  case say, checkpoint, tool, finish, fail
  /// The model: a call of the client's tool, another try, a history that it refuses, a summary.
  case ask, retry, tooLarge, summary
  /// The client or the clock: the open call at this place gets its output.
  case answer(Int), deadline(Int)
  /// Other agents: mail, the same again, a slot for the turn that it asks for; this agent's own mail is delivered.
  case mail(wantsTurn: Bool), sameMail, slot, delivered
  /// The agent above, or a client.
  case close(byClient: Bool), reopen
  case steer, steerWrong, interrupt, interruptAgain, cancel(Int)
  /// `compact` is what an import writes, `sumUp` what a client asks for.
  case rollback(Int32), compact, sumUp
  case fork, forkUpTo(Int)
  case resume, archive, unarchive, restart
  /// The operator: `multi_agent`, `multi_agent_v2`, `multi_agent_mode` as three bits; hints; the interruption marker.
  case features(Int), hints(Bool), markers(Bool)
}

/// How the thread comes to be.
enum Origin: Equatable, Sendable {
  case new(model: Int, mode: MultiAgentMode?)
  case child(of: MultiAgentVersion)
  /// A V1 agent: clients may write to it, and its parent hears of its end.
  case agent
  /// An import of `turns` turns, with a stored version or without one.
  case imported(turns: Int, MultiAgentVersion?)
}

/// One thing in the model's input, or between.
enum Token: Equatable, Sendable {
  case hint, mode(MultiAgentMode)
  case user(String), answer(String, whole: Bool)
  case call(String), output(String)
  case mail(String)
  case marker(Role)
}

/// The state of a thread that a client can see after a step.
struct Visible: Equatable, Sendable {
  var refused: Reason?
  var version: MultiAgentVersion
  var source: VersionSource
  var selection: MultiAgentMode?
  var model: String
  var revision: UInt64
  var turnCount: Int
  var archived: Bool
  /// Texts of the running turn's first message and of those that wait, in order.
  var running: String?
  var queue: [String]
  /// Of the newest turn that is listed.
  var effectiveMode: MultiAgentMode?
  var ends: [TurnStatus]
  var pins: Int
  /// Mail that the model has not been given, and mail on its way.
  var mailbox: [String]
  var outbox: Int
  var isClosed: Bool
  var input: [Token]
}

/// Opposites of single rules. The checker is only worth something if it notices each of them.
enum Twist: String, CaseIterable, Sendable {
  case flagsBeatTheCatalog = "V5: flags beat the catalog"
  case modelChangeRepins = "V6: a model change after the first turn changes the version"
  case legacyAsksTheFlags = "V4: a legacy history is resolved like a new thread"
  case resumePinsNothing = "V8: resume does not pin a legacy thread"
  case forkResolvesAnew = "V4: a fork of a legacy history takes what the flags say"
  case gateIsIgnored = "M4: the selection takes effect with the gate off"
  case selectionIsEffective = "M8: a restart brings back the effective mode instead of the selection"
  case fragmentEveryTurn = "M6: every turn is told its mode"
  case noRevocation = "M6: a proactive thread that becomes not applicable is told nothing"
  case rollbackKeepsTheBaseline = "M7: a rollback leaves what the last turn was told"
  case compactionKeepsTheBaseline = "M7: a compaction leaves what the last turn was told"
  case forkForgetsTheSelection = "M9: a fork starts without a selection"
  case equalUpdateIsAChange = "S4: an equal update makes a revision"
  case staleUpdateIsTaken = "S4: a stale update is taken"
  case overrideIsForOneTurn = "S1: a turn's override is gone after it"
  case queueIsAStack = "U1: the last that waits runs first"
  case queueIsUnbounded = "U1: the queue takes any number"
  case crashLosesTheQueue = "U1: a restart forgets who waits"
  case steeredInputIsLost = "U2: input steered into a turn that is interrupted is lost"
  case markerIsTheUsers = "U3: the marker is always the user's"
  case crashIsSilent = "U4: a turn that a crash ended leaves no marker"
  case crashLosesTheMail = "A5: a restart forgets mail that the model was not given"
  case mailIsAStack = "A5: the last mail is given first"
  case brokenCallsAreRun = "A9: calls of a try that broke off wait for their answers"
  case failedSummaryTells = "M7: a compaction that failed is what the next turn compares with"
  case summarySwallowsInput = "U2: input that is added to a compaction is not answered"
  case summaryIsAnAnswer = "A5: a compaction is told to the agent above"
}

struct RuleModel {
  static let models = ["scripted", "scripted-v1", "scripted-v2", "scripted-disabled"]
  static let catalog: [MultiAgentVersion?] = [nil, .v1, .v2, .disabled]
  /// Small, so that random sequences get there.
  static let queueLimit = 3

  private struct Waiting {
    /// nil: mail or a client's wish for a summary begins the turn.
    var text: String?
    var cause = TurnCause.unspecified
    var model: Int?
    var mode: MultiAgentMode?
  }

  /// One line of what happened, in order; `turn` is nil between turns.
  private enum Line {
    case start(version: MultiAgentVersion, effective: MultiAgentMode?, tells: Bool)
    case pin
    /// The mode that the model is told with it, if the turn continues.
    case compaction(told: MultiAgentMode??)
    case token(Token)
  }

  private enum Phase { case sampling, tools, compacting }

  var twist: Twist?
  private var multiAgent: Bool
  private var v2: Bool
  private var gate: Bool
  private var hints = true
  private var markersOn = true

  private var pinned: (MultiAgentVersion, VersionSource)?
  private var pins = 0
  private var isLegacy = false
  private var model = 0
  private var selection: MultiAgentMode?
  private var revision: UInt64
  private var isArchived = false
  private var lines: [(turn: Int?, Line)] = []
  private var turnNumber = 0
  private var queue: [Waiting] = []
  private var running: (number: Int, text: String?, cause: TurnCause)?
  private var phase = Phase.sampling
  /// The model refused its history and has not answered since.
  private var wasTooLarge = false
  private var hasAnswered = false
  private var mailbox: [(text: String, wantsTurn: Bool)] = []
  private var outbox = 0
  private var isAgent = false
  private var isClosed = false
  private var isReported = false
  private var open: (text: String, safe: String)?
  private var calls: [(id: String, isClients: Bool)] = []
  private var steered: [String] = []
  private var ends: [(turn: Int, TurnStatus)] = []
  private var refused: Reason?
  private var before: (model: Int, mode: MultiAgentMode?)?
  private var untwistedBaseline: MultiAgentMode??

  // MARK: Beginning

  init(_ origin: Origin, features: Int, twist: Twist? = nil) {
    self.twist = twist
    multiAgent = features & 1 != 0
    v2 = features & 2 != 0
    gate = features & 4 != 0
    revision = 1
    switch origin {
    case .new(let model, let mode):
      self.model = model
      selection = mode
    case .child(let version): pin(version, .inherited)
    case .agent:
      isAgent = true
      pin(.v1, .inherited)
    case .imported(let turns, let version):
      revision = 0
      isLegacy = true
      if let version { pin(version, .stored) }
      for index in 0..<turns {
        turnNumber += 1
        lines.append((turnNumber, .start(version: version ?? .unspecified, effective: nil, tells: false)))
        lines.append((turnNumber, .token(.user("old \(index)"))))
        lines.append((turnNumber, .token(.answer("old answer \(index)", whole: true))))
        ends.append((turnNumber, .completed))
      }
    }
  }

  private mutating func pin(_ version: MultiAgentVersion, _ source: VersionSource) {
    pinned = (version, source)
    pins += 1
    lines.append((nil, .pin))
  }

  // MARK: Steps

  mutating func take(_ step: Step, _ number: Int) {
    refused = nil
    switch step {
    case .select(let mode): update(model, mode)
    case .clear: update(model, nil)
    case .model(let index):
      if index < Self.models.count {
        update(index, selection)
      } else {
        refused = isArchived ? .archived : .unknownModel
      }
    case .stale:
      refused = isArchived ? .archived : .revisionMismatch
      if twist == .staleUpdateIsTaken, !isArchived { (refused, selection, revision) = (nil, .proactive, revision + 1) }
    case .turn(let whenBusy, let model, let mode): startTurn("t\(number)", whenBusy, model, mode)
    case .say, .checkpoint, .tool, .finish, .fail, .ask, .retry, .tooLarge, .summary:
      if running != nil { modelTakes(step, number) }
    case .answer(let place), .deadline(let place): clientAnswers(place)
    case .mail(let wantsTurn): mailbox.append(("m\(number)", wantsTurn))
    case .sameMail: break
    case .slot:
      if running == nil, !isArchived, !isClosed, mailbox.contains(where: \.wantsTurn) {
        begin(Waiting(cause: .mail))
      }
    case .delivered: outbox = max(0, outbox - 1)
    case .close(let byClient): close(byClient)
    case .reopen: if isClosed { (isClosed, isReported) = (false, false) }
    case .sumUp: sumUp()
    case .steer:
      if let reason = notWritable {
        refused = reason
      } else if running == nil {
        refused = .noTurn
      } else {
        steered.append("s\(number)")
      }
    case .steerWrong: refused = notWritable ?? (running == nil ? .noTurn : .turnMismatch)
    case .interrupt: if running != nil { end(.interrupted) }
    case .interruptAgain: break
    case .cancel(let place): if queue.indices.contains(place) { queue.remove(at: place) }
    case .rollback(let count): rollback(Int(count))
    case .compact: if running == nil { compact() }
    case .fork: fork(upTo: nil)
    case .forkUpTo(let index):
      let ended = listed.filter { $0 != running?.number }
      if ended.indices.contains(index) { fork(upTo: ended[index]) }
    case .resume: resume()
    case .archive: if running == nil { isArchived = true } else { refused = .turnInProgress }
    case .unarchive: isArchived = false
    case .restart: restart()
    case .features(let bits): (multiAgent, v2, gate) = (bits & 1 != 0, bits & 2 != 0, bits & 4 != 0)
    case .hints(let on): hints = on
    case .markers(let on): markersOn = on
    }
  }

  private mutating func update(_ newModel: Int, _ newMode: MultiAgentMode?) {
    guard !isArchived else { return refused = .archived }
    // A closed agent's settings may be set to what they are.
    if isClosed, newModel != model || newMode != selection { return refused = .agentClosed }
    change(newModel, newMode)
  }

  private var notWritable: Reason? { isArchived ? .archived : isClosed ? .agentClosed : nil }

  private mutating func change(_ newModel: Int, _ newMode: MultiAgentMode?) {
    if newModel != model || newMode != selection || twist == .equalUpdateIsAChange { revision += 1 }
    if twist == .modelChangeRepins, newModel != model, pinned != nil, let version = Self.catalog[newModel] {
      pinned = (version, .catalog)
    }
    (model, selection) = (newModel, newMode)
  }

  private mutating func startTurn(_ text: String, _ whenBusy: WhenBusy, _ model: Int?, _ mode: MultiAgentMode?) {
    if let reason = notWritable { return refused = reason }
    if let model, model >= Self.models.count { return refused = .unknownModel }
    guard running != nil else { return begin(Waiting(text: text, model: model, mode: mode)) }
    switch whenBusy {
    case .refuse: refused = .turnInProgress
    case .steer:
      // Its settings apply from the next turn on, like an update's (S2).
      change(model ?? self.model, mode ?? selection)
      steered.append(text)
    case .queue, .unspecified:
      if queue.count == Self.queueLimit, twist != .queueIsUnbounded { return refused = .queueFull }
      queue.append(Waiting(text: text, model: model, mode: mode))
    }
  }

  private mutating func begin(_ turn: Waiting) {
    before = (model, selection)
    change(turn.model ?? model, turn.mode ?? selection)
    if pinned == nil {
      let (version, source) = resolve()
      pin(version, source)
    }
    let effective = effectiveMode
    let told = lastTold
    untwistedBaseline = nil
    turnNumber += 1
    running = (turnNumber, turn.text, turn.cause)
    (phase, wasTooLarge, hasAnswered) = (.sampling, false, false)
    let tells = turn.cause != .compaction || twist == .failedSummaryTells
    lines.append((turnNumber, .start(version: version, effective: effective, tells: tells)))
    guard turn.cause != .compaction else { return phase = .compacting }
    tell(effective, after: told)
    giveMail()
    if let text = turn.text { say(.user(text)) }
  }

  private mutating func tell(_ effective: MultiAgentMode?, after told: MultiAgentMode??) {
    if told == nil, version == .v2, hints { say(.hint) }
    if let fragment = fragment(after: told, now: effective) { say(.mode(fragment)) }
  }

  private mutating func giveMail() {
    for mail in twist == .mailIsAStack ? mailbox.reversed() : mailbox { say(.mail(mail.text)) }
    mailbox = []
  }

  private var version: MultiAgentVersion { pinned?.0 ?? .unspecified }

  private func resolve() -> (MultiAgentVersion, VersionSource) {
    if isLegacy, twist != .legacyAsksTheFlags { return (.v1, .legacy) }
    let flags: MultiAgentVersion = v2 ? .v2 : multiAgent ? .v1 : .disabled
    if let catalog = Self.catalog[model], twist != .flagsBeatTheCatalog { return (catalog, .catalog) }
    return (flags, .flags)
  }

  private var effectiveMode: MultiAgentMode? {
    guard version == .v2, hints else { return nil }
    return gate || twist == .gateIsIgnored ? selection ?? .explicitRequestOnly : .explicitRequestOnly
  }

  /// The mode that the last turn was told, among turns in the model's context; nil: there is no such turn.
  private var lastTold: MultiAgentMode?? {
    if twist == .rollbackKeepsTheBaseline || twist == .compactionKeepsTheBaseline, let kept = untwistedBaseline {
      return kept
    }
    for (_, line) in lines.reversed() {
      switch line {
      case .compaction(let told): return told
      case .start(version: _, effective: let effective, tells: true): return .some(effective)
      default: continue
      }
    }
    return nil
  }

  /// Rows: the mode before (not applicable, explicit, proactive); columns: the mode that applies now, in the same order.
  private static let fragments: [[MultiAgentMode?]] = [
    [nil, .explicitRequestOnly, .proactive],
    [nil, nil, .proactive],
    [.explicitRequestOnly, .explicitRequestOnly, nil],
  ]

  private func fragment(after told: MultiAgentMode??, now: MultiAgentMode?) -> MultiAgentMode? {
    guard let told, twist != .fragmentEveryTurn else { return now }
    func place(_ mode: MultiAgentMode?) -> Int { mode == nil ? 0 : mode == .explicitRequestOnly ? 1 : 2 }
    if twist == .noRevocation, now == nil { return nil }
    return Self.fragments[place(told)][place(now)]
  }

  // MARK: A turn's life

  private mutating func say(_ token: Token) {
    lines.append((running?.number, .token(token)))
    if case .user(let text) = token, running?.text == nil { running?.text = text }
  }

  private mutating func modelTakes(_ step: Step, _ number: Int) {
    switch (step, phase) {
    case (.fail, _): end(.failed)
    case (.tooLarge, _):
      if phase != .sampling || wasTooLarge { return end(.failed) }
      breakOff()
      (phase, wasTooLarge) = (.compacting, true)
    case (.retry, .sampling): breakOff()
    case (.summary, .compacting): summed(number)
    case (.say, .sampling): open = ((open?.text ?? "") + "a\(number) ", open?.safe ?? "")
    case (.checkpoint, .sampling): open = open.map { ($0.text, $0.text) }
    case (.tool, .sampling), (.ask, .sampling):
      close(whole: true)
      say(.call("c\(number)"))
      calls.append(("c\(number)", step == .ask))
    case (.finish, .sampling):
      close(whole: true)
      wasTooLarge = false
      let hadCalls = !calls.isEmpty
      for call in calls where !call.isClients { say(.output(call.id)) }
      calls.removeAll { !$0.isClients }
      if calls.isEmpty { afterStep(hadCalls) } else { phase = .tools }
    default: break
    }
  }

  /// The output of a failed attempt does not count.
  private mutating func breakOff() {
    close(whole: false)
    guard twist != .brokenCallsAreRun else { return }
    for call in calls { say(.output(call.id)) }
    calls = []
  }

  private mutating func clientAnswers(_ place: Int) {
    guard phase == .tools, running != nil, calls.indices.contains(place) else { return }
    say(.output(calls.remove(at: place).id))
    if calls.isEmpty { afterStep(true) }
  }

  private mutating func afterStep(_ hadCalls: Bool) {
    let goesOn = hadCalls || !steered.isEmpty || !mailbox.isEmpty
    phase = .sampling
    sayPending()
    giveMail()
    if !goesOn { end(.completed) }
  }

  private mutating func summed(_ number: Int) {
    let effective = started
    let isAlone = running?.cause == .compaction && (steered.isEmpty || twist == .summarySwallowsInput)
    if twist == .compactionKeepsTheBaseline { untwistedBaseline = lastTold }
    lines.append((running?.number, .compaction(told: isAlone ? nil : .some(effective))))
    if !isAlone { tell(effective, after: nil) }
    lines.append((running?.number, .token(.user("sum\(number)"))))
    guard !isAlone else { return end(.completed) }
    phase = .sampling
    sayPending()
  }

  /// The effective mode at the start of the running turn.
  private var started: MultiAgentMode? {
    for (turn, line) in lines.reversed() where turn == running?.number {
      if case .start(version: _, effective: let effective, tells: _) = line { return effective }
    }
    return nil
  }

  private mutating func close(whole: Bool) {
    if let open {
      say(.answer(open.text, whole: whole))
      hasAnswered = hasAnswered || whole
    }
    open = nil
  }

  private mutating func sayPending() {
    for text in steered { say(.user(text)) }
    steered = []
  }

  private mutating func end(_ status: TurnStatus, isCrash: Bool = false) {
    close(whole: status == .completed)
    // No call stays without an output: a provider would refuse the history.
    for call in calls { say(.output(call.id)) }
    calls = []
    if twist == .steeredInputIsLost, status == .interrupted { steered = [] }
    sayPending()
    if status == .interrupted, markersOn, !(isCrash && twist == .crashIsSilent) {
      say(.marker(version == .v2 && twist != .markerIsTheUsers ? .developer : .user))
    }
    ends.append((running?.number ?? 0, status))
    let isAnswer = running?.cause != .compaction || hasAnswered || twist == .summaryIsAnAnswer
    if status != .interrupted, isAgent, !isClosed, !isReported, isAnswer { (isReported, outbox) = (true, outbox + 1) }
    running = nil
    if twist == .overrideIsForOneTurn, let before { (model, selection) = before }
    runNext()
  }

  private mutating func runNext() {
    guard running == nil, !queue.isEmpty else { return }
    begin(twist == .queueIsAStack ? queue.removeLast() : queue.removeFirst())
  }

  // MARK: The thread

  private mutating func resume() {
    if isArchived { return refused = .archived }
    if pinned == nil, isLegacy, twist != .resumePinsNothing { pin(.v1, .legacy) }
  }

  private mutating func restart() {
    if twist == .crashLosesTheQueue { queue = [] }
    if twist == .crashLosesTheMail { mailbox = [] }
    if twist == .selectionIsEffective, let told = lastTold { selection = told }
    guard running != nil else { return }
    open = open.map { ($0.safe, $0.safe) }
    end(.interrupted, isCrash: true)
  }

  /// Numbers of the turns that a list shows.
  private var listed: [Int] { lines.compactMap { if case .start = $0.1 { $0.turn } else { nil } } }

  private mutating func rollback(_ count: Int) {
    if count < 1 { return refused = .outOfRange }
    if running != nil { return refused = .turnInProgress }
    if let reason = notWritable { return refused = reason }
    let gone = listed.suffix(count)
    if twist == .rollbackKeepsTheBaseline, !gone.isEmpty { untwistedBaseline = lastTold }
    lines.removeAll { line in line.turn.map { gone.contains($0) } ?? false }
  }

  private mutating func compact() {
    if twist == .compactionKeepsTheBaseline { untwistedBaseline = lastTold }
    lines.append((nil, .compaction(told: nil)))
  }

  private mutating func sumUp() {
    if let reason = notWritable { return refused = reason }
    if running != nil { return refused = .turnInProgress }
    if listed.isEmpty, !isLegacy { return refused = .nothingToCompact }
    begin(Waiting(cause: .compaction))
  }

  private mutating func close(_ byClient: Bool) {
    guard isAgent, !isClosed else { return }
    if byClient { (isReported, outbox) = (true, outbox + 1) }
    isClosed = true
    queue = []
    if running != nil { end(.interrupted) }
  }

  /// The thread is replaced by its own fork.
  private mutating func fork(upTo turn: Int?) {
    let source = pinned
    if let turn, let last = lines.lastIndex(where: { $0.turn == turn }) {
      lines.removeSubrange((last + 1)...)
      ends.removeAll { $0.turn > turn }
      running = nil
      (open, calls, steered) = (nil, [], [])
    }
    // Mail and what a tree knows of an agent are the source's.
    (mailbox, outbox, isAgent, isClosed, isReported) = ([], 0, false, false, false)
    isLegacy = isLegacy || !listed.isEmpty || (turn == nil && turnNumber > 0)
    let pinIsCopied = lines.contains { if case .pin = $0.1 { true } else { false } }
    queue = []
    isArchived = false
    if twist == .forkForgetsTheSelection { selection = nil }
    if pinIsCopied, let source {
      pinned = (source.0, .stored)
    } else if let source {
      pins -= 1
      pin(source.0, .inherited)
    } else if isLegacy {
      if twist == .forkResolvesAnew { pin(v2 ? .v2 : .v1, .flags) } else { pin(.v1, .legacy) }
    }
    if running != nil {
      open = open.map { ($0.safe, $0.safe) }
      end(.interrupted)
    }
  }

  // MARK: Views

  var visible: Visible {
    var shown: (MultiAgentVersion, VersionSource) = pinned ?? (.unspecified, .unspecified)
    if pinned == nil, isLegacy { shown = (.v1, .legacy) }
    var effective: MultiAgentMode?
    for case .start(version: _, effective: let mode, tells: _) in lines.map(\.1) { effective = mode }
    let start = lines.lastIndex { if case .compaction = $0.1 { true } else { false } }.map { $0 + 1 } ?? 0
    return Visible(
      refused: refused, version: shown.0, source: shown.1, selection: selection, model: Self.models[model],
      revision: revision, turnCount: listed.count, archived: isArchived, running: running?.text,
      queue: queue.map { $0.text ?? "" }, effectiveMode: effective, ends: ends.map(\.1), pins: pins,
      mailbox: mailbox.map(\.text), outbox: outbox, isClosed: isClosed,
      input: lines[start...].compactMap { if case .token(let token) = $0.1 { token } else { nil } })
  }
}
