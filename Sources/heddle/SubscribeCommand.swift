// heddle subscribe THREAD --after 0

import ArgumentParser
import HeddleClient
import HeddleCore
import HeddleProtocol

struct SubscribeCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "subscribe", abstract: "Follow a thread: one JSON object a line, until interrupted.",
    discussion: "Connects again and goes on where it was when the connection is lost.")

  @Argument(help: "The thread, a UUID.")
  var thread: String

  @Option(name: .long, help: "Events after this number; 0 for all. Without it: only what happens from now on.")
  var after: UInt64?

  @Flag(name: .long, help: "End when everything that is stored has been printed.")
  var stored = false

  @Flag(name: .long, help: "Follow the agents below it too, from now on; `thread` in a line names the agent.")
  var tree = false

  @OptionGroup var client: ClientOptions

  func validate() throws {
    if ThreadID(thread) == nil { throw ValidationError("A thread is named by its UUID.") }
  }

  func run() async throws {
    guard let id = ThreadID(thread) else { return }
    var codec = Codec()
    do {
      let connection = try await client.connectOrExplain()
      for try await message in connection.subscribe(thread: id, after: after, tree: tree) {
        if stored, message.thread == nil, case .live? = message.kind { break }
        let line = try JSONTranscoder.json(codec.encode(message), schema: SubscriptionEvent.schemaIndex)
        guard printLine(line) else { break }
      }
      await connection.close()
    } catch let error as HeddleError where error.kind == .refused {
      printError(try error.json())
      throw ExitCode.failure
    }
  }
}
