// The part of the tap that is not on an event loop: takes batches of all loops, puts them into the order of time, cuts
// frames, chooses, scrubs and writes them.
//
// Loops hand over within some 10 ms, so what is older than 60 ms can be written: nothing older will come. Half of the room
// taken is reason enough not to wait; a frame that comes late then carries the time of the one before it.

import Dispatch
import HeddleCapture
import HeddleCore
import HeddleProtocol
import NIOCore
import Synchronization

/// Bounds of one recording.
struct TapBounds: Sendable {
  /// Of the file.
  var bytes: Int
  var milliseconds: Int
  /// What the disk must have left.
  var freeBytes = 128 << 20
}

/// Confined to its queue, which is the proof for `@unchecked Sendable`, but for what is constant or says otherwise.
final class TapWriter: @unchecked Sendable {
  /// How a recording stands. Read by anybody.
  struct Standing: Sendable {
    var progress = CaptureProgress()
    var end: CaptureEnd = .unspecified
    var elapsedMilliseconds: UInt64 = 0
  }

  private struct Entry {
    var at: Int64
    var connection: ConnectionID
    var event: TapBatch.Event
    /// Of the batch that a piece is in.
    var bytes: [UInt8]
    var cost: Int
  }

  /// One connection of the recording.
  private struct Talk {
    var path: CapturePath
    /// Streams that concern the thread.
    var streams: Set<UInt32>
    /// Bytes of a skipped frame that are still to come.
    var skipping = 0
  }

  let room: TapRoom
  private let queue = DispatchQueue(label: "heddle.tap")
  private let writer: CaptureWriter
  private let descriptor: Int32
  private let thread: ThreadID?
  private let bounds: TapBounds
  private let began: Int64
  /// Between the clock that people set and the one that nobody does.
  private let offset: Int64
  private let ended: @Sendable (Standing) -> Void

  private var entries: [Entry] = []
  private var waitingBytes = 0
  private var talks: [ConnectionID: Talk] = [:]
  private var isScheduled = false
  private var end: CaptureEnd = .unspecified
  private var diskCheckedAt = 0
  private let standing = Mutex(Standing())

  private static let settled: Int64 = 60_000_000

  /// Calls the body on the queue when so many milliseconds are over.
  typealias Alarm = (_ queue: DispatchQueue, _ milliseconds: Int, _ body: @escaping @Sendable () -> Void) -> Void

  /// Takes the descriptor of an empty file over. `ended` is called once, when everything is in the file.
  init(
    descriptor: Int32, thread: ThreadID?, room: TapRoom, bounds: TapBounds,
    alarm: Alarm = { $0.asyncAfter(deadline: .now() + .milliseconds($1), execute: $2) },
    ended: @escaping @Sendable (Standing) -> Void
  ) {
    self.descriptor = descriptor
    self.thread = thread
    self.room = room
    self.bounds = bounds
    self.ended = ended
    writer = CaptureWriter(descriptor: descriptor, scrubber: Scrubber(), maximumBytes: bounds.bytes)
    began = Self.monotonic()
    offset = wallNanoseconds() - began
    alarm(queue, bounds.milliseconds) { [weak self] in
      self?.write(upTo: .max)
      self?.finish(.time)
    }
  }

  private static func monotonic() -> Int64 { Int64(clamping: NIODeadline.now().uptimeNanoseconds) }

  /// For the entries of batches.
  func now() -> Int64 { Self.monotonic() + offset }

  func stand() -> Standing {
    standing.withLock {
      var now = $0
      if now.end == .unspecified { now.elapsedMilliseconds = elapsed }
      return now
    }
  }

  private var elapsed: UInt64 { UInt64(clamping: (Self.monotonic() - began) / 1_000_000) }

  // MARK: Taking

  func take(_ batch: TapBatch) {
    queue.async {
      guard self.end == .unspecified else { return }
      for entry in batch.entries {
        self.waitingBytes += entry.cost
        self.entries.append(
          Entry(
            at: entry.at, connection: entry.connection, event: entry.event, bytes: batch.bytes, cost: entry.cost))
      }
      if self.waitingBytes > self.room.limit / 2 { self.write(upTo: .max) }
      self.schedule()
    }
  }

  /// Everything that was taken is written, then the file is closed.
  func stop(_ reason: CaptureEnd) {
    queue.async {
      self.write(upTo: .max)
      self.finish(reason)
    }
  }

  private func schedule() {
    guard !isScheduled, !entries.isEmpty else { return }
    isScheduled = true
    queue.asyncAfter(deadline: .now() + .nanoseconds(Int(Self.settled))) {
      self.isScheduled = false
      self.write(upTo: self.now() - Self.settled)
      self.schedule()
    }
  }

