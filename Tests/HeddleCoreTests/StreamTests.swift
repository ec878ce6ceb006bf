// Streamed text: deltas, checkpoints, and losses by a crash (durability.md D3). The log and the record: ThreadMachine.I1
// to I4, ThreadFold.R1 to R3.

import HeddleCore
import Testing

@Suite struct StreamTests {
  private func deltas(_ driver: ThreadDriver) -> [ItemDelta] {
    driver.effects.compactMap { if case .delta(let delta, _) = $0 { delta } else { nil } }
  }

  private func checkpoints(_ driver: ThreadDriver) -> [ItemCheckpoint] {
    driver.log.compactMap { if case .itemCheckpoint(let checkpoint)? = $0.kind { checkpoint } else { nil } }
  }

  @Test("D3: text is made safe every 4 KiB, and after 250 ms whatever its size; not before either")
  func checkpointing() throws {
    let driver = try ThreadDriver.start()
    try driver.startTurn()
    let first = String(repeating: "x", count: 4_095)
    driver.model(.text(first))
    let timers = driver.effects.compactMap { if case .setTimer(.checkpoint, let at) = $0 { at } else { nil } }
    #expect(timers == [driver.environment.instant + 250])
    #expect(checkpoints(driver) == [])
    driver.model(.text("y"))
    let item = try #require(driver.record.running?.openItems.first?.item?.id)
    #expect(checkpoints(driver) == [ItemCheckpoint(item: item, offset: 0, text: first + "y")])
    driver.model(.text("zz"))
    #expect(checkpoints(driver).count == 1)
    driver.handle(.timer(.checkpoint))
    #expect(checkpoints(driver).last == ItemCheckpoint(item: item, offset: 4_096, text: "zz"))
    // Nothing new: the timer makes nothing.
    driver.handle(.timer(.checkpoint))
    #expect(checkpoints(driver).count == 2)
    // Text after a checkpoint gets a timer of its own.
    driver.model(.text("more"))
    let again = driver.effects.contains { if case .setTimer(.checkpoint, _) = $0 { true } else { false } }
    #expect(again)
  }

