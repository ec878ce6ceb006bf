// A chat without a server: events and answers go in, lines and requests come out.

import HeddleClient
import HeddleCore
import Testing

@testable import HeddleChat

/// A chat in a thread that is live, and short ways to let things happen to it.
struct Chat {
  static let thread = ThreadID(high: 1, low: 1)
  static let turn = TurnID(high: 2, low: 2)
  static let item = ItemID(high: 3, low: 3)
  var state: ChatState
  var sequence: UInt64 = 1

  init(isInteractive: Bool = true) {
    state = ChatState(isInteractive: isInteractive)
    let effects = state.open(nil)
    #expect(
      effects.last
        == .call(ChatCall(.open, .threadStart(StartThreadRequest(subscribe: false, asksUser: isInteractive)))))
    let thread = AgentThread(id: Self.thread, settings: Settings(model: "m"), sequence: 1)
    let opened = answered(.open, .threadStart(StartThreadResponse(sequence: 1, thread: thread)))
    #expect(opened.contains(.follow(Self.thread, after: 1)))
    _ = message(.live(Live(sequence: 1)))
  }

  mutating func answered(_ purpose: ChatCall.Purpose, _ response: Response) -> [ChatEffect] {
    state.handle(.answered(ChatCall(purpose, .serverStatus(ServerStatusRequest())), .success(response)))
  }

  mutating func message(_ kind: SubscriptionEvent.Kind, of thread: ThreadID = Self.thread) -> [ChatEffect] {
    state.handle(.message(thread, SubscriptionEvent(kind: kind)))
  }

  @discardableResult
  mutating func event(_ kind: Event.Kind, of thread: ThreadID = Self.thread) -> [ChatEffect] {
    if thread == Self.thread { sequence += 1 }
    return message(.event(Event(sequence: sequence, turn: Self.turn, kind: kind)), of: thread)
  }

  @discardableResult
  mutating func startTurn() -> [ChatEffect] { event(.turnStarted(TurnStarted(turn: Self.turn, ordinal: 1))) }

  @discardableResult
  mutating func endTurn(_ status: TurnStatus = .completed) -> [ChatEffect] {
    event(.turnEnded(TurnEnded(turn: Self.turn, status: status)))
  }

  mutating func startItem() {
    event(.itemStarted(ItemStarted(item: Item(id: Self.item, kind: .message(MessageItem(role: .assistant))))))
  }

  static func completed(_ text: String, role: Role = .assistant, id: ItemID = item) -> Event.Kind {
    let message = MessageItem(role: role, content: [ContentPart(part: .text(text))])
    return .itemCompleted(ItemCompleted(item: Item(id: id, status: .completed, kind: .message(message))))
  }
}

extension [ChatEffect] {
  /// The streamed text and the lines, as plain text.
  var streamed: String {
    map { if case .show(.stream(_, _, let text)) = $0 { text } else { "" } }.joined()
  }

  var lines: [String] {
    compactMap { if case .show(.line(let spans, _)) = $0 { spans.map(\.text).joined() } else { nil } }
  }

  var requests: [Request] { compactMap { if case .call(let call) = $0 { call.request } else { nil } } }
}

@Suite struct ChatStateTests {
  @Test func streamedTextIsShownOnceHoweverItComes() {
    var chat = Chat()
    chat.startTurn()
    chat.startItem()
    var shown = ""
    func delta(_ text: String, _ offset: UInt64) {
      shown += chat.message(.delta(ItemDelta(turn: Chat.turn, item: Chat.item, offset: offset, text: text))).streamed
    }
    delta("äb", 0)
    // Again, overlapping, behind a gap, and as a checkpoint of the text that was shown.
    delta("äb", 0)
    delta("bcd", 2)
    delta("xyz", 9)
    shown += chat.event(.itemCheckpoint(ItemCheckpoint(item: Chat.item, offset: 0, text: "äbcd"))).streamed
    shown += chat.message(.snapshot(ItemSnapshot(turn: Chat.turn, item: Chat.item, text: "äbcdef"))).streamed
    #expect(shown == "äbcdef")
    shown += chat.event(Chat.completed("äbcdefgh")).streamed
    #expect(shown == "äbcdefgh")
  }

  @Test func anOffsetThatOverflowsIsLeft() {
    var text = StreamedText(style: .plain)
    #expect(text.take("abc", at: .max) == nil)
    #expect(text.take("abc", at: 0) == "abc")
  }

