import HeddleCore
import HeddleJSON
import HeddleProtocol
import Testing

@testable import HeddleRuntime

@Suite struct ToolArgumentsTests {
  @Test("attacks.md P10: a NUL that a model writes as an escape reaches no text that is stored")
  func withoutNUL() throws {
    let arguments = try ToolArguments(#"{"message": "a\u0000b", "targets": ["\u0000"]}"#)
    #expect(try arguments.needed("message") == "a\u{FFFD}b")
    #expect(try arguments.texts("targets") == ["\u{FFFD}"])
    let items = try ToolArguments(#"{"items": [{"text": "\u0000x"}, {"path": "/\u0000", "name": "n\u0000"}]}"#)
    #expect(try items.input() == "\u{FFFD}x\n[n\u{FFFD}](/\u{FFFD})")
  }

  @Test("attacks.md P10: nor does one that is quoted in what the model is told")
  func quotedWithoutNUL() {
    for text in [#"{"a\u0000": 1, "a\u0000": 2}"#, #"{"a\u0000": 1}"#] {
      do throws(AgentError) {
        try ToolArguments(text).allow(only: ["message"])
        Issue.record("\(text) is taken")
      } catch { #expect(!"\(error)".utf8.contains(0) && "\(error)".contains("a\u{FFFD}")) }
    }
  }

  @Test("A10: what is wrong with arguments is told with the parser's words, the place and what is needed, in short")
  func faults() {
    #expect(ToolArguments.fault("{}") == nil && ToolArguments.fault("") == nil)
    #expect(
      ToolArguments.fault(#"{"a": "#)
        == "The arguments are not JSON (at byte 6: a value is needed, but the text ends); "
        + "call the tool again with one JSON object.")
    #expect(
      ToolArguments.fault("[1]") == "The arguments are not one JSON object; call the tool again with one.")
    let name = String(repeating: "n", count: 100_000)
    let twice = ToolArguments.fault(#"{"\#(name)": 1, "\#(name)": 2}"#) ?? ""
    #expect(twice.hasPrefix("The arguments are not JSON (at byte 100008: ") && twice.utf8.count < 500)
  }

  @Test("A8: V1 takes a time that is out of bounds for the bound, V2 refuses it")
  func waits() throws {
    var rules = ServerRules()
    rules.limits.agentWaitMilliseconds = 200
    rules.limits.agentWaitMinimumMilliseconds = 100
    rules.limits.agentWaitMaximumMilliseconds = 300
    func wait(_ version: MultiAgentVersion, _ arguments: String) throws(AgentError) -> Int64? {
      let call = ToolCallItem(callId: "1", name: "wait_agent", arguments: arguments)
      guard case .wait(_, let milliseconds) = try AgentCommand(call, version, rules) else { return nil }
      return milliseconds
    }
    for (wanted, taken) in [("1", 100), ("250", 250), ("301", 300), ("9223372036854775807", 300), ("1e15", 300)] {
      #expect(try wait(.v1, #"{"targets": ["x"], "timeout_ms": \#(wanted)}"#) == Int64(taken))
    }
    #expect(try wait(.v1, #"{"targets": ["x"]}"#) == 200)
    #expect(try wait(.v2, "{}") == 200)
    for (wanted, isTaken) in [("99", false), ("100", true), ("300", true), ("301", false)] {
      #expect((try? wait(.v2, #"{"timeout_ms": \#(wanted)}"#)) == (isTaken ? Int64(wanted) : nil))
    }
  }
}
