// rules.md U: queueing, steering, interrupting, recovering, ending.

import HeddleCore
import Testing

@Suite struct QueueTests {
  private func busy() throws -> ThreadDriver {
    let driver = try ThreadDriver.start()
    try driver.startTurn("first")
    return driver
  }

  @Test(
    "U1: a turn that comes while one runs waits with its real id and its place, and runs with that id in that order")
  func queue() throws {
    let driver = try busy()
    let running = try #require(driver.record.running?.id)
    let second = try driver.startTurn("second")
    #expect(
      second == StartTurnResponse(sequence: driver.record.sequence, turn: second.turn, status: .queued, place: 1))
    let third = try driver.startTurn("third", whenBusy: .queue)
    #expect(third == StartTurnResponse(sequence: driver.record.sequence, turn: third.turn, status: .queued, place: 2))
    guard case .response(.turnListQueue(let list)) = driver.send(.listQueue) else {
      Issue.record("refused")
      return
    }
    #expect(list.running == running)
    #expect(list.turns.map(\.id) == [second.turn, third.turn])
    #expect(list.turns.map(\.input) == [.text("second"), .text("third")])
    for _ in 0..<3 { driver.complete() }
    #expect(driver.ends.map(\.turn) == [running, second.turn, third.turn])
    #expect(driver.ends.map(\.status) == [.completed, .completed, .completed])
    #expect(driver.userTexts == ["first", "second", "third"])
    #expect(driver.record.queue == [] && driver.record.running == nil)
  }

  @Test("U1: at most one turn of a thread runs, whatever is asked of it")
  func oneAtATime() throws {
    let driver = try busy()
    for text in ["a", "b", "c"] { try driver.startTurn(text) }
    var running = 0
    for _ in 0..<4 {
      driver.complete()
    }
    for event in driver.log {
      if case .turnStarted? = event.kind { running += 1 }
      if case .turnEnded? = event.kind { running -= 1 }
      #expect((0...1).contains(running))
    }
    #expect(driver.ends.count == 4)
  }

  @Test("U1: the queue has 16 places; the 17th is refused, leaves no trace, and finds a place when one is free")
  func bounded() throws {
    let driver = try busy()
    for place in 1...16 { #expect(try driver.startTurn("turn \(place)").place == UInt32(place)) }
    let before = driver.record
    let request = StartTurnRequest(input: .text("one more"))
    #expect(driver.send(.startTurn(request)) == .refused(Refusal(.queueFull, [("limit", "16")])))
    #expect(driver.record == before && driver.appended == [])
    driver.complete()
    #expect(try driver.startTurn("one more").place == 16)
  }

  @Test("U1: a turn that asks to be refused is refused while one runs, and runs when none does (attacks.md M4)")
  func refuse() throws {
    let driver = try busy()
    let running = try #require(driver.record.running?.id)
    let request = StartTurnRequest(input: .text("second"), whenBusy: .refuse)
    #expect(driver.send(.startTurn(request)) == .refused(Refusal(.turnInProgress, [("turn", running.description)])))
    #expect(driver.appended == [])
    driver.complete()
    #expect(try driver.startTurn("second", whenBusy: .refuse).status == .running)
  }

  @Test("U1: a turn that asks to steer is added to the running one, and runs on its own when none does")
  func steer() throws {
    let driver = try busy()
    let running = try #require(driver.record.running?.id)
    let response = try driver.startTurn("second", whenBusy: .steer)
    #expect(
      response == StartTurnResponse(sequence: driver.record.sequence, turn: running, status: .running, steered: true))
    driver.complete()
    driver.complete()
    #expect(driver.userTexts == ["first", "second"])
    #expect(driver.ends.map(\.turn) == [running])
    #expect(try driver.startTurn("third", whenBusy: .steer).steered == false)
  }

  @Test("U1: a waiting turn is cancelled once, reported so, and never runs; the others close up")
  func cancel() throws {
    let driver = try busy()
    let second = try driver.startTurn("second").turn
    let third = try driver.startTurn("third").turn
    driver.send(.cancelQueuedTurn(second, known: false))
    #expect(driver.appended.map(\.kind) == [.queuedTurnCancelled(QueuedTurnCancelled(turn: second))])
    #expect(
      driver.answer == .response(.turnCancelQueued(CancelQueuedTurnResponse(sequence: driver.record.sequence))))
    driver.send(.cancelQueuedTurn(second, known: false))
    #expect(
      driver.answer
        == .response(.turnCancelQueued(CancelQueuedTurnResponse(sequence: driver.record.sequence, already: true))))
    #expect(driver.appended == [])
    driver.complete()
    driver.complete()
    #expect(driver.userTexts == ["first", "third"])
    #expect(driver.ends.map(\.turn).contains(third) && !driver.ends.map(\.turn).contains(second))
  }

  @Test("U1: cancelling a turn that runs, has run or never was is refused, each in its words")
  func cancelWhatDoesNotWait() throws {
    let driver = try busy()
    let first = try #require(driver.record.running?.id)
    let mismatch = Answer.refused(Refusal(.turnMismatch, [("turn", first.description)]))
    #expect(driver.send(.cancelQueuedTurn(first, known: false)) == mismatch)
    driver.complete()
    #expect(driver.send(.cancelQueuedTurn(first, known: true)) == mismatch)
    let unknown = TurnID(high: 1, low: 1)
    #expect(
      driver.send(.cancelQueuedTurn(unknown, known: false))
        == .refused(Refusal(.turn, [("turn", unknown.description)])))
  }

  @Test("U1: a waiting turn survives a restart, with its input, its settings and its place")
  func survivesARestart() throws {
    let driver = try busy()
    let second = try driver.startTurn("second", .select(.proactive)).turn
    try driver.startTurn("third")
    driver.crash()
    #expect(driver.record.queue.map(\.input) == [.text("second"), .text("third")])
    driver.handle(.recovered)
    #expect(driver.record.running?.id == second)
    #expect(driver.record.running?.context?.settings?.mode == .proactive)
    #expect(driver.record.queue.map(\.input) == [.text("third")])
  }

  @Test("U1: a waiting turn that can no longer begin is reported cancelled, and the next one runs")
  func cannotBegin() throws {
    let driver = try busy()
    let second = try driver.startTurn("second", .model("scripted-v2")).turn
    let third = try driver.startTurn("third").turn
    driver.rules.catalog = Catalog(models: driver.rules.catalog.models.filter { $0.id != "scripted-v2" })
    driver.complete()
    #expect(driver.appended.contains { $0.kind == .queuedTurnCancelled(QueuedTurnCancelled(turn: second)) })
    #expect(driver.record.running?.id == third)
    #expect(driver.record.currentSettings.model == "scripted")
  }

  @Test("U1: the settings of a waiting turn apply when it starts, not before")
  func settingsOfAWaitingTurn() throws {
    let driver = try busy()
    try driver.startTurn("second", SettingsChange(reasoningEffort: "high"))
    #expect(driver.record.currentSettings.reasoningEffort == nil)
    #expect(driver.settingsUpdates == [])
    driver.complete()
    #expect(driver.record.running?.context?.settings?.reasoningEffort == "high")
    #expect(driver.settingsUpdates.map(\.revision) == [2])
  }

  @Test("U1 T4 U6: when the last that waits can no longer begin, the thread says that it is idle, behind that event")
  func lastCannotBegin() throws {
    let driver = try busy()
    let second = try driver.startTurn("second", .model("scripted-v2")).turn
    driver.rules.catalog = Catalog(models: driver.rules.catalog.models.filter { $0.id != "scripted-v2" })
    driver.complete()
    #expect(driver.appended.last?.kind == .queuedTurnCancelled(QueuedTurnCancelled(turn: second)))
    #expect(driver.record.running == nil && driver.record.queue == [])
    #expect(driver.statuses == [ThreadStatus(state: .idle)])
    #expect(driver.effects.contains(.status(ThreadStatus(state: .idle), after: driver.record.sequence)))
  }
}

