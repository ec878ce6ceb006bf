// I2: what damage costs, and bytes that nobody should write.

import HeddleCore
import HeddleFuzzing
import HeddleJSON
import Testing

@testable import HeddleImport

@Suite struct DamageTests {
  @Test("I2: a torn last line costs that line alone")
  func tornEnd() throws {
    let whole = try Samples.bytes("legacy-0.133.0")
    let history = try RolloutReader.read(Array(whole.dropLast(40)))
    #expect(history.skippedLines.map(\.number) == [27])
    #expect(history.ends.map(\.status) == [.completed, .completed, .interrupted])
    #expect(history.itemCount == 8)
  }

  @Test("I2: a damaged line in the middle costs that line alone")
  func middle() throws {
    var rollout = Rollout()
    rollout.turn(1)
    rollout.addLine("not JSON")
    rollout.addLine("[1,2]")
    rollout.addLine(#"{"timestamp":"2026-01-01T00:00:00Z","type":"event_msg"}"#)
    rollout.turn(2)
    let history = try rollout.read()
    #expect(history.skippedLines.map(\.number) == [7, 8, 9])
    #expect(history.turnCount == 2)
  }

  @Test("I2: two whole records in one line are both read and nothing is skipped")
  func glued() throws {
    var rollout = Rollout()
    rollout.turn(1)
    rollout.turn(2)
    let joined = Rollout(lines: [rollout.lines.joined()])
    #expect(try joined.read().turnCount == 2)
    #expect(try joined.read().skippedLines.isEmpty)
  }

  @Test("I2: trying to recover a line ends after a few tries")
  func manyBeginnings() throws {
    var rollout = Rollout()
    rollout.addLine(String(repeating: #"{"timestamp":""#, count: 100_000))
    rollout.turn(1)
    let history = try rollout.read()
    #expect(history.skippedLines.map(\.number) == [2])
    #expect(history.turnCount == 1)
  }

  @Test("I2: line ends of Windows and a byte order mark are fine")
  func windows() throws {
    var rollout = Rollout()
    rollout.turn(1)
    let bytes = [0xEF, 0xBB, 0xBF] + Array(rollout.lines.map { $0 + "\r\n\r\n" }.joined().utf8)
    let history = try RolloutReader.read(bytes)
    #expect(history.skippedLines.isEmpty)
    #expect(history.turnCount == 1)
  }

  @Test("I2: a line that is too long is skipped")
  func tooLong() throws {
    var rollout = Rollout()
    rollout.message("user", String(repeating: "x", count: ImportLimits.json.bytes))
    rollout.turn(1)
    let history = try rollout.read()
    #expect(history.skippedLines == [SkippedLine(number: 2, reason: "longer than 16777216 bytes")])
    #expect(history.turnCount == 1)
  }

  @Test("I2: nesting is read to its limit and skipped beyond it")
  func nesting() throws {
    func nested(_ depth: Int) -> String {
      String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
    }
    var rollout = Rollout()
    rollout.add("newer", nested(ImportLimits.json.depth - 1))
    rollout.add("newer", nested(ImportLimits.json.depth))
    rollout.add("newer", String(repeating: "[", count: 1_000_000))
    let history = try rollout.read()
    #expect(history.foreignLines == 1)
    #expect(history.skippedLines.map(\.number) == [3, 4])
  }

  @Test("I2: bytes that are not UTF-8 damage their line")
  func invalidUTF8() throws {
    var bytes = Rollout().bytes
    bytes += Array(
      #"{"timestamp":"x","type":"response_item","payload":{"type":"message","role":"user","content":""#.utf8)
    bytes += [0xC3, 0x28] + Array("\"}}\n".utf8)
    let history = try RolloutReader.read(bytes)
    #expect(history.skippedLines == [SkippedLine(number: 2, reason: "not UTF-8")])
  }

  @Test("I2: U+0000 becomes U+FFFD, for no text of Heddle may hold it")
  func nul() throws {
    var rollout = Rollout()
    rollout.message("user", #"a\u0000b"#)
    #expect(
      try rollout.read().items.map(\.kind) == [
        .message(MessageItem(role: .user, content: [ContentPart(part: .text("a\u{FFFD}b"))]))
      ])
  }

  @Test("I2: numbers out of range are as if they were absent")
  func numbers() throws {
    let huge = "123456789012345678901234567890"
    var rollout = Rollout(meta: #","source":{"subagent":{"thread_spawn":{"parent_thread_id":"p","depth":-1}}}"#)
    rollout.event("task_started", #","turn_id":"t","started_at":9223372036854775807"#)
    rollout.event("task_complete", #","turn_id":"t","completed_at":-1e400"#)
    rollout.event("thread_rolled_back", #","num_turns":\#(huge)"#)
    let history = try rollout.read()
    #expect(history.lineage.depth == 1)
    #expect(history.turnCount == 1)
    #expect(historyViolations(in: history).isEmpty)
  }

  @Test("I1: a time that cannot be read is that of the line before")
  func badTime() throws {
    let history = try Rollout(lines: [
      #"{"timestamp":"2026-01-01T00:00:05+01:00","type":"session_meta","payload":{"id":"a"}}"#,
      #"{"timestamp":"yesterday","type":"event_msg","payload":{"type":"warning"}}"#,
      #"{"timestamp":7,"type":"event_msg","payload":{"type":"warning"}}"#,
    ]).read()
    #expect(history.events.map(\.at) == Array(repeating: 1_767_222_005_000, count: 3))
  }

  @Test("an empty file, one without a meta and one without a record say so")
  func errors() throws {
    func error(_ text: String) -> RolloutError? {
      do throws(RolloutError) {
        _ = try RolloutReader.read(Array(text.utf8))
        return nil
      } catch { return error }
    }
    #expect(error("") == .empty)
    #expect(error("\n \r\n") == .empty)
    #expect(
      error("hello\n")
        == .unreadable(
          SkippedLine(
            number: 1,
            reason:
              "a value is needed: {, [, a text in quotes, a number, true, false or null, at byte 1")))
    #expect(error(#"{"type":"event_msg","payload":{"type":"warning"}}"#) == .noSessionMeta(damaged: nil))
    #expect(error(#"{"type":"session_meta","payload":{"id":""}}"#) == .noSessionMeta(damaged: nil))
  }

  @Test("I2: a fork whose own meta is damaged is refused: it would take its source's place")
  func damagedMeta() throws {
    var bytes = try Samples.bytes("fork-0.144.4")
    bytes[0] = UInt8(ascii: "!")
    #expect(
      throws: RolloutError.noSessionMeta(
        damaged: SkippedLine(
          number: 1,
          reason:
            "a value is needed: {, [, a text in quotes, a number, true, false or null, at byte 1"))
    ) {
      try RolloutReader.read(bytes)
    }
    // The same when the next record is glued to what is left of it.
    let text = String(decoding: try Samples.bytes("fork-0.144.4"), as: UTF8.self)
    let glued = Array(
      text.split(separator: "\n", maxSplits: 1).enumerated().map { $0 == 0 ? $1.prefix(300) : $1 }.joined().utf8)
    #expect(throws: RolloutError.self) { try RolloutReader.read(glued) }
  }
}

@Suite struct PartTests {
  @Test(
    "RFC 3339 to milliseconds",
    arguments: [
      ("1970-01-01T00:00:00Z", 0), ("2026-11-21T22:44:06.014Z", 1_795_301_046_014),
      ("2026-11-21T22:44:06.0149999Z", 1_795_301_046_014), ("2026-11-21T22:44:06.5Z", 1_795_301_046_500),
      ("2026-11-21t23:44:06+01:00", 1_795_301_046_000), ("2026-11-21 20:14:06-02:30", 1_795_301_046_000),
      ("2024-02-29T00:00:00Z", 1_709_164_800_000), ("1969-12-31T23:59:59.999Z", -1),
      ("0000-01-01T00:00:00Z", -62_167_219_200_000), ("9999-12-31T23:59:60Z", 253_402_300_800_000),
    ] as [(String, Int64)])
  func time(text: String, milliseconds: Int64) { #expect(Timestamp.milliseconds(text) == milliseconds) }

  @Test(
    "what is no RFC 3339 time is none",
    arguments: [
      "", "2026-11-21", "2026-11-21T22:44:06", "2026-13-21T22:44:06Z", "2026-02-29T00:00:00Z", "2026-11-21T24:00:00Z",
      "2026-11-21T22:44:06.Z", "2026-11-21T22:44:06Zz", "2026-11-21T22:44:06+1:00", "99999-01-01T00:00:00Z",
    ])
  func noTime(text: String) { #expect(Timestamp.milliseconds(text) == nil) }

  private func parse(_ text: String) -> JSONNode? {
    var parser = JSONParser(Array(text.utf8), rules: ImportLimits.json)
    guard let node = try? parser.node(), parser.next() == nil else { return nil }
    return node
  }

  @Test(
    "JSON texts with escapes",
    arguments: [
      (#""a\"\\\/\b\f\n\r\tz""#, "a\"\\/\u{8}\u{C}\n\r\tz"), (#""\u00e9\u20AC""#, "é€"), (#""\ud83d\ude00!""#, "😀!"),
      (#""\ud83dx""#, "\u{FFFD}x"), (#""\ud83d\u0041""#, "\u{FFFD}A"), (#""\ude00""#, "\u{FFFD}"),
      (#""\u0000""#, "\u{FFFD}"), (#""é""#, "é"), (#""""#, ""),
    ])
  func texts(json: String, text: String) { #expect(parse(json)?.string == text) }

  @Test(
    "what is no JSON is refused",
    arguments: [
      "", "{", "[", "\"", "{\"a\"}", "{\"a\":}", "{\"a\":1,}", "[1,]", "[1 2]", "tru", "nulll", "01", "-", "1.", "1e",
      "+1", ".5", "\"\\x\"", "\"\\u12\"", "\"\\u12g4\"", "\"\\", "\"a\nb\"", "{a:1}", "NaN",
    ])
  func noJSON(text: String) { #expect(parse(text) == nil) }

  @Test("whole numbers, however they are written; others are none")
  func numbers() {
    #expect(parse("-9223372036854775808")?.integer == .min)
    #expect(parse("1e3")?.integer == 1_000)
    #expect(parse("1.50")?.integer == nil)
    #expect(parse("9223372036854775808")?.integer == nil)
    #expect(parse("1e999")?.integer == nil)
    #expect(parse("\"1\"")?.integer == nil)
  }

  @Test("of two members with one name the last counts")
  func doubledName() { #expect(parse(#"{"a":1,"a":2}"#)?["a"]?.integer == 2) }

  @Test("I1: derived ids differ by thread and by text, and depend on nothing else")
  func derivedIDs() {
    let a = DerivedIDs(thread: ThreadID(high: 1, low: 2))
    let b = DerivedIDs(thread: ThreadID(high: 1, low: 3))
    let ids: [ItemID] = (0..<10_000).map { a.make(from: "item \($0)", at: 5) }
    #expect(Set(ids).count == ids.count)
    #expect(ids[7] == a.make(from: "item 7", at: 5))
    #expect(ids[7] != b.make(from: "item 7", at: 5))
    #expect(ids.allSatisfy { $0.high >> 12 == 5 << 4 | 7 && $0.low >> 62 == 2 })
  }
}
