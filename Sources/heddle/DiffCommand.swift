// heddle diff recorded.pcap replayed.pcap --ignore 'ThreadService/Read.thread.usage.*'

import ArgumentParser
import Foundation
import HeddleCapture
import HeddleJSON
import HeddleProtocol
import HeddleReplay

/// Which differences count.
struct DiffOptions: ParsableArguments {
  @Option(name: .long, help: "A field path that does not count; * stands for anything. May be given several times.")
  var ignore: [String] = []

  @Option(name: .long, help: "A file of such paths, as --learn writes it.")
  var noise: String?

  func rules() throws -> DiffRules {
    var ignored = ignore
    if let noise {
      guard let text = FileManager.default.contents(atPath: noise) else {
        throw ValidationError("\(noise) cannot be read.")
      }
      guard case .list(let paths) = try JSONValue(parsing: String(decoding: text, as: UTF8.self)) else {
        throw ValidationError("\(noise) is no JSON list of field paths.")
      }
      for case .text(let path) in paths { ignored.append(path) }
    }
    return DiffRules(ignored: ignored)
  }

  /// Prints a comparison; exit code 1 when there is a difference.
  func report(_ result: DiffResult, json: Bool) throws {
    if json {
      printLine(result.json.written())
    } else {
      for difference in result.differences { guard printLine(difference.description) else { break } }
      printLine(
        "\(result.differences.count) differences in \(result.answers) answers and \(result.events) events: "
          + "\(result.fields) fields compared, \(result.ids) ids mapped, \(result.ignored) differences ignored")
    }
    if !result.differences.isEmpty { throw ExitCode.failure }
  }
}

struct DiffCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "diff", abstract: "Compare two captures of the same requests, field by field.",
    discussion: """
      A recording and its replay, or replays against two servers. Ids may differ as long as they do so everywhere \
      alike; clocks do not count. Exits with 1 when there is a difference.
      """)

  @Argument(help: "The first capture.")
  var before: String

  @Argument(help: "The second one.")
  var after: String

  @OptionGroup var options: DiffOptions

  @Option(name: .long, help: "A capture of a run that should equal the second: where these two differ is noise.")
  var equal: String?

  @Option(name: .long, help: "Write the paths that differ to this file, to be given as --noise; exit with 0.")
  var learn: String?

  @Flag(name: .long, help: "Print one JSON object.")
  var json = false

  func run() throws {
    do {
      let first = try Capture(path: before)
      let second = try Capture(path: after)
      var rules = try options.rules()
      if let equal {
        rules.ignored += CaptureDiff.compare(second, try Capture(path: equal), rules: rules).paths
      }
      let result = CaptureDiff.compare(first, second, rules: rules)
      guard let learn else { return try options.report(result, json: json) }
      let paths = JSONValue.list(result.paths.map { .text($0) })
      try Data((paths.written(pretty: true) + "\n").utf8).write(to: URL(fileURLWithPath: learn))
      printLine("\(result.paths.count) paths written to \(learn)")
    } catch let error as CaptureError {
      printError(error.description)
      throw ExitCode.failure
    }
  }
}
