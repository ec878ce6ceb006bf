// Budgets of tokens, and the usage that counts for them (rules.md S1, U5).

import HeddleCore
import Testing

@Suite struct QuotaTests {
  private let turn = ThreadCommand.startTurn(StartTurnRequest(input: .text("more")))

  private func refusal(_ kind: String, _ used: UInt64, _ limit: UInt64) -> Answer {
    .refused(Refusal(.quota, [("kind", kind), ("used", "\(used)"), ("limit", "\(limit)")]))
  }

  private func start(_ change: SettingsChange) throws -> ThreadDriver {
    try ThreadDriver.start(change, rules: ServerRules(), tools: [ToolDefinition(name: "look")])
  }

  private func use(_ driver: ThreadDriver, _ tokens: UInt64) throws {
    try driver.startTurn()
    driver.model(.usage(.tokens(tokens)), .text("ok"), .finished)
  }

  @Test("S1: a turn whose budget is used up asks the model no more; a step that ends the turn is not refused")
  func turnBudget() throws {
    for (used, isOver) in [(99, false), (100, true), (101, true)] as [(UInt64, Bool)] {
      let driver = try start(SettingsChange(turnTokens: 100))
      try driver.startTurn()
      driver.model(.usage(.tokens(used - 9, 9)))
      driver.call("look")
      driver.answer("c1")
      #expect(driver.modelStarts.count == (isOver ? 0 : 1))
      #expect(driver.ends.map(\.error?.reason) == (isOver ? ["quota"] : []))
      driver.expectFolded()
      guard isOver else { continue }
      // The next turn has a budget of its own.
      try driver.runTurn()
      #expect(driver.ends.last?.status == .completed)
    }
    let driver = try start(SettingsChange(turnTokens: 100))
    try use(driver, 1_000)
    #expect(driver.ends.map(\.status) == [.completed])
  }

  @Test("S1: a thread whose budget is used up starts no turn and goes on with none until it is raised")
  func thread() throws {
    let driver = try start(SettingsChange(threadTokens: 100))
    try use(driver, 60)
    try driver.startTurn()
    driver.model(.usage(.tokens(40)))
    driver.call("look")
    driver.answer("c1")
    #expect(driver.ends.map(\.error?.reason) == [nil, "quota"])
    #expect(driver.send(turn) == refusal("thread_tokens", 100, 100))
    #expect(driver.appended == [])
    // The change comes with the turn, and counts for it.
    _ = driver.send(.startTurn(StartTurnRequest(input: .text("more"), settings: SettingsChange(threadTokens: 101))))
    #expect(driver.record.running != nil)
    driver.complete()
    driver.update(SettingsChange(clear: [.threadTokens]))
    try driver.runTurn()
    driver.expectFolded()
  }

  @Test("S1 U1: a turn that waits and whose budget is used up by then is reported cancelled")
  func queued() throws {
    let driver = try start(SettingsChange(threadTokens: 100))
    try driver.startTurn()
    let second = try driver.startTurn("two").turn
    let third = try driver.startTurn("three", SettingsChange(threadTokens: 500)).turn
    driver.model(.usage(.tokens(100)), .finished)
    #expect(driver.happened.contains("queuedTurnCancelled"))
    #expect(driver.record.running?.id == third && driver.machine.isRecent(second))
    driver.expectFolded()
  }

  @Test("S1 A3: a tree whose budget is used up starts no turn of any of its threads, and ends those that go on")
  func tree() throws {
    let driver = try start(SettingsChange())
    driver.setTreeQuota(TreeQuota(used: 99, limit: 100))
    try driver.startTurn()
    driver.setTreeQuota(TreeQuota(used: 100, limit: 100))
    driver.call("look")
    driver.answer("c1")
    #expect(driver.ends.map(\.error?.reason) == ["quota"])
    #expect(driver.send(turn) == refusal("tree_tokens", 100, 100))
    driver.setTreeQuota(nil)
    try driver.runTurn()
  }

  @Test("S1: what a step uses counts for the tree before the model is asked again")
  func treeStep() throws {
    for (used, isOver) in [(49, false), (50, true), (.max, true)] as [(UInt64, Bool)] {
      let driver = try start(SettingsChange())
      driver.setTreeQuota(TreeQuota(used: 50, limit: 100))
      try driver.startTurn()
      driver.model(.usage(.tokens(used)))
      driver.call("look")
      driver.answer("c1")
      #expect(driver.modelStarts.count == (isOver ? 0 : 1))
      #expect(driver.ends.map(\.error?.reason) == (isOver ? ["quota"] : []))
    }
  }

