// The program: arguments, wiring, run. One file a subcommand; the logic is in the libraries.

import ArgumentParser
import HeddleCore

@main
struct Heddle: AsyncParsableCommand {
  static let version = "0.1.0"

  static let configuration = CommandConfiguration(
    commandName: "heddle",
    abstract: "The session server for AI agents.",
    discussion: "Threads, turns and settings over length-prefixed frames, kept on disk.",
    version: version,
    subcommands: [
      ServeCommand.self, ChatCommand.self, CallCommand.self, SubscribeCommand.self, ImportCommand.self,
      CheckCommand.self, CaptureCommand.self, ShowCommand.self, ReplayCommand.self, DiffCommand.self,
      LoadCommand.self, VersionCommand.self,
    ])
}

/// Exit codes beyond 0 and 1, as sysexits.h has them.
enum Exit {
  /// Something that may pass by itself: the folder is in use, the disk failed.
  static let temporary = ExitCode(75)
  /// The configuration has to be mended first.
  static let configuration = ExitCode(78)
}
