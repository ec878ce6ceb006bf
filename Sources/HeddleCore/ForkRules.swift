// The rules of forks (rules.md T3, M9, V2): the parts of its source that a fork takes, and those that it leaves. Pure: a record and a
// place to cut in, a record out; in constant time, since history is shared by reference.

extension ThreadRecord {
  /// The record of a fork (rules.md T3, M9, V2): the source's record, cut where the fork is. `compaction` is the last
  /// one up to that turn, for a source that has been compacted since. `compactionBaseline` is the context that the
  /// model had by then, for a turn that does not say so itself, because it was a compaction or had one in its middle.
  public func forked(upTo turn: Turn?, compaction: UInt64 = 0, compactionBaseline: TurnContext? = nil) -> ThreadRecord {
    var record = self
    var lastOrdinal = record.running.map { max($0.ordinal, 1) - 1 } ?? record.lastOrdinal
    if let turn {
      record.sequence = turn.lastSequence
      record.lastOrdinal = turn.ordinal
      lastOrdinal = turn.ordinal
      record.running = nil
      record.lastStatus = turn.status
      record.hiddenTurns = hiddenTurns.filter { $0.last <= turn.ordinal }
      if contextStart > turn.lastSequence { record.contextStart = compaction }
      // A compaction removes the instructions that came before it (rules.md M7).
      let saysSo = turn.firstSequence > record.contextStart && turn.cause != .compaction
      record.baseline = saysSo ? turn.context : compactionBaseline
    }
    if versionSequence > 0, versionSequence <= record.sequence {
      record.versionSource = .stored
    } else {
      // Pinned after the cut, or not at all: `begin` resolves it from the version that the source hands down (V3).
      record.version = .unspecified
      record.versionSource = .unspecified
      record.versionSequence = 0
    }
    record.segments = segments
    let shared = segments.last?.lastSequence ?? 0
    if record.sequence > shared {
      record.segments.append(
        HistorySegment(thread: id, lastSequence: record.sequence, lastOrdinal: lastOrdinal))
    } else {
      record.segments = Self.cut(segments, at: record.sequence, ordinal: lastOrdinal)
    }
    record.queue = []
    // Mail and the facts about an agent are the source's: a fork is a root (rules.md T3).
    record.mailbox = []
    record.outbox = []
    record.agent = nil
    record.contextTokens = 0
    record.archived = false
    record.usage = nil
    record.recentTurns = []
    record.systemError = false
    record.eventBytes = 0
    return record
  }

  /// Shared history of a fork that is cut inside history which its source shares itself.
  private static func cut(_ segments: [HistorySegment], at sequence: UInt64, ordinal: UInt64) -> [HistorySegment] {
    var out: [HistorySegment] = []
    for var segment in segments {
      let isLast = segment.lastSequence >= sequence
      if isLast {
        segment.lastSequence = sequence
        segment.lastOrdinal = min(segment.lastOrdinal, ordinal)
      }
      out.append(segment)
      if isLast { break }
    }
    return out
  }
}
