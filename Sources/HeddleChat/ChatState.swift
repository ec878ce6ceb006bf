// A chat as a value: what happens goes in, what is to be shown and to be done comes out. No terminal, no connection, no
// clock.
//
// H1  An event is shown once: the subscription delivers it once, and streamed text is shown from the byte behind the last
//     one that was shown, whether it comes as a delta, a checkpoint, a snapshot or the whole item.
// H2  The log is what is shown. What this client sends appears when the server has it, so clients of one thread show
//     the same.
// H3  A request is told of once: its answer, or why there is none.
// H4  In a pipe only turns of this chat's own lines are shown and decide the status: not what happened before, and not
//     what others ask the thread meanwhile.

import HeddleClient
import HeddleCore

public enum ChatInput: Equatable, Sendable {
  /// A line was entered.
  case line(String)
  /// A key was pressed that is not Ctrl-C.
  case typed
  /// Ctrl-C.
  case interrupt
  /// Ctrl-D, or no line follows.
  case leave
  case message(ThreadID, SubscriptionEvent)
  /// The server follows this thread for us no more.
  case unfollowed(ThreadID, HeddleError)
  case answered(ChatCall, Result<Response, HeddleError>)
  /// The server asks the person; the number names the question until it is withdrawn.
  case asked(UInt64, RequestUserInputRequest)
  case withdrawn(UInt64)
  case connection(ConnectionChange)
  /// So long has the chat run; comes before all that happens at that moment.
  case time(Duration)
}

public enum ChatEffect: Equatable, Sendable {
  case show(ChatOutput)
  case call(ChatCall)
  case follow(ThreadID, after: UInt64)
  /// What is followed is of interest no more.
  case unfollowAll
  case answer(UInt64, RequestUserInputResponse)
  case decline(UInt64)
  case leave(status: Int32)
}

/// A request and what its answer is for.
public struct ChatCall: Equatable, Sendable {
  public enum Purpose: Equatable, Sendable {
    case open, history, send, act, agents, showAgents, agent, queue, showQueue, models, threads
  }

  public var purpose: Purpose
  public var request: Request

  public init(_ purpose: Purpose, _ request: Request) {
    self.purpose = purpose
    self.request = request
  }
}

/// A question of the model's that is open.
public struct ChatQuestion: Equatable, Sendable {
  public var id: UInt64
  public var request: RequestUserInputRequest
  /// What was answered; kept until the log has it, in case that the connection is lost on the way.
  var answer: String?
  /// The server asks no more, for a reason that the log will tell.
  var isWithdrawn = false
}

public struct ChatState: Equatable, Sendable {
  /// A person is there; otherwise lines are turns, one after the other.
  public let isInteractive: Bool
  public internal(set) var thread: AgentThread?
  public internal(set) var settings = Settings()
  public internal(set) var version = MultiAgentVersion.unspecified
  public internal(set) var running: TurnID?
  /// Now, and when the running turn began.
  private var now = Duration.zero
  private var runningSince = Duration.zero
  public internal(set) var queue: [QueuedTurn] = []
  public internal(set) var isConnected = true
  public internal(set) var agents = ChatAgents()
  public internal(set) var questions: [ChatQuestion] = []
  public internal(set) var usage = TokenUsage()

  var effectiveMode: MultiAgentMode?
  /// What is stored has been shown.
  var isLive = false
  var texts: [ItemID: StreamedText] = [:]
  var toolNames: [String: String] = [:]
  /// Questions whose call has not been shown.
  var early: [ChatQuestion] = []
  /// Items that were shown before they became items: steered input, mail.
  var shownItems: Set<ItemID> = []
  var effects: [ChatEffect] = []

  private let model: String?
  /// Lines that were entered before there was a thread.
  private var unsent: [String] = []
  /// Lines that wait for the turn before them, where nobody can see what it does.
  private var backlog: [String] = []
  private var callsUnderWay = 0
  /// The last event seen, and the one that an answer speaks of: in between, what runs is not known.
  var lastSequence: UInt64 = 0
  private var settledAt: UInt64 = 0
  var listed: [AgentThread] = []
  private var isArmedToLeave = false
  private var isLeaving = false
  var status: Int32 = 0
  /// Turns of lines of a pipe (H4).
  var ownTurns: Set<TurnID> = []
  /// Lines of a pipe that have no answer yet, and what came meanwhile: only the answer tells whose turn it is of.
  private var sending = 0
  private var held: [HeldMessage] = []
  /// What happens is of a turn that is not to be shown (H4).
  private var isMuted = false

  public init(model: String? = nil, isInteractive: Bool) {
    self.model = model
    self.isInteractive = isInteractive
  }

