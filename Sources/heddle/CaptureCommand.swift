// heddle capture --listen 127.0.0.1:7500 --upstream 127.0.0.1:7420 -o session.pcap
// heddle capture --import tcpdump.pcap -o session.pcap
// heddle capture --tap start --server 127.0.0.1:7420 --tenant acme --seconds 60

import ArgumentParser
import Foundation
import HeddleCapture
import HeddleClient
import HeddleJSON
import HeddleProtocol
import HeddleReplay

struct CaptureCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "capture", abstract: "Record frames: as a proxy, in the server, or out of a pcap of packets.",
    discussion: """
      The file is pcap (link type 252) and opens in Wireshark. Tokens are never written; text that the schema marks as \
      sensitive is overwritten, unless --keep-text is given. A proxy prints one JSON object when it is ready and ends \
      on SIGINT or SIGTERM; --tls and its files are for its way to the server, and clients speak plain frames to it, so it \
      belongs on their machine. With --tap the server itself records, into the folder that its operator has configured; \
      that needs an operator's token.
      """)

  @Option(name: .long, help: "Where clients connect, HOST:PORT; port 0 chooses one.")
  var listen = ServerAddress(host: "127.0.0.1", port: 0)

  @Option(name: .long, help: "The server that they reach, HOST:PORT.")
  var upstream: ServerAddress?

  @Option(name: .customLong("import"), help: "Read packets that tcpdump wrote instead of listening.")
  var packets: String?

  @Option(name: [.short, .long], help: "The capture to write.")
  var output: String?

  @Flag(name: .long, help: "Leave text as it is: for servers that hold nobody's.")
  var keepText = false

  @OptionGroup var tap: TapOptions

  @OptionGroup var client: ClientOptions

  func validate() throws {
    let ways = [upstream != nil, packets != nil, tap.tap != nil].count { $0 }
    if ways != 1 { throw ValidationError("Name one of --upstream, --import and --tap.") }
    if tap.tap == nil, output == nil { throw ValidationError("Name the capture to write: --output FILE.") }
    if tap.tap != nil, output != nil || keepText {
      throw ValidationError("The server chooses the file and leaves text out: no --output or --keep-text with --tap.")
    }
    if tap.tap == nil, tap.isGiven {
      throw ValidationError("--thread, --tenant, --share, --seconds and --bytes are for --tap start.")
    }
  }

  func run() async throws {
    if let action = tap.tap { return try await tap.call(action, client) }
    guard let output else { return }
    do {
      let writer = try CaptureWriter(path: output, scrubber: Scrubber(keepsText: keepText))
      if let packets { try importPackets(packets, writer) } else if let upstream { try await proxy(upstream, writer) }
      writer.close()
      if writer.progress.failed { throw CaptureFailure(description: "the disk refused frames: \(output) is not whole") }
      printLine(JSONValue.object(["frames": .count(writer.progress.frames), "file": .text(output)]).written())
    } catch {
      printError("\(error)")
      throw ExitCode.failure
    }
  }

  private func importPackets(_ path: String, _ writer: CaptureWriter) throws {
    let capture = try Capture(path: path)
    let paths = capture.connections.map(\.path)
    for frame in capture.frames {
      let path = paths[frame.connection]
      if let header = frame.header {
        writer.write(header, frame.body, at: frame.at, path: path, fromClient: frame.fromClient)
      } else {
        writer.writeEnd(at: frame.at, path: path, fromClient: frame.fromClient)
      }
    }
    for problem in capture.problems { printError(problem) }
  }

  private func proxy(_ upstream: ServerAddress, _ writer: CaptureWriter) async throws {
    let encryption = try client.encryption(host: upstream.host)
    let proxy: CaptureProxy
    do {
      proxy = try await CaptureProxy.start(
        host: listen.host, port: listen.port, upstream: (upstream.host, upstream.port), writer: writer,
        encryption: encryption
      ) { error in
        if let words = ClientTLS.words(error) { printError("no TLS with the server at \(upstream): \(words)") }
      }
    } catch { throw CaptureFailure(description: "cannot listen on \(listen): \(SocketFault.words(error))") }
    let signals = await Signals.caught()
    let ready = ServerAddress(host: listen.host, port: proxy.port)
    printLine(
      JSONValue.object([
        "ready": .bool(true), "listen": .text("\(ready)"), "pid": .count(ProcessInfo.processInfo.processIdentifier),
      ]).written())
    // Frames that wait are written twice a second: a proxy that is killed loses no more than that.
    let flushing = Task {
      while !Task.isCancelled {
        try await Task.sleep(for: .milliseconds(500))
        writer.flush()
      }
    }
    await signals.wait()
    flushing.cancel()
    try await proxy.stop()
  }
}

struct CaptureFailure: Error, CustomStringConvertible { let description: String }
