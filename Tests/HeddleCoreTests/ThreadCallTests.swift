// rules.md A8, A9: calls of tools while a turn runs. The letters C are those of ThreadCalls.swift.

import HeddleCore
import Testing

private func output(_ callID: String, _ text: String) -> ToolOutputItem {
  ToolOutputItem(callId: callID, content: [ContentPart(part: .text(text))], success: true)
}

@Suite struct ClientCallTests {
  @Test(
    "A9: a call of a client's tool is asked when the model has said what it will, with its deadline; its answer goes on"
  )
  func call() throws {
    let driver = try ThreadDriver.client()
    let turn = try driver.startTurn().turn
    #expect(driver.modelStarts.first?.tools.contains { $0.name == "look" } == true)
    driver.model(.toolCall(id: "c1", name: "look", arguments: #"{"at":1}"#, providerID: "p"))
    #expect(driver.asked == [])
    driver.model(.finished)
    let call = ToolCallItem(callId: "c1", name: "look", arguments: #"{"at":1}"#)
    let limit = driver.rules.limits.clientToolMilliseconds
    #expect(
      driver.asked
        == [ClientCall(thread: driver.record.id, turn: turn, call: call, deadline: driver.environment.now + limit)])
    #expect(driver.timersSet == [.call("c1"): driver.environment.instant + limit])
    #expect(driver.machine.openClientCalls == driver.asked)
    #expect(driver.statuses == [ThreadStatus(state: .active, waitingOnTool: true)])
    driver.answer("c1", "found")
    #expect(driver.outputs == [output("c1", "found")])
    #expect(driver.endedCalls == ["c1"] && driver.machine.openClientCalls == [])
    #expect(driver.effects.contains(.cancelTimer(.call("c1"))))
    #expect(driver.statuses == [ThreadStatus(state: .active)])
    #expect(driver.modelStarts.count == 1)
    driver.complete()
    #expect(driver.ends.map(\.status) == [.completed])
    driver.expectFolded()
  }

  @Test("A14: an answer that is a request is the call's output; for a call that is open no more it is refused")
  func answeredByRequest() throws {
    let driver = try ThreadDriver.client()
    let turn = try driver.startTurn().turn
    let other = TurnID(high: 1, low: 1)
    let before = ThreadCommand.answerCall(turn, callID: "c1", .text("too soon"))
    #expect(driver.send(before) == .refused(Refusal(.alreadyAnswered)))
    driver.call("look")
    for wrong in [(other, "c1"), (turn, "c2")] {
      #expect(
        driver.send(.answerCall(wrong.0, callID: wrong.1, .text("no"))) == .refused(Refusal(.alreadyAnswered)))
    }
    #expect(driver.machine.openClientCalls.map(\.call.callId) == ["c1"])
    let answer = driver.send(.answerCall(turn, callID: "c1", .text("found")))
    #expect(
      answer == .response(.callAnswer(AnswerCallResponse(sequence: driver.record.sequence, counted: true))))
    #expect(driver.outputs == [output("c1", "found")] && driver.endedCalls == ["c1"])
    #expect(driver.modelStarts.count == 1)
    #expect(driver.send(.answerCall(turn, callID: "c1", .text("twice"))) == .refused(Refusal(.alreadyAnswered)))
    driver.complete()
    #expect(driver.send(.answerCall(turn, callID: "c1", .text("late"))) == .refused(Refusal(.alreadyAnswered)))
    driver.expectFolded()
  }

  @Test("A10: a call whose arguments are wrong is kept and answered by what is wrong; it asks nobody, the turn goes on")
  func wrongArguments() throws {
    let driver = try ThreadDriver.client(["look"], asksUser: true)
    try driver.startTurn()
    driver.model(
      .toolCall(id: "c1", name: "look", arguments: "{", providerID: "", fault: "at byte 1"),
      .toolCall(id: "c2", name: "request_user_input", arguments: "x", providerID: "", fault: "at byte 0"),
      .toolCall(id: "c3", name: "none", arguments: "x", providerID: "", fault: "at byte 0"),
      .toolCall(id: "c4", name: "look", arguments: "{}", providerID: ""), .finished)
    #expect(driver.asked.map(\.call.callId) == ["c4"] && driver.toolCalls == [])
    #expect(driver.outputs.map(\.callId) == ["c1", "c2", "c3"])
    #expect(driver.outputs.map(\.reason) == ["tool_refused", "tool_refused", "tool_unknown"])
    #expect(driver.outputs.map(\.success) == [false, false, false])
    #expect(driver.outputs.first?.content == [ContentPart(part: .text("at byte 1"))])
    driver.answer("c4")
    #expect(driver.modelStarts.count == 1)
    // The same name, with arguments that are right: nothing is left of the fault.
    driver.model(.toolCall(id: "c1", name: "look", arguments: "{}", providerID: ""), .finished)
    #expect(driver.asked.map(\.call.callId) == ["c1"])
    driver.answer("c1")
    driver.complete()
    #expect(driver.ends.map(\.status) == [.completed])
    driver.expectFolded()
  }

