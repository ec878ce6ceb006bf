// Paths and nicknames of agents: valid ones, and the agents that they name.

import HeddleCore
import Testing

@Suite struct AgentPathTests {
  private func error(_ body: () throws -> Void) -> String? {
    do { try body() } catch let error as AgentError { return error.text } catch { return "\(error)" }
    return nil
  }

  @Test("A1: a name is a-z, 0-9 and _, up to 64 of them", arguments: ["a", "tests", "api_2", "_", "0", "rooty"])
  func valid(_ name: String) throws {
    try AgentPath.check(segment: name)
    #expect(try AgentPath.resolve(name, from: "/root/x") == "/root/x/" + name)
  }

  @Test(
    "A1: what is no name is refused in words that say what is",
    arguments: [
      ("", "empty"), ("root", "taken"), (".", "not a name"), ("..", "not a name"), ("a/b", "no `/`"), ("/", "no `/`"),
      ("A", "may hold"), ("a b", "may hold"), ("a-b", "may hold"), ("ä", "may hold"), ("a\u{0301}", "may hold"),
      ("а", "may hold"), ("ｒｏｏｔ", "may hold"), ("a\u{0}", "may hold"), ("a\n", "may hold"), ("🧵", "may hold"),
    ])
  func invalid(_ name: String, _ words: String) {
    let said = error { try AgentPath.check(segment: name) }
    #expect(said?.contains(words) == true, "\(name): \(said ?? "accepted")")
  }

  @Test("A1: a name has 64 characters at most, and a refused one is not repeated at length")
  func length() throws {
    try AgentPath.check(segment: String(repeating: "a", count: AgentPath.segmentBytes))
    let long = error { try AgentPath.check(segment: String(repeating: "a", count: AgentPath.segmentBytes + 1)) }
    #expect(long?.contains("longer than 64") == true)
    let wild = error { try AgentPath.check(segment: String(repeating: "Ä", count: 100_000)) }
    #expect((wild?.utf8.count ?? .max) < 200)
  }

  @Test(
    "A1: a target is a path from the top, or a path below the caller's own",
    arguments: [
      ("/root", "/root"), ("/root/a", "/root/a"), ("/root/a/b", "/root/a/b"), ("c", "/root/x/c"),
      ("c/d", "/root/x/c/d"),
    ])
  func resolve(_ target: String, _ path: String) throws {
    #expect(try AgentPath.resolve(target, from: "/root/x") == path)
  }

  @Test(
    "A1: a target that can be no path is refused, whoever says it",
    arguments: ["", "/", "/a", "/rooty", "/root/", "/root/a/", "a/", "a//b", "../a", "./a", "root", "a/root", "A"])
  func unresolvable(_ target: String) {
    #expect(error { _ = try AgentPath.resolve(target, from: "/root") } != nil)
  }

  @Test(
    "A1: the prefix of a list is a target, or nothing for everything",
    arguments: [("", "/root"), ("/", "/root"), ("/root/", "/root"), ("a", "/root/x/a"), ("a/", "/root/x/a")])
  func prefix(_ prefix: String, _ path: String) throws {
    #expect(try AgentPath.prefix(prefix, from: "/root/x") == path)
  }

  @Test("A1: below a path is itself and what goes on behind a slash, not what only begins alike")
  func below() {
    #expect(AgentPath.isBelow("/root/a", "/root/a"))
    #expect(AgentPath.isBelow("/root/a/b", "/root/a"))
    #expect(!AgentPath.isBelow("/root/ab", "/root/a"))
    #expect(!AgentPath.isBelow("/root", "/root/a"))
  }

  @Test("A1: how much history is copied is `none`, `all` or a positive whole number in words")
  func copiedTurns() throws {
    #expect(try CopiedTurns("none") == .none)
    #expect(try CopiedTurns("all") == .all)
    #expect(try CopiedTurns("3") == .last(3))
    for text in ["", "0", "-1", "1.5", "All", "three", "9999999999999999999999", "1000001", "٣"] {
      #expect(error { _ = try CopiedTurns(text) } != nil, "\(text)")
    }
  }

  @Test("Every agent of a tree has a name for people of its own, however many there are and whatever chance says")
  func nicknames() {
    var taken: Set<String> = []
    for number in 0..<1_000 {
      let name = AgentNicknames.next(taken: Array(taken), chance: UInt64(number) &* 0x9E37_79B9_7F4A_7C15)
      #expect(taken.insert(name).inserted, "\(name) twice")
    }
    #expect(AgentNicknames.next(taken: Array(taken), chance: .max) != "")
  }

  @Test(
    "A1: what another agent does is told in the words that clients of the original know",
    arguments: [
      (AgentStatus.pending, #""pending_init""#, false), (.running, #""running""#, false),
      (.interrupted, #""interrupted""#, false), (.shutdown, #""shutdown""#, true), (.notFound, #""not_found""#, true),
      (.completed("a \"b\"\n\u{1}"), #"{"completed":"a \"b\"\n\u0001"}"#, true),
      (.completed(nil), #"{"completed":null}"#, true),
      (.errored("no"), #"{"errored":"no"}"#, true),
    ])
  func statuses(_ status: AgentStatus, _ json: String, _ isFinal: Bool) {
    #expect(status.json == json)
    #expect(status.isFinal == isFinal)
  }

  @Test("A1: results of the tools, as JSON")
  func results() {
    let id = ThreadID(high: 1, low: 2)
    #expect(AgentResult.spawned(v1: id, nickname: "Ada") == #"{"agent_id":"\#(id)","nickname":"Ada"}"#)
    #expect(AgentResult.spawned(v1: id, nickname: "") == #"{"agent_id":"\#(id)","nickname":null}"#)
    #expect(AgentResult.spawned(v2: "/root/a", nickname: nil) == #"{"task_name":"/root/a"}"#)
    #expect(AgentResult.spawned(v2: "/root/a", nickname: "Ada") == #"{"task_name":"/root/a","nickname":"Ada"}"#)
    #expect(AgentResult.submitted(TurnID(high: 1, low: 2)) == #"{"submission_id":"\#(TurnID(high: 1, low: 2))"}"#)
    #expect(AgentResult.previous(.running) == #"{"previous_status":"running"}"#)
    #expect(AgentResult.status(.pending) == #"{"status":"pending_init"}"#)
  }

  @Test("A8: a wait that found nobody has run out; one that did says whom, each agent once")
  func waited() {
    #expect(AgentResult.waited([]) == #"{"status":{},"timed_out":true}"#)
    #expect(
      AgentResult.waited([("x", .completed("ok")), ("y", .notFound), ("x", .completed("ok"))])
        == #"{"status":{"x":{"completed":"ok"},"y":"not_found"},"timed_out":false}"#)
    #expect(AgentResult.waited(.time).hasSuffix(#""timed_out":true}"#))
    #expect(AgentResult.waited(.mail).hasSuffix(#""timed_out":false}"#))
    #expect(AgentResult.waited(.input).hasSuffix(#""timed_out":false}"#))
  }
}
