// heddle capture --tap start --server 127.0.0.1:7420 --tenant acme --seconds 60
// heddle capture --tap stop --server 127.0.0.1:7420

import ArgumentParser
import HeddleClient
import HeddleCore
import HeddleProtocol

enum TapAction: String, CaseIterable, ExpressibleByArgument { case start, stop, status }

struct TapOptions: ParsableArguments {
  @Option(name: .long, help: "Recording in the server: start, stop or status.")
  var tap: TapAction?

  @Option(name: .long, help: "Only what concerns this thread, a UUID.")
  var thread: String?

  @Option(name: .long, help: "Only connections of this tenant.")
  var tenant: String?

  @Option(name: .long, help: "Only so many of 1,000 connections: 1 to 1000; 1000 is all of them.")
  var share: UInt32?

  @Option(name: .long, help: "End after so many seconds (default: 300).")
  var seconds: Double?

  @Option(name: .long, help: "End before the file is longer than this (default: 67108864).")
  var bytes: UInt64?

  var isGiven: Bool { thread != nil || tenant != nil || share != nil || seconds != nil || bytes != nil }

  func validate() throws {
    if let thread, ThreadID(thread) == nil { throw ValidationError("--thread needs a UUID.") }
    if let seconds, !(0.001...86_400).contains(seconds) { throw ValidationError("--seconds: 0.001 to 86400.") }
    if tap == .start, thread == nil, tenant == nil, share == nil {
      throw ValidationError("Name what to record: --thread, --tenant or --share.")
    }
    if tap == .stop || tap == .status, isGiven { throw ValidationError("--tap stop and status take no conditions.") }
  }

  /// Prints how the recording stands as one JSON object.
  func call(_ action: TapAction, _ client: ClientOptions) async throws {
    let connection = try await client.connectOrExplain()
    let request: Request =
      switch action {
      case .start:
        .serverStartCapture(
          StartCaptureRequest(
            thread: thread.flatMap { ThreadID($0) }, tenant: tenant, share: share, maxBytes: bytes,
            maxMs: seconds.map { UInt64($0 * 1_000) }))
      case .stop: .serverStopCapture(StopCaptureRequest())
      case .status: .serverReadCapture(ReadCaptureRequest())
      }
    do {
      var codec = Codec()
      let method = request.method
      let answer = try await connection.callRaw(method, payload: codec.encode(request))
      printLine(try JSONTranscoder.json(answer, schema: method.responseSchema))
      await connection.close()
    } catch let error as HeddleError where error.kind == .refused {
      printError(try error.json())
      throw ExitCode.failure
    }
  }
}