  @Test("D3: after a crash the item ends at its last checkpoint, interrupted; text beyond it is gone, before it is not")
  func crash() throws {
    let driver = try ThreadDriver.start()
    try driver.startTurn()
    driver.model(.text("safe "), .text("and sound"))
    driver.handle(.timer(.checkpoint))
    driver.model(.text(", and lost"))
    let item = try #require(driver.record.running?.openItems.first?.item?.id)
    driver.restart()
    let ended = driver.modelInput.first { $0.id == item }
    let text = [ContentPart(part: .text("safe and sound"))]
    #expect(
      ended
        == Item(
          id: item, status: .interrupted, kind: .message(MessageItem(role: .assistant, content: text))))
    #expect(driver.modelInput.filter { $0.id == item }.count == 1)
  }

  @Test(
    "D3: an item without a checkpoint ends empty after a crash; while the server lives, nothing is lost by an interrupt"
  )
  func beforeTheFirstCheckpoint() throws {
    let crashed = try ThreadDriver.start()
    try crashed.startTurn()
    crashed.model(.text("lost"))
    crashed.restart()
    #expect(crashed.modelInput.map(\.text).contains("lost") == false)
    #expect(crashed.modelInput.filter { $0.status == .interrupted }.map(\.text) == [""])

    let interrupted = try ThreadDriver.start()
    let turn = try interrupted.startTurn().turn
    interrupted.model(.text("kept"))
    _ = interrupted.interrupt(turn)
    #expect(interrupted.modelInput.filter { $0.status == .interrupted }.map(\.text) == ["kept"])
  }

  @Test(
    "Deltas: offsets are the bytes before, without a hole, and together they are the final item",
    arguments: [["Hello", " ", "world"], ["ä", "🪡", "e", "\u{301}", "\u{200D}", "x"], ["👨", "\u{200D}", "👩"]])
  func offsets(_ pieces: [String]) throws {
    let driver = try ThreadDriver.start()
    try driver.startTurn()
    var seen: [UInt8] = []
    for (index, piece) in pieces.enumerated() {
      driver.model(.text(piece))
      for delta in deltas(driver) {
        #expect(delta.offset == UInt64(seen.count))
        seen += Array(delta.text.utf8)
      }
      if index == 1 { driver.handle(.timer(.checkpoint)) }
    }
    driver.handle(.timer(.checkpoint))
    var safe: [UInt8] = []
    for checkpoint in checkpoints(driver) {
      #expect(checkpoint.offset == UInt64(safe.count))
      safe += Array(checkpoint.text.utf8)
    }
    #expect(safe == Array(pieces.joined().utf8))
    let folded = try #require(driver.folded().running?.openItems.first?.text)
    #expect(Array(folded.utf8) == safe)
    driver.model(.finished)
    #expect(Array((driver.modelInput.last?.text ?? "").utf8) == Array(pieces.joined().utf8))
    #expect(seen == safe)
  }

  @Test("Deltas: nobody hears of text before the event that starts its item; a late joiner gets the text so far")
  func behindTheStart() throws {
    let driver = try ThreadDriver.start()
    let turn = try driver.startTurn().turn
    driver.model(.thought("hm"))
    driver.model(.text("He"))
    driver.model(.text("llo"))
    let started = try #require(
      driver.log.last { if case .itemStarted? = $0.kind { true } else { false } })
    guard case .itemStarted(let opening)? = started.kind, let item = opening.item?.id else {
      Issue.record("no item")
      return
    }
    #expect(
      driver.effects.contains(
        .delta(ItemDelta(turn: turn, item: item, offset: 2, text: "llo"), after: started.sequence)))
    let open = driver.machine.openTexts
    #expect(open.map(\.snapshot) == [ItemSnapshot(turn: turn, item: item, text: "Hello")])
    #expect(open.map(\.startedBy) == [started.sequence])
    driver.model(.finished)
    #expect(driver.machine.openTexts.isEmpty)
  }

  @Test("Thoughts end where the message begins; a tool call ends the message; each is an item of its own, in order")
  func items() throws {
    let driver = try ThreadDriver.start()
    try driver.startTurn("hello")
    driver.model(.thought("first "), .thought("think"), .text("then "), .text("speak"))
    driver.model(.toolCall(id: "1", name: "look", arguments: "{}", providerID: ""), .text("more"), .finished)
    let kinds = driver.modelInput.map { item in
      switch item.kind {
      case .message(let message)?: "\(message.role.name) \(message.text)"
      case .reasoning(let reasoning)?: "thought \(reasoning.summary.joined())"
      case .toolCall(let call)?: "call \(call.callId) \(call.name)"
      case .toolOutput(let output)?: "output \(output.callId) \(output.success == true)"
      default: "?"
      }
    }
    #expect(
      kinds == [
        "USER hello", "thought first think", "ASSISTANT then speak", "call 1 look", "ASSISTANT more", "output 1 false",
      ])
    #expect(driver.modelInput.allSatisfy { $0.status == .completed })
    #expect(driver.record.running?.openItems == [])
  }

  @Test(
    "M23 of attacks.md: an item that grows beyond its limit fails the turn and keeps what was there; at the limit it does not"
  )
  func tooLarge() throws {
    let driver = try ThreadDriver.start(rules: ServerRules().changed { $0.limits.modelItemBytes = 10 })
    try driver.startTurn()
    driver.model(.text("0123456789"))
    #expect(driver.record.running != nil)
    driver.model(.text("x"))
    #expect(driver.ends.map(\.error?.reason) == ["model_output_too_large"])
    #expect(driver.modelInput.last?.text == "0123456789")
  }

  @Test("A retry of the model is an event, and empty text is nothing")
  func retriesAndNothing() throws {
    let driver = try ThreadDriver.start()
    try driver.startTurn()
    let error = TurnError(reason: "model_failed", message: "429")
    driver.model(.retrying(attempt: 1, error, waitMilliseconds: 500))
    #expect(driver.appended.map(\.kind) == [.modelRetried(ModelRetried(attempt: 1, error: error, waitMs: 500))])
    driver.model(.text(""))
    #expect(driver.effects == [])
  }
}

@Suite struct FoldTests {
  /// A thread that has been through everything.
  private func eventful() throws -> ThreadDriver {
    let driver = try ThreadDriver.start(.select(.proactive), rules: .with(.v2Mode))
    driver.send(.setName("name"))
    try driver.runTurn("a", SettingsChange(reasoningEffort: "high"))
    let turn = try driver.startTurn("b").turn
    driver.send(.steerTurn(turn, .text("more")))
    try driver.startTurn("c")
    let fourth = try driver.startTurn("d").turn
    driver.send(.cancelQueuedTurn(fourth, known: false))
    driver.model(.usage(TokenUsage(inputTokens: 1)), .thought("hm"), .text("half"))
    driver.handle(.timer(.checkpoint))
    return driver
  }

