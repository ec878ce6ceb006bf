// heddle load turns --connections 50 --depth 16 --seconds 10

import ArgumentParser
import HeddleProtocol
import HeddleReplay

extension LoadMix: ExpressibleByArgument {}

struct LoadCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "load", abstract: "Load a server without a recording.",
    discussion: """
      Mixes: settings (changes of settings), start (new threads), turns, fanout (one thread, followed by all other \
      connections), list, search, status. Without --rate the loop is closed: --depth requests of each connection are \
      in flight. Turns: --depth threads of each connection, one turn at a time on each. The threads that it made are \
      deleted at the end, unless --keep. Exits 1 when nothing was answered, when nine of ten answers or more were \
      errors, or when threads are left.
      """)

  @Argument(help: "What to ask for: settings, start, turns, fanout, list, search, status.")
  var mix: LoadMix

  @OptionGroup var sender: SenderOptions

  @Option(name: .long, help: "Connections; of a fanout the first one writes.")
  var connections = 10

  @Option(name: .long, help: "Requests of each connection in flight.")
  var depth = 16

  @Option(name: .long, help: "Seconds to run.")
  var seconds: Double = 10

  @Flag(name: .long, help: "Threads in memory only.")
  var ephemeral = false

  @Option(name: .long, help: "What turns ask the model, docs/scripted-model.md; the default is answered at once.")
  var input = "!say Done."

  @Option(name: .long, help: "So many followers of a fanout read 2 KiB every 50 ms.")
  var slowReader = 0

  @Option(name: .long, help: "Percent of a fanout's followers that are cut off each second and come again.")
  var dropConnections: Double = 0

  @Flag(name: .long, help: "They ask for what follows the last event that they saw.")
  var resume = false

  @Flag(name: .long, help: "Keep the threads that it made.")
  var keep = false

  func validate() throws {
    if !(1...15_000).contains(connections) { throw ValidationError("--connections: 1 to 15000.") }
    if !(1...240).contains(depth) { throw ValidationError("--depth: 1 to 240.") }
    if seconds <= 0 || !seconds.isFinite { throw ValidationError("--seconds needs a positive number.") }
    if !(0...100).contains(dropConnections) { throw ValidationError("--drop-connections: 0 to 100 percent.") }
    if mix == .fanout && connections < 2 { throw ValidationError("A fanout needs two connections or more.") }
    if slowReader < 0 || slowReader >= connections { throw ValidationError("--slow-reader: fewer than connections.") }
    if mix != .fanout && (slowReader > 0 || dropConnections > 0 || resume) {
      throw ValidationError("--slow-reader, --drop-connections and --resume are for the mix fanout.")
    }
  }

  func run() async throws {
    let server = try sender.client.address()
    var options = LoadOptions()
    options.host = server.host
    options.port = server.port
    options.encryption = try sender.client.encryption()
    options.token = sender.client.secret
    options.mix = mix
    options.connections = connections
    options.depth = depth
    options.schedule = sender.schedule
    options.seconds = seconds
    if let loops = sender.loops { options.loops = loops }
    options.isEphemeral = ephemeral
    options.input = input
    options.slowReaders = slowReader
    options.dropPercent = dropConnections
    options.resumes = resume
    options.notesThreads = !keep
    let report = try await sender.watch("load \(mix.rawValue)") { [options] stop, sample in
      try await Load.run(options, stop: stop, sample: sample)
    }
    try sender.finish(report)
    let left = await remove(report.result)
    if report.result.total.answers == 0 {
      printError("no request was answered: is there a server at \(server)?")
      throw ExitCode.failure
    }
    let total = report.result.total
    if total.isAlmostAllErrors {
      let reasons = total.errors.keys.sorted().map { "\($0) \(total.errors[$0] ?? 0)" }.joined(separator: ", ")
      printError(
        "\(total.refusedAnswers) of \(total.answers) answers were errors (\(reasons)): the figures are those of refusals"
      )
      throw ExitCode.failure
    }
    if let left {
      printError(left)
      throw ExitCode.failure
    }
  }

  /// Says what is left of the threads that the load made; nil: nothing.
  private func remove(_ result: RunResult) async -> String? {
    let unknown =
      result.unknownStarts > 0
      ? "up to \(result.unknownStarts) threads that it made may be left: their Starts were not answered" : nil
    guard !result.made.isEmpty else { return unknown }
    if result.made.count > 1_000 { printError("deleting \(result.made.count) threads that the load made") }
    do {
      let client = try await sender.client.connect()
      let left = await ThreadRemoval(result.made).run(client)
      await client.close()
      return left ?? unknown
    } catch {
      return "\(result.made.count) threads that it made are left: \(error)"
    }
  }
}
