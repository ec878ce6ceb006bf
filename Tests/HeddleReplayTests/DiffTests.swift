// What differs is found, and only that.

import HeddleCore
import HeddleProtocol
import Testing

@testable import HeddleReplay

@Suite struct DiffTests {
  private func differences(_ a: String, _ b: String, ignored: [String] = [], slack: UInt64 = 0) throws -> [String] {
    var diff = FieldDiff(rules: DiffRules(ignored: ignored), slack: slack)
    diff.compare(
      try JSONValue(parsing: a), try JSONValue(parsing: b), at: .init(connection: 0, stream: 1), path: "M")
    return diff.result.differences.map(\.place)
  }

  private let one = "00000000-0000-7000-8000-000000000001"
  private let two = "00000000-0000-7000-8000-000000000002"

  @Test func fieldsThatDifferAppearOrGoAreFound() throws {
    #expect(try differences(#"{"a": 1, "b": "x"}"#, #"{"a": 1, "b": "x"}"#) == [])
    #expect(try differences(#"{"a": 1}"#, #"{"a": 2}"#) == ["M.a"])
    #expect(try differences(#"{"a": 1}"#, #"{}"#) == ["M.a"])
    #expect(try differences(#"{}"#, #"{"a": 1}"#) == ["M.a"])
    #expect(try differences(#"{"l": [{"a": 1}, {"a": 2}]}"#, #"{"l": [{"a": 1}, {"a": 3}]}"#) == ["M.l[1].a"])
    #expect(try differences(#"{"l": [1]}"#, #"{"l": [1, 2]}"#) == ["M.l"])
  }

  @Test func anIDMayBeAnotherOneIfItIsSoEverywhere() throws {
    #expect(try differences(#"{"a": "\#(one)", "b": "\#(one)"}"#, #"{"a": "\#(two)", "b": "\#(two)"}"#) == [])
    #expect(try differences(#"{"a": "\#(one)", "b": "\#(two)"}"#, #"{"a": "\#(two)", "b": "\#(one)"}"#) == [])
    #expect(try differences(#"{"a": "\#(one)", "b": "\#(one)"}"#, #"{"a": "\#(two)", "b": "\#(one)"}"#) == ["M.b"])
    // Two must not become one.
    #expect(try differences(#"{"a": "\#(one)", "b": "\#(two)"}"#, #"{"a": "\#(one)", "b": "\#(one)"}"#) == ["M.b"])
    #expect(
      try differences(#"{"a": "\#(one)", "t": "see \#(one)!"}"#, #"{"a": "\#(two)", "t": "see \#(two)!"}"#) == [])
    #expect(
      try differences(#"{"a": "\#(one)", "t": "see \#(one)!"}"#, #"{"a": "\#(two)", "t": "see \#(one)!"}"#) == ["M.t"])
  }

  @Test func rulesLeaveFieldsOut() throws {
    let (a, b) = (#"{"thread": {"created_at": 1, "name": "a"}}"#, #"{"thread": {"created_at": 2, "name": "b"}}"#)
    #expect(try differences(a, b) == ["M.thread.name"])
    #expect(try differences(a, b, ignored: ["M.thread.name"]) == [])
    #expect(try differences(a, b, ignored: ["*.name"]) == [])
    #expect(try differences(a, b, ignored: ["M.name"]) == ["M.thread.name"])
  }

  @Test func numbersOfEventsMayBeApartByTheCheckpoints() throws {
    #expect(try differences(#"{"sequence": 5}"#, #"{"sequence": 7}"#) == ["M.sequence"])
    #expect(try differences(#"{"sequence": 5}"#, #"{"sequence": 7}"#, slack: 2) == [])
    #expect(try differences(#"{"sequence": 5}"#, #"{"sequence": 8}"#, slack: 2) == ["M.sequence"])
    #expect(try differences(#"{"revision": 5}"#, #"{"revision": 6}"#, slack: 2) == ["M.revision"])
  }

  @Test func patternsMatchWithStars() {
    func matches(_ text: String, _ pattern: String) -> Bool { DiffRules.matches(Array(text.utf8), Array(pattern.utf8)) }
    #expect(matches("a.b.c", "a.b.c") && matches("a.b.c", "*") && matches("a.b.c", "*.c") && matches("a.b.c", "a.*c"))
    #expect(matches("a.b.c", "*b*") && matches("", "*") && matches("aXbXc", "a*b*c") && matches("aab", "*ab"))
    #expect(!matches("a.b.c", "a.b") && !matches("a.b", "a.b.c") && !matches("a.b.c", "*.b") && !matches("", "a"))
  }

  @Test func listsAreLaidSideBySide() {
    #expect(Alignment.of([1, 2, 3], [1, 2, 3]) == [.both(0, 0), .both(1, 1), .both(2, 2)])
    #expect(Alignment.of([1, 2, 3], [1, 3]) == [.both(0, 0), .first(1), .both(2, 1)])
    #expect(Alignment.of([1, 3], [1, 2, 3]) == [.both(0, 0), .second(1), .both(1, 2)])
    #expect(Alignment.of([1], [2]) == [.first(0), .second(0)])
    #expect(Alignment.of([], [1, 2]) == [.second(0), .second(1)])
  }
}
