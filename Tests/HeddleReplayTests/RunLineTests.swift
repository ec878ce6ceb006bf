// The line of a running replay fits the terminal, and loses nothing by that.

import Testing

@testable import HeddleReplay

@Suite struct RunLineTests {
  private let sample: RunSample
  private let result: RunResult

  init() {
    var counts = RunStatistics()
    counts.answers = 1_234
    counts.events = 99
    counts.latency.record(5_000_000)
    counts.errors = ["connection_lost": 3, "thread": 7]
    counts.late = 12
    counts.gaps = 1
    var result = RunResult()
    result.total = counts
    self.result = result
    sample = RunSample(seconds: 3, length: 1, counts: counts)
  }

  @Test func everyWidthShowsEveryWordOnLinesThatFit() {
    let whole = RunLine.text(sample, result)
    for columns in 30...200 {
      let lines = RunLine.lines(sample, result, columns: columns)
      #expect(lines.allSatisfy { $0.count <= columns && !$0.isEmpty })
      #expect(lines.joined(separator: "  ") == whole)
    }
    #expect(whole.contains("1234/s") && whole.contains("thread 7") && whole.contains("gaps 1"))
    #expect(RunLine.lines(sample, result, columns: whole.count).count == 1)
  }

  @Test func aTerminalThatIsTooNarrowCutsWords() {
    for columns in 0..<10 {
      #expect(RunLine.lines(sample, result, columns: columns).allSatisfy { $0.count <= max(1, columns) })
    }
  }
}