  @Test(
    "A9, ThreadCalls.C1: the first answer counts; a second one, one of another turn and one of no call change nothing")
  func first() throws {
    let driver = try ThreadDriver.client()
    let turn = try driver.startTurn().turn
    driver.call("look", "look")
    driver.answer("c1", "first")
    for (turn, call) in [(turn, "c1"), (TurnID(high: 1, low: 1), "c2"), (turn, "c3"), (turn, "")] {
      driver.handle(.toolAnswered(turn, callID: call, .text("late")))
      #expect(driver.effects == [])
      #expect(!driver.machine.isOpen(call, of: turn))
    }
    #expect(driver.outputs == [output("c1", "first")])
    driver.answer("c2", "second")
    driver.answer("c2", "again")
    #expect(driver.outputs.count == 2)
    driver.expectFolded()
  }

  @Test("A9, ThreadCalls.C2: the model is asked again when the last of its calls has an output, whatever their order")
  func all() throws {
    let driver = try ThreadDriver.client()
    try driver.startTurn()
    driver.call("look", "nobody", "look")
    #expect(driver.outputs.map(\.callId) == ["c2"] && driver.outputs[0].reason == "tool_unknown")
    #expect(driver.modelStarts == [])
    driver.answer("c3")
    #expect(driver.modelStarts == [] && driver.machine.openClientCalls.map(\.call.callId) == ["c1"])
    driver.answer("c1")
    #expect(driver.modelStarts.count == 1)
    #expect(driver.outputs.map(\.callId) == ["c2", "c3", "c1"])
    driver.expectFolded()
  }

