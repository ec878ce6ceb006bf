// One thread's history for reading, wherever it is kept: the store, or the log of an ephemeral thread.

import HeddleCore
import HeddleProtocol
import HeddleStorage

/// Turns and items of one thread, rolled-back ones left out (rules.md T7).
public struct StoredHistory: Sendable {
  private let log: any ThreadLog
  private let thread: ThreadID
  private let hidden: [TurnRange]
  private static let itemKinds = [Event.Kind.itemCompleted(ItemCompleted()).number]

  /// nil: the tenant has no such thread.
  public init?(
    _ reader: any StoreReader, _ thread: ThreadID, tenant: String, _ codec: inout Codec
  ) throws(StoreError) {
    guard let loaded = try reader.load(thread, tenant: tenant) else { return nil }
    log = StoredLog(reader, thread)
    self.thread = thread
    hidden = try loaded.record(&codec).hiddenTurns
  }

  init(_ session: Session) {
    log = session.log
    thread = session.id
    hidden = session.machine.record.hiddenTurns
  }

  public func turns(
    from: UInt64, backwards: Bool, limit: Int
  ) throws(StoreError) -> [(ordinal: UInt64, payload: [UInt8])] {
    try log.turns(from: from, backwards: backwards, hidden: hidden, limit: limit)
  }

  /// Completed items, of one turn or of all. A turn that the thread does not have has none.
  public func items(
    of turn: TurnID?, from: UInt64, backwards: Bool, limit: Int
  ) throws(StoreError) -> [StoredEvent] {
    var ordinal: UInt64?
    if let turn {
      guard let found = try log.turn(id: turn) else { return [] }
      ordinal = found.ordinal
    }
    return try log.events(
      kinds: Self.itemKinds, from: from, backwards: backwards, ordinal: ordinal, hidden: hidden, limit: limit)
  }

  /// Stored bytes that do not decode are damage (durability.md D7).
  public func decode<M: WireMessage>(
    _ type: M.Type, _ payload: [UInt8], _ codec: inout Codec
  ) throws(StoreError) -> M {
    do throws(DecodeError) { return try codec.decodeTrusted(type, payload) } catch {
      throw .damaged(thread: thread, sequence: 0)
    }
  }
}

extension SessionManager {
  /// The input that a model would be given of a stored thread now, read from the log; for checkers that compare
  /// (ModelContext.C2).
  package static func context(
    _ thread: ThreadID, tenant: String, _ reader: any StoreReader, _ codec: inout Codec
  ) throws -> [Item]? {
    guard let record = try reader.load(thread, tenant: tenant)?.record(&codec) else { return nil }
    let range = ContextRange(record, upTo: record.sequence)
    return try ContextSource(thread: thread, range: range, inMemory: nil, kept: nil).read(reader, &codec).items
  }
}
