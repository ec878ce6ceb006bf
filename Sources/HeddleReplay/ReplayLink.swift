// One connection of a recording while it is replayed: what has come on it, and what is awaited.

struct ReplayLink {
  var channel: FrameChannel?
  var isOpen = false
  var isClosed = false
  /// By stream: when each request that has no answer yet should have left, and its method.
  var pending: [UInt32: (intended: Int64, method: UInt16)] = [:]
  /// By call of the server: the hash of the action that it showed.
  var actions: [Int: [UInt8]] = [:]
  var streams: [UInt32: StreamWatch] = [:]
  /// Streams of the server's calls, in their order.
  var calls: [UInt32] = []
  var isDirty = false
  /// The frames that the connection needs to come again after a cut.
  var cut = Cut()

  private var seen: [UInt64: Int] = [:]
  /// Milestones that did not come in time, so that they are not waited for again.
  private var forgiven: [UInt64: Int] = [:]

  var isGreeted: Bool { seen[Self.helloKey] != nil }

  /// Counts a frame of the server; gives how many of its kind have come.
  mutating func saw(_ milestone: Milestone) -> Int {
    seen[Self.key(milestone), default: 0] += 1
    return seen[Self.key(milestone)] ?? 1
  }

  /// How many of a kind are still to come.
  func missing(_ milestone: Milestone, _ count: Int) -> Int {
    if isClosed { return 0 }
    let key = Self.key(milestone)
    return count - (seen[key] ?? 0) - (forgiven[key] ?? 0)
  }

  /// Waits no longer for those that are missing.
  mutating func forgive(_ milestone: Milestone, _ count: Int) {
    let missing = missing(milestone, count)
    if missing > 0 { forgiven[Self.key(milestone), default: 0] += missing }
  }

  private static let helloKey = key(Milestone(connection: 0, stream: 0, kind: Milestone.hello))

  private static func key(_ milestone: Milestone) -> UInt64 {
    UInt64(milestone.stream) << 16 | UInt64(milestone.kind)
  }
}
