// The turns of the thread that run or wait.

import HeddleCore

struct ChatTurns: Equatable, Sendable {
  var running: TurnID?
  var queue: [QueuedTurn] = []
  /// When the running turn began.
  private(set) var since = Duration.zero

  var areOver: Bool { running == nil && queue.isEmpty }

  mutating func begin(_ turn: TurnID, at now: Duration) {
    (running, since) = (turn, now)
    queue.removeAll { $0.id == turn }
  }
}
