// A run while it goes on, on standard error: a few lines that are rewritten on a terminal, a line a second elsewhere.

import Foundation
import HeddleProtocol
import HeddleReplay

final class LiveView {
  private let isTerminal = isatty(STDERR_FILENO) == 1
  /// Lines that stand there and are to be rewritten.
  private var lineCount = 0

  func show(_ sample: RunSample, _ result: RunResult) {
    guard isTerminal else { return printError(RunLine.text(sample, result)) }
    let lines = RunLine.lines(sample, result, columns: Self.columns)
    // Up to the first line of the last time, then everything from there on is cleared.
    let back = lineCount > 1 ? "\r\u{1B}[\(lineCount - 1)A\u{1B}[J" : "\r\u{1B}[J"
    lineCount = lines.count
    FileHandle.standardError.write(Data((back + lines.joined(separator: "\n")).utf8))
  }

  func end() {
    if isTerminal { FileHandle.standardError.write(Data("\n".utf8)) }
  }

  /// One less than there are: a full line would leave the cursor on the next one.
  private static var columns: Int {
    var size = winsize()
    guard ioctl(STDERR_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 1 else { return 79 }
    return Int(size.ws_col) - 1
  }
}

/// A whole run for people.
enum RunText {
  static func summary(_ report: RunReport) -> String {
    let result = report.result
    let total = result.total
    let rate = result.seconds > 0 ? Double(total.answers) / result.seconds : 0
    var lines = [
      "\(report.name): \(total.answers) answers to \(total.requests) requests in "
        + "\(String(format: "%.2f", result.seconds)) s, \(Int(rate))/s",
      head, row("latency", total.latency),
    ]
    for number in total.methods.keys.sorted() {
      if let histogram = total.methods[number], total.methods.count > 1 {
        lines.append(row("  " + RunReport.methodName(number), histogram))
      }
    }
    if total.events > 0 {
      lines.append("events \(total.events), left out \(total.gaps), came again \(total.duplicates)")
      if total.firstEvent.count > 0 { lines.append(row("  first event", total.firstEvent)) }
      if total.eventGap.count > 0 { lines.append(row("  gap", total.eventGap)) }
    }
    lines.append("late \(total.late) of \(total.requests), at most \(milliseconds(total.behind)) ms behind")
    if total.unmet > 0 { lines.append("\(total.unmet) frames were sent though what they waited for had not come") }
    if total.dropped > 0 { lines.append("\(total.dropped) connections were cut on purpose") }
    for reason in total.errors.keys.sorted() { lines.append("error \(reason): \(total.errors[reason] ?? 0)") }
    if result.wasStopped { lines.append("stopped before its time") }
    return lines.joined(separator: "\n")
  }

  private static let percents: [(String, Double)] = [
    ("p50", 50), ("p90", 90), ("p99", 99), ("p99.9", 99.9), ("max", 100),
  ]

  private static var head: String { line("milliseconds", "count", percents.map(\.0)) }

  private static func row(_ name: String, _ histogram: Histogram) -> String {
    line(name, "\(histogram.count)", percents.map { milliseconds(histogram.percentile($0.1)) })
  }

  /// 80 columns.
  private static func line(_ name: String, _ count: String, _ times: [String]) -> String {
    func right(_ text: String, _ width: Int) -> String {
      String(repeating: " ", count: max(1, width - text.count)) + text
    }
    let padded = name.padding(toLength: max(27, name.count), withPad: " ", startingAt: 0)
    return padded + right(count, 8) + times.map { right($0, 9) }.joined()
  }

  private static func milliseconds(_ nanoseconds: Int64) -> String {
    String(format: "%.3f", Double(nanoseconds) / 1e6)
  }
}
