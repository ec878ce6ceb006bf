// Turns: how they begin and end, in files that mark them and in files that do not.

import HeddleCore
import HeddleImport
import Testing

@Suite struct TurnTests {
  private func turn(_ number: Int) -> TurnID? { TurnID(Rollout.turns[number - 1]) }

  @Test("U6: a turn's start carries the context that stands below it in the file")
  func lookAhead() throws {
    var rollout = Rollout()
    rollout.start(1)
    rollout.message("developer", "hint")
    rollout.context(1, #","effort":"high","multi_agent_version":"v1""#)
    rollout.message("user", "hello")
    rollout.complete(1)
    let history = try rollout.read()
    let settings = Settings(model: "m", modelProvider: "mock", reasoningEffort: "high")
    let context = TurnContext(settings: settings, revision: 0, version: .v1)
    let id = try #require(turn(1))
    #expect(history.starts == [TurnStarted(turn: id, ordinal: 1, context: context)])
    #expect(history.events.map(\.turn) == [nil, nil, id, id, id, id])
    #expect(history.ends == [TurnEnded(turn: id, status: .completed)])
  }

  @Test("U5: of several contexts of one turn the last counts; each has its effective mode")
  func severalContexts() throws {
    var rollout = Rollout(meta: #","multi_agent_version":"v2""#)
    rollout.start(1)
    rollout.context(1, #","multi_agent_mode":"proactive""#)
    rollout.context(1, #","multi_agent_mode":"explicitRequestOnly""#)
    rollout.complete(1)
    let history = try rollout.read()
    #expect(history.effectiveModes == [.proactive, .explicitRequestOnly])
    #expect(history.starts.map(\.context?.effectiveMode) == [.explicitRequestOnly])
    #expect(history.kept.map(\.kind) == ["turn_context"])
  }

  @Test("U5: an abort ends a turn as interrupted; the words turn_* mean the same as task_*")
  func abort() throws {
    var rollout = Rollout()
    rollout.event("turn_started", #","turn_attribution":{"turn_id":"\#(Rollout.turns[0])"}"#)
    rollout.event("turn_aborted", #","turn_id":"\#(Rollout.turns[0])","reason":"interrupted""#)
    rollout.event("turn_started", #","turn_id":"\#(Rollout.turns[1])""#)
    rollout.event("turn_complete", #","turn_id":"\#(Rollout.turns[1])""#)
    let history = try rollout.read()
    #expect(history.ends.map(\.turn) == [turn(1), turn(2)])
    #expect(history.ends.map(\.status) == [.interrupted, .completed])
    #expect(history.lastTurnStatus == .completed)
  }

  @Test("U4: a turn without an end is interrupted, at the time of its last line")
  func noEnd() throws {
    var rollout = Rollout()
    rollout.start(1)
    rollout.message("user", "one")
    rollout.start(2)
    rollout.message("user", "two")
    let history = try rollout.read()
    #expect(history.ends.map(\.status) == [.interrupted, .interrupted])
    let ends = history.events.filter { if case .turnEnded = $0.kind { true } else { false } }
    #expect(ends.map { $0.at - history.createdAt } == [2_000, 4_000])
  }

  @Test("U5: a turn whose start was lost begins with its context")
  func lostStart() throws {
    var rollout = Rollout()
    rollout.context(1)
    rollout.message("user", "one")
    rollout.complete(1)
    rollout.start(2)
    rollout.context(3)
    rollout.complete(3)
    let history = try rollout.read()
    #expect(history.starts.map(\.turn) == [turn(1), turn(2), turn(3)])
    #expect(history.ends.map(\.status) == [.completed, .interrupted, .completed])
  }

  @Test("U5: the end of another turn ends nothing and is kept")
  func strayEnd() throws {
    var rollout = Rollout()
    rollout.complete(9)
    rollout.start(1)
    rollout.complete(9)
    rollout.start(1)
    rollout.complete(1)
    rollout.complete(1)
    let history = try rollout.read()
    #expect(history.starts.count == 1)
    #expect(history.ends.map(\.status) == [.completed])
    #expect(history.kept.map(\.kind).filter { $0 == "event_msg/task_complete" }.count == 3)
    #expect(history.foreignLines == 0)
  }

  @Test("U5: an error that nothing follows makes the turn fail; with an item behind it, it was not the end")
  func failure() throws {
    var rollout = Rollout()
    rollout.start(1)
    rollout.event("error", #","message":"out of credits""#)
    rollout.event("token_count", #","info":null"#)
    rollout.complete(1)
    rollout.start(2)
    rollout.event("error", #","message":"try again""#)
    rollout.message("assistant", "here")
    rollout.complete(2)
    let history = try rollout.read()
    #expect(history.ends.map(\.status) == [.failed, .completed])
    #expect(history.ends.map(\.error) == [TurnError(reason: "imported_error", message: "out of credits"), nil])
  }

  @Test("I1: an id that is no UUID becomes the same UUID every time, and start, context and end agree on it")
  func foreignIDs() throws {
    var rollout = Rollout()
    rollout.event("task_started", #","turn_id":"turn-1""#)
    rollout.add("turn_context", #"{"turn_id":"turn-1","model":"m"}"#)
    rollout.event("task_complete", #","turn_id":"turn-1""#)
    let history = try rollout.read()
    #expect(history.starts.count == 1)
    #expect(history.starts.first?.context != nil)
    #expect(history.ends.map(\.status) == [.completed])
    #expect(try rollout.read() == history)
  }

  @Test("I1: a turn that starts without an id takes that of its context")
  func adoptedID() throws {
    var rollout = Rollout()
    rollout.event("task_started")
    rollout.context(1)
    rollout.event("task_complete")
    let history = try rollout.read()
    #expect(history.starts.map(\.turn) == [turn(1)])
    #expect(history.ends.map(\.status) == [.completed])
  }

  @Test("I1: without any marks a turn begins where the user speaks, with the item that says the same")
  func unmarked() throws {
    var rollout = Rollout()
    rollout.message("user", "<environment_context>x</environment_context>")
    rollout.message("user", "one")
    rollout.event("user_message", #","message":"one""#)
    rollout.add("turn_context", #"{"model":"m"}"#)
    rollout.message("assistant", "first")
    rollout.message("user", "two")
    rollout.event("user_message", #","message":"two""#)
    rollout.message("assistant", "second")
    let history = try rollout.read()
    #expect(history.turnCount == 2)
    #expect(history.ends.map(\.status) == [.interrupted, .interrupted])
    let turns = history.starts.map(\.turn)
    let items = history.events.filter { if case .itemCompleted = $0.kind { true } else { false } }
    #expect(items.map(\.turn) == [turns[0], turns[0], turns[0], turns[1], turns[1]])
    #expect(try rollout.read() == history)
  }

  @Test("I1: a rollout from before the envelope is read: bare meta, bare items")
  func bare() throws {
    let history = try Rollout(lines: [
      #"{"id":"5973b6c0-94b8-487b-a530-2aeb6098ae0e","timestamp":"2025-05-07T17:24:21.123Z","instructions":"Be kind."}"#,
      #"{"record_type":"state"}"#,
      #"{"type":"message","role":"user","content":[{"type":"input_text","text":"hello"}]}"#,
      #"{"type":"function_call","name":"shell","arguments":"{}","call_id":"c"}"#,
      #"{"type":"message","role":"assistant","content":[{"type":"output_text","text":"hi"}]}"#,
    ]).read()
    #expect(history.thread == ThreadID("5973b6c0-94b8-487b-a530-2aeb6098ae0e"))
    #expect(history.createdAt == 1_746_638_661_123)
    #expect(history.settings.baseInstructions == "Be kind.")
    #expect(history.turnCount == 1)
    #expect(history.itemCount == 3)
    #expect(history.skippedLines.isEmpty)
    #expect(history.events.map(\.at) == Array(repeating: 1_746_638_661_123, count: history.events.count))
  }

  @Test("T7: a rollback takes the last turns with input, and more than there are is all")
  func rollback() throws {
    var rollout = Rollout()
    for number in 1...3 { rollout.turn(number) }
    rollout.event("thread_rolled_back", #","num_turns":1"#)
    rollout.turn(4)
    let before = try rollout.read()
    #expect(before.turnCount == 3)
    let context = before.starts[0].context
    #expect(before.rollbacks == [TurnsRolledBack(count: 1, firstOrdinal: 3, lastOrdinal: 3, baseline: context)])

    rollout.event("thread_rolled_back", #","num_turns":2"#)
    let again = try rollout.read()
    #expect(
      again.rollbacks.dropFirst() == [
        TurnsRolledBack(count: 1, firstOrdinal: 2, lastOrdinal: 2, baseline: context),
        TurnsRolledBack(count: 1, firstOrdinal: 4, lastOrdinal: 4, baseline: context),
      ])
    #expect(again.turnCount == 1)

    rollout.event("thread_rolled_back", #","num_turns":99999999999999999999"#)
    #expect(try rollout.read().turnCount == 1)
    rollout.event("thread_rolled_back", #","num_turns":4294967296"#)
    rollout.event("thread_rolled_back", #","num_turns":1"#)
    let all = try rollout.read()
    #expect(all.turnCount == 0)
    #expect(all.lastTurnStatus == nil)
    #expect(all.kept.map(\.kind) == Array(repeating: "event_msg/thread_rolled_back", count: 2))
  }

  @Test("T7: a turn without input does not count for a rollback, but goes with the turn it came after")
  func rollbackOverCompaction() throws {
    var rollout = Rollout()
    rollout.turn(1)
    rollout.turn(2)
    rollout.start(3)
    rollout.add("compacted", #"{"message":"so far"}"#)
    rollout.complete(3)
    rollout.event("thread_rolled_back", #","num_turns":1"#)
    let history = try rollout.read()
    let context = history.starts[0].context
    #expect(history.rollbacks == [TurnsRolledBack(count: 2, firstOrdinal: 2, lastOrdinal: 3, baseline: context)])
    #expect(history.turnCount == 1)
  }

  @Test("M7: a rollback names the compaction and the context that stay; behind a compaction there is no context")
  func rollbackBasis() throws {
    var rollout = Rollout()
    rollout.turn(1)
    rollout.add("compacted", #"{"message":"one"}"#)
    rollout.turn(2)
    rollout.turn(3)
    rollout.add("compacted", #"{"message":"two"}"#)
    rollout.event("thread_rolled_back", #","num_turns":1"#)
    rollout.event("thread_rolled_back", #","num_turns":1"#)
    rollout.event("thread_rolled_back", #","num_turns":1"#)
    let history = try rollout.read()
    let first = try #require(history.events.first { if case .contextCompacted = $0.kind { true } else { false } })
    #expect(
      history.rollbacks == [
        TurnsRolledBack(
          count: 1, firstOrdinal: 3, lastOrdinal: 3, baseline: history.starts[1].context,
          contextStart: first.sequence),
        TurnsRolledBack(count: 1, firstOrdinal: 2, lastOrdinal: 2, contextStart: first.sequence),
        TurnsRolledBack(count: 1, firstOrdinal: 1, lastOrdinal: 1),
      ])
  }

  @Test("T7: a rollback ends a turn whose end was lost, for only an idle thread is rolled back")
  func rollbackOfOpenTurn() throws {
    var rollout = Rollout()
    rollout.start(1)
    rollout.message("user", "one")
    rollout.event("thread_rolled_back", #","num_turns":1"#)
    let history = try rollout.read()
    #expect(history.ends.map(\.status) == [.interrupted])
    #expect(history.rollbacks.count == 1)
    guard case .turnsRolledBack = history.kinds.last else { return #expect(Bool(false)) }
    #expect(history.events.last?.turn == nil)
    #expect(history.turnCount == 0)
  }

  @Test("U5: tokens add up within a turn, and a report that is only repeated does not count twice")
  func usage() throws {
    func tokens(_ total: Int, _ last: Int) -> String {
      #","info":{"total_token_usage":{"input_tokens":\#(total),"output_tokens":0},"#
        + #""last_token_usage":{"input_tokens":\#(last),"output_tokens":-1,"cached_input_tokens":1e300}}"#
    }
    var rollout = Rollout()
    rollout.start(1)
    rollout.event("token_count", tokens(10, 10))
    rollout.event("token_count", tokens(10, 10))
    rollout.event("token_count", tokens(25, 15))
    rollout.complete(1)
    let history = try rollout.read()
    #expect(
      history.usageReports.last
        == UsageReported(
          usage: TokenUsage(inputTokens: 15), turnUsage: TokenUsage(inputTokens: 25),
          threadUsage: TokenUsage(inputTokens: 25)))
    #expect(history.usageReports.count == 2)
    #expect(history.kept.map(\.kind) == ["event_msg/token_count"], "I1: what repeats is kept as it was")
    #expect(history.ends.map(\.usage) == [TokenUsage(inputTokens: 25)])
  }
}
