// Batches of all loops in the order of time: frames are cut, chosen, scrubbed and written.

import HeddleCapture
import HeddleCore
import HeddleProtocol

struct TapOrder {
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

  private let room: TapRoom
  private let writer: CaptureWriter
  private let descriptor: Int32
  private let thread: ThreadID?
  private let freeBytes: Int

  private var entries: [Entry] = []
  private var waitingBytes = 0
  private var talks: [ConnectionID: Talk] = [:]
  private var diskCheckedAt = 0
  private(set) var end: CaptureEnd = .unspecified
  /// The queue comes back to entries that are too young to be written.
  var isScheduled = false

  init(descriptor: Int32, thread: ThreadID?, room: TapRoom, bounds: TapBounds) {
    self.descriptor = descriptor
    self.thread = thread
    self.room = room
    freeBytes = bounds.freeBytes
    writer = CaptureWriter(descriptor: descriptor, scrubber: Scrubber(), maximumBytes: bounds.bytes)
  }

  var progress: CaptureProgress { writer.progress }

  var isHalfFull: Bool { waitingBytes > room.limit / 2 }

  mutating func take(_ batch: TapBatch) {
    guard end == .unspecified else { return }
    for entry in batch.entries {
      waitingBytes += entry.cost
      entries.append(
        Entry(at: entry.at, connection: entry.connection, event: entry.event, bytes: batch.bytes, cost: entry.cost))
    }
  }

  /// Whether entries wait that nobody has been told to come back to; they count as told of now.
  mutating func needsWake() -> Bool {
    guard !isScheduled, !entries.isEmpty else { return false }
    isScheduled = true
    return true
  }

  mutating func write(upTo time: Int64) {
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
  }

  private mutating func write(_ entry: Entry) {
    switch entry.event {
    case .opened(let path, let streams): talks[entry.connection] = Talk(path: path, streams: Set(streams))
    case .closed(let fromClient):
      guard let talk = talks.removeValue(forKey: entry.connection) else { return }
      fits(writer.writeEnd(at: entry.at, path: talk.path, fromClient: fromClient))
    case .lost(let frames, let bytes):
      guard let talk = talks[entry.connection] else { return }
      // The end of a skipped frame is not known any more.
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

  private mutating func fits(_ did: Bool) {
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
  private mutating func checkDisk() {
    guard end == .unspecified else { return }
    if writer.progress.failed { return finish(.disk) }
    let bytes = writer.progress.bytes
    guard bytes - diskCheckedAt >= 1 << 20 else { return }
    diskCheckedAt = bytes
    if let free = CaptureFolder.freeBytes(descriptor), free < freeBytes { finish(.disk) }
  }

  /// Closes the file; entries that were not written are left out.
  mutating func finish(_ reason: CaptureEnd) {
    guard end == .unspecified else { return }
    end = reason
    entries = []
    talks = [:]
    writer.close()
    if writer.progress.failed { end = .disk }
  }
}

extension FrameHeader {
  fileprivate var isEnd: Bool { flags & FrameHeader.endOfStream != 0 }
}
