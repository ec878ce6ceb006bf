import HeddleClient
import HeddleCore

let client = try await HeddleClient.connect()
let started = try await client.threads.start(StartThreadRequest(name: "first"))
if let thread = started.thread?.id {
  for try await text in client.turn(thread, "Hello").text { print(text, terminator: "") }
}
await client.close()
