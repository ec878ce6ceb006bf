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

public struct ChatState: Equatable, Sendable {
  /// A person is there; otherwise lines are turns, one after the other.
  public let isInteractive: Bool
  private let model: String?

  public internal(set) var thread: AgentThread?
  var settings = Settings()
  var version = MultiAgentVersion.unspecified
  /// Of the last turn.
  var effectiveMode: MultiAgentMode?
  var usage = TokenUsage()
  var turns = ChatTurns()
  public internal(set) var agents = ChatAgents()
  var questions = ChatQuestions()
  var transcript = ChatTranscript()
  var position = ChatPosition()

  private(set) var isConnected = true
  private var now = Duration.zero
  var pipe = ChatPipe()
  var ending = ChatEnding()
  /// Lines that were entered before there was a thread.
  private var unsent: [String] = []
  private var callsUnderWay = 0
  /// The threads that were listed last, for `/open`.
  var listed: [AgentThread] = []
  var effects: [ChatEffect] = []

  public init(model: String? = nil, isInteractive: Bool) {
    self.model = model
    self.isInteractive = isInteractive
  }

  public var running: TurnID? { turns.running }

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
      ending.isArmed = false
      if isInteractive { entered(line) } else { pipe.backlog.append(line) }
    case .typed: ending.isArmed = false
    case .interrupt: interrupt()
    case .leave: isInteractive ? leave() : (ending.isDue = true)
    case .message(let id, let message):
      if !pipe.holds(message, of: id) { arrived(message, at: id) }
    case .unfollowed(let id, let error):
      if id == thread?.id { unfollowed(error) }
    case .answered(let call, let result):
      callsUnderWay -= 1
      answered(call, result)
      if !isInteractive, call.purpose == .send {
        for held in pipe.answered() { arrived(held.message, at: held.thread) }
      }
    case .asked(let id, let request): asked(id, request)
    case .withdrawn(let id): questions.withdraw(id, isConnected: isConnected)
    case .connection(let change): changed(change)
    case .time(let now): self.now = now
    }
    takeFromBacklog()
    return taken()
  }

  private mutating func arrived(_ message: SubscriptionEvent, at id: ThreadID) {
    pipe.isMuted = !isInteractive && !pipe.owns(message)
    defer { pipe.isMuted = false }
    if id == thread?.id { happened(message) } else if agents[id] != nil { happened(message, to: id) }
  }

  private mutating func unfollowed(_ error: HeddleError) {
    note(.failure, "✗ this thread can be followed no more: \(error.reasonText)")
    if isInteractive { note(.faint, "  /new begins another, /threads lists those that there are") } else { leave(1) }
  }

  private mutating func taken() -> [ChatEffect] {
    defer { effects = [] }
    return effects
  }

  mutating func began(_ turn: TurnID) { turns.begin(turn, at: now) }

  /// The tools that the model waits for; one that asks the person is told of by itself.
  private var callsLabel: String? {
    let tools = transcript.tools
    if running == nil || question != nil || tools.isEmpty { return nil }
    if tools.count > 1 { return "waits for \(tools.count) tools" }
    return tools.values.first.map { "waits for \(TerminalText.summary($0, cells: 30))" }
  }

  /// The state of the thread at a glance.
  public var statusLine: String {
    guard thread != nil else { return isConnected ? "── opening ──" : "── opening · not connected ──" }
    var parts = running == nil ? ["idle"] : ["working", ElapsedText.text(now - turns.since)]
    if let callsLabel { parts.append(callsLabel) }
    parts.append(settings.model)
    if let mode = settings.mode { parts.append("mode \(mode.label)") }
    if !turns.queue.isEmpty { parts.append("\(turns.queue.count) queued") }
    if agents.runningCount > 0 { parts.append(counted(agents.runningCount, "agent") + " at work") }
    if question != nil { parts.append("waits for your answer") }
    if !isConnected { parts.append("not connected") }
    return "── " + parts.joined(separator: " · ") + " ──"
  }

  // MARK: Showing and asking

  mutating func show(_ output: ChatOutput) {
    if !pipe.isMuted { effects.append(.show(output)) }
  }

  mutating func note(_ style: TextStyle, _ text: String) { show(.line([Span(style, text)])) }

  mutating func call(_ purpose: ChatCall.Purpose, _ request: Request) {
    callsUnderWay += 1
    effects.append(.call(ChatCall(purpose, request)))
  }

  mutating func forget() {
    effects.append(.unfollowAll)
    thread = nil
    turns = ChatTurns()
    agents = ChatAgents()
    questions = ChatQuestions()
    usage = TokenUsage()
    effectiveMode = nil
    position = ChatPosition()
    endTexts()
    transcript = ChatTranscript()
  }

  /// No more of the text that streams will come.
  mutating func endTexts() {
    for id in transcript.endTexts() { show(.streamEnd(id)) }
  }

  /// There is a thread: what was entered before goes to it.
  mutating func begin(_ thread: AgentThread) {
    self.thread = thread
    settings = thread.settings ?? Settings()
    version = thread.version
    for line in unsent { send(line, .queue) }
    unsent = []
  }

  // MARK: Lines

  private mutating func entered(_ line: String) {
    switch SlashCommand.parse(line) {
    case .mistake(let text): note(.failure, text)
    case .command(let command): carryOut(command)
    case .text(let text):
      if question != nil { return answer(text) }
      send(text, isInteractive ? .steer : .queue)
    }
  }

  mutating func send(_ text: String, _ whenBusy: WhenBusy) {
    guard let thread else { return unsent.append(text) }
    let input = TurnInput(content: [ContentPart(part: .text(text))])
    if !isInteractive { pipe.sent() }
    call(.send, .turnStart(StartTurnRequest(thread: thread.id, input: input, whenBusy: whenBusy)))
    if !isConnected { note(.note, "Not connected; it will be sent.") }
  }

  // MARK: Ending

  private mutating func interrupt() {
    if ending.isArmed { return leave(130) }
    ending.isArmed = true
    if let running, isInteractive || pipe.turns.contains(running) {
      interruptTurn()
      if !isInteractive { (ending.status, pipe.backlog, ending.isDue) = (130, [], true) }
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

  mutating func leave(_ status: Int32? = nil) { effects.append(.leave(status: status ?? ending.status)) }

  /// Lines of a pipe that wait; the reader of the pipe may wait too.
  public var backlogCount: Int { pipe.backlog.count }

  /// Nothing runs, nothing waits, and all that answers have told of has been seen.
  private var isIdle: Bool {
    thread != nil && position.isLive && callsUnderWay == 0 && turns.areOver && position.isSettled
  }

  private mutating func takeFromBacklog() {
    while isIdle, !pipe.backlog.isEmpty { entered(pipe.backlog.removeFirst()) }
    guard ending.isDue, isIdle, pipe.backlog.isEmpty else { return }
    ending.isDue = false
    leave()
  }

  // MARK: Connection

  private mutating func changed(_ change: ConnectionChange) {
    switch change {
    case .lost(let reason):
      guard isConnected else { return }
      let why: String
      switch reason.kind {
      case .closed: return
      case .refused: why = "the server is going away (\(reason.reason))"
      case .lost: why = "the connection was lost"
      default: why = reason.description
      }
      isConnected = false
      note(.note, "— \(why); connecting again")
    case .connected:
      guard !isConnected else { return }
      isConnected = true
      note(.note, "— connected again")
    }
  }
}

func counted(_ count: some BinaryInteger, _ noun: String) -> String { "\(count) \(noun)\(count == 1 ? "" : "s")" }

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
