// A thread as a store gives it back.

import HeddleCore

/// A thread as loading finds it (Store.P8).
public struct LoadedThread: Equatable, Sendable {
  public var row: ThreadRow
  /// The newest snapshot, an encoded `ThreadRecord`; nil only before the first one.
  public var snapshot: [UInt8]?
  /// The events behind the snapshot, in order.
  public var tail: [StoredEvent]

  public init(row: ThreadRow, snapshot: [UInt8]?, tail: [StoredEvent]) {
    self.row = row
    self.snapshot = snapshot
    self.tail = tail
  }
}