  @Test func aMessageThatWasNotStreamedIsShownWhole() {
    var chat = Chat()
    chat.startTurn()
    #expect(chat.event(Chat.completed("whole")).streamed == "whole")
    #expect(chat.event(Chat.completed("hello\nyou", role: .user)).lines == ["› hello\n  you"])
    #expect(chat.event(Chat.completed("a hint", role: .developer)) == [])
  }

  @Test func aLineGoesToTheRunningTurnAndQueueMakesATurnOfItsOwn() {
    var chat = Chat()
    func request(_ text: String, _ whenBusy: WhenBusy) -> Request {
      let input = TurnInput(content: [ContentPart(part: .text(text))])
      return .turnStart(StartTurnRequest(thread: Chat.thread, input: input, whenBusy: whenBusy))
    }
    #expect(chat.state.handle(.line("hi")).requests == [request("hi", .steer)])
    #expect(chat.state.handle(.line("/queue later on")).requests == [request("later on", .queue)])
    #expect(chat.state.handle(.line("//etc")).requests == [request("/etc", .steer)])
    #expect(chat.state.handle(.line("/nonsense")).requests == [])
  }

  @Test func steeredInputIsShownOnce() {
    var chat = Chat()
    chat.startTurn()
    let input = TurnInput(content: [ContentPart(part: .text("also"))])
    let item = ItemID(high: 9, low: 9)
    #expect(
      chat.event(.inputSteered(InputSteered(input: input, item: item))).lines == ["› also (added to the running turn)"])
    #expect(chat.event(Chat.completed("also", role: .user, id: item)) == [])
    #expect(chat.event(Chat.completed("also", role: .user, id: ItemID(high: 9, low: 8))).lines == ["› also"])
  }

  @Test func controlCInterruptsTheTurnAndTwiceLeaves() {
    var chat = Chat()
    chat.startTurn()
    let request = Request.turnInterrupt(InterruptTurnRequest(thread: Chat.thread, turn: Chat.turn))
    #expect(chat.state.handle(.interrupt).requests == [request])
    #expect(chat.state.handle(.interrupt) == [.leave(status: 130)])
  }

  @Test func controlCThatEndedItsTurnDoesNotCountForLeaving() {
    var chat = Chat()
    chat.startTurn()
    _ = chat.state.handle(.interrupt)
    #expect(chat.endTurn(.interrupted).lines == ["— interrupted"])
    #expect(chat.state.handle(.interrupt).lines == ["Ctrl-C again, or Ctrl-D, to leave."])
    _ = chat.state.handle(.typed)
    #expect(!chat.state.handle(.interrupt).contains(.leave(status: 130)))
    #expect(chat.state.handle(.interrupt).contains(.leave(status: 130)))
  }

  @Test func modesAreSelectedAndCleared() {
    var chat = Chat()
    func update(_ choice: ModeSelection.Choice) -> Request {
      .settingsUpdate(
        UpdateSettingsRequest(thread: Chat.thread, change: SettingsChange(mode: ModeSelection(choice: choice))))
    }
    #expect(chat.state.handle(.line("/mode proactive")).requests == [update(.set(.proactive))])
    #expect(chat.state.handle(.line("/mode unset")).requests == [update(.clear(true))])
    #expect(chat.state.handle(.line("/mode fast")).lines == ["/mode explicit, proactive or unset."])
    let settings = Settings(model: "m", mode: .proactive)
    #expect(
      chat.event(.settingsUpdated(SettingsUpdated(revision: 2, settings: settings))).lines
        == ["— from the next turn on: mode proactive"])
    #expect(chat.state.statusLine == "── idle · m · mode proactive ──")
  }

  @Test func withoutAPersonALineWaitsForTheTurnBefore() {
    var chat = Chat(isInteractive: false)
    #expect(chat.state.handle(.line("one")).requests.count == 1)
    #expect(chat.state.handle(.line("two")).requests == [])
    #expect(chat.state.handle(.leave) == [])
    // The answer names event 3, so that an idle thread at event 1 is not the end.
    #expect(chat.answered(.send, .turnStart(StartTurnResponse(sequence: 3, turn: Chat.turn, status: .running))) == [])
    chat.startTurn()
    chat.event(Chat.completed("one", role: .user))
    #expect(chat.endTurn().requests.count == 1)
    chat.startTurn()
    #expect(chat.answered(.send, .turnStart(StartTurnResponse(sequence: 5, turn: Chat.turn, status: .running))) == [])
    #expect(chat.endTurn(.failed).last == .leave(status: 1))
  }

  @Test("H4: without a person a turn of another is neither shown nor counted, and what comes too early is held")
  func withoutAPersonOnlyOwnTurnsCount() {
    var chat = Chat(isInteractive: false)
    // Another's turn runs and fails before this chat has sent anything.
    #expect(chat.startTurn() == [])
    #expect(chat.event(Chat.completed("of another")) == [])
    #expect(chat.endTurn(.failed) == [])
    // Events of the own turn come before the answer that says that it is.
    #expect(chat.state.handle(.line("one")).requests.count == 1)
    #expect(chat.state.handle(.leave) == [])
    #expect(chat.startTurn() == [])
    #expect(chat.event(Chat.completed("mine", id: ItemID(high: 4, low: 4))) == [])
    let sent = chat.answered(.send, .turnStart(StartTurnResponse(sequence: 6, turn: Chat.turn, status: .running)))
    #expect(sent.streamed == "mine")
    #expect(chat.endTurn().last == .leave(status: 0))
  }

  @Test("H4: without a person a thread that there is is followed from now on")
  func withoutAPersonNothingOldIsShown() {
    var state = ChatState(isInteractive: false)
    _ = state.open(Chat.thread)
    let call = ChatCall(.open, .threadResume(ResumeThreadRequest(thread: Chat.thread, subscribe: false)))
    let thread = AgentThread(id: Chat.thread, settings: Settings(model: "m"), sequence: 9, turnCount: 3)
    let effects = state.handle(.answered(call, .success(.threadResume(ResumeThreadResponse(thread: thread)))))
    #expect(effects.contains(.follow(Chat.thread, after: 9)) && effects.requests == [])
  }

  @Test func aLostConnectionIsToldOnceAndWhatIsSentMeanwhileToo() {
    var chat = Chat()
    #expect(chat.state.handle(.connection(.connected)) == [])
    #expect(
      chat.state.handle(.connection(.lost(HeddleError(.lost, "the connection ended")))).lines == [
        "— the connection was lost; connecting again"
      ])
    #expect(chat.state.handle(.connection(.lost(HeddleError(.lost, "the connection ended")))) == [])
    let sent = chat.state.handle(.line("hi"))
    #expect(sent.requests.count == 1)
    #expect(sent.lines == ["Not connected; it will be sent."])
    #expect(chat.state.handle(.connection(.connected)).lines == ["— connected again"])
  }

  @Test func aThreadThatCannotBeOpenedEndsTheChat() {
    var state = ChatState(isInteractive: true)
    _ = state.open(Chat.thread)
    let error = HeddleError.refused(WireError(code: .notFound, reason: "thread", message: "no such thread"))
    let call = ChatCall(.open, .threadResume(ResumeThreadRequest(thread: Chat.thread, subscribe: false)))
    #expect(state.handle(.answered(call, .failure(error))).last == .leave(status: 1))
  }

  @Test func aThreadIsOpenedWithItsLastTurns() {
    var state = ChatState(isInteractive: true)
    _ = state.open(Chat.thread)
    let thread = AgentThread(id: Chat.thread, settings: Settings(), sequence: 90, turnCount: 8)
    let call = ChatCall(.open, .serverStatus(ServerStatusRequest()))
    let opened = state.handle(.answered(call, .success(.threadResume(ResumeThreadResponse(thread: thread)))))
    #expect(
      opened.requests == [.threadListTurns(ListTurnsRequest(thread: Chat.thread, pageSize: 5, order: .newestFirst))])
    let turns = [Turn(firstSequence: 80), Turn(firstSequence: 60)]
    let page = state.handle(
      .answered(call, .success(.threadListTurns(ListTurnsResponse(turns: turns, nextCursor: "c")))))
    #expect(page.last == .follow(Chat.thread, after: 59))
  }

  @Test func toolCallsAreALineWithShortArgumentsAndTheirOutcome() {
    var chat = Chat()
    chat.startTurn()
    let call = ToolCallItem(callId: "c", name: "read", arguments: #"{"path": "/a b", "lines": [1, 2]}"#)
    #expect(
      chat.event(.itemCompleted(ItemCompleted(item: Item(id: Chat.item, kind: .toolCall(call))))).lines
        == ["• read path=/a b lines=[1,2]"])
    let output = ToolOutputItem(
      callId: "c", content: [ContentPart(part: .text("no\nsuch file"))], success: false, reason: "tool_failed")
    #expect(
      chat.event(.itemCompleted(ItemCompleted(item: Item(id: Chat.item, kind: .toolOutput(output))))).lines
        == ["  ✗ read (tool_failed): no such file"])
  }
}