  @Test("A9: an answer that says the tool failed is an output like another")
  func failed() throws {
    let driver = try ThreadDriver.client()
    let turn = try driver.startTurn().turn
    driver.call("look")
    driver.handle(.toolAnswered(turn, callID: "c1", .failed(.failed, "no such place")))
    #expect(
      driver.outputs == [
        ToolOutputItem(
          callId: "c1", content: [ContentPart(part: .text("no such place"))], success: false, reason: "tool_failed")
      ])
    #expect(driver.modelStarts.count == 1)
  }

  @Test("A9: a call that nobody answers fails at its deadline with a typed reason, and the turn goes on")
  func deadline() throws {
    let driver = try ThreadDriver.client()
    try driver.startTurn()
    driver.call("look", "look")
    driver.answer("c2")
    driver.handle(.timer(.call("c1")))
    #expect(driver.outputs.last?.reason == "tool_timeout" && driver.outputs.last?.success == false)
    #expect(driver.endedCalls == ["c1"] && driver.modelStarts.count == 1)
    driver.handle(.timer(.call("c1")))
    driver.answer("c1", "too late")
    #expect(driver.effects == [])
    driver.expectFolded()
  }

  @Test(
    "A9, ThreadCalls.C1: a turn that ends before its calls are answered gives each an output that says so; answers then change nothing",
    arguments: ["interrupted", "interruptAgent", "closed", "suspended", "restart"])
  func ends(_ how: String) throws {
    let driver = try ThreadDriver.agent(.v1)
    driver.handle(.copied([]))
    let client = try ThreadDriver.client()
    let thread = how == "closed" ? driver : client
    if how == "closed" { thread.send(.agentInput(.text("do"))) } else { try thread.startTurn() }
    let turn = try #require(thread.record.running?.id)
    // An agent without tools of a client has the tree's.
    if how == "closed" {
      thread.model(.toolCall(id: "c1", name: "wait_agent", arguments: "{}", providerID: ""), .finished)
    } else {
      thread.call("look", "look")
      thread.answer("c1")
    }
    switch how {
    case "interrupted": _ = thread.interrupt(turn)
    case "interruptAgent": thread.send(.interruptAgent)
    case "closed": thread.handle(.close(byClient: true))
    case "suspended": thread.handle(.suspended)
    default: thread.restart()
    }
    #expect(thread.outputs.last?.reason == "tool_interrupted")
    #expect(thread.ends.map(\.status) == [.interrupted])
    #expect(thread.machine.openClientCalls == [] && thread.record.running == nil)
    thread.handle(.toolAnswered(turn, callID: "c2", .text("late")))
    thread.handle(.timer(.call("c2")))
    #expect(thread.effects == [])
    thread.expectFolded()
  }

  @Test(
    "ThreadCalls.C1: calls of an answer that broke off are not run, and each has an output that says so before the next try"
  )
  func retried() throws {
    let driver = try ThreadDriver.client()
    try driver.startTurn()
    driver.model(.text("I look"), .toolCall(id: "c1", name: "look", arguments: "{}", providerID: ""), .text("and"))
    driver.model(
      .retrying(attempt: 2, TurnError(reason: "model_failed", message: "broke off"), waitMilliseconds: 50))
    #expect(driver.happened == ["itemCompleted", "itemCompleted", "modelRetried"])
    #expect(driver.outputs.map(\.reason) == ["not_run"] && driver.asked == [])
    #expect(driver.record.running?.openCalls == [] && driver.record.running?.openItems == [])
    // The same name again: the first one's call is done with.
    driver.model(.toolCall(id: "c1", name: "look", arguments: "{}", providerID: ""), .finished)
    #expect(driver.asked.map(\.call.callId) == ["c1"])
    driver.answer("c1")
    driver.complete()
    #expect(driver.ends.map(\.status) == [.completed])
    driver.expectFolded()
  }

  @Test("ThreadCalls.C2: another try that is told of when the calls of a whole answer are out takes nothing from them")
  func retriedLate() throws {
    let driver = try ThreadDriver.client()
    try driver.startTurn()
    driver.call("look")
    driver.model(.retrying(attempt: 2, TurnError(reason: "model_failed", message: "late"), waitMilliseconds: 50))
    #expect(driver.appended == [] && driver.machine.openClientCalls.count == 1)
    driver.answer("c1")
    driver.complete()
    #expect(driver.ends.map(\.status) == [.completed])
    driver.expectFolded()
  }

  @Test("A model that waits for its next try does not stall; one that says nothing after it does")
  func retryWait() throws {
    let driver = try ThreadDriver.start()
    try driver.startTurn()
    let limit = driver.rules.limits.modelIdleMilliseconds
    driver.model(.retrying(attempt: 2, TurnError(), waitMilliseconds: .max))
    driver.environment.instant += limit
    driver.handle(.timer(.modelIdle))
    #expect(driver.record.running != nil)
    driver.model(.text("here"))
    driver.environment.instant += limit
    driver.handle(.timer(.modelIdle))
    #expect(driver.ends.map(\.error?.reason) == ["model_timeout"])
  }

  @Test("A request that waits for its turn at the provider does not stall; its time begins when the provider is asked")
  func queued() throws {
    let driver = try ThreadDriver.start()
    try driver.startTurn()
    driver.model(.waiting)
    #expect(driver.effects.contains(.cancelTimer(.modelIdle)))
    driver.environment.instant += 10 * driver.rules.limits.modelIdleMilliseconds
    driver.handle(.timer(.modelIdle))
    #expect(driver.record.running != nil)
    driver.model(.asked)
    #expect(driver.timersSet[.modelIdle] == driver.environment.instant + driver.rules.limits.modelIdleMilliseconds)
    driver.model(.asked)
    #expect(driver.effects == [])
    driver.environment.instant += driver.rules.limits.modelIdleMilliseconds
    driver.handle(.timer(.modelIdle))
    #expect(driver.ends.map(\.error?.reason) == ["model_timeout"])
  }

  @Test("A9: a model is not timed while its calls are with somebody")
  func noStall() throws {
    let driver = try ThreadDriver.client()
    try driver.startTurn()
    driver.call("look")
    #expect(driver.effects.contains(.cancelTimer(.modelIdle)))
    driver.environment.instant += 10 * driver.rules.limits.modelIdleMilliseconds
    driver.handle(.timer(.modelIdle))
    #expect(driver.record.running != nil && driver.effects == [])
  }

  @Test("A step has so many calls and no two of one name; beyond that the turn fails, and every call has its output")
  func bounded() throws {
    let rules = ServerRules().changed { $0.limits.toolCalls = 3 }
    for names in [["c1", "c2", "c3", "c4"], ["c1", "c1"]] {
      let driver = try ThreadDriver.client(rules: rules)
      try driver.startTurn()
      for name in names { driver.model(.toolCall(id: name, name: "look", arguments: "{}", providerID: "")) }
      #expect(driver.ends.map(\.error?.reason) == ["model_output_invalid"])
      driver.expectFolded()
    }
    let driver = try ThreadDriver.client(rules: rules)
    try driver.startTurn()
    for _ in 0..<3 {
      driver.call("look", "look", "look")
      for id in ["c1", "c2", "c3"] { driver.answer(id) }
    }
    driver.complete()
    #expect(driver.ends.map(\.status) == [.completed] && driver.outputs.count == 9)
  }

  @Test("U2 A9: input that is added while calls are out reaches the model with their outputs, at the next step")
  func steered() throws {
    let driver = try ThreadDriver.client()
    let turn = try driver.startTurn().turn
    driver.call("look")
    driver.send(.steerTurn(turn, .text("and?")))
    #expect(driver.modelStarts == [] && driver.userTexts == ["hello"])
    driver.answer("c1")
    #expect(driver.userTexts == ["hello", "and?"] && driver.modelStarts.count == 1)
    driver.expectFolded()
  }
}