@Suite struct SteerTests {
  private func busy() throws -> (ThreadDriver, TurnID) {
    let driver = try ThreadDriver.start()
    return (driver, try driver.startTurn("first").turn)
  }

  @Test("U2: steered input reaches the model at the next sampling step of the running turn, not in the middle of one")
  func nextStep() throws {
    let (driver, turn) = try busy()
    driver.model(.text("half an "))
    driver.send(.steerTurn(turn, .text("and this")))
    #expect(driver.answer == .response(.turnSteer(SteerTurnResponse(sequence: driver.record.sequence, turn: turn))))
    #expect(driver.userTexts == ["first"])
    driver.model(.text("answer"), .finished)
    #expect(driver.modelInput.map(\.text) == ["first", "half an answer", "and this"])
    let asked = driver.effects.compactMap {
      if case .startModel(let m, let after) = $0 { (m.turn, after) } else { nil }
    }
    #expect(asked.map(\.0) == [turn] && asked.map(\.1) == [driver.record.sequence])
    #expect(driver.record.running?.pending == [])
    driver.complete()
    #expect(driver.ends.map(\.status) == [.completed])
  }

  enum End: CaseIterable { case interrupted, failed, crashed }

  @Test(
    "U2: steered input is never lost when the turn ends first: it is in the history before the end",
    arguments: End.allCases)
  func neverLost(_ end: End) throws {
    let (driver, turn) = try busy()
    driver.send(.steerTurn(turn, .text("and this")))
    driver.send(.steerTurn(turn, .text("and that")))
    switch end {
    case .interrupted: _ = driver.interrupt(turn)
    case .failed: driver.model(.failed(TurnError(reason: "model_failed", message: "no")))
    case .crashed: driver.restart()
    }
    #expect(driver.userTexts == ["first", "and this", "and that"])
    #expect(driver.ends.map(\.turn) == [turn])
    #expect(driver.record.running == nil)
    try driver.runTurn("next")
    #expect(driver.userTexts == ["first", "and this", "and that", "next"])
  }