  /// Begins a new thread, or goes on with one.
  public mutating func open(_ thread: ThreadID?) -> [ChatEffect] {
    reopen(thread)
    return taken()
  }

  mutating func reopen(_ thread: ThreadID?) {
    forget()
    if let thread {
      call(.open, .threadResume(ResumeThreadRequest(thread: thread, subscribe: false)))
    } else {
      var request = StartThreadRequest(subscribe: false, asksUser: isInteractive)
      if let model { request.settings = SettingsChange(model: model) }
      call(.open, .threadStart(request))
    }
  }

  public mutating func handle(_ input: ChatInput) -> [ChatEffect] {
    switch input {
    case .line(let line):
      isArmedToLeave = false
      if isInteractive { entered(line) } else { backlog.append(line) }
    case .typed: isArmedToLeave = false
    case .interrupt: interrupt()
    case .leave: isInteractive ? leave() : (isLeaving = true)
    case .message(let id, let message):
      if sending > 0 { held.append(HeldMessage(thread: id, message: message)) } else { arrived(message, at: id) }
    case .unfollowed(let id, let error):
      if id == thread?.id { unfollowed(error) }
    case .answered(let call, let result):
      callsUnderWay -= 1
      answered(call, result)
      if !isInteractive, call.purpose == .send { sendEnded() }
    case .asked(let id, let request): asked(id, request)
    case .withdrawn(let id): withdrawn(id)
    case .connection(let change): changed(change)
    case .time(let now): self.now = now
    }
    takeFromBacklog()
    return taken()
  }

  private mutating func arrived(_ message: SubscriptionEvent, at id: ThreadID) {
    isMuted = !isInteractive && !isOwn(message)
    defer { isMuted = false }
    if id == thread?.id { happened(message) } else if agents[id] != nil { happened(message, to: id) }
  }

  /// Whether it is of a turn of this chat's, or of no turn.
  private func isOwn(_ message: SubscriptionEvent) -> Bool {
    let turn: TurnID? =
      switch message.kind {
      case .event(let event)?: event.turn
      case .delta(let delta)?: delta.turn
      case .snapshot(let snapshot)?: snapshot.turn
      default: nil
      }
    return turn.map { ownTurns.contains($0) } ?? true
  }

  private mutating func sendEnded() {
    sending -= 1
    guard sending == 0 else { return }
    let messages = held
    held = []
    for held in messages { arrived(held.message, at: held.thread) }
  }

  private mutating func unfollowed(_ error: HeddleError) {
    note(.failure, "✗ this thread can be followed no more: \(error.reasonText)")
    if isInteractive { note(.faint, "  /new begins another, /threads lists those that there are") } else { leave(1) }
  }

  private mutating func taken() -> [ChatEffect] {
    defer { effects = [] }
    return effects
  }

  mutating func began(_ turn: TurnID) { (running, runningSince) = (turn, now) }

  /// The tools that the model waits for; one that asks the person is told of by itself.
  private var callsLabel: String? {
    if running == nil || question != nil || toolNames.isEmpty { return nil }
    if toolNames.count > 1 { return "waits for \(toolNames.count) tools" }
    return toolNames.values.first.map { "waits for \(TerminalText.summary($0, cells: 30))" }
  }

  /// The state of the thread at a glance.
  public var statusLine: String {
    guard thread != nil else { return isConnected ? "── opening ──" : "── opening · not connected ──" }
    var parts = running == nil ? ["idle"] : ["working", ElapsedText.text(now - runningSince)]
    if let callsLabel { parts.append(callsLabel) }
    parts.append(settings.model)
    if let mode = settings.mode { parts.append("mode \(mode.label)") }
    if !queue.isEmpty { parts.append("\(queue.count) queued") }
    if agents.runningCount > 0 { parts.append(counted(agents.runningCount, "agent") + " at work") }
    if question != nil { parts.append("waits for your answer") }
    if !isConnected { parts.append("not connected") }
    return "── " + parts.joined(separator: " · ") + " ──"
  }

  // MARK: Showing and asking

  mutating func show(_ output: ChatOutput) {
    if !isMuted { effects.append(.show(output)) }
  }

  mutating func note(_ style: TextStyle, _ text: String) { show(.line([Span(style, text)])) }

  mutating func call(_ purpose: ChatCall.Purpose, _ request: Request) {
    callsUnderWay += 1
    effects.append(.call(ChatCall(purpose, request)))
  }

  mutating func forget() {
    effects.append(.unfollowAll)
    thread = nil
    running = nil
    queue = []
    agents = ChatAgents()
    (questions, early) = ([], [])
    usage = TokenUsage()
    effectiveMode = nil
    isLive = false
    for id in texts.keys.sorted() { show(.streamEnd(id)) }
    texts = [:]
    toolNames = [:]
    shownItems = []
    (lastSequence, settledAt) = (0, 0)
  }

