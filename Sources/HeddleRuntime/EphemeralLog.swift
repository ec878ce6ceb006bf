// The log of a thread that is kept in memory only. Same events, same numbers, same reads as on disk; gone with the thread.

import HeddleCore
import HeddleStorage

struct EphemeralLog: ThreadLog {
  private(set) var events: [StoredEvent] = []
  /// Its size in memory, about.
  private(set) var bytes = 0
  private var turns: [(ordinal: UInt64, id: TurnID, payload: [UInt8])] = []
  /// The number of the first event is 1, so an event's place is its number less one.

  /// An entry without its payload, and what the payload's allocation costs.
  private static let entryBytes = 128

  mutating func append(_ event: StoredEvent) {
    events.append(event)
    bytes += event.payload.count + Self.entryBytes
  }

  mutating func store(ordinal: UInt64, id: TurnID, _ payload: [UInt8]) {
    if let index = turns.lastIndex(where: { $0.ordinal == ordinal }) {
      bytes += payload.count - turns[index].payload.count
      turns[index].payload = payload
    } else {
      bytes += payload.count + Self.entryBytes
      turns.append((ordinal, id, payload))
    }
  }

  func events(after: UInt64, limit: Int, bytes: Int) -> [StoredEvent] {
    guard after < UInt64(events.count) else { return [] }
    var out: [StoredEvent] = []
    var total = 0
    for event in events[Int(after)...] {
      if out.count >= limit || (total >= bytes && !out.isEmpty) { break }
      total += event.payload.count
      out.append(event)
    }
    return out
  }

  func events(
    kinds: [UInt8], from: UInt64, backwards: Bool, ordinal: UInt64?, hidden: [TurnRange], limit: Int
  ) -> [StoredEvent] {
    func wanted(_ event: StoredEvent) -> Bool {
      kinds.contains(event.kind) && (ordinal == nil || event.ordinal == ordinal)
        && !hidden.contains { $0.first <= event.ordinal && event.ordinal <= $0.last }
    }
    if backwards {
      return Array(events.reversed().lazy.filter { (from == 0 || $0.sequence < from) && wanted($0) }.prefix(limit))
    }
    return Array(events.lazy.filter { $0.sequence > from && wanted($0) }.prefix(limit))
  }

  func turns(
    from: UInt64, backwards: Bool, hidden: [TurnRange], limit: Int
  ) -> [(ordinal: UInt64, payload: [UInt8])] {
    let visible = turns.filter { turn in !hidden.contains { $0.first <= turn.ordinal && turn.ordinal <= $0.last } }
    let ordered = backwards ? visible.reversed() : visible
    return ordered.filter { backwards ? (from == 0 || $0.ordinal < from) : $0.ordinal > from }
      .prefix(limit).map { ($0.ordinal, $0.payload) }
  }

  func turn(id: TurnID) -> (ordinal: UInt64, payload: [UInt8])? {
    turns.last { $0.id == id }.map { ($0.ordinal, $0.payload) }
  }

  func turn(ordinal: UInt64) -> [UInt8]? { turns.last { $0.ordinal == ordinal }?.payload }
}

/// The log of an ephemeral thread, and the memory that has been taken for it (EphemeralQuota.E1).
struct EphemeralMemory {
  var log = EphemeralLog()
  private var taken = 0

  /// Takes what the log needs and returns how much more that is; nil: it has enough.
  mutating func take() -> Int? {
    let piece = EphemeralQuota.pieceBytes
    guard log.bytes >= taken else { return nil }
    let more = (log.bytes / piece + 1) * piece - taken
    taken += more
    return more
  }

  /// Returns how much was taken.
  mutating func giveBack() -> Int {
    defer { taken = 0 }
    return taken
  }
}