  @Test("U2: steering says so when the turn has ended, when none runs, and when another runs (attacks.md M13)")
  func ended() throws {
    let (driver, turn) = try busy()
    driver.complete()
    #expect(driver.send(.steerTurn(turn, .text("late"))) == .refused(Refusal(.noTurn)))
    let other = try driver.startTurn("second").turn
    #expect(
      driver.send(.steerTurn(turn, .text("late")))
        == .refused(Refusal(.turnMismatch, [("turn", other.description)])))
    #expect(driver.appended == [])
    driver.send(.steerTurn(other, .text("in time")))
    #expect(driver.refusal == nil)
  }
}

@Suite struct InterruptTests {
  @Test(
    "U3: interrupt ends the turn it names, once; repeating it is answered at once and changes nothing (attacks.md M12)")
  func once() throws {
    let driver = try ThreadDriver.start()
    let turn = try driver.startTurn().turn
    driver.model(.text("half"))
    #expect(
      driver.interrupt(turn) == .response(.turnInterrupt(InterruptTurnResponse(sequence: driver.record.sequence))))
    #expect(driver.effects.contains(.cancelModel(turn)))
    #expect(driver.ends.map(\.status) == [.interrupted])
    let before = driver.record
    #expect(
      driver.interrupt(turn)
        == .response(.turnInterrupt(InterruptTurnResponse(sequence: before.sequence, already: true))))
    #expect(driver.record == before && driver.appended == [])
  }

  @Test(
    "U3: a turn that ended by itself is `already`, another turn than the running one is a mismatch (attacks.md M12)")
  func others() throws {
    let driver = try ThreadDriver.start()
    let ended = try driver.runTurn()
    #expect(
      driver.interrupt(ended)
        == .response(.turnInterrupt(InterruptTurnResponse(sequence: driver.record.sequence, already: true))))
    let running = try driver.startTurn().turn
    let unknown = TurnID(high: 1, low: 1)
    #expect(driver.interrupt(unknown) == .refused(Refusal(.turnMismatch, [("turn", running.description)])))
    #expect(driver.record.running?.id == running)
    driver.complete()
    #expect(driver.interrupt(unknown) == .refused(Refusal(.turnMismatch)))
  }

  @Test("U3: an interruption is remembered through a restart, and when many turns came after it if the driver knows it")
  func remembered() throws {
    let driver = try ThreadDriver.start()
    let turn = try driver.startTurn().turn
    _ = driver.interrupt(turn)
    driver.restart()
    guard case .response(.turnInterrupt(let reply)) = driver.send(.interruptTurn(turn, known: false)) else {
      Issue.record("refused")
      return
    }
    #expect(reply.already)
    for _ in 0..<16 { try driver.runTurn() }
    #expect(driver.send(.interruptTurn(turn, known: false)) == .refused(Refusal(.turnMismatch)))
    guard case .response(.turnInterrupt(let late)) = driver.send(.interruptTurn(turn, known: true)) else {
      Issue.record("refused")
      return
    }
    #expect(late.already)
  }

  @Test(
    "U3 V10: the marker is the developer's for V2, the user's for V1 and DISABLED",
    arguments: [("scripted-v2", Role.developer), ("scripted-v1", .user), ("scripted-disabled", .user)])
  func markerRole(_ model: String, _ role: Role) throws {
    let driver = try ThreadDriver.start(.model(model))
    _ = driver.interrupt(try driver.startTurn().turn)
    let text = "<turn_interrupted>\(driver.rules.texts.interruption)</turn_interrupted>"
    let markers = driver.modelInput.filter { if case .marker? = $0.kind { true } else { false } }
    #expect(markers.map(\.kind) == [.marker(MarkerItem(kind: .interruption, role: role, text: text))])
    // It is there for the next model request.
    try driver.startTurn("next")
    #expect(driver.markers == [role])
  }

  @Test("U3: the marker is absent when the configuration says so; the interruption is not")
  func noMarker() throws {
    let driver = try ThreadDriver.start(rules: ServerRules().changed { $0.texts.interruptionMarker = false })
    _ = driver.interrupt(try driver.startTurn().turn)
    #expect(driver.markers == [])
    #expect(driver.ends.map(\.status) == [.interrupted])
  }

  @Test("U3: a completed or failed turn leaves no marker")
  func onlyForInterruptions() throws {
    let driver = try ThreadDriver.start()
    try driver.runTurn()
    try driver.startTurn()
    driver.model(.failed(TurnError(reason: "model_failed", message: "no")))
    #expect(driver.markers == [])
  }

  @Test("U3: interrupting lets the next waiting turn run; a signal of the cancelled model changes nothing")
  func next() throws {
    let driver = try ThreadDriver.start()
    let first = try driver.startTurn("first").turn
    let second = try driver.startTurn("second").turn
    _ = driver.interrupt(first)
    #expect(driver.record.running?.id == second)
    let before = driver.record
    driver.handle(.model(first, .text("too late")))
    driver.handle(.model(first, .finished))
    #expect(driver.record == before && driver.effects == [])
  }
}

