// The tap: what connections of this server hear and say, copied for a recording (docs/replay.md). This file is the part on
// the event loops; it copies bytes into a batch and hands the batch on. Frames are cut, chosen, scrubbed and written by
// TapWriter, on a queue of its own.
//
// W1  Without a recording `LoopState.observer` is nil, and looking at it once a batch is all that a connection does.
// W2  A piece holds the bytes that one batch of a connection served, or one of its writes. It contains whole frames only,
//     except for skipped frames.
// W3  Bytes that wait to be written have a bound. A piece that does not fit is left out, counted, and noted at its place
//     in the file; nobody waits for the disk.

import Foundation
import HeddleCapture
import HeddleCore
import HeddleMetrics
import HeddleProtocol
import HeddleService
import NIOCore

/// Which frames a recording holds: what all conditions allow.
struct TapFilter: Sendable {
  var thread: ThreadID?
  var tenant: String?
  /// Of 1,000 connections.
  var share: UInt32?

  /// Whether a connection may have frames for the recording; nil: that shows when it has said who it is.
  func covers(_ caller: any ObservedCaller) -> Bool? {
    if let share, caller.id.low % 1_000 >= UInt64(share) { return false }
    guard let tenant else { return true }
    return caller.principal.map { $0.tenant == tenant }
  }
}

/// The tap of one loop, made and used on it.
final class LoopTap: FrameObserver {
  /// One connection, as the tap sees it.
  final class Link {
    fileprivate let tap: LoopTap
    fileprivate let isCovered: Bool
    /// Something of it is in the recording. Of a thread's: whatever else the connection says may belong to it.
    fileprivate var isOpen = false
    fileprivate var lostFrames = 0
    fileprivate var lostBytes = 0

    fileprivate init(_ tap: LoopTap, isCovered: Bool) {
      self.tap = tap
      self.isCovered = isCovered
    }
  }

  private let filter: TapFilter
  let writer: TapWriter
  private let eventLoop: any EventLoop
  private let room: TapRoom
  private let id: [UInt8]?
  private var batch = TapBatch()
  private var isScheduled = false
  /// When what is told now was heard; nil: now.
  private var heardAt: Int64?
  /// Connections that have lost something that is not told yet.
  private var lossy: [ConnectionID: Link] = [:]

  private static let batchBytes = 64 * 1024
  private static let batchEntries = 1_024

  init(_ filter: TapFilter, _ writer: TapWriter, _ eventLoop: any EventLoop) {
    self.filter = filter
    self.writer = writer
    self.eventLoop = eventLoop
    room = writer.room
    id = filter.thread?.bytes
  }

  // MARK: FrameObserver

  func now() -> Int64 { writer.now() }

  /// Told when it has been served, which is when it is known what was skipped of it. By then another loop may have told
  /// what follows from it, so it has the time at which it was about to be served.
  func heard(_ caller: any ObservedCaller, _ bytes: ByteBufferView, at: Int64) {
    heardAt = at
    add(caller, bytes, fromClient: true)
    heardAt = nil
  }

  func said(_ caller: any ObservedCaller, _ bytes: ByteBufferView) { add(caller, bytes, fromClient: false) }

  func closed(_ caller: any ObservedCaller, fromClient: Bool) {
    guard let link = caller.observed as? Link, link.tap === self else { return }
    if link.isOpen {
      tellLoss(caller.id, link, cost: 0)
      // Paid for when it was opened.
      append(caller.id, .closed(fromClient: fromClient), cost: TapBatch.entryBytes)
    }
    lossy[caller.id] = nil
  }

  private func add(_ caller: any ObservedCaller, _ bytes: ByteBufferView, fromClient: Bool) {
    guard !bytes.isEmpty, let link = link(caller), isWanted(caller, link, bytes) else { return }
    let cost = bytes.count + 2 * TapBatch.entryBytes
    guard link.isOpen, room.take(cost) else { return lose(caller.id, link, bytes) }
    if link.lostFrames > 0 { tellLoss(caller.id, link, cost: 0) }
    let start = batch.bytes.count
    batch.bytes.append(contentsOf: bytes)
    append(caller.id, .piece(start..<batch.bytes.count, fromClient: fromClient), cost: cost)
  }