@Suite struct ChatQuestionTests {
  private let request = RequestUserInputRequest(
    thread: Chat.thread, turn: Chat.turn, question: "Which?", choices: ["Red", "Green", "Grey"], actionHash: [1],
    callId: "c")

  private var call: Event.Kind {
    let call = ToolCallItem(callId: "c", name: "ask")
    return .itemCompleted(ItemCompleted(item: Item(id: Chat.item, kind: .toolCall(call))))
  }

  private func output(_ text: String, reason: String = "") -> Event.Kind {
    let output = ToolOutputItem(
      callId: "c", content: [ContentPart(part: .text(text))], success: reason.isEmpty, reason: reason)
    return .itemCompleted(ItemCompleted(item: Item(id: Chat.item, kind: .toolOutput(output))))
  }

  private func asked() -> Chat {
    var chat = Chat()
    chat.startTurn()
    chat.event(call)
    #expect(chat.state.handle(.asked(1, request)).lines.prefix(3) == ["? Which?", "  1  Red", "  2  Green"])
    return chat
  }

  private func answer(_ id: UInt64, _ text: String) -> ChatEffect {
    .answer(id, RequestUserInputResponse(answer: text, actionHash: [1]))
  }

  @Test(arguments: [("2", "Green"), ("Red", "Red"), ("gree", "Green"), ("3 ", "Grey")])
  func anAnswerIsANumberOrTheWords(_ line: String, _ text: String) {
    var chat = asked()
    #expect(chat.state.handle(.line(line)) == [answer(1, text)])
    #expect(chat.state.question == nil)
    #expect(chat.event(output(text)).lines == ["  ✓ ask: \(text)"])
  }