@Suite struct RecoveryTests {
  @Test("U4: a turn found running is ended by exactly one interruption with its marker; starting twice changes nothing")
  func once() throws {
    let driver = try ThreadDriver.start(.model("scripted-v2"))
    let turn = try driver.startTurn().turn
    driver.crash()
    driver.handle(.recovered)
    #expect(driver.ends == [TurnEnded(turn: turn, status: .interrupted)])
    #expect(driver.markers == [.developer])
    let before = driver.record
    driver.restart()
    driver.handle(.recovered)
    #expect(driver.record == before && driver.appended == [])
    #expect(driver.turns.map(\.status) == [.interrupted])
  }

  @Test("U4: a crash in the middle of recovery's own mutation leaves all of it or nothing, and comes to the same")
  func crashedRecovery() throws {
    let driver = try ThreadDriver.start()
    try driver.startTurn("first")
    try driver.startTurn("second")
    driver.restart()
    #expect(driver.appended.map(\.more) == driver.appended.dropLast().map { _ in true } + [false])
    #expect(driver.ends.count == 1)
    driver.restart()
    #expect(driver.ends.count == 2)
    #expect(driver.record.running == nil && driver.record.queue == [])
  }

  @Test("U4: the stored turn keeps its first event, its start and its context through the crash")
  func storedTurn() throws {
    let driver = try ThreadDriver.start()
    try driver.startTurn()
    let before = try #require(driver.turns.first)
    driver.restart()
    var expected = before
    expected.status = .interrupted
    expected.endedAt = driver.environment.now
    expected.lastSequence = driver.record.sequence
    #expect(driver.turns == [expected])
    #expect(before.firstSequence > 0)
  }
}

