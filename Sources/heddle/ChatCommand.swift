// heddle chat --thread ID

import ArgumentParser
import Foundation
import HeddleChat
import HeddleClient
import HeddleCore
import Synchronization

struct ChatCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "chat", abstract: "Talk to an agent in the terminal.",
    discussion: """
      Streams what the model says, shows tools and agents at work; /help lists what one can do. It goes on where it was \
      when the connection is lost. Without a terminal it reads lines, a turn each, writes the answers to standard \
      output and everything else to standard error: echo hi | heddle chat

      Your lines are kept for the arrow keys of later chats, in $XDG_STATE_HOME/heddle/chat-history or \
      ~/.local/state/heddle/chat-history; HEDDLE_CHAT_HISTORY names another file, or none when it is empty. A line that \
      begins with a space is not kept.
      """)

  @Option(name: .long, help: "The thread to go on with, a UUID. Without it: a new one.")
  var thread: String?

  @Option(name: .long, help: "The model of a new thread.")
  var model: String?

  @Flag(name: .long, help: "Show the model's Markdown as it was written. NO_COLOR does so too.")
  var plain = false

  @Flag(name: .long, help: "Neither read nor keep the lines that were entered.")
  var noHistory = false

  @OptionGroup var client: ClientOptions

  func validate() throws {
    if let thread, ThreadID(thread) == nil { throw ValidationError("A thread is named by its UUID.") }
    if thread != nil, model != nil {
      throw ValidationError("--model is for a new thread; in one that there is, use /model.")
    }
  }

  func run() async throws {
    let isTerminal = isatty(STDIN_FILENO) == 1 && isatty(STDOUT_FILENO) == 1 && environment("TERM") != "dumb"
    let inbox = ChatInbox()
    let desk = ChatQuestionDesk(inbox)
    // A person sees that there is no connection and leaves; a pipe would wait for ever: about a minute is enough.
    let patience = ChatPatience(attempts: isTerminal ? nil : 25)
    let connection = try await client.connectOrExplain { configuration in
      configuration.backoff = patience.backoff
      configuration.resumptions = patience.attempts
      // While one connection replaces another there are two.
      let connections = Mutex(0)
      configuration.hooks.connected = { _ in
        if connections.withLock({
          $0 += 1; return $0 == 1
        }) {
          inbox.post(.chat(.connection(.connected)))
        }
      }
      configuration.hooks.lost = { reason in
        if connections.withLock({
          $0 -= 1; return $0 == 0
        }) {
          inbox.post(.chat(.connection(.lost(reason))))
        }
      }
      if isTerminal { configuration.handlers.requestUserInput = { try await desk.ask($0) } }
    }
    let signals = ChatSignals(inbox)
    if isTerminal {
      ChatTerminal.restoreOnEveryEnd()
      ChatTerminal.enterRaw()
    }
    ChatTerminal.read(into: inbox, isTerminal: isTerminal)
    var session = ChatSession(
      connection, inbox, desk, patience: patience, state: ChatState(model: model, isInteractive: isTerminal),
      isStyled: isTerminal && (environment("NO_COLOR") ?? "").isEmpty, rendersMarkdown: !plain,
      history: isTerminal && !noHistory ? ChatHistoryFile() : nil)
    let status = await session.run(thread.flatMap { ThreadID($0) })
    ChatTerminal.restore()
    signals.cancel()
    if isTerminal, let thread = session.thread { print("heddle chat --thread \(thread)") }
    await connection.close()
    if status != 0 { throw ExitCode(status) }
  }
}
