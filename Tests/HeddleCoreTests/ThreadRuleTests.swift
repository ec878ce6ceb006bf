// rules.md T, as far as one thread's machine shows them: forks, archive, rollback, names, status.

import HeddleCore
import Testing

@Suite struct ForkTests {
  @Test("T3: a fork has a new id, says where it came from, and takes settings, selection and version along")
  func identity() throws {
    let source = try ThreadDriver.start(.select(.proactive), rules: .with(.v2Mode))
    try source.runTurn("a", SettingsChange(reasoningEffort: "high"))
    let fork = try source.fork()
    #expect(fork.record.id != source.record.id)
    #expect(
      fork.record.lineage
        == Lineage(
          source: .fork, root: fork.record.id, forkedFrom: source.record.id, forkedAt: source.record.sequence))
    #expect(fork.record.settings == source.record.settings)
    #expect(fork.version.version == source.version.version)
    #expect(fork.userTexts == ["a"])
    #expect(fork.record.turnCount == 1)
  }

  @Test(
    "T3: a fork shares history by reference: however long it is, the fork is one event, and its record as large",
    arguments: [1, 40])
  func constantTime(_ turns: Int) throws {
    let source = try ThreadDriver.start()
    for turn in 0..<turns { try source.runTurn("turn \(turn)") }
    let fork = try source.fork()
    #expect(fork.log.count == 1)
    #expect(
      fork.record.segments == [
        HistorySegment(
          thread: source.record.id, lastSequence: source.record.sequence, lastOrdinal: UInt64(turns))
      ])
    #expect(fork.log.map(\.sequence) == [source.record.sequence + 1])
  }

  @Test("D10: a clock that is set back does not take `updated_at` along")
  func clockSetBack() throws {
    let driver = try ThreadDriver.start()
    try driver.runTurn("1")
    let before = driver.record.updatedAt
    driver.environment.now -= 86_400_000
    try driver.runTurn("2")
    #expect(driver.log.last?.at ?? .max < before)
    #expect(driver.record.updatedAt == before && driver.folded().updatedAt == before)
  }

  @Test("T3: a fork of a fork names each piece once; cut inside what is shared, it shares that much")
  func forkOfFork() throws {
    let a = try ThreadDriver.start()
    try a.runTurn("1")
    try a.runTurn("2")
    let b = try a.fork()
    try b.runTurn("3")
    let c = try b.fork()
    #expect(c.record.segments.map(\.thread) == [a.record.id, b.record.id])
    #expect(c.record.segments.map(\.lastOrdinal) == [2, 3])
    #expect(c.userTexts == ["1", "2", "3"])
    let cut = try b.fork(a.turns[0])
    #expect(
      cut.record.segments == [
        HistorySegment(thread: a.record.id, lastSequence: a.turns[0].lastSequence, lastOrdinal: 1)
      ])
    #expect(cut.userTexts == ["1"])
  }

  @Test("T3: a fork up to a turn ends with that turn, and goes on with the next number")
  func upTo() throws {
    let source = try ThreadDriver.start()
    for text in ["a", "b", "c"] { try source.runTurn(text) }
    let fork = try source.fork(source.turns[1])
    #expect(fork.userTexts == ["a", "b"])
    #expect(fork.record.turnCount == 2)
    try fork.runTurn("d")
    #expect(fork.userTexts == ["a", "b", "d"])
    #expect(fork.turns.map(\.ordinal) == [1, 2, 3])
    #expect(source.userTexts == ["a", "b", "c"])
  }

  @Test("T3: a fork of a running turn ends in one interruption, and the source does not notice")
  func runningTurn() throws {
    let source = try ThreadDriver.start(.model("scripted-v2"))
    let turn = try source.startTurn("a").turn
    source.send(.steerTurn(turn, .text("more")))
    try source.startTurn("waits")
    let before = source.record
    let fork = try source.fork()
    #expect(source.record == before && source.record.running?.id == turn)
    #expect(fork.ends == [TurnEnded(turn: turn, status: .interrupted)])
    #expect(fork.markers == [.developer])
    #expect(fork.userTexts == ["a", "more"])
    #expect(fork.record.queue == [] && fork.record.running == nil)
    #expect(fork.machine.status == ThreadStatus(state: .idle))
    source.complete()
    source.complete()
    source.complete()
    #expect(source.ends.map(\.status) == [.completed, .completed])
    #expect(source.markers == [])
  }

  @Test("T3: a fork of a rolled-back thread leaves out what was rolled back, whole and cut")
  func afterRollback() throws {
    let source = try ThreadDriver.start()
    for text in ["a", "b"] { try source.runTurn(text) }
    _ = source.rollback(1)
    try source.runTurn("c")
    #expect(try source.fork().userTexts == ["a", "c"])
    #expect(try source.fork(source.turns[2]).userTexts == ["a", "c"])
    #expect(try source.fork(source.turns[0]).userTexts == ["a"])
    #expect(try source.fork(source.turns[0]).record.turnCount == 1)
  }

  @Test("T3: neither notices what the other does next")
  func independent() throws {
    let source = try ThreadDriver.start()
    try source.runTurn("a")
    let fork = try source.fork()
    _ = source.update(.select(.proactive))
    try source.runTurn("b")
    _ = fork.rollback(1)
    try fork.runTurn("c")
    #expect(source.userTexts == ["a", "b"] && fork.userTexts == ["c"])
    #expect(fork.selection == nil)
  }
}