@Suite struct SuspensionTests {
  @Test(
    "D9: on a full disk the running turn ends as interrupted, what waits goes on waiting, and runs when there is space")
  func suspended() throws {
    let driver = try ThreadDriver.start()
    let first = try driver.startTurn("first").turn
    driver.model(.text("half"))
    let second = try driver.startTurn("second").turn
    driver.handle(.suspended)
    #expect(driver.ends == [TurnEnded(turn: first, status: .interrupted)])
    #expect(driver.effects.contains(.cancelModel(first)))
    #expect(driver.record.running == nil && driver.record.queue.map(\.id) == [second])
    #expect(driver.machine.status == ThreadStatus(state: .idle))
    #expect(driver.effects.last == .status(ThreadStatus(state: .idle), after: driver.record.sequence))
    driver.handle(.suspended)
    #expect(driver.effects == [])
    driver.handle(.unsuspended)
    #expect(driver.record.running?.id == second)
    driver.complete()
    #expect(driver.ends.map(\.status) == [.interrupted, .completed])
    #expect(driver.userTexts == ["first", "second"])
    driver.handle(.unsuspended)
    #expect(driver.effects == [])
  }
}

@Suite struct DirectInputTests {
  private func child(_ version: MultiAgentVersion) throws -> ThreadDriver {
    try ThreadDriver.start(inherited: version, depth: 1, parent: ThreadID(high: 1, low: 1))
  }

  @Test("A7: a client does not write into a V2 child, by start or by steering; it does into a V1 child and a V2 root")
  func directInput() throws {
    let v2 = try child(.v2)
    for command in [
      ThreadCommand.startTurn(StartTurnRequest(input: .text("a"))), .steerTurn(TurnID(high: 1, low: 1), .text("a")),
    ] {
      #expect(v2.send(command) == .refused(Refusal(.clientInputRefused)))
      #expect(v2.appended == [])
    }
    #expect(try child(.v1).startTurn().status == .running)
    #expect(try ThreadDriver.start(.model("scripted-v2")).startTurn().status == .running)
    // Its fork is a root.
    #expect(try v2.fork().startTurn().status == .running)
  }
}

@Suite struct TurnEndTests {
  private func kinds(_ driver: ThreadDriver) -> [String] {
    driver.effects.map { effect in
      switch effect {
      case .append(let event):
        switch event.kind {
        case .turnStarted?: "started"
        case .itemStarted?, .itemCompleted?: "item"
        case .usageReported?: "usage"
        case .turnEnded?: "ended"
        default: "event"
        }
      case .status(let status, _): status.state.name
      case .storeTurn: "stored"
      case .reply: "reply"
      case .delta: "delta"
      case .startModel: "asked"
      case .cancelModel: "cancelled"
      case .setTimer, .cancelTimer: "timer"
      case .callTool, .askClient, .endClientCall: "call"
      case .deliver, .wantTurn: "mail"
      }
    }.filter { $0 != "timer" && $0 != "stored" }
  }

  @Test("U6 T4: active, turn started, items, usage, the turn's end, idle; the status comes before what explains it")
  func order() throws {
    let driver = try ThreadDriver.start()
    try driver.startTurn("hello", .model("scripted-v2"))
    #expect(kinds(driver) == ["event", "event", "ACTIVE", "started", "item", "item", "item", "asked", "reply"])
    driver.model(.usage(TokenUsage(inputTokens: 3, outputTokens: 4)), .text("hi"))
    driver.model(.finished)
    #expect(kinds(driver) == ["item", "usage", "ended", "IDLE"])
    // Nobody hears `active` before the pin is safe, nor `idle` before the end is.
    let statuses = driver.effects.compactMap { if case .status(_, let after) = $0 { after } else { nil } }
    #expect(statuses == [driver.record.sequence])
  }

  @Test("U6 T4: between a turn and the one that waited the thread is not idle")
  func notIdleBetween() throws {
    let driver = try ThreadDriver.start()
    try driver.startTurn("first")
    try driver.startTurn("second")
    driver.complete()
    #expect(kinds(driver) == ["item", "ended", "ACTIVE", "started", "item", "asked"])
    driver.complete()
    #expect(kinds(driver).suffix(2) == ["ended", "IDLE"])
  }

