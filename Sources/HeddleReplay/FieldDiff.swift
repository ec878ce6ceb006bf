// Compares two messages field by field. An id may be another one, as long as it is the same other one everywhere: the map
// grows with what is compared, and each id on either side has one partner.

import HeddleJSON
import HeddleProtocol

struct FieldDiff {
  private(set) var result = DiffResult()
  private let rules: DiffRules
  private var partner: [String: String] = [:]
  private var reverse: [String: String] = [:]
  /// Numbers of events may be apart by so many: checkpoints are numbered, and how many there are depends on time.
  private let slack: UInt64

  init(rules: DiffRules, slack: UInt64) {
    self.rules = rules
    self.slack = slack
  }

  struct Where {
    var connection: Int
    var stream: UInt32
  }

  mutating func count(answers: Int = 0, events: Int = 0) {
    result.answers += answers
    result.events += events
  }

  mutating func report(_ place: Where, _ path: String, _ full: String, _ before: String, _ after: String) {
    guard !rules.ignores(path) else {
      result.ignored += 1
      return
    }
    result.differences.append(
      Difference(
        connection: place.connection + 1, stream: place.stream, path: path, place: full, before: before, after: after))
  }

  mutating func compare(_ before: JSONValue, _ after: JSONValue, at place: Where, path: String) {
    compare(before, after, place, path, path)
    result.ids = partner.count
  }

  private mutating func compare(_ a: JSONValue, _ b: JSONValue, _ place: Where, _ path: String, _ full: String) {
    switch (a, b) {
    case _ where path.hasSuffix(".epoch"):
      result.fields += 1
      if !pair("epoch \(a.written())", "epoch \(b.written())") {
        report(place, path, full, Self.short(a), Self.short(b))
      }
    case (.object(let a), .object(let b)): objects(a, b, place, path, full)
    case (.list(let a), .list(let b)):
      for (index, pair) in zip(a, b).enumerated() { compare(pair.0, pair.1, place, path, "\(full)[\(index)]") }
      if a.count != b.count { report(place, path, full, "\(a.count) elements", "\(b.count)") }
    case (.text(let a), .text(let b)):
      result.fields += 1
      if !textsAgree(a, b) { report(place, path, full, Self.quoted(a), Self.quoted(b)) }
    case (.number(let a), .number(let b)):
      result.fields += 1
      if a != b, !Self.isNumberOfEvent(path) || !withinSlack(a, b) { report(place, path, full, a, b) }
    default:
      result.fields += 1
      if a != b { report(place, path, full, Self.short(a), Self.short(b)) }
    }
  }

  private mutating func objects(
    _ a: [JSONValue.Member], _ b: [JSONValue.Member], _ place: Where, _ path: String, _ full: String
  ) {
    for member in a {
      let inner = "\(path).\(member.name)"
      if let other = b.first(where: { $0.name == member.name }) {
        compare(member.value, other.value, place, inner, "\(full).\(member.name)")
      } else {
        report(place, inner, "\(full).\(member.name)", Self.short(member.value), "absent")
      }
    }
    for member in b where !a.contains(where: { $0.name == member.name }) {
      report(place, "\(path).\(member.name)", "\(full).\(member.name)", "absent", Self.short(member.value))
    }
  }

  private func withinSlack(_ a: String, _ b: String) -> Bool {
    guard slack > 0, let a = UInt64(a), let b = UInt64(b) else { return false }
    return max(a, b) - min(a, b) <= slack
  }

  private static let numbersOfEvents: Set<String> = [
    "sequence", "first_sequence", "last_sequence", "forked_at", "head", "context_start",
  ]

  private static func isNumberOfEvent(_ path: String) -> Bool {
    path.lastIndex(of: ".").map { numbersOfEvents.contains(String(path[path.index(after: $0)...])) } ?? false
  }

  /// Equal but for ids, wherever they stand in the text.
  private mutating func textsAgree(_ a: String, _ b: String) -> Bool {
    if a == b && !a.utf8.contains(UInt8(ascii: "-")) { return true }
    let (wordsA, idsA) = Self.split(a)
    let (wordsB, idsB) = Self.split(b)
    guard wordsA == wordsB, idsA.count == idsB.count else { return false }
    // All of them, also after one that does not agree: what follows should not be blamed for it.
    var agrees = true
    for (a, b) in zip(idsA, idsB) where !pair(a, b) { agrees = false }
    return agrees
  }

  private mutating func pair(_ a: String, _ b: String) -> Bool {
    switch (partner[a], reverse[b]) {
    case (nil, nil):
      partner[a] = b
      reverse[b] = a
      return true
    case (b?, a?): return true
    default: return false
    }
  }

  /// A text without its UUIDs, and these.
  private static func split(_ text: String) -> (words: [UInt8], ids: [String]) {
    let bytes = Array(text.utf8)
    guard bytes.count >= 36 else { return (bytes, []) }
    var words = [UInt8]()
    var ids = [String]()
    var at = 0
    while at < bytes.count {
      if bytes.count - at >= 36, isUUID(bytes[at..<at + 36]) {
        ids.append(String(decoding: bytes[at..<at + 36], as: UTF8.self).lowercased())
        words.append(0)
        at += 36
      } else {
        words.append(bytes[at])
        at += 1
      }
    }
    return (words, ids)
  }

  private static func isUUID(_ bytes: ArraySlice<UInt8>) -> Bool {
    for (index, byte) in bytes.enumerated() {
      if index == 8 || index == 13 || index == 18 || index == 23 {
        guard byte == UInt8(ascii: "-") else { return false }
      } else {
        let isDigit = (0x30...0x39).contains(byte) || (0x61...0x66).contains(byte | 0x20)
        guard isDigit else { return false }
      }
    }
    return true
  }

  private static func quoted(_ text: String) -> String { short(.text(text)) }

  private static func short(_ value: JSONValue) -> String {
    let text = value.written()
    return text.utf8.count <= 120 ? text : String(text.prefix(100)) + "… (\(text.utf8.count) bytes)"
  }
}
