// Puts a whole history that was written elsewhere into a store, as one mutation: all of it or nothing (rules.md I1).

import HeddleCore
import HeddleProtocol
import HeddleStorage

/// An imported thread as the store holds it.
public struct ImportedThread: Sendable {
  public let mutation: Mutation
  public let record: ThreadRecord
  /// Numbers of events that were too large for a frame; their content was left out.
  public let cutEvents: [UInt64]

  /// The largest event that every connection can be sent.
  private static let eventBytes = 3 * 1024 * 1024

  /// `events` are numbered 1 … n and begin with `ThreadCreated`.
  public init(events: [Event], tenant: String) {
    var codec = Codec()
    var record = ThreadRecord()
    var turns = TurnRows()
    var stored: [StoredEvent] = []
    var cut: [UInt64] = []
    stored.reserveCapacity(events.count)
    for event in events {
      var event = event
      var payload = codec.encode(event)
      if payload.count > Self.eventBytes {
        event.kind = .foreignRecord(ForeignRecord(record: OpaquePart(kind: "too large: \(payload.count) bytes")))
        payload = codec.encode(event)
        cut.append(event.sequence)
      }
      record.apply(event)
      turns.apply(event)
      record.eventBytes &+= UInt64(payload.count)
      stored.append(
        StoredEvent(
          sequence: event.sequence, kind: event.kind?.number ?? 0, ordinal: turns.ordinal(of: event), at: event.at,
          payload: payload))
    }
    // The same file gives the same numbering, so that importing it into two stores gives the same thread.
    let identity = ThreadIdentity(tenant: tenant, epoch: record.id.low >> 1 | 1, ephemeral: false)
    var writes: [StoreWrite] = [.thread(record.row(identity: identity)), .events(record.id, stored)]
    for turn in turns.turns {
      writes.append(.turn(record.id, ordinal: turn.ordinal, id: turn.id, codec.encode(turn)))
    }
    writes.append(.snapshot(record.id, sequence: record.sequence, codec.encode(record)))
    mutation = Mutation(writes)
    self.record = record
    cutEvents = cut
  }

  /// The part of it behind the event of this number, for a store that has the thread up to there as an import left it.
  public func continuation(after sequence: UInt64) -> Mutation {
    var events: [StoreWrite] = []
    var state: [StoreWrite] = []
    for write in mutation.writes {
      switch write {
      case .events(let id, let stored): events.append(.events(id, stored.filter { $0.sequence > sequence }))
      case .thread, .snapshot: state.append(write)
      // The continuation of a history begins no turn.
      default: break
      }
    }
    return Mutation(events + state)
  }
}

/// The turns of a history, as lists show them.
private struct TurnRows {
  private(set) var turns: [Turn] = []
  private var ordinals: [TurnID: UInt64] = [:]
  private var running: TurnID?

  mutating func apply(_ event: Event) {
    switch event.kind {
    case .turnStarted(let started)?:
      ordinals[started.turn] = started.ordinal
      running = started.turn
      turns.append(
        Turn(
          id: started.turn, status: .running, ordinal: started.ordinal, startedAt: event.at, context: started.context,
          firstSequence: event.sequence, lastSequence: event.sequence))
    case .usageReported(let report)? where running != nil && !turns.isEmpty:
      turns[turns.count - 1].usage = report.turnUsage
    case .turnEnded(let ended)? where running == ended.turn && !turns.isEmpty:
      turns[turns.count - 1].status = ended.status
      turns[turns.count - 1].endedAt = event.at
      turns[turns.count - 1].error = ended.error
      turns[turns.count - 1].lastSequence = event.sequence
      running = nil
    default: break
    }
    if running != nil, !turns.isEmpty { turns[turns.count - 1].lastSequence = event.sequence }
  }

  func ordinal(of event: Event) -> UInt64 { event.turn.flatMap { ordinals[$0] } ?? 0 }
}
