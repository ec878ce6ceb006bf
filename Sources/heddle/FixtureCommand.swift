// heddle fixture session.pcap --listen 127.0.0.1:7500

import ArgumentParser
import Foundation
import HeddleCapture
import HeddleClient
import HeddleJSON
import HeddleReplay

struct FixtureCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "fixture", abstract: "Answer clients from a recording, for tests that have no server.",
    discussion: """
      A request gets the recorded answer to the same request, and the events that followed it. Record a session with \
      `heddle capture --keep-text`. Prints one JSON object when it is ready, and one with counts when it ends, on SIGINT \
      or SIGTERM; requests that the recording cannot answer are refused with `not_recorded`, are named on standard error, \
      and make the exit code 1.
      """)

  @Argument(help: "The capture, or a pcap of packets.")
  var file: String

  @Option(name: .long, help: "Where clients connect, HOST:PORT; port 0 chooses one.")
  var listen = ServerAddress(host: "127.0.0.1", port: 0)

  func run() async throws {
    let counts: FixtureCounts
    do {
      let capture = try Capture(path: file)
      for problem in capture.problems { printError(problem) }
      let recording = try FixtureRecording(capture)
      let server: FixtureServer
      do {
        server = try await FixtureServer.start(recording, host: listen.host, port: listen.port) { printError($0) }
      } catch { throw CaptureFailure(description: "cannot listen on \(listen): \(SocketFault.words(error))") }
      let signals = await Signals.caught()
      printLine(
        JSONValue.object([
          "ready": .bool(true), "listen": .text("\(ServerAddress(host: listen.host, port: server.port))"),
          "requests": .count(recording.requestCount), "pid": .count(ProcessInfo.processInfo.processIdentifier),
        ]).written())
      await signals.wait()
      counts = try await server.stop()
    } catch {
      printError("\(error)")
      throw ExitCode.failure
    }
    printLine(
      JSONValue.object([
        "connections": .count(counts.connections), "answered": .count(counts.answered),
        "not_recorded": .count(counts.notRecorded),
      ]).written())
    if counts.notRecorded > 0 { throw ExitCode.failure }
  }
}
