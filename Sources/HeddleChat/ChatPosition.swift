// The position of a chat in the log of its thread.

struct ChatPosition: Equatable, Sendable {
  /// All stored events have been shown.
  var isLive = false
  /// The last event seen.
  var last: UInt64 = 0
  /// The newest event that an answer speaks of.
  private var settled: UInt64 = 0

  /// False between the last event seen and the one that an answer speaks of: the thread may have a turn that is not known
  /// yet.
  var isSettled: Bool { last >= settled }

  mutating func settles(at sequence: UInt64) { settled = max(settled, sequence) }
}
