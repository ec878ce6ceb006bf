// The program: arguments, wiring, run. One file a subcommand; the logic is in the libraries.

import ArgumentParser

@main
struct Heddle: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "heddle",
    abstract: "The session server for AI agents.",
    discussion: "Threads, turns and settings over length-prefixed frames, kept on disk.",
    version: Program.version,
    subcommands: [
      ServeCommand.self, ChatCommand.self, CallCommand.self, SubscribeCommand.self, ImportCommand.self,
      CheckCommand.self, CaptureCommand.self, ShowCommand.self, ReplayCommand.self, DiffCommand.self,
      FixtureCommand.self,
      LoadCommand.self, VersionCommand.self,
    ])
}
