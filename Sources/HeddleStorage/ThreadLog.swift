// One thread's log for reading, wherever it is kept.

import HeddleCore

/// The reads of `StoreReader` that are about the history of one thread.
public protocol ThreadLog: Sendable {
  func events(after: UInt64, limit: Int, bytes: Int) throws(StoreError) -> [StoredEvent]
  func events(
    kinds: [UInt8], from: UInt64, backwards: Bool, ordinal: UInt64?, hidden: [TurnRange], limit: Int
  ) throws(StoreError) -> [StoredEvent]
  func turns(
    from: UInt64, backwards: Bool, hidden: [TurnRange], limit: Int
  ) throws(StoreError) -> [(ordinal: UInt64, payload: [UInt8])]
  func turn(id: TurnID) throws(StoreError) -> (ordinal: UInt64, payload: [UInt8])?
  func turn(ordinal: UInt64) throws(StoreError) -> [UInt8]?
}

/// The log of a thread in a store.
public struct StoredLog: ThreadLog {
  private let reader: any StoreReader
  private let thread: ThreadID

  public init(_ reader: any StoreReader, _ thread: ThreadID) {
    self.reader = reader
    self.thread = thread
  }

  public func events(after: UInt64, limit: Int, bytes: Int) throws(StoreError) -> [StoredEvent] {
    try reader.events(thread, after: after, limit: limit, bytes: bytes)
  }

  public func events(
    kinds: [UInt8], from: UInt64, backwards: Bool, ordinal: UInt64?, hidden: [TurnRange], limit: Int
  ) throws(StoreError) -> [StoredEvent] {
    try reader.events(
      thread, kinds: kinds, from: from, backwards: backwards, ordinal: ordinal, hidden: hidden, limit: limit)
  }

  public func turns(
    from: UInt64, backwards: Bool, hidden: [TurnRange], limit: Int
  ) throws(StoreError) -> [(ordinal: UInt64, payload: [UInt8])] {
    try reader.turns(thread, from: from, backwards: backwards, hidden: hidden, limit: limit)
  }

  public func turn(id: TurnID) throws(StoreError) -> (ordinal: UInt64, payload: [UInt8])? {
    try reader.turn(thread, id: id)
  }

  public func turn(ordinal: UInt64) throws(StoreError) -> [UInt8]? { try reader.turn(thread, ordinal: ordinal) }
}
