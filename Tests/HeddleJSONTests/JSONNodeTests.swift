// Positions of values and of faults, and the rules that are less strict.

import HeddleJSON
import Testing

@Suite struct JSONNodeTests {
  private let lenient = JSONRules(isStrict: false, depth: 3, bytes: 100)

  private func read(_ text: String) throws -> JSONValue {
    var parser = JSONParser(Array(text.utf8), rules: lenient)
    return try parser.document()
  }

  @Test func eachValueIsAtItsPosition() throws {
    let text = #" {"a": [1, "é", {"b": null}], "c": true} "#
    let node = try JSONNode(parsing: text)
    func at(_ node: JSONNode?) -> String {
      node.map { String(decoding: Array(text.utf8)[$0.range], as: UTF8.self) } ?? ""
    }
    #expect(at(node["a"]) == #"[1, "é", {"b": null}]"#)
    #expect(node["a"]?.elements?.map(at) == ["1", #""é""#, #"{"b": null}"#])
    #expect(node["a"]?.elements?.last?["b"] == nil)
    #expect(at(node["a"]?.elements?.last?.member("b")) == "null")
    #expect(node["c"]?.flag == true)
    #expect(node.value == (try JSONValue(parsing: text)))
  }

  @Test func aValueIsReadOutOfALargerTextAndItsEndIsKnown() throws {
    let bytes = Array(#"xx {"a":1}{"b":2}"#.utf8)
    var parser = JSONParser(bytes, in: 2..<bytes.count)
    #expect(try parser.node().range == 3..<10)
    #expect(try parser.value() == .object([.init("b", .number("2"))]))
    #expect(parser.next() == nil)
    var short = JSONParser(bytes, in: 2..<9)
    let error = #expect(throws: JSONError.self) { try short.value() }
    #expect(error?.offset == 9)
  }

  @Test func ofTwoMembersWithOneNameTheLastCountsWhereTheyAreAllowed() throws {
    #expect(try read(#"{"a":1,"a":2}"#)["a"] == .number("2"))
    #expect(throws: JSONError(.offset(7), "\"a\" stands twice in one object")) {
      try JSONValue(parsing: #"{"a":1,"a":2}"#)
    }
  }

  @Test(arguments: [
    (#""\uD83D""#, "\u{FFFD}"), (#""\uDE00x""#, "\u{FFFD}x"), (#""\uD83D\u0041""#, "\u{FFFD}A"),
    (#""a\u0000b""#, "a\u{FFFD}b"), (#""\uD83D\uDE00""#, "😀"), (#""\uD83D\n""#, "\u{FFFD}\n"),
  ])
  func halfAPairAndNULBecomeTheReplacementCharacter(_ text: String, _ wanted: String) throws {
    #expect(try read(text) == .text(wanted))
  }

  @Test func depthAndSizeHaveLimits() throws {
    #expect(try read("[[[]]]") == .list([.list([.list([])])]))
    #expect(throws: JSONError(.offset(3), "values are nested deeper than 3", kind: .tooDeep)) { try read("[[[[]]]]") }
    #expect(try read("\"" + String(repeating: "a", count: 98) + "\"").string?.count == 98)
    #expect(throws: JSONError(.offset(0), "a text of at most 100 bytes is needed")) {
      try read("\"" + String(repeating: "a", count: 99) + "\"")
    }
  }

  @Test(arguments: [("1", 1), ("1.0", 1), ("-3e2", -300), ("9223372036854775807", Int64.max)])
  func wholeNumbersAreRead(_ text: String, _ wanted: Int64) throws { #expect(try read(text).integer == wanted) }

  @Test(arguments: ["1.5", "1e400", "9223372036854775808", "true", "\"1\""])
  func otherValuesAreNoWholeNumber(_ text: String) throws { #expect(try read(text).integer == nil) }

  @Test(arguments: [
    (JSONError(.offset(2), ""), JSONPosition(line: 1, column: 3)),
    (JSONError(.path("b.someThing[1]"), ""), JSONPosition(line: 2, column: 25)),
    (JSONError(.path("b"), ""), JSONPosition(line: 2, column: 7)),
    (JSONError(.path("b"), "", member: "b.some_thing"), JSONPosition(line: 2, column: 21)),
    (JSONError(.path("none"), ""), JSONPosition(line: 1, column: 2)),
  ])
  func aFaultHasALineAndAColumn(_ error: JSONError, _ wanted: JSONPosition) {
    #expect(error.position(in: " {\"ä\": 1,\n \"b\": {\"some_thing\":[1, 2]}}") == wanted)
  }
}
