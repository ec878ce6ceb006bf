// The bytes of a rollout, cut into records. A damaged line costs that line alone (rules.md I2), and less when another
// record is glued behind a torn one: that happens when a process dies while it writes and the next one goes on in the
// same line.

import HeddleJSON

struct RolloutFile {
  let bytes: [UInt8]
  private(set) var records: [RolloutRecord] = []
  private(set) var skipped: [SkippedLine] = []
  /// A line that was damaged before any record could be read: the session meta may have been in it.
  private(set) var damagedBeginning: SkippedLine?

  init(_ bytes: [UInt8]) {
    self.bytes = bytes
    var start = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
    var number = 1
    while start < bytes.count {
      var end = start
      while end < bytes.count, bytes[end] != UInt8(ascii: "\n") { end += 1 }
      readLine(number, start..<end)
      start = end + 1
      number += 1
    }
  }

  /// The text of a piece of the file exactly as it stands there.
  func text(_ range: Range<Int>) -> String { String(decoding: bytes[range], as: UTF8.self) }

  private mutating func readLine(_ number: Int, _ line: Range<Int>) {
    guard line.count <= ImportLimits.json.bytes else {
      return skip(number, "longer than \(ImportLimits.json.bytes) bytes", wasFirst: records.isEmpty)
    }
    var damage: String?
    var wasFirst = false
    func note(_ problem: String) {
      guard damage == nil else { return }
      damage = problem
      wasFirst = records.isEmpty
    }
    var tries = 0
    var start = line.lowerBound
    while tries < ImportLimits.recoveriesPerLine {
      tries += 1
      var parser = JSONParser(bytes, in: start..<line.upperBound, rules: ImportLimits.json)
      guard parser.next() != nil else { break }
      do throws(JSONError) {
        let node = try parser.node()
        if let problem = append(node, line: number) { note(problem) }
        start = parser.at
        // Two whole records without a line feed between them: nothing is lost.
        if parser.next() == nil || isBeginning(at: parser.at) { continue }
        note("text behind the record, at byte \(parser.at - line.lowerBound + 1)")
      } catch {
        note("\(error.message), at byte \((error.offset ?? parser.at) - line.lowerBound + 1)")
      }
      guard let next = nextBeginning(after: start, before: line.upperBound) else { break }
      start = next
    }
    if let damage { skip(number, damage, wasFirst: wasFirst) }
  }

  private mutating func skip(_ number: Int, _ reason: String, wasFirst: Bool) {
    skipped.append(SkippedLine(number: number, reason: reason))
    if wasFirst, damagedBeginning == nil { damagedBeginning = skipped.last }
  }

  /// Takes a record in; says what is wrong with it when it is none.
  private mutating func append(_ node: JSONNode, line: Int) -> String? {
    guard String(validating: bytes[node.range], as: UTF8.self) != nil else { return "not UTF-8" }
    guard node.isObject else { return "not a rollout record" }
    let written = node.text("timestamp").flatMap { Timestamp.ofRecord($0) }
    let type = node.text("type")
    if let type, let payload = node.member("payload") {
      let at = written ?? records.last?.at ?? payload.text("timestamp").flatMap { Timestamp.ofRecord($0) } ?? 0
      let name = payload.text("type").flatMap { type == "event_msg" ? "\(type)/\($0)" : nil } ?? type
      let kind = RecordKind(type: type, payload: payload)
      records.append(
        RolloutRecord(line: line, at: at, kind: kind, name: name, payload: payload, range: node.range))
      return nil
    }
    guard let (kind, name) = bareKind(of: node) else { return "not a rollout record" }
    let at = written ?? records.last?.at ?? 0
    records.append(RolloutRecord(line: line, at: at, kind: kind, name: name, payload: node, range: node.range))
    return nil
  }

  /// What a line from before the envelope is; nil for anything else.
  private func bareKind(of node: JSONNode) -> (kind: RecordKind, name: String)? {
    if node.text("record_type") != nil { return (.kept, "record") }
    guard let type = node.text("type") else {
      let isFirst = records.isEmpty && node.text("id") != nil && node.text("timestamp") != nil
      return isFirst ? (.sessionMeta, "session_meta") : nil
    }
    return ItemReader.kinds.contains(type) ? (.item, type) : nil
  }

  private static let beginning = Array("{\"timestamp\":\"".utf8)

  /// A record begins here. Inside of a text the quotes would be escaped, so this is never taken for one by mistake.
  private func isBeginning(at index: Int) -> Bool {
    bytes[index] == Self.beginning[0] && bytes[index...].starts(with: Self.beginning)
  }

  private func nextBeginning(after start: Int, before end: Int) -> Int? {
    var index = start + 1
    while index + Self.beginning.count <= end {
      if isBeginning(at: index) { return index }
      index += 1
    }
    return nil
  }
}