  @Test(
    "U6: every effect that tells somebody something waits for an event that comes before it", arguments: [false, true])
  func waits(_ steered: Bool) throws {
    let driver = try ThreadDriver.start()
    let turn = try driver.startTurn().turn
    func check() {
      var last: UInt64 = driver.appended.first.map { $0.sequence - 1 } ?? driver.record.sequence
      for effect in driver.effects {
        switch effect {
        case .append(let event):
          #expect(event.sequence == last + 1)
          last = event.sequence
        case .reply(_, _, let after), .status(_, let after), .startModel(_, let after): #expect(after == last)
        case .delta(_, let after): #expect(after <= last)
        default: break
        }
      }
    }
    check()
    if steered { driver.send(.steerTurn(turn, .text("more"))) }
    for signal in [ModelSignal.thought("hm"), .text("a"), .text("b"), .usage(TokenUsage(inputTokens: 1)), .finished] {
      driver.model(signal)
      check()
    }
  }

  @Test("U5: a completed turn ends once, with its token usage summed over its steps")
  func completed() throws {
    let driver = try ThreadDriver.start()
    let turn = try driver.startTurn().turn
    driver.model(.usage(TokenUsage(inputTokens: 5, cachedInputTokens: 1, outputTokens: 2, reasoningOutputTokens: 1)))
    driver.model(.toolCall(id: "1", name: "none", arguments: "{}", providerID: ""), .finished)
    driver.model(.usage(TokenUsage(inputTokens: 7, outputTokens: 3)), .text("done"), .finished)
    let usage = TokenUsage(inputTokens: 12, cachedInputTokens: 1, outputTokens: 5, reasoningOutputTokens: 1)
    #expect(driver.ends == [TurnEnded(turn: turn, status: .completed, usage: usage)])
    #expect(driver.record.usage == usage)
    #expect(driver.turns.map(\.usage) == [usage])
    try driver.startTurn()
    driver.model(.usage(TokenUsage(inputTokens: .max)), .finished)
    #expect(driver.ends.last?.usage == TokenUsage(inputTokens: .max))
    #expect(driver.record.usage?.inputTokens == .max)
  }

  @Test("U5: a failed turn ends once, with a typed error; unfinished text stays as interrupted")
  func failed() throws {
    let driver = try ThreadDriver.start()
    let turn = try driver.startTurn().turn
    let error = TurnError(reason: TurnFailure.modelFailed.rawValue, message: "no")
    driver.model(.text("half"), .failed(error), .finished)
    #expect(driver.ends == [TurnEnded(turn: turn, status: .failed, error: error)])
    #expect(driver.modelInput.last?.status == .interrupted)
    #expect(driver.modelInput.last?.text == "half")
    #expect(driver.machine.status == ThreadStatus(state: .idle))
  }

  @Test("U5 T4: a provider that is missing is a system error until the next turn starts")
  func systemError() throws {
    let driver = try ThreadDriver.start()
    try driver.startTurn()
    driver.model(.failed(TurnError(reason: TurnFailure.providerMissing.rawValue, message: "none")))
    #expect(driver.machine.status == ThreadStatus(state: .systemError))
    #expect(driver.effects.contains(.status(ThreadStatus(state: .systemError), after: driver.record.sequence)))
    driver.restart()
    #expect(driver.machine.status == ThreadStatus(state: .systemError))
    try driver.startTurn()
    #expect(driver.machine.status == ThreadStatus(state: .active))
  }

  @Test("U5: a model that says nothing for its time fails the turn; one that speaks in time does not")
  func stalls() throws {
    let driver = try ThreadDriver.start()
    let turn = try driver.startTurn().turn
    let limit = driver.rules.limits.modelIdleMilliseconds
    driver.environment.instant += limit - 2_000
    driver.model(.text("still here"))
    driver.environment.instant += 2_000
    driver.handle(.timer(.modelIdle))
    #expect(driver.record.running?.id == turn)
    let timers = driver.effects.compactMap { if case .setTimer(.modelIdle, let at) = $0 { at } else { nil } }
    #expect(timers.count == 1 && timers[0] > driver.environment.instant)
    driver.environment.instant += limit
    driver.handle(.timer(.modelIdle))
    #expect(driver.ends.map(\.error?.reason) == ["model_timeout"])
  }

