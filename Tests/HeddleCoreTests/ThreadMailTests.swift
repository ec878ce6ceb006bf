// rules.md A5, A7: mail as one thread sees it, and the reports that a parent gets of its agents.

import HeddleCore
import Testing

@Suite struct MailboxTests {
  @Test("A1, D11: what lists and waits show of an agent's task and answer, and of any thread, is cut")
  func shownIsCut() throws {
    let driver = try ThreadDriver.agent(.v1)
    _ = driver.send(.agentInput(.text(String(repeating: "é", count: 5_000))))
    driver.complete(String(repeating: "a", count: 300 * 1_024))
    let agent = try #require(driver.record.agent)
    #expect(agent.lastTask == String(repeating: "é", count: 256))
    #expect(agent.lastAnswer.utf8.count == 256 * 1_024)
    #expect(driver.record.preview == String(repeating: "é", count: 120))
  }

  @Test("A5: mail of an idle thread waits in the record, in order, and is given with the next turn, before its input")
  func idle() throws {
    let driver = try ThreadDriver.client([], "scripted-v2")
    for number in 1...3 { driver.receive(UInt64(number), "mail \(number)") }
    #expect(driver.record.mailbox.map(\.text) == ["mail 1", "mail 2", "mail 3"])
    #expect(driver.modelInput == [] && !driver.wantsTurn)
    driver.restart()
    #expect(driver.record.mailbox.count == 3)
    try driver.startTurn("hello")
    #expect(driver.record.mailbox == [] && driver.agentMessages.map(\.text) == ["mail 1", "mail 2", "mail 3"])
    let kinds = driver.modelInput.suffix(4).map { if case .agentMessage? = $0.kind { "mail" } else { "message" } }
    #expect(kinds == ["mail", "mail", "mail", "message"])
    driver.complete()
    try driver.runTurn("again")
    #expect(driver.agentMessages.count == 3)
    driver.expectFolded()
  }

  @Test("A5: mail of a running turn is given at its next step; a turn that would have ended goes on for it")
  func running() throws {
    let driver = try ThreadDriver.client([], "scripted-v2")
    try driver.startTurn()
    driver.model(.text("half"))
    driver.receive(1, "news", trigger: true)
    #expect(driver.agentMessages == [] && !driver.wantsTurn)
    driver.model(.finished)
    #expect(driver.agentMessages.map(\.text) == ["news"] && driver.modelStarts.count == 1)
    driver.complete()
    #expect(driver.ends.map(\.status) == [.completed] && !driver.wantsTurn)
    driver.expectFolded()
  }