  @Test("S1 A3: a change of the tree's budget that comes with a turn of its root counts for that turn")
  func treeChange() throws {
    let driver = try start(SettingsChange(treeTokens: 100))
    driver.setTreeQuota(TreeQuota(used: 100, limit: 100))
    #expect(driver.send(turn) == refusal("tree_tokens", 100, 100))
    let more = StartTurnRequest(input: .text("more"), settings: SettingsChange(treeTokens: 101))
    #expect(driver.send(.startTurn(more)) != refusal("tree_tokens", 100, 100) && driver.record.running != nil)
    driver.complete()
    driver.setTreeQuota(TreeQuota(used: 101, limit: 101))
    let unset = StartTurnRequest(input: .text("more"), settings: SettingsChange(clear: [.treeTokens]))
    #expect(driver.send(.startTurn(unset)) != refusal("tree_tokens", 101, 101) && driver.record.running != nil)
  }

  @Test("S1: budgets of 0 and of everything are budgets")
  func ends() throws {
    for change in [SettingsChange(threadTokens: 0), SettingsChange(turnTokens: 0)] {
      let driver = try start(change)
      let answer = driver.send(turn)
      if change.threadTokens == 0 {
        #expect(answer == refusal("thread_tokens", 0, 0))
      } else {
        driver.call("look")
        driver.answer("c1")
        #expect(driver.ends.map(\.error?.reason) == ["quota"])
      }
    }
    let driver = try start(SettingsChange(turnTokens: .max, threadTokens: .max))
    try use(driver, .max - 1)
    try driver.startTurn()
    #expect(driver.record.running != nil)
  }

  @Test("S1 T7: a summary counts; a turn whose budget it used up goes on no more")
  func summary() throws {
    let driver = try start(SettingsChange(turnTokens: 100))
    try driver.startTurn()
    driver.model(.failed(TurnError(reason: TurnFailure.contextWindow.rawValue, message: "")))
    driver.model(.usage(.tokens(100)), .compacted(summary: "so far", kept: []))
    #expect(driver.ends.map(\.error?.reason) == ["quota"] && driver.record.contextStart > 0)
    driver.expectFolded()
  }

  @Test("S1 A3: the budget of a tree is its root's: a change that comes with a turn of an agent raises nothing")
  func treeChangeOfAnAgent() throws {
    let driver = try ThreadDriver.agent(.v1)
    driver.setTreeQuota(TreeQuota(used: 100, limit: 100))
    for change in [SettingsChange(treeTokens: 1_000), SettingsChange(clear: [.treeTokens])] {
      let request = StartTurnRequest(input: .text("more"), settings: change)
      #expect(driver.send(.startTurn(request)) == refusal("tree_tokens", 100, 100))
      #expect(driver.appended == [] && driver.record.running == nil)
    }
  }

  @Test("S1: a turn that is refused for its budget leaves nothing of the settings that came with it")
  func refusedLeavesNothing() throws {
    let driver = try start(SettingsChange(threadTokens: 100))
    try use(driver, 100)
    let before = driver.record
    let request = StartTurnRequest(input: .text("more"), settings: SettingsChange(reasoningEffort: "high"))
    #expect(driver.send(.startTurn(request)) == refusal("thread_tokens", 100, 100))
    #expect(driver.appended == [] && driver.record == before)
  }

  @Test("S1 S2: a budget that is changed while a turn runs counts from the next turn on")
  func changedMeanwhile() throws {
    for (before, after, isOver) in [(100, 1_000, true), (1_000, 100, false)] as [(UInt64, UInt64, Bool)] {
      for isOfThread in [false, true] {
        func budget(_ tokens: UInt64) -> SettingsChange {
          isOfThread ? SettingsChange(threadTokens: tokens) : SettingsChange(turnTokens: tokens)
        }
        let driver = try start(budget(before))
        try driver.startTurn()
        driver.update(budget(after))
        driver.model(.usage(.tokens(500)))
        driver.call("look")
        driver.answer("c1")
        #expect(driver.modelStarts.count == (isOver ? 0 : 1))
        #expect(driver.ends.map(\.error?.reason) == (isOver ? ["quota"] : []))
        driver.expectFolded()
      }
    }
  }

