// Connects to HOST:PORT, runs a turn in a new thread and prints the model's answer.

import HeddleClient
import HeddleCore

let address = CommandLine.arguments.dropFirst().first ?? "127.0.0.1:7420"
let parts = address.split(separator: ":")
let client = try await HeddleClient.connect(
  ClientConfiguration(host: String(parts[0]), port: Int(parts[1]) ?? 7420, clientName: "hello"))

let started = try await client.startThread(StartThreadRequest(name: "hello"))
guard let thread = started.thread?.id else { fatalError("the server answered without a thread") }
_ = try await client.startTurn(thread, text: "Hello, Heddle!")

events: for try await message in client.subscribe(thread: thread, after: 0) {
  guard case .event(let event)? = message.kind else { continue }
  switch event.kind {
  case .itemCompleted(let completed)?:
    if case .message(let said)? = completed.item?.kind, said.role == .assistant,
      case .text(let text)? = said.content.first?.part
    {
      print(text)
    }
  case .turnEnded?: break events
  default: break
  }
}
await client.close()
