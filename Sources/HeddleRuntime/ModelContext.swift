// The part of a thread that its model reads: the items since the last compaction, without turns that were taken back.
//
// C1  A session keeps what its last step was given and adds what is appended since: a turn of many steps reads its log
//     once, and so does a thread that is spoken to again soon.
// C2  What is kept is what a read of the log up to the same event would give, or it is forgotten.
// C3  What the sessions of a loop keep together is bounded; what was used least recently goes first.

import DequeModule
import HeddleCore
import HeddleProtocol
import HeddleStorage

/// From events to what a model reads.
package struct History: Sendable {
  /// Completed items and compactions, by field number of `Event.kind`.
  static let kinds: [UInt8] = [
    Event.Kind.itemCompleted(ItemCompleted()).number, Event.Kind.contextCompacted(ContextCompacted()).number,
  ]

  package private(set) var items: [Item] = []
  /// Where in `items` the summary of the last compaction is: a message of the user that the user never wrote.
  private(set) var summary: Int?
  /// Its size in memory, about.
  private(set) var bytes = 0

  init(items: [Item] = [], summary: Int? = nil) {
    self.items = items
    self.summary = summary
  }

  init(_ stored: some Sequence<StoredEvent>, _ codec: inout Codec) throws {
    for event in stored { add(try codec.decodeTrusted(Event.self, event.payload).kind, bytes: event.payload.count) }
  }

  /// An event that takes so many bytes when it is stored.
  mutating func add(_ kind: Event.Kind?, bytes: Int) {
    switch kind {
    // An item that a new try of the provider cut off was never said.
    case .itemCompleted(let completed)?:
      guard let item = completed.item, item.status != .failed else { return }
      items.append(item)
      self.bytes += bytes + MemoryLayout<Item>.stride
    case .contextCompacted(let compacted)?:
      begin(with: compacted.compaction)
      self.bytes = bytes + items.count * MemoryLayout<Item>.stride
    default: break
    }
  }

  /// Adds the events behind this. A compaction is not among them: with one, another range begins.
  fileprivate mutating func add(_ later: History) {
    items += later.items
    bytes += later.bytes
  }

  /// Begins the context after a compaction: with the messages that its origin stored, or with the summary.
  private mutating func begin(with compaction: CompactionItem?) {
    (items, summary) = ([], nil)
    guard let compaction else { return }
    let messages =
      compaction.replacement.isEmpty
      ? [MessageItem(role: .user, content: [ContentPart(part: .text(compaction.summary))])] : compaction.replacement
    items = messages.map { Item(status: .completed, kind: .message($0)) }
    // Behind what introduces it, which may have been configured otherwise since.
    summary = messages.lastIndex { message in
      guard message.role == .user, case .text(let text)? = message.content.last?.part else { return false }
      return !compaction.summary.isEmpty && text.hasSuffix(compaction.summary)
    }
  }
}

/// Where a read of a thread's context begins and ends.
struct ContextRange: Equatable, Sendable {
  /// The event of the last compaction; 0: none.
  let start: UInt64
  /// Turns that were taken back.
  let hidden: [TurnRange]
  /// The last event that belongs to it.
  let upTo: UInt64

  init(_ record: ThreadRecord, upTo: UInt64) {
    start = record.contextStart
    hidden = record.hiddenTurns
    self.upTo = upTo
  }
}

/// The part of a thread's log that a step of the model needs, as it was on the shard's loop.
struct ContextSource: Sendable {
  let thread: ThreadID
  let range: ContextRange
  /// Of a thread in memory only.
  let inMemory: EphemeralLog?
  /// Nothing is to be read.
  let kept: History?

  /// All of it, or the last `turns`. Stored bytes that do not decode are damage (durability.md D7).
  func read(_ reader: any StoreReader, _ codec: inout Codec, turns: Int? = nil) throws(StoreError) -> History {
    let log: any ThreadLog = inMemory ?? StoredLog(reader, thread)
    do {
      var from = range.start > 0 ? range.start - 1 : 0
      let found = try turns.map { try log.turns(from: 0, backwards: true, hidden: range.hidden, limit: $0) }
      if let oldest = found?.last {
        let turn = try codec.decodeTrusted(Turn.self, oldest.payload)
        from = max(from, turn.firstSequence > 0 ? turn.firstSequence - 1 : 0)
      }
      let stored = try log.events(
        kinds: History.kinds, from: from, backwards: false, ordinal: nil, hidden: range.hidden, limit: .max)
      return try History(stored.lazy.prefix { $0.sequence <= range.upTo }, &codec)
    } catch let error as StoreError {
      throw error
    } catch {
      throw .damaged(thread: thread, sequence: 0)
    }
  }
}