@Suite struct ArchiveTests {
  private func send(_ driver: ThreadDriver, _ command: ThreadCommand) -> Refusal? {
    driver.send(command)
    return driver.refusal
  }

  @Test("T6: an archived thread is read and not run; unarchived, it runs again")
  func readNotRun() throws {
    let driver = try ThreadDriver.start()
    try driver.runTurn("a")
    let root = driver.record.id
    #expect(send(driver, .archive(root: root)) == nil)
    let before = driver.record
    let refused: [ThreadCommand] = [
      .startTurn(StartTurnRequest(input: .text("b"))), .resume, .setName("n"),
      .rollback(count: 1, basis: RollbackBasis()),
      .updateSettings(.select(.proactive), expectedRevision: nil), .steerTurn(driver.turns[0].id, .text("c")),
    ]
    for command in refused { #expect(send(driver, command) == Refusal(.archived), "\(command)") }
    #expect(driver.record == before)
    for command in [ThreadCommand.read, .readSettings, .listQueue] { #expect(send(driver, command) == nil) }
    #expect(send(driver, .unarchive(root: root)) == nil)
    try driver.runTurn("b")
    #expect(driver.userTexts == ["a", "b"])
  }

  @Test("T6 T7: archive and rollback are refused while a turn runs, and done when it has ended")
  func whileRunning() throws {
    let driver = try ThreadDriver.start()
    let turn = try driver.startTurn().turn
    let refusal = Refusal(.turnInProgress, [("turn", turn.description)])
    #expect(send(driver, .archive(root: driver.record.id)) == refusal)
    #expect(send(driver, .rollback(count: 1, basis: RollbackBasis())) == refusal)
    #expect(driver.appended == [])
    driver.complete()
    _ = driver.rollback(1)
    #expect(driver.refusal == nil)
    #expect(send(driver, .archive(root: driver.record.id)) == nil)
  }

  @Test("T6: archive, unarchive and rename twice are fine and give no second event (attacks.md M15)")
  func twice() throws {
    let driver = try ThreadDriver.start()
    let root = driver.record.id
    let commands: [ThreadCommand] = [.setName("n"), .archive(root: root), .unarchive(root: root)]
    for command in commands {
      #expect(send(driver, command) == nil)
      #expect(driver.appended.count == 1)
      #expect(send(driver, command) == nil)
      #expect(driver.appended == [])
    }
  }

  @Test("T2: a thread can be named, read, forked and resumed before its first turn, and has no turns then")
  func beforeTheFirstTurn() throws {
    let driver = try ThreadDriver.start()
    for command in [ThreadCommand.setName("n"), .read, .readSettings, .resume] { #expect(send(driver, command) == nil) }
    let summary = driver.machine.summary()
    #expect(summary.name == "n" && summary.turnCount == 0 && summary.status == ThreadStatus(state: .idle))
    #expect(try driver.fork().record.turnCount == 0)
    driver.restart()
    #expect(driver.machine.summary() == summary)
  }

  @Test("T2: a name is kept byte for byte, and renaming to other bytes that look the same is a change (attacks.md M21)")
  func names() throws {
    let driver = try ThreadDriver.start()
    for name in ["caf\u{E9}", "cafe\u{301}", "\u{202E}\u{200B}🪡"] {
      driver.send(.setName(name))
      #expect(driver.appended.count == 1)
      #expect(Array(driver.record.name.utf8) == Array(name.utf8))
    }
    let limit = driver.rules.limits.nameBytes
    #expect(
      send(driver, .setName(String(repeating: "x", count: limit + 1)))
        == Refusal(.textTooLong, [("field", "name"), ("limit", "\(limit)")]))
    #expect(send(driver, .setName(String(repeating: "x", count: limit))) == nil)
  }

  @Test("T1: start and resume report settings, selection, version, revision, queue and what runs")
  func reports() throws {
    let driver = try ThreadDriver.start(.select(.proactive), rules: .with(.v2))
    let turn = try driver.startTurn("first line\nsecond").turn
    try driver.startTurn("waits")
    guard case .response(.threadResume(let response)) = driver.send(.resume) else {
      Issue.record("refused")
      return
    }
    let record = driver.record
    #expect(
      response
        == ResumeThreadResponse(
          sequence: record.sequence,
          thread: AgentThread(
            id: record.id, lineage: Lineage(source: .client, root: record.id), preview: "first line",
            status: ThreadStatus(state: .active), createdAt: 1_000_000, updatedAt: record.updatedAt,
            settings: Settings(model: "scripted", modelProvider: "scripted", mode: .proactive), revision: 1,
            version: .v2, versionSource: .flags, sequence: record.sequence, epoch: 7, turnCount: 1, runningTurn: turn,
            queuedTurns: 1)))
  }

  @Test("T4: a thread is idle, active while a turn runs, idle again; not loaded is what only others can say")
  func status() throws {
    let driver = try ThreadDriver.start()
    #expect(driver.machine.status == ThreadStatus(state: .idle))
    try driver.startTurn()
    #expect(driver.machine.status == ThreadStatus(state: .active))
    driver.complete()
    #expect(driver.machine.status == ThreadStatus(state: .idle))
    #expect(driver.record.summary(identity: testIdentity).status == ThreadStatus(state: .notLoaded))
  }
}

@Suite struct RollbackTests {
  private func thread(_ turns: Int) throws -> ThreadDriver {
    let driver = try ThreadDriver.start()
    for turn in 1...turns { try driver.runTurn("\(turn)") }
    return driver
  }