@Suite struct QuestionTests {
  private let question = ClientCall.Question(text: "which?", choices: ["a", "b"])

  @Test("A9 T4: a question to a person waits on the user, has a deadline of its own, and its answer goes on")
  func ask() throws {
    let driver = try ThreadDriver.client(["look"], asksUser: true)
    let turn = try driver.startTurn().turn
    driver.call("request_user_input", "look")
    #expect(driver.toolCalls == ["request_user_input"] && driver.asked.map(\.call.callId) == ["c2"])
    driver.handle(.ask(turn, callID: "c1", question))
    let limit = driver.rules.limits.userInputMilliseconds
    #expect(driver.asked.map(\.question) == [question])
    #expect(driver.asked.map(\.deadline) == [driver.environment.now + limit])
    #expect(driver.statuses == [ThreadStatus(state: .active, waitingOnTool: true, waitingOnUser: true)])
    driver.handle(.ask(turn, callID: "c1", question))
    #expect(driver.effects == [])
    driver.answer("c2")
    #expect(driver.statuses == [ThreadStatus(state: .active, waitingOnUser: true)])
    driver.answer("c1", "a")
    #expect(driver.modelStarts.count == 1)
    driver.expectFolded()
  }

  @Test("A9: where nobody can be asked the model is offered no question, and one it asks all the same is no tool")
  func notOffered() throws {
    let driver = try ThreadDriver.client()
    let turn = try driver.startTurn().turn
    #expect(driver.modelStarts.first?.tools.contains { $0.name == CollaborationTools.question } == false)
    driver.call("request_user_input")
    #expect(driver.outputs.map(\.reason) == ["tool_unknown"])
    driver.handle(.ask(turn, callID: "c1", question))
    driver.handle(.ask(TurnID(high: 1, low: 1), callID: "c1", question))
    #expect(driver.effects == [])
  }

  @Test("A9: a question without an answer ends at its time")
  func deadline() throws {
    let driver = try ThreadDriver.client([], asksUser: true)
    let turn = try driver.startTurn().turn
    driver.call("request_user_input")
    driver.handle(.ask(turn, callID: "c1", question))
    driver.handle(.timer(.call("c1")))
    #expect(driver.outputs.map(\.reason) == ["tool_timeout"] && driver.modelStarts.count == 1)
  }
}

@Suite struct WaitTests {
  private func waiting(_ version: String = "scripted-v2") throws -> ThreadDriver {
    let driver = try ThreadDriver.client([], version)
    let turn = try driver.startTurn().turn
    driver.call("wait_agent")
    #expect(driver.toolCalls == ["wait_agent"])
    driver.handle(.wait(turn, callID: "c1", milliseconds: 30_000))
    return driver
  }

