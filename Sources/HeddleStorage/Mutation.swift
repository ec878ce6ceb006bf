// Changes of a store. They are asked for as values; a store turns them into rows.

import HeddleCore

/// One write. A mutation is a list of them.
public enum StoreWrite: Equatable, Sendable {
  /// Appends events; their numbers go on where the thread's end (Store.P4).
  case events(ThreadID, [StoredEvent])
  /// Inserts or replaces the thread's row in lists. A new thread's row stands in the mutation of its first events;
  /// `sequence` must not be beyond the newest event.
  case thread(ThreadRow)
  /// Replaces the thread's snapshot: an encoded `ThreadRecord` that holds everything up to its sequence.
  case snapshot(ThreadID, sequence: UInt64, [UInt8])
  /// Inserts or replaces a turn: an encoded `Turn`.
  case turn(ThreadID, ordinal: UInt64, id: TurnID, [UInt8])
  /// Remembers the result of a request (Store.P7).
  case key(KeyRecord)
  /// Stores the value of a feature; nil: back to the configured one.
  case feature(String, Bool?)
  /// Removes threads: their rows become tombstones, their text goes unless a fork shares it (Store.P6), their keys go.
  case delete([ThreadID])
}

/// Writes that happen together or not at all.
public struct Mutation: Equatable, Sendable {
  public var writes: [StoreWrite]
  public init(_ writes: [StoreWrite]) { self.writes = writes }
}

extension Mutation {
  /// Bytes of events, snapshots, turns and answers in it.
  public var payloadBytes: Int { writes.reduce(0) { $0 + $1.payloadBytes } }
}

extension StoreWrite {
  fileprivate var payloadBytes: Int {
    switch self {
    case .events(_, let events): events.reduce(0) { $0 + $1.payload.count }
    case .snapshot(_, _, let payload), .turn(_, _, _, let payload): payload.count
    case .key(let record): record.response.count
    case .thread, .feature, .delete: 0
    }
  }
}