/// The context that a session keeps. Confined to its loop.
final class ModelContext {
  private(set) var range: ContextRange
  /// Events up to here are in `history`.
  private var upTo: UInt64
  private var history = History()
  /// The events in front of `history` have been read.
  private(set) var isWhole = false
  /// The shelf has taken it away.
  fileprivate(set) var isForgotten = false

  fileprivate var bytes: Int { history.bytes }
  /// Used since the shelf looked last.
  fileprivate var isUsed = false

  /// Begins behind what has still to be read.
  init(_ range: ContextRange) {
    self.range = range
    upTo = range.upTo
  }

  /// The whole context up to the last event of `range`, if that is what this is.
  func history(_ range: ContextRange) -> History? {
    guard isWhole, !isForgotten, upTo == range.upTo, self.range.start == range.start, self.range.hidden == range.hidden
    else { return nil }
    isUsed = true
    return history
  }

  fileprivate func add(_ event: Event, bytes: Int) {
    history.add(event.kind, bytes: bytes)
    upTo = event.sequence
  }

  fileprivate func begin(with front: History) {
    var whole = front
    whole.add(history)
    history = whole
    isWhole = true
  }

  fileprivate func forget() {
    isForgotten = true
    history = History()
  }
}

/// The contexts of the sessions of one loop. Confined to that loop.
final class ContextShelf {
  private let limit: Int
  private(set) var bytes = 0
  /// In the order in which they came; one that was used since it was looked at goes to the end instead of away.
  private var queue = Deque<ModelContext>()
  private var forgotten = 0

  init(bytes limit: Int) { self.limit = limit }

  func begin(_ range: ContextRange) -> ModelContext? {
    guard limit > 0 else { return nil }
    let context = ModelContext(range)
    queue.append(context)
    return context
  }

  func add(_ event: Event, bytes: Int, to context: ModelContext) {
    change(context) { context.add(event, bytes: bytes) }
  }

  /// The events in front of it have been read.
  func begin(_ context: ModelContext, with front: History) {
    change(context) { context.begin(with: front) }
  }

  func forget(_ context: ModelContext) {
    guard !context.isForgotten else { return }
    bytes -= context.bytes
    context.forget()
    forgotten += 1
    if forgotten > 64, forgotten * 2 > queue.count { tidy() }
  }

  private func change(_ context: ModelContext, _ body: () -> Void) {
    guard !context.isForgotten else { return }
    let before = context.bytes
    body()
    bytes += context.bytes - before
    // One that would push out most others is not worth it.
    if context.bytes > limit / 2 { forget(context) }
    while bytes > limit, let context = queue.popFirst() { look(at: context) }
  }

  /// At the one in front (C3).
  private func look(at context: ModelContext) {
    if context.isForgotten {
      forgotten -= 1
    } else if context.isUsed {
      context.isUsed = false
      queue.append(context)
    } else {
      bytes -= context.bytes
      context.forget()
    }
  }

  private func tidy() {
    queue.removeAll { $0.isForgotten }
    forgotten = 0
  }
}

extension Shard {
  /// The model's input, read off the loop if it is not kept; with `turns`, of the last ones only.
  func history(_ source: ContextSource, of session: Session, turns: Int? = nil) async throws -> History {
    if turns == nil, let kept = source.kept { return kept }
    let history = try await manager.store.read(.long(ObjectIdentifier(session))) { reader, codec throws(StoreError) in
      try source.read(reader, &codec, turns: turns)
    }
    if turns == nil { inbox.post { session.keep(history, source.range) } }
    return history
  }
}

extension SessionManager {
  /// The input that a model would be given of a stored thread now, read from the log; for checkers that compare (C2).
  package static func context(
    _ thread: ThreadID, tenant: String, _ reader: any StoreReader, _ codec: inout Codec
  ) throws -> [Item]? {
    guard let record = try reader.load(thread, tenant: tenant)?.record(&codec) else { return nil }
    let range = ContextRange(record, upTo: record.sequence)
    return try ContextSource(thread: thread, range: range, inMemory: nil, kept: nil).read(reader, &codec).items
  }
}