  /// There is a thread: what was entered before goes to it.
  mutating func begin(_ thread: AgentThread) {
    self.thread = thread
    settings = thread.settings ?? Settings()
    version = thread.version
    for line in unsent { send(line, .queue) }
    unsent = []
  }

  /// An answer tells of this event: until it has been seen, the thread may have a turn that is not known yet.
  mutating func settles(at sequence: UInt64) { settledAt = max(settledAt, sequence) }

  // MARK: Lines

  private mutating func entered(_ line: String) {
    switch SlashCommand.parse(line) {
    case .mistake(let text): note(.failure, text)
    case .command(let command): carryOut(command)
    case .text(let text):
      if questions.contains(where: { !$0.isWithdrawn && $0.answer == nil }) { return answer(text) }
      send(text, isInteractive ? .steer : .queue)
    }
  }

  mutating func send(_ text: String, _ whenBusy: WhenBusy) {
    guard let thread else { return unsent.append(text) }
    let input = TurnInput(content: [ContentPart(part: .text(text))])
    if !isInteractive { sending += 1 }
    call(.send, .turnStart(StartTurnRequest(thread: thread.id, input: input, whenBusy: whenBusy)))
    if !isConnected { note(.note, "Not connected; it will be sent.") }
  }

  // MARK: Ending

  private mutating func interrupt() {
    if isArmedToLeave { return leave(130) }
    isArmedToLeave = true
    if let running, isInteractive || ownTurns.contains(running) {
      interruptTurn()
      if !isInteractive { (status, backlog, isLeaving) = (130, [], true) }
    } else if isInteractive {
      note(.faint, "Ctrl-C again, or Ctrl-D, to leave.")
    } else {
      leave(130)
    }
  }

  mutating func interruptTurn() {
    guard let thread, let running else { return note(.note, "No turn runs.") }
    call(.act, .turnInterrupt(InterruptTurnRequest(thread: thread.id, turn: running)))
  }

  /// A turn has ended: a Ctrl-C that was meant for it is spent.
  mutating func disarm() { isArmedToLeave = false }

  mutating func leave(_ status: Int32? = nil) { effects.append(.leave(status: status ?? self.status)) }

  /// Lines that wait; whoever reads them may wait too.
  public var backlogCount: Int { backlog.count }

  /// Nothing runs, nothing waits, and all that answers have told of has been seen.
  private var isIdle: Bool {
    thread != nil && isLive && callsUnderWay == 0 && running == nil && queue.isEmpty && lastSequence >= settledAt
  }

  private mutating func takeFromBacklog() {
    while isIdle, !backlog.isEmpty { entered(backlog.removeFirst()) }
    guard isLeaving, isIdle, backlog.isEmpty else { return }
    isLeaving = false
    leave()
  }

  // MARK: Connection

  private mutating func changed(_ change: ConnectionChange) {
    switch change {
    case .lost(.closed): break
    case .lost(let reason):
      guard isConnected else { return }
      isConnected = false
      let why: String
      switch reason {
      case .goingAway(let notice): why = "the server is going away" + (notice.error.map { " (\($0.reason))" } ?? "")
      case .connectionLost: why = "the connection was lost"
      default: why = reason.description
      }
      note(.note, "— \(why); connecting again")
    case .connected:
      guard !isConnected else { return }
      isConnected = true
      note(.note, "— connected again")
    }
  }
}

func counted(_ count: some BinaryInteger, _ noun: String) -> String { "\(count) \(noun)\(count == 1 ? "" : "s")" }

/// What came before it was known whose turn it is of.
struct HeldMessage: Equatable, Sendable {
  var thread: ThreadID
  var message: SubscriptionEvent
}

/// Text of an item that is not whole yet.
struct StreamedText: Equatable, Sendable {
  var style: TextStyle
  /// Bytes that have been shown.
  var shown: UInt64 = 0

  /// The part of a piece that has not been shown. A piece behind a gap is left: the whole item fills it.
  mutating func take(_ text: String, at offset: UInt64) -> String? {
    let (end, overflow) = offset.addingReportingOverflow(UInt64(text.utf8.count))
    guard !overflow, offset <= shown, end > shown else { return nil }
    defer { shown = end }
    return offset == shown ? text : String(decoding: text.utf8.dropFirst(Int(shown - offset)), as: UTF8.self)
  }
}

extension [ContentPart] {
  /// Its text; what is not text is named.
  var shownText: String {
    map { part in
      switch part.part {
      case .text(let text)?: text
      case .image?: "[image]"
      case .encrypted?: "[encrypted]"
      case .opaque(let opaque)?: "[\(opaque.kind)]"
      case nil: ""
      }
    }.joined(separator: "\n")
  }
}