  private func link(_ caller: any ObservedCaller) -> Link? {
    if let link = caller.observed as? Link, link.tap === self { return link.isCovered ? link : nil }
    guard let isCovered = filter.covers(caller) else { return nil }
    let link = Link(self, isCovered: isCovered)
    caller.observed = link
    return isCovered ? link : nil
  }

  /// Of a thread's recording only connections that have named the thread, or follow it.
  private func isWanted(_ caller: any ObservedCaller, _ link: Link, _ bytes: ByteBufferView) -> Bool {
    if link.isOpen { return true }
    var streams: [UInt32] = []
    if let thread = filter.thread, let id {
      if let stream = caller.stream(following: thread) { streams = [stream] }
      guard !streams.isEmpty || Self.holds(bytes, id) else { return false }
    }
    // For its end too. Without room what it says is lost, and it is tried again with the next piece.
    guard room.take(2 * TapBatch.entryBytes) else { return true }
    link.isOpen = true
    let (client, server) = caller.addresses
    let path = CapturePath(client: Endpoint(client), server: Endpoint(server))
    append(caller.id, .opened(path, streams: streams), cost: TapBatch.entryBytes)
    return true
  }

  private static func holds(_ bytes: ByteBufferView, _ id: [UInt8]) -> Bool {
    bytes.withUnsafeBytes { bytes in
      id.withUnsafeBytes { id in
        guard let base = bytes.baseAddress, let wanted = id.baseAddress, let last = id.last else { return false }
        // By its last byte: the first ones of ids are a time, and alike.
        var at = id.count - 1
        while at < bytes.count, let found = memchr(base + at, Int32(last), bytes.count - at) {
          let end = UnsafeRawPointer(found) - base + 1
          if memcmp(base + end - id.count, wanted, id.count) == 0 { return true }
          at = end
        }
        return false
      }
    }
  }

  // MARK: Losses

  private func lose(_ connection: ConnectionID, _ link: Link, _ bytes: ByteBufferView) {
    let frames = TapFrames.count(bytes)
    link.lostFrames += frames
    link.lostBytes += bytes.count
    lossy[connection] = link
    room.dropped(frames: frames, bytes: bytes.count)
    schedule()
  }

  private func tellLoss(_ connection: ConnectionID, _ link: Link, cost: Int) {
    guard link.lostFrames > 0, link.isOpen else { return }
    append(connection, .lost(frames: link.lostFrames, bytes: link.lostBytes), cost: cost)
    link.lostFrames = 0
    link.lostBytes = 0
    lossy[connection] = nil
  }

  // MARK: Handing over

  private func append(_ connection: ConnectionID, _ event: TapBatch.Event, cost: Int) {
    batch.entries.append(.init(connection: connection, at: heardAt ?? writer.now(), event: event, cost: cost))
    if batch.bytes.count >= Self.batchBytes || batch.entries.count >= Self.batchEntries {
      handOver()
    } else {
      schedule()
    }
  }

  private func schedule() {
    guard !isScheduled else { return }
    isScheduled = true
    eventLoop.assumeIsolated().scheduleTask(in: .milliseconds(10)) {
      self.isScheduled = false
      self.handOver()
    }
  }

  /// Everything that is known up to now; losses as far as there is room to tell them, or all of them at the end.
  func handOver(isLast: Bool = false) {
    for connection in lossy.keys.sorted() {
      // Of a connection that found no room to begin there is no place in the file; it is counted only.
      guard let link = lossy[connection], link.isOpen else { continue }
      guard isLast || room.take(TapBatch.entryBytes) else { break }
      tellLoss(connection, link, cost: isLast ? 0 : TapBatch.entryBytes)
    }
    if isLast { lossy = [:] }
    guard !batch.entries.isEmpty else { return }
    let full = batch
    batch = TapBatch()
    writer.take(full)
  }
}