  @Test("A8: a wait of V2 ends with any mail, which follows its result")
  func mail() throws {
    let driver = try waiting()
    #expect(driver.timersSet == [.call("c1"): driver.environment.instant + 30_000])
    #expect(driver.statuses == [])
    driver.receive(1, "done")
    #expect(driver.outputs.map(\.text) == [AgentResult.waited(.mail)])
    #expect(driver.happened == ["mailReceived", "itemCompleted", "itemCompleted"])
    #expect(driver.agentMessages.map(\.text) == ["done"] && driver.modelStarts.count == 1)
    #expect(driver.effects.contains(.cancelTimer(.call("c1"))))
    driver.expectFolded()
  }

  @Test("A8: a wait of V2 ends with input of the user, and at its time")
  func inputAndTime() throws {
    let driver = try waiting()
    driver.send(.steerTurn(try #require(driver.record.running?.id), .text("hurry")))
    #expect(driver.outputs.map(\.text) == [AgentResult.waited(.input)])
    #expect(driver.userTexts.last == "hurry" && driver.modelStarts.count == 1)
    let other = try waiting()
    other.handle(.timer(.call("c1")))
    #expect(other.outputs.map(\.text) == [AgentResult.waited(.time)] && other.modelStarts.count == 1)
    other.handle(.timer(.call("c1")))
    #expect(other.effects == [])
  }

  @Test("A8: a wait of V2 ends at once when there is mail or input already")
  func already() throws {
    for isMail in [true, false] {
      let driver = try ThreadDriver.client([], "scripted-v2")
      let turn = try driver.startTurn().turn
      driver.call("wait_agent")
      if isMail { driver.receive(1) } else { driver.send(.steerTurn(turn, .text("hurry"))) }
      #expect(driver.modelStarts == [])
      driver.handle(.wait(turn, callID: "c1", milliseconds: 30_000))
      #expect(driver.outputs.map(\.text) == [AgentResult.waited(isMail ? .mail : .input)])
      #expect(driver.modelStarts.count == 1)
      driver.expectFolded()
    }
  }

  @Test("A8: a wait of V1 ends when the tree answers it, or with nothing at its time; mail and input do not end it")
  func v1() throws {
    let driver = try waiting("scripted-v1")
    driver.receive(1, "news", .notification)
    driver.send(.steerTurn(try #require(driver.record.running?.id), .text("hurry")))
    #expect(driver.outputs == [])
    driver.answer("c1", AgentResult.waited([("x", .completed("ok"))]))
    #expect(driver.outputs.map(\.text) == [#"{"status":{"x":{"completed":"ok"}},"timed_out":false}"#])
    #expect(driver.userTexts == ["hello", "hurry", "news"])
    let other = try waiting("scripted-v1")
    other.handle(.timer(.call("c1")))
    #expect(other.outputs.map(\.text) == [#"{"status":{},"timed_out":true}"#])
    #expect(other.outputs.map(\.success) == [true])
  }

  @Test("A8: mail ends every wait of a step; other calls of it go on waiting for their answers")
  func several() throws {
    let driver = try ThreadDriver.client(["look"], "scripted-v2")
    let turn = try driver.startTurn().turn
    driver.call("wait_agent", "look", "wait_agent")
    for id in ["c1", "c3", "c1"] { driver.handle(.wait(turn, callID: id, milliseconds: 30_000)) }
    driver.receive(1)
    #expect(driver.outputs.map(\.callId) == ["c1", "c3"] && driver.modelStarts == [])
    driver.receive(2)
    driver.answer("c2")
    #expect(driver.agentMessages.count == 2 && driver.modelStarts.count == 1)
    driver.expectFolded()
  }

  @Test("A8: a wait that is asked for when its call or its turn is over waits for nothing")
  func late() throws {
    let driver = try waiting()
    let turn = try #require(driver.record.running?.id)
    _ = driver.interrupt(turn)
    driver.handle(.wait(turn, callID: "c1", milliseconds: 1))
    #expect(driver.effects == [])
    driver.receive(1)
    #expect(driver.outputs.count == 1 && driver.outputs[0].reason == "tool_interrupted")
    driver.expectFolded()
  }
}
