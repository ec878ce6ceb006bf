// At most so many lines a second, and a count of what was left out: nobody fills a disk with our log (attacks.md R21).

import Dispatch
import Logging
import Synchronization

/// Lines of all handlers together.
final class LogBudget: Sendable {
  private struct State {
    var second: UInt64 = 0
    var lines = 0
    var leftOut = 0
  }

  /// More than anybody reads.
  static let linesPerSecond = 100

  private let state = Mutex(State())

  /// Whether the line goes out, and how many were left out before it since this was last told.
  func admit() -> (isAdmitted: Bool, leftOut: Int) {
    let second = DispatchTime.now().uptimeNanoseconds / 1_000_000_000
    return state.withLock { state in
      if state.second != second {
        state.second = second
        state.lines = 0
      }
      guard state.lines < Self.linesPerSecond else {
        state.leftOut += 1
        return (false, 0)
      }
      // The count is a line, too.
      state.lines += state.leftOut > 0 ? 2 : 1
      defer { state.leftOut = 0 }
      return (true, state.leftOut)
    }
  }
}

struct BoundedLogHandler: LogHandler {
  private var inner: any LogHandler
  private let budget: LogBudget
  private let levels: LogLevels

  init(_ inner: any LogHandler, _ budget: LogBudget, _ levels: LogLevels) {
    self.inner = inner
    self.budget = budget
    self.levels = levels
  }

  var metadata: Logger.Metadata {
    get { inner.metadata }
    set { inner.metadata = newValue }
  }

  var logLevel: Logger.Level {
    get { levels.override ?? inner.logLevel }
    set { inner.logLevel = newValue }
  }

  subscript(metadataKey key: String) -> Logger.Metadata.Value? {
    get { inner[metadataKey: key] }
    set { inner[metadataKey: key] = newValue }
  }

  func log(event: LogEvent) {
    // An event that ends the server is always logged.
    guard event.level < .critical else { return inner.log(event: event) }
    let (isAdmitted, leftOut) = budget.admit()
    if leftOut > 0 {
      inner.log(
        event: LogEvent(
          level: .warning, message: "lines were left out of the log", metadata: ["lines": "\(leftOut)"],
          source: event.source, file: event.file, function: event.function, line: event.line))
    }
    if isAdmitted { inner.log(event: event) }
  }
}
