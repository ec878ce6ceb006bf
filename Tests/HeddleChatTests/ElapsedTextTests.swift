// The clock of the status line.

import HeddleCore
import Testing

@testable import HeddleChat

@Suite struct ElapsedTextTests {
  @Test(arguments: [
    (Duration.zero, "0 s"), (.milliseconds(999), "0 s"), (.seconds(12), "12 s"), (.seconds(59), "59 s"),
    (.seconds(60), "1 m 00 s"), (.seconds(65), "1 m 05 s"), (.seconds(3599), "59 m 59 s"), (.seconds(3600), "1 h 00 m"),
    (.seconds(7_625), "2 h 07 m"), (.seconds(-1), "0 s"),
  ])
  func timeIsToldInTheUnitsOfItsLength(_ elapsed: Duration, _ text: String) {
    #expect(ElapsedText.text(elapsed) == text)
  }

  @Test func theClockRunsWhileATurnDoes() {
    var chat = Chat()
    _ = chat.state.handle(.time(.seconds(100)))
    #expect(chat.state.statusLine == "── idle · m ──")
    chat.startTurn()
    #expect(chat.state.statusLine == "── working · 0 s · m ──")
    #expect(chat.state.handle(.time(.seconds(112))) == [])
    #expect(chat.state.statusLine == "── working · 12 s · m ──")
    chat.endTurn()
    #expect(chat.state.statusLine == "── idle · m ──")
    chat.startTurn()
    _ = chat.state.handle(.time(.seconds(177)))
    #expect(chat.state.statusLine == "── working · 1 m 05 s · m ──")
  }

  @Test func theStatusNamesTheToolThatIsWaitedFor() {
    var chat = Chat()
    chat.startTurn()
    let call = ToolCallItem(callId: "c", name: "wait_agent", arguments: "{}")
    chat.event(.itemCompleted(ItemCompleted(item: Item(id: Chat.item, status: .completed, kind: .toolCall(call)))))
    _ = chat.state.handle(.time(.seconds(3)))
    #expect(chat.state.statusLine == "── working · 3 s · waits for wait_agent · m ──")
    let output = ToolOutputItem(callId: "c")
    chat.event(.itemCompleted(ItemCompleted(item: Item(id: Chat.item, status: .completed, kind: .toolOutput(output)))))
    #expect(chat.state.statusLine == "── working · 3 s · m ──")
  }
}