  @Test("U7: a turn that takes too long fails with its own reason, whatever it waits for, and the next one begins")
  func tooLong() throws {
    let rules = ServerRules().changed { $0.limits.turnMilliseconds = 3_600_000 }
    let driver = try ThreadDriver.client(["look"], rules: rules)
    try driver.startTurn()
    let due = try #require(driver.timersSet[.turn])
    driver.model(.toolCall(id: "c1", name: "look", arguments: "{}", providerID: ""), .finished)
    driver.environment.instant = due - 5_000
    driver.handle(.timer(.turn))
    // The timer fires early, by the driver's clock: it is set again for the same time.
    #expect(driver.timersSet == [.turn: due] && driver.ends.isEmpty)
    driver.environment.instant = due
    driver.handle(.timer(.turn))
    #expect(driver.ends.map(\.error?.reason) == ["turn_timeout"])
    #expect(driver.ends.last?.error?.message.contains("longer than 3600 s") == true)
    #expect(driver.effects.contains(.cancelTimer(.turn)))
    #expect(driver.outputs.map(\.reason) == ["tool_interrupted"])
    // The next turn has all of its own time.
    try driver.startTurn()
    #expect((driver.timersSet[.turn] ?? 0) >= due + 3_600_000)
    driver.complete()
    #expect(driver.ends.map(\.status).last == .completed)
    driver.expectFolded()
  }

  @Test("U7: without a limit no turn has a time, and a timer of another turn ends none")
  func noTurnLimit() throws {
    let driver = try ThreadDriver.start()
    try driver.startTurn()
    #expect(driver.timersSet[.turn] == nil)
    driver.environment.instant += 1_000_000_000
    driver.model(.text("still here"))
    driver.handle(.timer(.turn))
    #expect(driver.record.running != nil && driver.effects == [])
    driver.complete()
    #expect(!driver.effects.contains(.cancelTimer(.turn)))
    #expect(driver.ends.map(\.status) == [.completed])
  }

  @Test("U5: the stall's text says how long it was, below a second too", arguments: [(600, "600 ms"), (2_000, "2 s")])
  func stallText(_ limit: Int64, _ words: String) throws {
    let driver = try ThreadDriver.start(rules: ServerRules().changed { $0.limits.modelIdleMilliseconds = limit })
    try driver.startTurn()
    driver.environment.instant += limit
    driver.handle(.timer(.modelIdle))
    #expect(driver.ends.last?.error?.message.contains("nothing for \(words);") == true)
  }

  @Test("U5: a turn that never comes to an end fails at the last of its sampling steps")
  func tooManySteps() throws {
    let driver = try ThreadDriver.start(rules: ServerRules().changed { $0.limits.samplingSteps = 3 })
    try driver.startTurn()
    for step in 0..<2 {
      driver.model(.toolCall(id: "\(step)", name: "none", arguments: "{}", providerID: ""), .finished)
      #expect(driver.record.running != nil)
    }
    driver.model(.toolCall(id: "2", name: "none", arguments: "{}", providerID: ""), .finished)
    #expect(driver.ends.map(\.error?.reason) == ["too_many_steps"])
  }

  @Test(
    "M11 of attacks.md: empty input and input of a byte too much are refused without a trace; the largest is served")
  func input() throws {
    let driver = try ThreadDriver.start(rules: ServerRules().changed { $0.limits.turnInputBytes = 100 })
    let before = driver.record
    let empty = Refusal(.emptyInput, [("field", "input.content")])
    for input in [nil, TurnInput(), .text("")] {
      #expect(driver.send(.startTurn(StartTurnRequest(input: input))) == .refused(empty))
    }
    let long = String(repeating: "ä", count: 50)
    #expect(
      driver.send(.startTurn(StartTurnRequest(input: .text(long + "x"))))
        == .refused(Refusal(.inputTooLarge, [("limit", "100"), ("bytes", "101")])))
    #expect(driver.record == before)
    #expect(try driver.startTurn(long).status == .running)
  }
}
