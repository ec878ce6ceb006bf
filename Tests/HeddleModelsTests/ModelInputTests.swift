import HeddleCore
import HeddleProtocol
import Testing

@testable import HeddleModels

@Suite struct ModelInputTests {
  private func entries(_ items: [Item]) -> [ModelInput.Entry] { ModelInput.entries(items, provider: "there") }

  private func call(_ id: String, _ arguments: String = "{}") -> ModelInput.Call {
    ModelInput.Call(id: id, name: "look", arguments: arguments)
  }

  private func output(_ id: String, _ text: String, failed: Bool = false) -> ModelInput.Entry {
    .output(call(id, ""), [.text(text)], failed: failed)
  }

  private func said(_ speaker: ModelInput.Speaker, _ text: String) -> ModelInput.Entry {
    .message(speaker, [.text(text)], .unspecified)
  }

  @Test("Messages and markers keep their role and text; empty ones are left out")
  func messages() {
    let items = [
      Answers.said(.developer, "d"), Answers.said(.system, "s"), Answers.said(.user, "u"), Answers.said(.user, ""),
      Answers.said(.assistant, "a", phase: .commentary),
      Item(kind: .marker(MarkerItem(kind: .interruption, role: .developer, text: "stopped"))),
      Item(kind: .marker(MarkerItem(kind: .interruption, role: .user, text: "stopped"))),
    ]
    #expect(
      entries(items) == [
        said(.developer, "d"), said(.system, "s"), said(.user, "u"), .message(.assistant, [.text("a")], .commentary),
        said(.developer, "stopped"), said(.user, "stopped"),
      ])
  }

  @Test("A5: a message of an agent has an envelope that says what it is, for whom and from whom")
  func agentMessages() {
    func envelope(_ kind: String) -> ModelInput.Entry {
      said(.agent, "Message Type: \(kind)\nTask name: /root/a\nSender: /root\nPayload:\ngo\nnow")
    }
    for (kind, name) in [
      (AgentMessageKind.newTask, "NEW_TASK"), (.message, "MESSAGE"), (.finalAnswer, "FINAL_ANSWER"),
      (.unspecified, "MESSAGE"),
    ] {
      #expect(entries([Answers.mail(kind, "go\nnow")]) == [envelope(name)])
    }
  }

  @Test("A5: a notification of V1 is its text, in the name of the user")
  func notifications() {
    #expect(entries([Answers.mail(.notification, "done")]) == [said(.user, "done")])
  }

  @Test("I1: outputs stand behind all calls of their answer, in the order of the calls")
  func outputs() {
    let items = [
      Answers.called("1"), Answers.called("2"), Answers.output("2", "two", success: false), Answers.output("1", "one"),
      Answers.called("3"), Answers.output("3", ""),
    ]
    #expect(
      entries(items) == [
        .call(call("1")), .call(call("2")), output("1", "one"), output("2", "two", failed: true), .call(call("3")),
        output("3", "(no output)"),
      ])
  }

  @Test("I1, I2: a call that never got an output gets one; an output without a call is left out")
  func pairs() {
    let items = [
      Answers.output("0", "lost"), Answers.called("1"), Answers.said(.user, "next"), Answers.output("9", "lost"),
    ]
    #expect(entries(items) == [.call(call("1")), output("1", "(no output)", failed: true), said(.user, "next")])
  }

  @Test("I1: an output that comes after other input still stands behind its call")
  func late() {
    let items = [Answers.called("1"), Answers.said(.user, "hurry"), Answers.output("1", "one")]
    #expect(entries(items) == [.call(call("1")), output("1", "one"), said(.user, "hurry")])
  }

  @Test("I1: where ids come again, each call has its own output")
  func repeatedIDs() {
    let items = [
      Answers.called("1"), Answers.output("1", "first"), Answers.called("1"), Answers.said(.user, "stop"),
      Answers.called("1"), Answers.output("1", "third"),
    ]
    #expect(
      entries(items) == [
        .call(call("1")), output("1", "first"), .call(call("1")), output("1", "(no output)", failed: true),
        said(.user, "stop"), .call(call("1")), output("1", "third"),
      ])
  }

  @Test("I3: thoughts go back to who thought them, and only in front of something of the same answer")
  func thoughts() {
    let own = Answers.thought("s", "e")
    guard case .reasoning(let reasoning)? = own.kind else { return }
    let kept = ModelInput.Entry.reasoning(reasoning, providerID: "rs_1")
    let said = Answers.said(.assistant, "a")
    let text = self.said(.assistant, "a")
    #expect(entries([own, said]) == [kept, text])
    #expect(entries([own, own, Answers.called("1")]).prefix(3) == [kept, kept, .call(call("1"))])
    #expect(entries([own]) == [])
    #expect(entries([said, own, Answers.said(.user, "u")]) == [text, self.said(.user, "u")])
    #expect(entries([own, Answers.said(.user, "u"), said]) == [self.said(.user, "u"), text])
    #expect(entries([Answers.thought("s", nil), said]) == [text])
    #expect(entries([Answers.thought("s", ""), said]) == [text])
    #expect(entries([Answers.thought("s", "e", provider: "elsewhere"), said]) == [text])
  }

  @Test("Arguments are always a JSON object, and names are such as every API takes")
  func oldCalls() {
    let free = ToolCallItem(callId: "1", name: "apply.patch/ä", arguments: "*** Begin", freeform: true)
    #expect(
      entries([Item(kind: .toolCall(free))]).first
        == .call(ModelInput.Call(id: "1", name: "apply_patch__", arguments: #"{"input":"*** Begin"}"#)))
    #expect(entries([Answers.called("1", "look", " ")]).first == .call(call("1")))
    for broken in ["{", "[1]", "\"x\"", #"{"a":1,"a":2}"#] {
      guard case .call(let call)? = entries([Answers.called("1", "look", broken)]).first else {
        Issue.record("no call")
        return
      }
      #expect((try? JSONValue(parsing: call.arguments))?["INVALID_JSON"]?.string == broken)
    }
  }

  @Test("What is kept as it was goes back to the provider it came from, and to no other")
  func opaque() throws {
    let json = try Answers.json(#"{"type":"web_search_call","id":"ws_1"}"#)
    let mine = Item(kind: .opaque(ModelInput.opaque(json, provider: "there")))
    let other = Item(kind: .opaque(ModelInput.opaque(json, provider: "elsewhere")))
    let imported = Item(kind: .opaque(OpaquePart(kind: "web_search_call", json: json.written())))
    #expect(entries([mine, other, imported]) == [.opaque(json)])
  }
}