  @Test(arguments: ["4", "0", "-1", "gre", "blue"])
  func whatIsNoChoiceIsAskedAgain(_ line: String) {
    var chat = asked()
    #expect(chat.state.handle(.line(line)).lines == ["Choose 1 to 3, or write one of them; /decline to leave it."])
    #expect(chat.state.question != nil)
  }

  @Test func anotherClientsAnswerIsToldWhicheverComesFirst() {
    var chat = asked()
    #expect(chat.state.handle(.withdrawn(1)) == [])
    #expect(chat.state.question == nil)
    #expect(chat.event(output("Red")).lines == ["  ✓ ask: Red", "— another client has answered"])
    chat = asked()
    #expect(chat.event(output("Red")).lines.last == "— another client has answered")
    #expect(chat.state.handle(.withdrawn(1)) == [])
    // It was faster than ours.
    chat = asked()
    _ = chat.state.handle(.line("2"))
    #expect(chat.event(output("Red")).lines.last == "— another client has answered")
    chat = asked()
    #expect(chat.event(output("late", reason: "tool_timeout")).lines.last == "— the time to answer is over")
  }

  @Test func aQuestionIsShownBehindTheCallThatAsksIt() {
    var chat = Chat()
    chat.startTurn()
    #expect(chat.state.handle(.asked(1, request)) == [])
    #expect(chat.event(call).lines.prefix(2) == ["• ask ", "? Which?"])
    #expect(chat.state.question?.id == 1)
    // Of a turn that began before what is shown again, only the question is there.
    var state = ChatState(isInteractive: true)
    _ = state.open(Chat.thread)
    _ = state.handle(
      .answered(
        ChatCall(.open, .serverStatus(ServerStatusRequest())),
        .success(.threadResume(ResumeThreadResponse(thread: AgentThread(id: Chat.thread))))))
    #expect(state.handle(.asked(1, request)) == [])
    #expect(
      state.handle(.message(Chat.thread, SubscriptionEvent(kind: .live(Live(sequence: 9))))).lines.first == "? Which?")
  }

  @Test func aQuestionOutlivesTheConnectionAndIsShownOnce() {
    var chat = asked()
    _ = chat.state.handle(.connection(.lost(HeddleError(.lost, "the connection ended"))))
    #expect(chat.state.handle(.withdrawn(1)) == [])
    #expect(chat.state.handle(.line("1")).lines == ["Not connected; it will be sent when the server asks again."])
    _ = chat.state.handle(.connection(.connected))
    #expect(chat.state.handle(.asked(2, request)) == [answer(2, "Red")])
  }

  @Test func aQuestionEndsWithItsTurnAndCanBeDeclined() {
    var chat = asked()
    #expect(chat.endTurn(.interrupted).lines.first == "— the question is closed: its turn has ended")
    #expect(chat.state.question == nil)
    chat = asked()
    #expect(chat.state.handle(.line("/decline")) == [.decline(1)])
    #expect(chat.state.question == nil)
  }
}