  @Test("S1 T7: behind a try that used the budget up the model is not asked for a summary either")
  func refusedContext() throws {
    let driver = try start(SettingsChange(turnTokens: 100))
    try driver.startTurn()
    driver.model(
      .usage(.tokens(100)), .failed(TurnError(reason: TurnFailure.contextWindow.rawValue, message: "too large")))
    #expect(driver.modelStarts == [] && driver.ends.map(\.error?.reason) == ["quota"])
    #expect(driver.record.contextStart == 0)
    driver.expectFolded()
  }
}

@Suite struct UsageTests {
  private let most = TokenUsage(
    inputTokens: .max, cachedInputTokens: .max, outputTokens: .max, reasoningOutputTokens: .max)

  @Test("U5: numbers of a provider add up and stop at the largest, each of them")
  func add() {
    var usage = TokenUsage(inputTokens: 1, cachedInputTokens: 2, outputTokens: 3, reasoningOutputTokens: 4)
    usage.add(TokenUsage(inputTokens: 10, cachedInputTokens: 20, outputTokens: 30, reasoningOutputTokens: 40))
    #expect(usage == TokenUsage(inputTokens: 11, cachedInputTokens: 22, outputTokens: 33, reasoningOutputTokens: 44))
    #expect(usage.total == 44)
    usage.add(most)
    #expect(usage == most && usage.total == .max)
    #expect(TokenUsage.tokens(.max, 0).total == .max && TokenUsage.tokens(.max, 1).total == .max)
  }

  @Test(
    "U5 U6: usage is reported after each step that goes on and before each end, for the step, the turn and the thread")
  func report() throws {
    let driver = try ThreadDriver.client()
    try driver.startTurn()
    driver.model(.usage(.tokens(10, 1)), .usage(.tokens(0, 1)))
    #expect(driver.appended == [])
    driver.call("look")
    driver.answer("c1")
    driver.model(.usage(.tokens(20, 5)), .text("ok"), .finished)
    try driver.startTurn()
    driver.model(.usage(.tokens(100)), .failed(TurnError(reason: "model_failed", message: "")))
    try driver.runTurn()
    let reports = driver.log.compactMap { if case .usageReported(let report)? = $0.kind { report } else { nil } }
    #expect(
      reports == [
        UsageReported(usage: .tokens(10, 2), turnUsage: .tokens(10, 2), threadUsage: .tokens(10, 2)),
        UsageReported(usage: .tokens(20, 5), turnUsage: .tokens(30, 7), threadUsage: .tokens(30, 7)),
        UsageReported(usage: .tokens(100), turnUsage: .tokens(100), threadUsage: .tokens(130, 7)),
      ])
    #expect(driver.ends.map(\.usage) == [.tokens(30, 7), .tokens(100), nil])
    #expect(driver.turns.map(\.usage) == [.tokens(30, 7), .tokens(100), nil])
    // How full the context is, is what the last step said.
    #expect(driver.record.contextTokens == 100)
    driver.expectFolded()
  }

  @Test("U5: what tries that failed have used counts; what a model used is not lost when its turn is interrupted")
  func retriesAndInterruptions() throws {
    let driver = try ThreadDriver.start()
    let turn = try driver.startTurn().turn
    driver.model(.usage(.tokens(10)), .retrying(attempt: 2, TurnError(), waitMilliseconds: 0), .usage(.tokens(5)))
    _ = driver.interrupt(turn)
    #expect(driver.ends.map(\.usage) == [.tokens(15)] && driver.record.usage == .tokens(15))
    driver.handle(.model(turn, .usage(.tokens(1_000))))
    #expect(driver.appended == [] && driver.record.usage == .tokens(15))
    try driver.startTurn()
    driver.model(.usage(most))
    driver.complete()
    #expect(driver.record.usage == most)
    driver.expectFolded()
  }

  @Test("T3: a fork begins with no usage of its own, and does not know how full its context is")
  func fork() throws {
    let driver = try ThreadDriver.start()
    try driver.startTurn()
    driver.model(.usage(.tokens(10)), .finished)
    let fork = try driver.fork()
    #expect(fork.record.usage == nil && fork.record.contextTokens == 0)
  }
}
