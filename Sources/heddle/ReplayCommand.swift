// heddle replay session.pcap --server 127.0.0.1:7420 --diff

import ArgumentParser
import Foundation
import HeddleCapture
import HeddleJSON
import HeddleReplay

extension ReplayOrder: ExpressibleByArgument {}

/// `1`, `10`, `0.5`, `max`.
struct ReplaySpeed: ExpressibleByArgument {
  /// Nil: as fast as answers come.
  var factor: Double?

  init(factor: Double?) { self.factor = factor }

  init?(argument: String) {
    if argument == "max" {
      self.init(factor: nil)
    } else {
      guard let factor = Double(argument), factor > 0, factor.isFinite else { return nil }
      self.init(factor: factor)
    }
  }
}

/// `500`, `500/s`.
struct RequestRate: ExpressibleByArgument {
  var perSecond: Double

  init?(argument: String) {
    let number = argument.hasSuffix("/s") ? String(argument.dropLast(2)) : argument
    guard let perSecond = Double(number), perSecond > 0, perSecond.isFinite else { return nil }
    self.perSecond = perSecond
  }
}

/// The options of every command that sends.
struct SenderOptions: ParsableArguments {
  @OptionGroup var client: ClientOptions

  @Option(name: .long, help: "Open loop: requests a second, 500 or 500/s, whatever the server answers.")
  var rate: RequestRate?

  @Option(name: .long, help: "Seconds in which the rate rises from nothing.")
  var ramp: Double = 0

  @Option(name: .long, help: "Loops that send (default: one a core).")
  var loops: Int?

  @Flag(name: .long, help: "Print the result as one JSON object.")
  var json = false

  @Option(name: .long, help: "Write a report with charts to this file.")
  var html: String?

  @Option(name: .long, help: "What the run is called in results and reports.")
  var name: String?

  @Option(name: .long, help: "A result of --json to compare with in the report.")
  var compare: String?

  var schedule: RateSchedule? { rate.map { RateSchedule(perSecond: $0.perSecond, ramp: ramp) } }

  func validate() throws {
    if ramp < 0 || !ramp.isFinite { throw ValidationError("--ramp needs seconds, 0 or more.") }
    if let loops, !(1...256).contains(loops) { throw ValidationError("--loops: 1 to 256.") }
    if compare != nil && html == nil { throw ValidationError("--compare needs --html.") }
  }

  /// Runs with a live view on standard error, and ends early on SIGINT.
  func watch(
    _ name: String, _ run: (RunStop, (RunSample, RunResult) -> Void) async throws -> RunResult
  ) async throws -> RunReport {
    let stop = RunStop()
    let waiting = Task {
      await Signals.wait()
      stop.stop()
    }
    let view = LiveView()
    let result = try await run(stop) { view.show($0, $1) }
    waiting.cancel()
    view.end()
    return RunReport(name: self.name ?? name, result: result)
  }

  /// The result is printed first: a page that cannot be written must not take it along.
  func finish(_ report: RunReport) throws {
    printLine(json ? report.json.written() : RunText.summary(report))
    guard let html else { return }
    var reports = [report.json]
    if let compare {
      guard let text = FileManager.default.contents(atPath: compare) else { throw refuse("\(compare) cannot be read") }
      do throws(JSONError) { reports.append(try JSONValue(parsing: String(decoding: text, as: UTF8.self))) } catch {
        throw refuse("\(compare) is no result of --json: \(error)")
      }
    }
    guard FileManager.default.createFile(atPath: html, contents: Data(HTMLReport.page(reports).utf8)) else {
      throw refuse("\(html) cannot be written: \(String(cString: strerror(errno)))")
    }
  }

  private func refuse(_ text: String) -> ExitCode {
    printError(text)
    return .failure
  }
}