  @Test("ThreadMachine.I2: the record never differs from the fold of the log, after any input")
  func fold() throws {
    let driver = try eventful()
    #expect(driver.folded() == driver.record)
    let fork = try driver.fork()
    #expect(fork.folded() == fork.record)
    driver.restart()
    #expect(driver.folded() == driver.record)
    driver.complete()
    _ = driver.rollback(1)
    driver.send(.archive(root: driver.record.id))
    #expect(driver.folded() == driver.record)
  }

  @Test(
    "ThreadFold.R1: events are numbered 1, 2, 3 … and the record has the last number; so do a fork's from where it was cut"
  )
  func numbers() throws {
    let driver = try eventful()
    #expect(driver.log.map(\.sequence) == Array(1...UInt64(driver.log.count)))
    #expect(driver.record.sequence == UInt64(driver.log.count))
    let fork = try driver.fork()
    #expect(fork.allEvents.map(\.sequence) == Array(1...UInt64(fork.allEvents.count)))
    #expect(fork.record.sequence == UInt64(fork.allEvents.count))
  }

  @Test("ThreadFold.R3: a thread that was unloaded at any event goes on as if it had not been")
  func anyPrefix() throws {
    let driver = try eventful()
    var record = ThreadRecord(revision: 1)
    var middle: [ThreadRecord] = []
    for event in driver.log {
      middle.append(record)
      record.apply(event)
    }
    #expect(record == driver.record)
    // From every place in the log, the rest leads to the same.
    for (index, start) in middle.enumerated() {
      var later = start
      for event in driver.log[index...] { later.apply(event) }
      #expect(later == record)
    }
  }

  @Test("ThreadMachine: a refused command leaves no trace: no event, no status, no timer, the same record")
  func refused() throws {
    let driver = try eventful()
    let before = driver.record
    let turn = TurnID(high: 1, low: 1)
    let commands: [ThreadCommand] = [
      .startTurn(StartTurnRequest()), .startTurn(StartTurnRequest(input: .text("x"), whenBusy: .refuse)),
      .startTurn(StartTurnRequest(input: .text("x"), settings: .model("nobody"))),
      .steerTurn(turn, .text("x")), .steerTurn(before.running?.id ?? turn, nil), .interruptTurn(turn, known: false),
      .cancelQueuedTurn(turn, known: false), .archive(root: before.id), .rollback(count: 1, basis: RollbackBasis()),
      .rollback(count: 0, basis: RollbackBasis()), .setName(String(repeating: "x", count: 2_000)),
      .updateSettings(.model("nobody"), expectedRevision: nil), .updateSettings(.clearMode, expectedRevision: 99),
    ]
    for command in commands {
      driver.send(command)
      #expect(driver.effects.count == 1, "\(command)")
      #expect(driver.refusal != nil, "\(command)")
      #expect(driver.record == before, "\(command)")
    }
  }

  @Test("ThreadMachine: all events of one input but the last say that more follow")
  func more() throws {
    let driver = try ThreadDriver.start()
    #expect(driver.log.map(\.more) == [false])
    try driver.startTurn("a", .model("scripted-v2"))
    try driver.startTurn("b")
    driver.complete()
    #expect(driver.appended.count > 3)
    #expect(driver.appended.map(\.more) == driver.appended.dropLast().map { _ in true } + [false])
    driver.restart()
    #expect(driver.appended.map(\.more) == driver.appended.dropLast().map { _ in true } + [false])
  }

  @Test(
    "ThreadMachine: a full thread takes no more, in events or bytes; what runs may end, and it can be read",
    arguments: [true, false])
  func full(_ byEvents: Bool) throws {
    let driver = try ThreadDriver.start()
    try driver.startTurn("a")
    if byEvents {
      driver.rules.limits.threadEvents = driver.record.sequence
    } else {
      driver.rules.limits.threadEventBytes = 0
    }
    for command in [
      ThreadCommand.startTurn(StartTurnRequest(input: .text("b"))), .setName("n"),
      .updateSettings(.select(.proactive), expectedRevision: nil),
    ] {
      driver.send(command)
      #expect(driver.refusal?.reason == .threadFull)
    }
    driver.complete()
    #expect(driver.ends.map(\.status) == [.completed])
    driver.send(.read)
    #expect(driver.refusal == nil)
  }

  @Test("The same inputs and the same seed give the same events and effects")
  func deterministic() throws {
    let a = try eventful()
    let b = try eventful()
    #expect(a.log == b.log)
    #expect(a.effects == b.effects)
  }
}
