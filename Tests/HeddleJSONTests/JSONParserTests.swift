// The grammar of RFC 8259: what is read, and where and why the rest is refused.

import HeddleJSON
import Testing

@Suite struct JSONParserTests {
  private func parse(_ text: String) throws(JSONError) -> JSONValue { try JSONValue(parsing: text) }

  @Test func everyKindOfValueIsRead() throws {
    let value = try parse(#" { "a" : [ null , true, false, -1.5e+3, "x" ], "b":{}, "c":[] } "#)
    let expected = JSONValue.object([
      .init("a", .list([.null, .bool(true), .bool(false), .number("-1.5e+3"), .text("x")])),
      .init("b", .object([])), .init("c", .list([])),
    ])
    #expect(value == expected)
  }

  @Test func escapesAreReadSurrogatePairsIncluded() throws {
    #expect(try parse(#""\"\\\/\b\f\n\r\t\u00e9\uD83D\uDE00""#) == .text("\"\\/\u{8}\u{c}\n\r\té😀"))
  }

  @Test func whatIsWrittenIsReadAgain() throws {
    let value = JSONValue.object([
      .init("quote \" slash \\", .list([.text("\u{0}\u{1f}\n\r\té😀"), .number("0"), .list([]), .object([])]))
    ])
    #expect(try parse(value.written()) == value)
    #expect(try parse(value.written(pretty: true)) == value)
  }

  @Test func prettyTextIsIndentedByTwo() throws {
    #expect(try parse(#"{"a":[1],"b":{}}"#).written(pretty: true) == "{\n  \"a\": [\n    1\n  ],\n  \"b\": {}\n}")
  }

  @Test(arguments: ["0", "-0", "10", "1.25", "1e5", "1E-5", "-12.5e+07"])
  func numbersKeepTheirText(_ text: String) throws { #expect(try parse(text) == .number(text)) }

  @Test(arguments: [
    ("", 0), ("{", 1), ("[1,]", 3), ("[1 2]", 3), ("{\"a\"}", 4), ("{a:1}", 1), ("{\"a\":1,}", 7), ("01", 1),
    ("-", 1), ("1.", 2), (".5", 0), ("1e", 2), ("+1", 0), ("tru", 0), ("nul", 0), ("\"a", 2), ("\"\\x\"", 2),
    ("\"\\u12\"", 5), ("\"\\uD83D\"", 3), ("\"\\uD83D\\u0041\"", 3), ("\"\\uDE00\"", 3), ("\"a\nb\"", 2), ("1 1", 2),
    ("{\"a\":1,\"a\":2}", 7), ("'a'", 0), ("[1] // no", 4), ("NaN", 0),
  ])
  func otherTextIsRefusedWithItsPlace(_ text: String, _ offset: Int) throws {
    let error = #expect(throws: JSONError.self) { try parse(text) }
    #expect(error?.place == .offset(offset), "\(error?.description ?? "")")
  }

  @Test func nestingEndsAt64() throws {
    #expect(throws: Never.self) { try parse(String(repeating: "[", count: 64) + String(repeating: "]", count: 64)) }
    #expect(throws: JSONError.self) { try parse(String(repeating: "[", count: 65) + String(repeating: "]", count: 65)) }
    #expect(throws: JSONError.self) { try parse(String(repeating: "{\"a\":", count: 1_000_000)) }
  }
}
