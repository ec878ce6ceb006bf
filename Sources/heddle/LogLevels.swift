// The level of the log while the server runs: the configured one, until an operator changes it (PUT /debug/log-level).

import HeddleHTTP
import Logging
import Synchronization

/// The level that all loggers of the process share.
final class LogLevels: Sendable {
  /// The place of a level among all; -1: nobody has changed it.
  private let changed = Atomic<Int>(-1)
  private let configured: Logger.Level

  init(_ configured: Logger.Level) { self.configured = configured }

  /// Nil: each logger has its own.
  var override: Logger.Level? {
    let place = changed.load(ordering: .relaxed)
    return Logger.Level.allCases.indices.contains(place) ? Logger.Level.allCases[place] : nil
  }

  var control: LogLevelControl {
    LogLevelControl(
      read: { (self.override ?? self.configured).rawValue },
      change: { name in
        guard let place = Logger.Level.allCases.firstIndex(where: { $0.rawValue == name }) else { return false }
        self.changed.store(place, ordering: .relaxed)
        return true
      })
  }
}