@Suite struct ChatAgentTests {
  private let child = ThreadID(high: 5, low: 1)
  private let grandchild = ThreadID(high: 5, low: 2)

  private func spawned(_ agent: ThreadID, _ path: String) -> Event.Kind {
    .agentActivity(AgentActivity(kind: .spawned, agent: agent, path: path, callId: "c"))
  }

  @Test func theTreeGrowsAndEveryEndIsShown() {
    var chat = Chat()
    chat.startTurn()
    let first = chat.event(spawned(child, "/root/a"))
    #expect(first.lines == ["  [/root/a] started"])
    #expect(first.contains(.follow(child, after: 0)))
    _ = chat.event(.turnStarted(TurnStarted(turn: Chat.turn)), of: child)
    #expect(chat.state.agents.runningCount == 1)
    #expect(chat.event(spawned(grandchild, "/root/a/b"), of: child).contains(.follow(grandchild, after: 0)))
    #expect(chat.state.agents.rows.map { $0.prefix(2).map(\.text).joined() } == ["  └─ a", "     └─ b"])
    _ = chat.event(.turnStarted(TurnStarted(turn: Chat.turn)), of: grandchild)
    #expect(
      chat.event(.turnEnded(TurnEnded(turn: Chat.turn, status: .interrupted)), of: grandchild).lines
        == ["  [/root/a/b] was interrupted"])
    _ = chat.event(Chat.completed("42"), of: child)
    #expect(
      chat.event(.turnEnded(TurnEnded(turn: Chat.turn, status: .completed)), of: child).lines
        == ["  [/root/a] answered: 42"])
    #expect(chat.state.agents.runningCount == 0)
    // The same answer, as the mail by which the parent gets it.
    let mail = AgentMail(
      id: Chat.item, kind: .finalAnswer, from: child, author: "/root/a", to: Chat.thread, recipient: "/root",
      content: [ContentPart(part: .text("42"))])
    #expect(chat.event(.mailReceived(MailReceived(mail: mail))) == [])
  }

  @Test func agentsOfOldAreShownByTheirMailAndFollowedFromWhereTheyStand() {
    var chat = Chat()
    let mail = AgentMail(
      id: Chat.item, kind: .finalAnswer, from: child, author: "/root/a", to: Chat.thread, recipient: "/root",
      content: [ContentPart(part: .text("42"))])
    #expect(chat.event(.mailReceived(MailReceived(mail: mail))).lines == ["  [/root/a] answered: 42"])
    let agents = [
      Agent(thread: Chat.thread, path: "/root"),
      Agent(thread: child, parent: Chat.thread, path: "/root/a", status: ThreadStatus(state: .active), depth: 1),
      Agent(thread: grandchild, parent: child, path: "/root/a/b", status: ThreadStatus(state: .notLoaded), depth: 2),
    ]
    let listed = chat.answered(.agents, .agentListTree(ListTreeResponse(agents: agents)))
    #expect(listed.requests == [.threadRead(ReadThreadRequest(thread: child))])
    #expect(listed.lines == [])
    let read = chat.answered(.agent, .threadRead(ReadThreadResponse(thread: AgentThread(id: child, sequence: 7))))
    #expect(read == [.follow(child, after: 7)])
  }

  @Test func siblingsAndTheirChildrenStandInTheirPlaces() {
    var agents = ChatAgents()
    func add(_ number: UInt64, _ parent: UInt64, _ name: String) {
      let id = ThreadID(high: 5, low: number)
      agents[id] = ChatAgents.Member(id: id, parent: ThreadID(high: 5, low: parent), name: name, depth: 1, state: "")
    }
    add(1, 0, "/root/a")
    add(2, 0, "/root/b")
    add(3, 1, "/root/a/c")
    add(4, 1, "/root/a/d")
    #expect(
      agents.rows.map { $0.prefix(2).map(\.text).joined() } == ["  ├─ a", "     ├─ c", "     └─ d", "  └─ b"])
    #expect(agents.named("d")?.id.low == 4)
    #expect(agents.named("/root/b")?.id.low == 2)
  }
}