  @Test("A5: a message says from whom to whom it is and of what kind; a notice to V1 is a message of the user")
  func items() throws {
    let driver = try ThreadDriver.client([], "scripted-v2")
    driver.receive(1, "task", .newTask, trigger: true)
    driver.handle(.slotGranted)
    #expect(
      driver.agentMessages == [
        AgentMessageItem(
          author: "/root/b", recipient: "/root/a", content: [ContentPart(part: .text("task"))], triggerTurn: true,
          kind: .newTask)
      ])
    let old = try ThreadDriver.client([], "scripted-v1")
    old.receive(1, "<agent_notification>{}</agent_notification>", .notification)
    try old.startTurn("hello")
    #expect(old.agentMessages == [] && old.userTexts == ["<agent_notification>{}</agent_notification>", "hello"])
    // A list of threads shows what a person wrote.
    #expect(old.record.preview == "hello")
    old.expectFolded()
  }

  @Test("A5: a notice that a V1 agent gets of an agent of its own is not its task")
  func notice() throws {
    let driver = try ThreadDriver.agent(.v1)
    driver.send(.agentInput(.text("count")))
    driver.receive(1, "<agent_notification>{}</agent_notification>", .notification)
    driver.model(.finished)
    #expect(driver.userTexts == ["count", "<agent_notification>{}</agent_notification>"])
    #expect(driver.record.agent?.lastTask == "count" && driver.record.preview == "count")
    driver.complete()
    driver.expectFolded()
  }

  @Test("A5: the same message twice is one message, in whatever state it is found")
  func twice() throws {
    let driver = try ThreadDriver.client([], "scripted-v2")
    driver.receive(1)
    driver.receive(1)
    #expect(driver.appended == [] && driver.record.mailbox.count == 1)
    driver.receive(2)
    try driver.startTurn()
    #expect(driver.agentMessages.count == 2)
    driver.receive(3)
    driver.receive(3)
    driver.model(.finished)
    driver.complete()
    #expect(driver.agentMessages.count == 3)
    driver.expectFolded()
  }

  @Test(
    "A5: mail that a turn was not given is there for the next, however the turn ends",
    arguments: ["fail", "interrupt", "restart", "suspend"])
  func survives(_ how: String) throws {
    let driver = try ThreadDriver.client([], "scripted-v2")
    let turn = try driver.startTurn().turn
    driver.receive(1, "news")
    switch how {
    case "fail": driver.model(.failed(TurnError(reason: "model_failed", message: "no")))
    case "interrupt": _ = driver.interrupt(turn)
    case "restart": driver.restart()
    default: driver.handle(.suspended)
    }
    #expect(driver.record.running == nil && driver.record.mailbox.map(\.text) == ["news"])
    try driver.runTurn("next")
    #expect(driver.agentMessages.map(\.text) == ["news"] && driver.record.mailbox == [])
    driver.expectFolded()
  }

  @Test("A5: a mailbox has room for so many messages and so many bytes, the new one counted")
  func room() throws {
    let driver = try ThreadDriver.client([], "scripted-v2")
    var limits = Limits()
    (limits.mailboxMessages, limits.mailboxBytes) = (2, 10)
    func hasRoom(_ text: String) -> Bool { driver.machine.hasRoom(for: .test(9, text), limits) }
    #expect(hasRoom("1234567890") && !hasRoom("1234567890A"))
    driver.receive(1, "12345")
    #expect(hasRoom("12345") && !hasRoom("123456"))
    driver.receive(2, "")
    #expect(!hasRoom(""))
    // The sender has checked the room: mail that comes is accepted, or a final answer would be lost.
    driver.receive(3, "an answer that is far too long", .finalAnswer)
    #expect(driver.record.mailbox.count == 3)
    try driver.startTurn()
    #expect(hasRoom("1234567890"))
  }

  @Test("A5: without room an answer takes the place of the same agent's earlier one, and says so; another's stays")
  func merged() throws {
    let driver = try ThreadDriver.client([], "scripted-v2")
    driver.environment.rules.limits.mailboxMessages = 3
    driver.receive(1, "one", .finalAnswer, trigger: true)
    driver.receive(2, "a message")
    var other = AgentMail.test(3, "of another", .finalAnswer, to: driver.record.id)
    other.from = ThreadID(high: 8, low: 8)
    driver.handle(.mail(other))
    #expect(driver.record.mailbox.map(\.text) == ["one", "a message", "of another"])
    for number: UInt64 in 4..<100 { driver.receive(number, "answer \(number)", .finalAnswer) }
    #expect(driver.record.mailbox.map(\.id.low) == [2, 3, 99])
    let text = try #require(driver.record.mailbox.last?.text)
    #expect(text.hasPrefix("answer 99\n(What this agent sent before was left out") && !text.contains("answer 98"))
    // The replacement keeps the first one's wish for a turn.
    #expect(driver.record.mailbox.last?.triggerTurn == true)
    // The same message again changes nothing.
    driver.receive(99, "answer 99", .finalAnswer)
    #expect(driver.record.mailbox.count == 3)
    driver.restart()
    try driver.startTurn()
    #expect(driver.agentMessages.count == 3 && driver.record.mailbox == [])
    driver.expectFolded()
  }

  @Test("A5: without room a long answer is cut, the first of an agent too")
  func shortened() throws {
    let driver = try ThreadDriver.client([], "scripted-v2")
    driver.environment.rules.limits.mailboxBytes = 100
    driver.receive(1, String(repeating: "é", count: 5_000), .finalAnswer)
    let text = try #require(driver.record.mailbox.first?.text)
    #expect(text.utf8.count < 2_200 && text.hasPrefix("ééé") && text.contains("The rest was left out"))
    #expect(!text.contains("sent before"))
  }

  @Test("T3: a fork takes no mail along, in or out, and is nobody's agent")
  func fork() throws {
    let agent = try ThreadDriver.agent(.v2)
    agent.receive(1, "task", .newTask, trigger: true)
    agent.handle(.slotGranted)
    agent.complete("done")
    agent.receive(2, "more", .newTask, trigger: true)
    #expect(agent.record.mailbox.count == 1 && agent.record.outbox.count == 1)
    let fork = try agent.fork()
    #expect(fork.record.mailbox == [] && fork.record.outbox == [] && fork.record.agent == nil)
    try fork.runTurn()
    #expect(fork.deliveries == [])
    #expect(fork.folded() == fork.record)
  }
}

