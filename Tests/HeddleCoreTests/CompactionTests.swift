// rules.md T7: summing the context up, because a client asks, because the window is about to be full, or because the model
// refused a history that is too large.

import HeddleCore
import Testing

extension ThreadDriver {
  /// The model sums up; `kept` are words of the user that the driver found to stay.
  fileprivate func sumUp(_ summary: String = "so far", kept: [String] = []) {
    model(
      .compacted(
        summary: summary,
        kept: kept.map { MessageItem(role: .user, content: [ContentPart(part: .text($0))]) }))
  }

  /// The context that the next step would be given, in words.
  fileprivate var words: [String] { modelInput.compactMap(\.text) }

  fileprivate var isAskedForSummary: Bool { modelStarts.map(\.isCompaction) == [true] }
}

private let introduction = ModelTexts().summaryIntroduction
private let tooLarge = TurnError(reason: TurnFailure.contextWindow.rawValue, message: "too large")

@Suite struct CompactionCommandTests {
  @Test(
    "T7: a client's compaction is a turn of its own; its summary and the newest words of the user replace the context")
  func compact() throws {
    let driver = try ThreadDriver.start()
    try driver.runTurn("one")
    try driver.runTurn("two")
    guard case .response(.threadCompact(let response)) = driver.send(.compact) else {
      Issue.record("refused")
      return
    }
    let running = try #require(driver.record.running)
    #expect(running.id == response.turn && running.cause == .compaction && response.sequence == driver.record.sequence)
    #expect(driver.isAskedForSummary)
    #expect(driver.modelStarts[0].tools == [] && driver.happened == ["turnStarted"])
    driver.sumUp("they counted", kept: ["two"])
    #expect(driver.happened == ["contextCompacted", "turnEnded"])
    #expect(driver.words == ["two", introduction + "\n\nthey counted"])
    #expect(driver.ends.last?.status == .completed && driver.record.running == nil)
    #expect(driver.record.turnCount == 3)
    driver.expectFolded()
    try driver.runTurn("three")
    #expect(driver.words == ["two", introduction + "\n\nthey counted", "three", "answer to three"])
  }

  @Test("T7: an empty thread has nothing to sum up; one whose turns were all rolled back has not either")
  func nothing() throws {
    let driver = try ThreadDriver.start()
    #expect(driver.send(.compact) == .refused(Refusal(.nothingToCompact)))
    #expect(driver.appended == [])
    try driver.runTurn()
    _ = driver.rollback(1)
    #expect(driver.send(.compact) == .refused(Refusal(.nothingToCompact)))
    let imported = ThreadDriver.load(importedHistory(turns: 1))
    guard case .response = imported.send(.compact) else {
      Issue.record("refused")
      return
    }
  }

  @Test("T7 A7: not while a turn runs, not of an archived or a closed thread, not by a client of a V2 agent")
  func refused() throws {
    let driver = try ThreadDriver.start()
    let turn = try driver.startTurn().turn
    #expect(driver.send(.compact) == .refused(Refusal(.turnInProgress, [("turn", turn.description)])))
    driver.complete()
    driver.send(.archive(root: driver.record.id))
    #expect(driver.send(.compact) == .refused(Refusal(.archived)))
    let agent = try ThreadDriver.agent(.v2)
    #expect(agent.send(.compact) == .refused(Refusal(.clientInputRefused)))
    let closed = try ThreadDriver.agent(.v1)
    closed.handle(.close(byClient: false))
    #expect(closed.send(.compact) == .refused(Refusal(.agentClosed)))
  }

  @Test("T7 M7: afterwards the next turn is told the whole initial context again, once")
  func baseline() throws {
    let driver = try ThreadDriver.start(.select(.proactive), rules: .with(.v2Mode))
    try driver.runTurn()
    driver.send(.compact)
    #expect(driver.fragments == [.proactive])
    driver.sumUp()
    #expect(driver.fragments == [] && driver.record.baseline == nil)
    try driver.runTurn()
    try driver.runTurn()
    #expect(driver.fragments == [.proactive])
    driver.expectFolded()
  }

