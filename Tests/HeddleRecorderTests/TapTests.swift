// The tap without sockets: what is cut, chosen, put into order, left out, and what ends a recording.

import Foundation
import HeddleCapture
import HeddleCore
import HeddleMetrics
import HeddleProtocol
import HeddleReplay
import Synchronization
import Testing

@testable import HeddleRecorder

private func frame(
  _ kind: FrameKind, _ method: HeddleCore.Method = .unspecified, _ stream: UInt32 = 0, flags: UInt8 = 0,
  _ message: some WireMessage
) -> [UInt8] {
  var codec = Codec()
  let body = codec.encode(message)
  var out = [UInt8]()
  FrameHeader(
    kind, method: UInt16(clamping: method.rawValue), stream: stream, flags: flags, length: UInt32(body.count)
  ).append(to: &out)
  return out + body
}

private func frame(_ kind: FrameKind, _ message: some WireMessage) -> [UInt8] {
  frame(kind, .unspecified, 0, message)
}

/// A writer on a file of its own.
private final class Recording: Sendable {
  let path = NSTemporaryDirectory() + "heddle-tap-\(UUID().uuidString)"
  let room = TapRoom(limit: 1 << 20, CaptureMetrics())
  let writer: TapWriter
  private let end: AsyncStream<TapWriter.Standing>
  /// The end of its time, which comes when a test says so.
  private let timeIsOver: Mutex<(queue: DispatchQueue, body: @Sendable () -> Void)?>
  let milliseconds: Int
  static let connection = ConnectionID(high: 1, low: 1)
  static let path = CapturePath(
    client: Endpoint(address: [10, 0, 0, 1], port: 50_000), server: Endpoint(address: [10, 0, 0, 2], port: 7420))

  init(thread: ThreadID? = nil, bytes: Int = 1 << 20, freeBytes: Int = 0, file: String? = nil) {
    let descriptor = open(file ?? path, O_WRONLY | O_CREAT, 0o600)
    let (end, ended) = AsyncStream.makeStream(of: TapWriter.Standing.self)
    self.end = end
    var alarm: (queue: DispatchQueue, body: @Sendable () -> Void)?
    var milliseconds = 0
    writer = TapWriter(
      descriptor: descriptor, thread: thread, room: room,
      bounds: TapBounds(bytes: bytes, milliseconds: 600_000, freeBytes: freeBytes),
      alarm: {
        alarm = ($0, $2)
        milliseconds = $1
      }
    ) { standing in
      ended.yield(standing)
      ended.finish()
    }
    timeIsOver = Mutex(alarm)
    self.milliseconds = milliseconds
  }

  /// Its time is over: the writer finds that out behind everything that it was given before.
  func endTime() {
    timeIsOver.withLock { alarm in
      if let alarm { alarm.queue.async(execute: alarm.body) }
    }
  }

  /// The standing at its end, whoever ends it.
  func ended() async -> TapWriter.Standing? { await end.first { _ in true } }

  deinit { unlink(path) }

  /// `at` is counted from a time that does not come, so that nothing is written before the end.
  func take(_ at: Int64, _ event: TapBatch.Event, bytes: [UInt8] = []) {
    let cost = room.take(1) ? 1 : 0
    let at = writer.now() / 3_600_000_000_000 * 3_600_000_000_000 + 7_200_000_000_000 + at
    writer.take(
      TapBatch(bytes: bytes, entries: [.init(connection: Self.connection, at: at, event: event, cost: cost)]))
  }

  func begin(streams: [UInt32] = []) { take(0, .opened(Self.path, streams: streams)) }

  func piece(_ bytes: [UInt8], at: Int64 = 1, fromClient: Bool) {
    take(at, .piece(0..<bytes.count, fromClient: fromClient), bytes: bytes)
  }

  func stopped() async -> TapWriter.Standing? {
    writer.stop(.stopped)
    return await end.first { _ in true }
  }

  func capture() throws -> Capture { try Capture(path: path) }
}

@Suite struct TapTests {
  private let thread = ThreadID(high: 5, low: 6)

  private func kinds(_ capture: Capture) -> [UInt8?] { capture.frames.map { $0.header?.kind } }

  @Test func piecesAreCutWhereverASkippedFrameEnds() {
    let ping = frame(.ping, Ping(opaque: [1, 2, 3]))
    var skipped = [UInt8]()
    FrameHeader(kind: 200, length: 50).append(to: &skipped)
    let whole = ping + skipped + [UInt8](repeating: 9, count: 50) + ping
    for cut in ping.count + FrameHeader.byteCount...whole.count - ping.count {
      var seen = [UInt8]()
      var rest = 0
      for piece in [Array(whole[..<cut]), Array(whole[cut...])] {
        rest = piece.withUnsafeBytes { TapFrames.each($0, skipping: rest) { header, _ in seen.append(header.kind) } }
      }
      #expect(seen.filter { $0 != 200 } == [7, 7] && rest == 0, "cut at \(cut)")
    }
  }

  @Test func bytesThatAreNoFrameEndAPiece() {
    let ping = frame(.ping, Ping(opaque: [1]))
    for garbage in [Array("HTTP/1.1 400 Bad Request\r\n".utf8), [0xFA], Array(ping.prefix(10))] {
      var seen = 0
      let rest = (ping + garbage).withUnsafeBytes { TapFrames.each($0) { _, _ in seen += 1 } }
      #expect(seen == 1 && rest == 0)
    }
  }

  @Test func theRoomHasABound() {
    let room = TapRoom(limit: 100, CaptureMetrics())
    #expect(room.take(60) && room.take(40) && !room.take(1))
    room.give(40)
    #expect(!room.take(41) && room.take(40) && !room.take(101))
  }