@Suite struct WakeTests {
  private func idleAgent() throws -> ThreadDriver { try ThreadDriver.agent(.v2) }

  @Test("A5 A3: a task asks for a slot, and its turn begins when there is one, with the mail and nothing else")
  func task() throws {
    let driver = try idleAgent()
    driver.receive(1, "look around", .newTask, trigger: true)
    #expect(driver.wantsTurn && driver.record.running == nil)
    #expect(driver.record.agent?.lastTask == "look around" && driver.record.hasUnfinishedWork)
    driver.handle(.slotGranted)
    let running = try #require(driver.record.running)
    #expect(running.cause == .mail && driver.record.mailbox == [] && driver.userTexts == [])
    #expect(driver.turns.last?.cause == .mail)
    driver.handle(.slotGranted)
    #expect(driver.effects == [])
    driver.complete("done")
    #expect(!driver.wantsTurn)
    driver.expectFolded()
  }

  @Test("A5: a message that wants no turn starts none, with a slot or without")
  func message() throws {
    let driver = try idleAgent()
    driver.receive(1)
    #expect(!driver.wantsTurn && !driver.record.hasUnfinishedWork)
    driver.handle(.slotGranted)
    #expect(driver.effects == [] && driver.record.running == nil)
  }

  @Test(
    "A5: a task that came too late for a turn asks for another one when the turn ends, however it ends",
    arguments: ["failed", "interrupted"])
  func after(_ how: String) throws {
    let driver = try idleAgent()
    driver.receive(1, "one", .newTask, trigger: true)
    driver.handle(.slotGranted)
    driver.receive(2, "two", .newTask, trigger: true)
    if how == "failed" {
      driver.model(.failed(TurnError(reason: "model_failed", message: "no")))
    } else {
      driver.send(.interruptAgent)
    }
    #expect(driver.wantsTurn && driver.record.mailbox.map(\.text) == ["two"])
    driver.expectFolded()
  }

  @Test("A5 A6: a task that waits for a slot asks again after a restart, and when there is disk space again")
  func restart() throws {
    let driver = try idleAgent()
    driver.receive(1, "one", .newTask, trigger: true)
    driver.restart()
    #expect(driver.wantsTurn)
    driver.handle(.unsuspended)
    #expect(driver.wantsTurn)
    driver.handle(.slotGranted)
    #expect(driver.record.running?.cause == .mail)
  }

  @Test("A5: a task of an archived or closed agent waits, and asks for its turn when the agent may work again")
  func archivedAndClosed() throws {
    for closes in [true, false] {
      let driver = try idleAgent()
      let id = driver.record.id
      if closes { driver.handle(.close(byClient: false)) } else { driver.send(.archive(root: id)) }
      driver.receive(1, "one", .newTask, trigger: true)
      #expect(!driver.wantsTurn)
      driver.handle(.slotGranted)
      driver.restart()
      #expect(!driver.wantsTurn && driver.record.running == nil && driver.record.mailbox.count == 1)
      #expect(!driver.record.hasUnfinishedWork)
      if closes { driver.handle(.reopen) } else { driver.send(.unarchive(root: id)) }
      #expect(driver.wantsTurn)
      driver.handle(.slotGranted)
      #expect(driver.record.running != nil)
      driver.expectFolded()
    }
  }

  @Test("A5: a task whose budget is used up waits for a turn that may begin")
  func noBudget() throws {
    let driver = try ThreadDriver.agent(.v2, SettingsChange(threadTokens: 0))
    driver.receive(1, "one", .newTask, trigger: true)
    driver.handle(.slotGranted)
    #expect(driver.appended == [] && driver.record.mailbox.count == 1 && driver.record.running == nil)
    driver.expectFolded()
  }

  @Test("U1 A5: a turn that waits runs before mail has one, and takes the mail along")
  func queueFirst() throws {
    let driver = try ThreadDriver.client([], "scripted-v2")
    let first = try driver.startTurn("one").turn
    let second = try driver.startTurn("two").turn
    driver.receive(1, "wake", .finalAnswer, trigger: true)
    _ = driver.interrupt(first)
    #expect(driver.record.running?.id == second && !driver.wantsTurn && driver.record.mailbox == [])
    driver.expectFolded()
  }
}