  @Test(
    "T7: a compaction that fails, is interrupted or says nothing leaves the history and what was told as they were",
    arguments: ["fails", "is refused", "interrupted", "empty", "crash"])
  func fails(_ how: String) throws {
    let driver = try ThreadDriver.start(.select(.proactive), rules: .with(.v2Mode))
    try driver.runTurn("one")
    let before = driver.words
    let baseline = driver.record.baseline
    _ = driver.update(.select(.explicitRequestOnly))
    driver.send(.compact)
    let turn = try #require(driver.record.running?.id)
    switch how {
    case "fails": driver.model(.failed(TurnError(reason: "model_failed", message: "no")))
    case "is refused": driver.model(.failed(tooLarge))
    case "interrupted": _ = driver.interrupt(turn)
    case "empty": driver.sumUp("")
    default: driver.restart()
    }
    let isInterrupted = how == "interrupted" || how == "crash"
    #expect(driver.ends.last?.status == (isInterrupted ? .interrupted : .failed))
    #expect(driver.words.starts(with: before) && driver.words.count == before.count + (isInterrupted ? 1 : 0))
    #expect(driver.record.contextStart == 0 && driver.record.baseline == baseline)
    // A summary that comes late changes nothing.
    driver.handle(.model(turn, .compacted(summary: "late", kept: [])))
    #expect(driver.appended == [])
    // The failed turn's mode never reached the model, so the next turn still tells the change.
    try driver.runTurn("two")
    #expect(driver.fragments == [.proactive, .explicitRequestOnly])
    driver.expectFolded()
  }

  @Test("M7: a fork or a rollback down to a compaction that failed goes on from what was told before it")
  func failedIsNoBaseline() throws {
    let driver = try ThreadDriver.start(.select(.proactive), rules: .with(.v2Mode))
    try driver.runTurn("one")
    _ = driver.update(.select(.explicitRequestOnly))
    driver.send(.compact)
    driver.model(.failed(TurnError(reason: "model_failed", message: "no")))
    let failed = try #require(driver.turns.last)
    #expect(failed.cause == .compaction)
    let fork = try driver.fork(failed)
    try fork.runTurn("two")
    #expect(fork.fragments == [.proactive, .explicitRequestOnly])
    try driver.runTurn("two")
    _ = driver.rollback(1)
    try driver.runTurn("two again")
    #expect(driver.fragments == [.proactive, .explicitRequestOnly])
  }

  @Test("M7: a fork or a rollback down to a turn that summed up in its midst does not tell the initial context twice")
  func midst() throws {
    let rules = ServerRules.with(.v2Mode)
    let driver = try ThreadDriver.start(.select(.proactive), rules: rules)
    try driver.startTurn("one")
    driver.model(.failed(tooLarge))
    driver.sumUp()
    driver.complete()
    let first = try #require(driver.turns.last)
    try driver.runTurn("two")
    for thread in [try driver.fork(first), driver] {
      if thread === driver { _ = driver.rollback(1) }
      try thread.runTurn("again")
      #expect(thread.fragments == [.proactive])
      #expect(thread.words.filter { $0 == rules.texts.rootHint }.count == 1)
    }
  }

  @Test("T7 M7: of two compactions the newest that stays is where the context begins, after a rollback and in a fork")
  func rolledBack() throws {
    let driver = try ThreadDriver.start()
    try driver.runTurn("one")
    driver.send(.compact)
    driver.sumUp("first")
    try driver.runTurn("two")
    let second = try #require(driver.turns.last)
    driver.send(.compact)
    driver.sumUp("second")
    #expect(driver.words == [introduction + "\n\nsecond"])
    #expect(try driver.fork(second).words == [introduction + "\n\nfirst", "two", "answer to two"])
    _ = driver.rollback(1)
    #expect(driver.words == [introduction + "\n\nfirst", "two", "answer to two"])
    _ = driver.rollback(2)
    #expect(driver.words == ["one", "answer to one"])
    driver.expectFolded()
  }
}

@Suite struct CompactionInputTests {
  @Test("T7 U2: input that is added while a client's compaction runs is answered behind the summary, in the same turn")
  func steered() throws {
    for asks in [true, false] {
      let driver = try ThreadDriver.start(.select(.proactive), rules: .with(.v2Mode))
      try driver.runTurn("one")
      driver.send(.compact)
      let turn = try #require(driver.record.running?.id)
      if asks {
        #expect(try driver.startTurn("and?", whenBusy: .steer).steered)
      } else {
        driver.send(.steerTurn(turn, .text("and?")))
      }
      driver.sumUp()
      #expect(driver.record.running?.id == turn && driver.modelStarts.map(\.isCompaction) == [false])
      #expect(driver.words.suffix(2) == [introduction + "\n\nso far", "and?"])
      #expect(driver.fragments == [.proactive])
      driver.complete("yes")
      #expect(driver.ends.map(\.status) == [.completed, .completed])
      try driver.runTurn("more")
      #expect(driver.fragments == [.proactive])
      driver.expectFolded()
    }
  }