  // MARK: Writing

  private func write(upTo time: Int64) {
    guard end == .unspecified, !entries.isEmpty else { return }
    let all = entries
    // Those of one loop are in order already, and must stay so where two times are equal.
    let order = all.indices.sorted { (all[$0].at, $0) < (all[$1].at, $1) }
    let due = order.prefix { all[$0].at <= time }
    entries = order[due.endIndex...].map { all[$0] }
    var written = 0
    for index in due where end == .unspecified {
      write(all[index])
      written += all[index].cost
    }
    waitingBytes -= written
    room.give(written)
    writer.flush()
    checkDisk()
    tell()
  }

  private func write(_ entry: Entry) {
    switch entry.event {
    case .opened(let path, let streams): talks[entry.connection] = Talk(path: path, streams: Set(streams))
    case .closed(let fromClient):
      guard let talk = talks.removeValue(forKey: entry.connection) else { return }
      fits(writer.writeEnd(at: entry.at, path: talk.path, fromClient: fromClient))
    case .lost(let frames, let bytes):
      guard let talk = talks[entry.connection] else { return }
      // Where a skipped frame would have ended is not known any more.
      talks[entry.connection]?.skipping = 0
      fits(writer.writeLost(frames: frames, bytes: bytes, at: entry.at, path: talk.path))
    case .piece(let range, let fromClient):
      guard var talk = talks[entry.connection] else { return }
      entry.bytes.withUnsafeBytes { all in
        let bytes = UnsafeRawBufferPointer(rebasing: all[range])
        let skipping = TapFrames.each(bytes, skipping: fromClient ? talk.skipping : 0) { header, body in
          guard end == .unspecified, concerns(header, body, fromClient, &talk) else { return }
          fits(writer.write(header, Array(body), at: entry.at, path: talk.path, fromClient: fromClient))
        }
        if fromClient { talk.skipping = skipping }
      }
      talks[entry.connection] = talk
    }
  }

  private func fits(_ did: Bool) {
    if !did { finish(.bytes) }
  }

  /// Of a thread's recording: requests that name it, what follows on their streams, and notices about it.
  private func concerns(
    _ header: FrameHeader, _ body: UnsafeRawBufferPointer, _ fromClient: Bool, _ talk: inout Talk
  ) -> Bool {
    guard let thread else { return true }
    let isNotice = header.stream == 0 && header.knownKind == .event
    if header.knownKind == .request || isNotice {
      guard names(thread, header, body, fromClient) else { return false }
      if !isNotice { talk.streams.insert(header.stream) }
      return true
    }
    guard talk.streams.contains(header.stream) else { return false }
    // A request of the server is answered without an end flag, or taken back.
    let isCall = header.stream % 2 == 0
    let isAnswer = header.knownKind == .response || header.knownKind == .error
    if isCall ? (isAnswer && fromClient) || header.knownKind == .cancel : isAnswer && header.isEnd {
      talk.streams.remove(header.stream)
    }
    return true
  }

  private func names(
    _ thread: ThreadID, _ header: FrameHeader, _ body: UnsafeRawBufferPointer, _ fromClient: Bool
  ) -> Bool {
    guard let schema = FrameMessages.schema(header, fromClient: fromClient) else { return false }
    var isNamed = false
    let message = UnsafeRawBufferPointer(rebasing: body[Int(header.metadataLength)...])
    IDScan.ids(message, schema: schema) { found in
      if found.kind == IDScan.threadKind, found.id.high == thread.high, found.id.low == thread.low { isNamed = true }
    }
    return isNamed
  }

  /// A recording never takes the room that threads need.
  private func checkDisk() {
    guard end == .unspecified else { return }
    if writer.progress.failed { return finish(.disk) }
    let bytes = writer.progress.bytes
    guard bytes - diskCheckedAt >= 1 << 20 else { return }
    diskCheckedAt = bytes
    if let free = CaptureFolder.freeBytes(descriptor), free < bounds.freeBytes { finish(.disk) }
  }

  private func finish(_ reason: CaptureEnd) {
    guard end == .unspecified else { return }
    end = reason
    entries = []
    talks = [:]
    writer.close()
    if writer.progress.failed { end = .disk }
    tell()
    ended(stand())
  }

  private func tell() {
    let progress = writer.progress
    let (end, elapsed) = (end, elapsed)
    standing.withLock {
      // Batches that were on their way may come behind the end, which stays when it was.
      let elapsed = $0.end == .unspecified ? elapsed : $0.elapsedMilliseconds
      $0 = Standing(progress: progress, end: end, elapsedMilliseconds: elapsed)
    }
  }
}

extension FrameHeader {
  fileprivate var isEnd: Bool { flags & FrameHeader.endOfStream != 0 }
}