@Suite struct ReportTests {
  private func run(_ driver: ThreadDriver, _ text: String) {
    if driver.record.version == .v1 {
      driver.send(.agentInput(.text(text)))
    } else {
      driver.receive(driver.record.sequence, text, .newTask, trigger: true)
      driver.handle(.slotGranted)
    }
  }

  private let failure = TurnError(reason: "model_failed", message: "no luck")

  @Test("A5: V2 tells the agent above of every turn that completes or fails, as a final answer for its path")
  func v2() throws {
    let driver = try ThreadDriver.agent(.v2, path: "/root/a/b")
    run(driver, "one")
    driver.model(.text("I look"), .itemDone(ItemEnd(isThought: false)), .text("forty"), .finished)
    let mail = try #require(driver.deliveries.first)
    #expect(driver.happened.suffix(2) == ["turnEnded", "mailQueued"])
    #expect(driver.effects.contains(.deliver(mail, after: driver.record.sequence)))
    #expect(mail.kind == .finalAnswer && mail.from == driver.record.id && mail.to == ThreadDriver.parentOfAgents)
    #expect(mail.author == "/root/a/b" && mail.recipient == "/root/a" && mail.text == "forty" && !mail.triggerTurn)
    #expect(driver.record.agentStatus == .completed("forty"))
    run(driver, "two")
    driver.model(.failed(failure))
    #expect(driver.deliveries.map(\.text).first?.hasPrefix("no luck\n\n") == true)
    #expect(driver.record.agentStatus == .errored("no luck"))
    #expect(driver.record.outbox.count == 2)
    driver.expectFolded()
  }

  @Test("A5: V1 tells of the first end since the agent was started or opened again, as a notice with its status")
  func v1() throws {
    let driver = try ThreadDriver.agent(.v1, path: "/root/ada")
    run(driver, "one")
    driver.complete("\"ok\"")
    let id = driver.record.id
    #expect(
      driver.deliveries.map(\.text)
        == [#"<agent_notification>{"agent_id":"\#(id)","status":{"completed":"\"ok\""}}</agent_notification>"#])
    #expect(driver.deliveries[0].kind == .notification && driver.deliveries[0].recipient == "/root")
    run(driver, "two")
    driver.complete()
    #expect(driver.deliveries == [])
    driver.handle(.close(byClient: false))
    driver.handle(.reopen)
    run(driver, "three")
    driver.model(.failed(failure))
    #expect(driver.deliveries.map { $0.text.contains(#""status":{"errored":"no luck"}"#) } == [true])
    driver.expectFolded()
  }

  @Test("A5: an interrupted turn tells nobody; neither does a root, nor an agent of no system")
  func silent() throws {
    for version in [MultiAgentVersion.v1, .v2] {
      let driver = try ThreadDriver.agent(version)
      run(driver, "one")
      driver.send(.interruptAgent)
      #expect(driver.deliveries == [] && driver.record.outbox == [] && driver.record.agentStatus == .interrupted)
    }
    let helper = try ThreadDriver.agent(.disabled)
    try helper.runTurn()
    #expect(helper.deliveries == [])
    let root = try ThreadDriver.client([], "scripted-v2")
    try root.runTurn()
    #expect(root.deliveries == [] && root.record.agent == nil)
  }

  @Test("A5: an answer that is longer than a message may be is cut, and says so; the history has it whole")
  func long() throws {
    let rules = ServerRules().changed { $0.limits.mailBytes = 10 }
    for version in [MultiAgentVersion.v1, .v2] {
      let driver = try ThreadDriver.agent(version, rules: rules)
      run(driver, "one")
      driver.complete("ääääääääää")
      let text = try #require(driver.deliveries.first?.text)
      #expect(text.contains("äääää") && !text.contains("ääääää") && text.contains("10 bytes"))
      #expect(driver.modelInput.last?.text == "ääääääääää")
    }
  }

  @Test("A5 A6: mail on its way is sent again after a restart until it is delivered, and is delivered once")
  func outbox() throws {
    let driver = try ThreadDriver.agent(.v2)
    run(driver, "one")
    driver.complete("forty")
    let mail = try #require(driver.deliveries.first)
    for _ in 0..<2 {
      driver.restart()
      #expect(driver.deliveries == [mail] && driver.record.outbox == [mail] && driver.appended == [])
    }
    driver.handle(.mailDelivered(mail.id))
    #expect(driver.happened == ["mailDelivered"] && driver.record.outbox == [])
    driver.handle(.mailDelivered(mail.id))
    driver.handle(.mailDelivered(ItemID(high: 1, low: 1)))
    #expect(driver.effects == [])
    #expect(!driver.record.hasUnfinishedWork)
    driver.expectFolded()
  }

  @Test("A5: an answer of a try that broke off is nobody's answer")
  func retried() throws {
    let driver = try ThreadDriver.agent(.v2)
    run(driver, "one")
    driver.model(.text("wrong"), .retrying(attempt: 2, failure, waitMilliseconds: 1), .finished)
    #expect(driver.deliveries.map(\.text) == [""])
  }
}

@Suite struct CloseTests {
  @Test(
    "A2 A5: closing ends what runs and what waits; a client's closing is told to the agent above, a parent's is not")
  func close() throws {
    for (version, byClient) in [(MultiAgentVersion.v1, true), (.v1, false), (.v2, true)] {
      let driver = try ThreadDriver.agent(version)
      if version == .v1 {
        driver.send(.agentInput(.text("one")))
        try driver.startTurn("two")
      } else {
        driver.receive(1, "one", .newTask, trigger: true)
        driver.handle(.slotGranted)
      }
      driver.handle(.close(byClient: byClient))
      #expect(driver.record.running == nil && driver.record.queue == [] && driver.record.agentStatus == .shutdown)
      #expect(driver.ends.map(\.status) == [.interrupted])
      #expect(driver.deliveries.map(\.kind) == (byClient ? [version == .v2 ? .finalAnswer : .notification] : []))
      driver.handle(.close(byClient: byClient))
      #expect(driver.effects == [])
      driver.expectFolded()
      let summary = driver.machine.summary()
      #expect(summary.closed)
      driver.restart()
      #expect(driver.record.agentStatus == .shutdown)
    }
  }