  private func rolledBack(_ answer: Answer) -> UInt32? {
    if case .response(.threadRollback(let response)) = answer { response.rolledBack } else { nil }
  }

  @Test("T7: the last N turns leave the model's input and the count; the log keeps every event")
  func lastTurns() throws {
    let driver = try thread(4)
    let log = driver.log
    #expect(rolledBack(driver.rollback(2)) == 2)
    #expect(driver.userTexts == ["1", "2"])
    #expect(driver.record.turnCount == 2)
    #expect(Array(driver.log.prefix(log.count)) == log)
    try driver.runTurn("5")
    #expect(driver.userTexts == ["1", "2", "5"])
    #expect(driver.turns.map(\.ordinal) == [1, 2, 3, 4, 5])
  }

  @Test("T7: more than there are means all; of none there is nothing to do; fewer than one is refused")
  func counts() throws {
    let driver = try thread(2)
    #expect(rolledBack(driver.rollback(10)) == 2)
    #expect(driver.userTexts == [] && driver.record.turnCount == 0)
    #expect(rolledBack(driver.rollback(1)) == 0)
    #expect(driver.appended == [])
    for count in [0, -1, Int32.min] {
      #expect(driver.rollback(count) == .refused(Refusal(.outOfRange, [("field", "turns"), ("minimum", "1")])))
    }
  }

  @Test("T7: rolling back steps over what was rolled back before")
  func again() throws {
    let driver = try thread(3)
    _ = driver.rollback(1)
    try driver.runTurn("4")
    #expect(rolledBack(driver.rollback(2)) == 2)
    #expect(driver.userTexts == ["1"])
    #expect(driver.record.hiddenTurns == [TurnRange(first: 2, last: 4)])
    #expect(driver.record.baseline == driver.contexts[0])
  }

  @Test(
    "T7: for every thread of six turns and every two rollbacks with turns between, what stays is what a list would keep"
  )
  func allPairs() throws {
    for first in 1...6 {
      for second in 1...7 {
        let driver = try thread(6)
        var list = (1...6).map(String.init)
        _ = driver.rollback(Int32(first))
        list.removeLast(first)
        try driver.runTurn("7")
        list.append("7")
        _ = driver.rollback(Int32(second))
        list.removeLast(min(second, list.count))
        #expect(driver.userTexts == list, "rollback \(first), turn, rollback \(second)")
        #expect(driver.record.turnCount == UInt64(list.count))
      }
    }
  }

  @Test("T7: a compaction replaces the context that came before it")
  func compaction() throws {
    let driver = try thread(2)
    driver.inject(.contextCompacted(ContextCompacted(compaction: CompactionItem(summary: "so far"))))
    try driver.runTurn("3")
    #expect(driver.userTexts == ["3"])
    #expect(driver.record.turnCount == 3)
  }

  @Test("T5: what a thread needs to be loaded does not grow with its turns")
  func constantRecord() throws {
    let short = try thread(20)
    let long = try thread(200)
    var a = short.record
    var b = long.record
    // Numbers, times, usage and ids differ; sizes must not.
    #expect(a.recentTurns.count == 16 && b.recentTurns.count == 16)
    for record in [0, 1] {
      var r = record == 0 ? a : b
      (r.sequence, r.lastOrdinal, r.updatedAt, r.recentTurns, r.eventBytes) = (0, 0, 0, [], 0)
      if record == 0 { a = r } else { b = r }
    }
    #expect(a == b)
  }
}

@Suite struct DamagedOrdinalTests {
  @Test("T3 T7: a record whose ordinals begin at 0, which only damage writes, is rolled back and forked without a trap")
  func zero() {
    var record = ThreadRecord(sequence: 5, lastOrdinal: 3, hiddenTurns: [TurnRange(first: 0, last: 2)])
    #expect(record.rollbackRange(1)?.first == 3 && record.rollbackRange(1)?.remaining == 0)
    record.hiddenTurns = [TurnRange(first: 0, last: 3)]
    #expect(record.rollbackRange(1) == nil)
    record.running = RunningTurn(ordinal: 0)
    #expect(record.forked(upTo: nil).segments == [HistorySegment(lastSequence: 5, lastOrdinal: 0)])
  }
}