  @Test func batchesOfTwoLoopsAreWrittenInTheOrderOfTime() async throws {
    let recording = Recording()
    recording.begin()
    recording.piece(frame(.pong, Pong(opaque: [2])), at: 20, fromClient: false)
    recording.piece(frame(.ping, Ping(opaque: [1])), at: 10, fromClient: true)
    recording.take(30, .closed(fromClient: true))
    let end = try #require(await recording.stopped())
    #expect(end.end == .stopped && end.progress.frames == 2)
    let capture = try recording.capture()
    #expect(kinds(capture) == [7, 8, nil] && capture.frames.map(\.fromClient) == [true, false, true])
    #expect(recording.room.take(1 << 20), "what was written takes no room any more")
  }

  @Test func lossesAreToldWhereTheyAre() async throws {
    let recording = Recording()
    recording.begin()
    recording.piece(frame(.ping, Ping()), at: 1, fromClient: true)
    recording.take(2, .lost(frames: 3, bytes: 400))
    recording.piece(frame(.ping, Ping()), at: 3, fromClient: true)
    _ = await recording.stopped()
    let capture = try recording.capture()
    #expect(kinds(capture) == [7, CaptureFormat.lostKind, 7])
    #expect(capture.problems == ["connection 1: 3 frames, 400 bytes, are missing"])
  }

  @Test func aThreadsRecordingFollowsItsStreamsToTheirEnd() async throws {
    let recording = Recording(thread: thread)
    let other = ThreadID(high: 5, low: 7)
    recording.begin(streams: [3])
    let event = SubscriptionEvent(kind: .live(Live(sequence: 4)))
    for (bytes, fromClient) in [
      (frame(.event, .threadSubscribe, 3, event), false),
      (frame(.event, .threadSubscribe, 5, event), false),
      (frame(.request, .threadRead, 7, ReadThreadRequest(thread: thread)), true),
      (frame(.request, .threadRead, 9, ReadThreadRequest(thread: other)), true),
      (frame(.error, .threadRead, 7, flags: FrameHeader.endOfStream, WireError()), false),
      (frame(.error, .threadRead, 9, flags: FrameHeader.endOfStream, WireError()), false),
      // Its stream has ended.
      (frame(.event, .threadSubscribe, 7, event), false),
      // A question to the client, and its answer.
      (frame(.request, .clientCallTool, 2, CallToolRequest(thread: thread)), false),
      (frame(.request, .clientCallTool, 4, CallToolRequest(thread: other)), false),
      (frame(.response, .clientCallTool, 2, CallToolResponse()), true),
      (frame(.response, .clientCallTool, 4, CallToolResponse()), true),
      (frame(.response, .clientCallTool, 2, CallToolResponse()), true),
      // Notices.
      (frame(.event, SubscriptionEvent(kind: .threadStarted(ThreadStartedNotice(thread: thread)))), false),
      (frame(.event, SubscriptionEvent(kind: .threadStarted(ThreadStartedNotice(thread: other)))), false),
      (frame(.ping, Ping()), true),
    ] { recording.piece(bytes, fromClient: fromClient) }
    _ = await recording.stopped()
    let capture = try recording.capture()
    #expect(capture.frames.map { $0.header?.stream } == [3, 7, 7, 2, 2, 0])
  }

  @Test func itEndsWithTheLastFrameThatFits() async throws {
    let ping = frame(.ping, Ping(opaque: [UInt8](repeating: 1, count: 60)))
    let recording = Recording(bytes: 4_000)
    recording.begin()
    for time in 1...100 { recording.piece(ping, at: Int64(time), fromClient: true) }
    let end = try #require(await recording.stopped())
    #expect(end.end == .bytes && end.progress.bytes <= 4_000 && end.progress.bytes > 3_800)
    #expect(try recording.capture().frames.count == end.progress.frames)
  }

  @Test func itEndsAtItsTimeAndWhatCameBeforeIsInTheFile() async throws {
    let ping = frame(.ping, Ping(opaque: [1]))
    let recording = Recording()
    #expect(recording.milliseconds == 600_000)
    recording.begin()
    for time in 1...10 { recording.piece(ping, at: Int64(time), fromClient: true) }
    #expect(recording.writer.stand().end == .unspecified)
    recording.endTime()
    #expect(await recording.ended()?.end == .time)
    recording.piece(ping, at: 11, fromClient: true)
    #expect(try recording.capture().frames.count == 10)
  }

  @Test func aFullDiskEndsItAndNothingElse() async throws {
    let refused = Recording(file: "/dev/full")
    refused.begin()
    refused.piece(frame(.ping, Ping()), fromClient: true)
    #expect(await refused.stopped()?.end == .disk)
    let scarce = Recording(bytes: 64 << 20, freeBytes: .max)
    scarce.begin()
    let large = frame(.ping, Ping(opaque: [UInt8](repeating: 1, count: 2 << 20)))
    scarce.piece(large, fromClient: true)
    #expect(await scarce.stopped()?.end == .disk)
  }

  @Test func anyBytesAreTaken() async throws {
    var random = IDGenerator(seed: 5)
    let recording = Recording(thread: thread)
    recording.begin()
    let bytes = frame(.request, .threadRead, 7, ReadThreadRequest(thread: thread))
    for _ in 0..<5_000 {
      var damaged = bytes
      for _ in 0..<3 { damaged[Int(random.random() % UInt64(damaged.count))] = UInt8(random.random() & 255) }
      damaged.removeLast(Int(random.random() % UInt64(damaged.count)))
      recording.piece(damaged, fromClient: random.random() & 1 == 0)
    }
    #expect(await recording.stopped()?.end == .stopped)
    _ = try recording.capture()
  }
}