  @Test("T7 U2: input that is added while a turn sums up in its midst comes behind the summary, at the next step")
  func steeredInTheMidst() throws {
    let driver = try ThreadDriver.start()
    try driver.startTurn("one")
    driver.model(.failed(tooLarge))
    driver.send(.steerTurn(try #require(driver.record.running?.id), .text("and?")))
    driver.sumUp(kept: ["one"])
    #expect(driver.words == ["one", introduction + "\n\nso far", "and?"])
    #expect(driver.record.running?.pending == [])
    driver.complete()
    #expect(driver.ends.map(\.status) == [.completed])
    driver.expectFolded()
  }

  @Test("T7 U1: turns and mail that come while the context is summed up wait for its end")
  func waiting() throws {
    let driver = try ThreadDriver.agent(.v1)
    driver.send(.agentInput(.text("do")))
    driver.complete()
    driver.send(.compact)
    let queued = try driver.startTurn("two").turn
    driver.receive(1, "news", .notification)
    #expect(driver.record.mailbox.count == 1)
    driver.sumUp()
    #expect(driver.record.running?.id == queued)
    #expect(driver.words.suffix(3) == [introduction + "\n\nso far", "news", "two"])
    driver.expectFolded()
  }

  @Test("A5 A8: a compaction is no answer to a task: nobody is told of it, and what an agent answered stays its answer")
  func agents() throws {
    let driver = try ThreadDriver.agent(.v1)
    driver.send(.agentInput(.text("do")))
    let turn = try #require(driver.record.running?.id)
    _ = driver.interrupt(turn)
    #expect(driver.record.agentStatus == .interrupted)
    driver.send(.compact)
    driver.sumUp()
    #expect(driver.record.agentStatus == .interrupted)
    #expect(driver.deliveries == [] && driver.record.agent?.reported == false)
    driver.send(.agentInput(.text("do")))
    driver.complete("done")
    #expect(driver.deliveries.count == 1)
    driver.send(.compact)
    driver.model(.failed(TurnError(reason: "model_failed", message: "no")))
    #expect(driver.record.agentStatus == .completed("done"))
    driver.expectFolded()
  }
}

@Suite struct AutomaticCompactionTests {
  /// A window of 1,000 tokens, full at 900.
  private func driver(window: UInt64 = 1_000, percent: UInt64 = 90) throws -> ThreadDriver {
    var rules = ServerRules()
    rules.catalog.models[0].contextWindow = window
    rules.limits.compactionPercent = percent
    return try ThreadDriver.client(rules: rules)
  }

  @Test(
    "T7: the context is summed up before the next step when the last one has filled the window, not a token earlier")
  func threshold() throws {
    for (used, isFull) in [(899, false), (900, true), (901, true), (UInt64.max, true)] as [(UInt64, Bool)] {
      let driver = try driver()
      try driver.startTurn("one")
      driver.model(.usage(.tokens(used - 10, 10)))
      driver.call("look")
      driver.answer("c1")
      #expect(driver.isAskedForSummary == isFull)
      #expect(driver.record.running != nil)
      guard isFull else { continue }
      driver.sumUp(kept: ["one"])
      #expect(driver.words == ["one", introduction + "\n\nso far"])
      #expect(driver.record.contextTokens == 0 && driver.modelStarts.map(\.isCompaction) == [false])
      driver.complete()
      #expect(driver.ends.map(\.status) == [.completed])
      driver.expectFolded()
    }
  }

  @Test("T7: a full context is summed up before the next turn's first step; its input is in the history by then")
  func nextTurn() throws {
    let driver = try driver()
    try driver.startTurn("one")
    driver.model(.usage(.tokens(950)), .text("answer"), .finished)
    #expect(driver.record.running == nil && driver.record.contextTokens == 950)
    driver.restart()
    try driver.startTurn("two")
    #expect(driver.isAskedForSummary && driver.words == ["one", "answer", "two"])
    driver.expectFolded()
  }

  @Test("T7: never by itself with 0, without a window or for a model that is not in the catalog")
  func never() throws {
    for (window, percent) in [(1_000, 0), (0, 90)] as [(UInt64, UInt64)] {
      let driver = try driver(window: window, percent: percent)
      try driver.startTurn()
      driver.model(.usage(.tokens(5_000)))
      driver.call("look")
      driver.answer("c1")
      #expect(driver.modelStarts.map(\.isCompaction) == [false])
    }
    let driver = try driver()
    try driver.startTurn()
    driver.rules.catalog.models.removeAll()
    driver.model(.usage(.tokens(5_000)))
    driver.call("look")
    driver.answer("c1")
    #expect(driver.modelStarts.map(\.isCompaction) == [false])
  }

  @Test("T7: a window however small or large neither traps nor has the context summed up for ever")
  func oddWindows() throws {
    for window in [1, 50, 99, UInt64.max] {
      let driver = try driver(window: window, percent: window == .max ? .max : 90)
      try driver.startTurn()
      for _ in 0..<3 where driver.isAskedForSummary { driver.sumUp() }
      #expect(driver.modelStarts.map(\.isCompaction) == [false], "\(window)")
    }
  }

  @Test("T7: the usage of the summary is the turn's, and says nothing about how full the new context is")
  func usage() throws {
    let driver = try driver()
    try driver.startTurn()
    driver.model(.usage(.tokens(900)))
    driver.call("look")
    driver.answer("c1")
    driver.model(.usage(.tokens(900, 50)))
    driver.sumUp()
    #expect(driver.happened == ["usageReported", "contextCompacted"])
    #expect(driver.record.contextTokens == 0)
    #expect(driver.record.usage == .tokens(1_800, 50) && driver.record.running?.usage == .tokens(1_800, 50))
    driver.model(.usage(.tokens(100)), .finished)
    #expect(driver.ends.last?.usage == .tokens(1_900, 50) && driver.record.contextTokens == 100)
  }

  @Test("T7: turns that were taken back fill the window no more: the next turn is not preceded by a summary")
  func rolledBack() throws {
    let driver = try driver()
    try driver.runTurn("one")
    try driver.startTurn("two")
    driver.model(.usage(.tokens(950)), .text("answer"), .finished)
    _ = driver.rollback(1)
    #expect(driver.record.contextTokens == 0)
    try driver.startTurn("three")
    #expect(driver.modelStarts.map(\.isCompaction) == [false])
    driver.expectFolded()
  }
}

@Suite struct RefusedContextTests {
  @Test(
    "T7: a history that the model refuses is summed up once, and the turn goes on; what the try had said is cut off")
  func once() throws {
    let driver = try ThreadDriver.client()
    try driver.startTurn("one")
    driver.model(.text("half"), .toolCall(id: "c1", name: "look", arguments: "{}", providerID: ""), .failed(tooLarge))
    #expect(driver.isAskedForSummary && driver.outputs.map(\.reason) == ["not_run"])
    driver.sumUp(kept: ["one"])
    #expect(driver.modelStarts.map(\.isCompaction) == [false])
    driver.model(.failed(tooLarge))
    #expect(driver.ends.map(\.error?.reason) == ["context_window_exceeded"])
    driver.expectFolded()
  }

  @Test("T7: a model that has answered since may refuse again, and is asked for another summary")
  func again() throws {
    let driver = try ThreadDriver.client()
    try driver.startTurn("one")
    for _ in 0..<3 {
      driver.model(.failed(tooLarge))
      #expect(driver.isAskedForSummary)
      driver.sumUp()
      driver.call("look")
      driver.answer("c1")
    }
    driver.complete()
    #expect(driver.ends.map(\.status) == [.completed])
  }

  @Test("T7: a turn that summed up by itself is still helped when the model refuses the history later")
  func afterAnAutomaticOne() throws {
    var rules = ServerRules()
    rules.catalog.models[0].contextWindow = 1_000
    let driver = try ThreadDriver.client(rules: rules)
    try driver.startTurn("one")
    driver.model(.usage(.tokens(950)))
    driver.call("look")
    driver.answer("c1")
    #expect(driver.isAskedForSummary)
    driver.sumUp()
    driver.model(.failed(tooLarge))
    #expect(driver.isAskedForSummary)
    driver.sumUp()
    driver.complete()
    #expect(driver.ends.map(\.status) == [.completed])
  }

  @Test("T7: another failure is not answered by a summary; neither is a summary that is refused")
  func others() throws {
    let driver = try ThreadDriver.start()
    try driver.startTurn()
    driver.model(.failed(TurnError(reason: TurnFailure.rateLimited.rawValue, message: "no")))
    #expect(driver.ends.map(\.error?.reason) == ["model_rate_limited"])
    try driver.startTurn()
    driver.model(.failed(tooLarge), .failed(tooLarge))
    #expect(driver.ends.last?.error?.reason == "context_window_exceeded")
    try driver.startTurn()
    driver.model(.failed(tooLarge))
    driver.sumUp("")
    #expect(driver.ends.last?.error?.reason == "model_output_invalid")
  }

  @Test("U5: a model that stalls while it sums up fails the turn at its time; text that streams then is not shown")
  func stall() throws {
    let driver = try ThreadDriver.start()
    try driver.runTurn()
    driver.send(.compact)
    driver.model(.text("not shown"))
    #expect(driver.appended == [] && driver.machine.openTexts.isEmpty)
    driver.environment.instant += driver.rules.limits.modelIdleMilliseconds
    driver.handle(.timer(.modelIdle))
    #expect(driver.ends.last?.error?.reason == "model_timeout")
  }
}