struct ReplayCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "replay", abstract: "Send a recording again.",
    discussion: """
      Ids that the server gave in the recording become those that it gives now. Without --rate, frames are sent at the \
      recorded times (--speed 1) or as soon as what they wait for has come (--speed max). Exits with 1 when --diff \
      finds a difference.
      """)

  @Argument(help: "The recording.")
  var file: String

  @OptionGroup var sender: SenderOptions

  @Option(name: .long, help: "Times as fast as it was recorded: 1, 10, max.")
  var speed = ReplaySpeed(factor: 1)

  @Flag(name: .long, help: "Cut pauses in which nothing happened to a tenth of a second.")
  var skipIdle = false

  @Option(name: .long, help: "What frames wait for: recorded (all that had been said), connection, ids.")
  var order: ReplayOrder?

  @Option(name: .long, help: "So many at once, each with its own ids.")
  var copies = 1

  @Option(name: .long, help: "Play it so many times; 0: until interrupted or --seconds are over.")
  var loop = 1

  @Option(name: .long, help: "End after so many seconds.")
  var seconds: Double?

  @Option(name: .long, help: "Seconds that a frame waits for what it depends on before it is sent all the same.")
  var patience: Double = 10

  @Option(name: .long, help: "Percent of the connections that are cut off each second and come again.")
  var dropConnections: Double = 0

  @Flag(name: .long, help: "They ask for what follows the last event that they saw.")
  var resume = false

  @Option(name: .long, help: "So many copies read 2 KiB every 50 ms.")
  var slowReader = 0

  @Option(name: .long, help: "Write what the first copy sends and gets to this capture.")
  var record: String?

  @Option(name: .long, help: "Run this command where the recorded server was lost: it kills and restarts the server.")
  var atLoss: String?

  @Flag(name: .long, help: "Compare the answers with the recording.")
  var diff = false

  @OptionGroup var rules: DiffOptions

  func validate() throws {
    if copies < 1 || copies > 100_000 { throw ValidationError("--copies: 1 to 100000.") }
    if loop < 0 { throw ValidationError("--loop: 0 or more.") }
    if let seconds, seconds <= 0 { throw ValidationError("--seconds needs a positive number.") }
    if !(0...100).contains(dropConnections) { throw ValidationError("--drop-connections: 0 to 100 percent.") }
    if resume && dropConnections == 0 { throw ValidationError("--resume needs --drop-connections.") }
    if slowReader < 0 || slowReader > copies { throw ValidationError("--slow-reader: as many as --copies or fewer.") }
    if atLoss != nil && copies > 1 { throw ValidationError("--at-loss is for one copy.") }
    if patience < 0 || patience > 3600 { throw ValidationError("--patience: 0 to 3600.") }
  }

  func run() async throws {
    let scratch = record == nil && diff ? NSTemporaryDirectory() + "heddle-replay-\(UUID().uuidString).pcap" : nil
    defer { if let scratch { try? FileManager.default.removeItem(atPath: scratch) } }
    let server = try sender.client.address()
    do {
      let recording = try Capture(path: file)
      for problem in recording.problems { printError(problem) }
      // An open loop would stand still for what one connection had heard of another.
      let order = order ?? (sender.rate == nil || diff ? .recorded : .connection)
      let plan = try ReplayPlan(
        recording, order: order, token: sender.client.secret, longestIdle: skipIdle ? 100_000_000 : nil)
      var options = ReplayOptions()
      options.host = server.host
      options.port = server.port
      options.encryption = try sender.client.encryption()
      options.pace = sender.schedule.map { .schedule($0) } ?? speed.factor.map { .speed($0) } ?? .unlimited
      options.copies = copies
      options.rounds = loop
      options.seconds = seconds
      options.patience = patience
      options.record = record ?? scratch
      options.faults.dropPercent = dropConnections
      options.faults.resumes = resume
      options.faults.slowReaders = slowReader
      if let atLoss { options.atLoss = { await Self.shell(atLoss) } }
      if let loops = sender.loops { options.loops = loops }
      let report = try await sender.watch("replay \(file)") { [options] stop, sample in
        try await Replay.run(plan, options, stop: stop, sample: sample)
      }
      try sender.finish(report)
      if report.result.total.answers == 0 {
        printError("no request was answered: is there a server at \(server)?")
        throw ExitCode.failure
      }
      guard diff, let live = options.record else { return }
      let result = CaptureDiff.compare(recording, try Capture(path: live), rules: try rules.rules())
      try rules.report(result, json: sender.json)
    } catch let error as CaptureError {
      printError(error.description)
      throw ExitCode.failure
    }
  }

  private static func shell(_ command: String) async {
    await withCheckedContinuation { continuation in
      let process = Process()
      process.executableURL = URL(fileURLWithPath: "/bin/sh")
      process.arguments = ["-c", command]
      process.standardInput = FileHandle.nullDevice
      process.standardOutput = FileHandle.standardError
      process.terminationHandler = { ended in
        if ended.terminationStatus != 0 { printError("--at-loss ended with \(ended.terminationStatus)") }
        continuation.resume()
      }
      do { try process.run() } catch {
        printError("--at-loss cannot be run: \(error)")
        continuation.resume()
      }
    }
  }
}