  @Test("A2: a closed agent takes no turn; opened again it does, with what it knew")
  func closed() throws {
    let driver = try ThreadDriver.agent(.v1)
    driver.handle(.reopen)
    #expect(driver.effects == [])
    driver.send(.agentInput(.text("one")))
    driver.complete()
    driver.handle(.close(byClient: false))
    let closed = Answer.refused(Refusal(.agentClosed))
    #expect(driver.send(.agentInput(.text("two"))) == closed)
    #expect(driver.send(.startTurn(StartTurnRequest(input: .text("two")))) == closed)
    #expect(driver.update(.select(.proactive)) == closed)
    #expect(driver.send(.setName("x")) == closed)
    driver.handle(.reopen)
    driver.send(.agentInput(.text("two")))
    driver.complete()
    #expect(driver.userTexts == ["one", "two"])
    driver.expectFolded()
    let root = try ThreadDriver.start()
    root.handle(.close(byClient: true))
    #expect(root.effects == [])
  }

  @Test("A7: a client and a parent interrupt what runs, once; where nothing runs the answer says so")
  func interrupt() throws {
    for version in [MultiAgentVersion.v1, .v2] {
      let driver = try ThreadDriver.agent(version)
      driver.receive(1, "one", .newTask, trigger: true)
      driver.handle(.slotGranted)
      #expect(
        driver.send(.interruptAgent)
          == .response(.agentInterrupt(InterruptAgentResponse(sequence: driver.record.sequence))))
      #expect(driver.markers == [version == .v2 ? .developer : .user])
      #expect(
        driver.send(.interruptAgent)
          == .response(.agentInterrupt(InterruptAgentResponse(sequence: driver.record.sequence, already: true))))
      #expect(driver.appended == [])
    }
  }

  @Test("A7: input of the agent above begins a turn of a V1 agent, or is added to the one that runs")
  func agentInput() throws {
    let driver = try ThreadDriver.agent(.v1)
    guard case .response(.turnStart(let first)) = driver.send(.agentInput(.text("one"))),
      case .response(.turnStart(let second)) = driver.send(.agentInput(.text("two")))
    else {
      Issue.record("refused")
      return
    }
    #expect(!first.steered && second.steered && second.turn == first.turn)
    #expect(driver.send(.agentInput(TurnInput())) == .refused(Refusal(.emptyInput, [("field", "input.content")])))
    driver.complete()
    driver.complete()
    #expect(driver.userTexts == ["one", "two"] && driver.record.agent?.lastTask == "two")
    driver.expectFolded()
  }
}
