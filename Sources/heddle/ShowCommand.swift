// heddle show session.pcap --method TurnService/Start

import ArgumentParser
import HeddleCapture
import HeddleCore
import HeddleProtocol
import HeddleReplay

struct ShowCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "show", abstract: "Print a capture: one frame a line.",
    discussion: "Connection, seconds since the first frame, direction, kind, method, stream, bytes, message as JSON.")

  @Argument(help: "The capture, or a pcap of packets.")
  var file: String

  @Option(
    name: .long, help: "Only frames of this method, and events of its streams.", completion: .list(Method.names))
  var method: String?

  @Option(
    name: .long, help: "Only frames of this kind: \(Self.kinds.joined(separator: ", ")).",
    completion: .list(Self.kinds))
  var kind: String?

  @Option(name: .long, help: "Only this connection, from 1.")
  var connection: Int?

  @Option(name: .long, help: "Only this stream.")
  var stream: UInt32?

  @Option(name: .long, help: "Only frames that hold this id, a UUID.")
  var id: String?

  @Flag(name: .long, help: "One JSON object a line.")
  var json = false

  @Flag(name: .long, help: "Leave messages out.")
  var brief = false

  /// Kinds of frames, the end of a connection, and a place where frames are missing.
  static let kinds = FrameKind.allCases.filter { $0 != .unspecified }.map(\.name) + ["CLOSE", "LOST"]

  func validate() throws {
    if let kind, !Self.kinds.contains(kind.uppercased()), !kind.uppercased().hasPrefix("KIND ") {
      throw ValidationError("There is no kind \(kind); there are \(Self.kinds.joined(separator: ", ")).")
    }
    if let method, Method(path: method) == nil { throw ValidationError(Method.unknown(method)) }
    if let id, ItemID(id) == nil { throw ValidationError("--id needs a UUID.") }
  }

  func run() throws {
    var filter = CaptureFilter(connection: connection.map { $0 - 1 }, stream: stream, kind: kind?.uppercased())
    filter.method = method.flatMap { Method(path: $0) }
    filter.id = id.flatMap { ItemID($0) }?.bytes
    let capture: Capture
    do { capture = try Capture(path: file) } catch {
      printError(error.description)
      throw ExitCode.failure
    }
    let lines = CaptureLines(capture, filter: filter, showsMessages: !brief)
    for line in lines {
      guard printLine(json ? line.json.written() : line.text) else { return }
    }
    for problem in capture.problems { printError(problem) }
    if !capture.problems.isEmpty { throw ExitCode.failure }
  }
}
