import HeddleCore
import Testing

@testable import HeddleRuntime

/// rules.md T7: what stays beside a summary.
@Suite struct KeptWordsTests {
  private func said(_ text: String, _ role: Role = .user) -> Item {
    Item(status: .completed, kind: .message(MessageItem(role: role, content: [ContentPart(part: .text(text))])))
  }

  private func kept(_ items: [Item], summary: Int? = nil, bytes: Int = 1_000) -> [String] {
    Compaction.kept(History(items: items, summary: summary), bytes: bytes).map { message in
      message.content.map { if case .text(let text)? = $0.part { text } else { "?" } }.joined()
    }
  }

  @Test("T7: the user's words stay, the newest that fit, in their order")
  func words() {
    let items = [said("first"), said("answer", .assistant), said("second"), said("told", .developer), said("third")]
    #expect(kept(items) == ["first", "second", "third"])
    #expect(kept(items, bytes: 11) == ["second", "third"])
    #expect(kept(items, bytes: 10) == ["third"])
    #expect(kept([]) == [])
  }

  @Test("T7: an older summary and the notices of agents are no words of the user")
  func notWords() {
    let notice = said("<agent_notification>{\"agent_id\":\"x\"}</agent_notification>")
    #expect(kept([said("one"), said("The summary: s"), notice, said("two")], summary: 1) == ["one", "two"])
    #expect(kept([said("one"), said("The summary: s")]) == ["one", "The summary: s"])
  }

  @Test("T7: the newest message is there in any case; what is left out of it is said, and it is cut once")
  func cut() {
    let long = String(repeating: "é", count: 400)
    let once = kept([said("old"), said(long)], bytes: 300)
    #expect(once.count == 1 && once[0].utf8.count <= 300 && once[0].hasSuffix(Compaction.cutNote))
    #expect(kept([said("old"), said(once[0])], bytes: 300) == once)
    #expect(kept([said(long)], bytes: 5) == ["éé"])
    #expect(kept([said(long)], bytes: 0) == [""])
    #expect(kept([said(long)], bytes: -1) == [""])
  }

  @Test("T7: parts without text take room too, so what stays is bounded whatever its shape; it is cut once")
  func partsWithoutText() {
    let empty = [ContentPart(part: .text("")), ContentPart(part: .opaque(OpaquePart())), ContentPart()]
    func message(_ parts: Int) -> Item {
      let content = [ContentPart(part: .text("x"))] + (1..<parts).map { empty[$0 % 3] }
      return Item(status: .completed, kind: .message(MessageItem(role: .user, content: content)))
    }
    let many = History(items: Array(repeating: message(100), count: 30), summary: nil)
    #expect(Compaction.kept(many, bytes: 1_000).map(\.content.count) == Array(repeating: 100, count: 10))
    let none = Item(status: .completed, kind: .message(MessageItem(role: .user)))
    #expect(Compaction.kept(History(items: Array(repeating: none, count: 30), summary: nil), bytes: 10).count == 10)
    let once = Compaction.kept(History(items: [message(5_000)], summary: nil), bytes: 1_000)
    #expect(once.count == 1 && once[0].content.count <= 1_000)
    let cut = once.map { Item(status: .completed, kind: .message($0)) }
    #expect(Compaction.kept(History(items: cut, summary: nil), bytes: 1_000) == once)
    // Names of parts count as well: they are the client's too.
    let named = ContentPart(part: .opaque(OpaquePart(kind: String(repeating: "k", count: 100))))
    let item = Item(status: .completed, kind: .message(MessageItem(role: .user, content: [named])))
    let kinds = History(items: Array(repeating: item, count: 30), summary: nil)
    #expect(Compaction.kept(kinds, bytes: 1_000).count == 10)
  }

  @Test("T7: the words that stay leave room in the model's window, whatever the bound in bytes")
  func window() {
    let limits = Limits()
    #expect(Compaction.keptBytes(limits, window: 0) == limits.keptInputBytes)
    #expect(Compaction.keptBytes(limits, window: 1_000) == 1_000)
    #expect(Compaction.keptBytes(limits, window: .max) == limits.keptInputBytes)
  }
}
