// The two things that the builder counts along: which turns are rolled back, and tokens.

import HeddleCore
import HeddleJSON

/// Which turns are in the turn list.
struct RollbackLedger {
  /// Turns that were started, rolled-back ones too; the ordinal of the newest.
  private(set) var startedCount = 0
  /// Those that are not rolled back, by index, in order.
  private(set) var listed: [Int] = []
  /// Of the listed ones those with input, in order.
  private var withInput: [Int] = []
  /// What each turn ran with, by index.
  private var contexts: [TurnContext?] = []
  /// Compactions that stay: their events, and the turns (-1: none) that were the newest then.
  private var compactions: [(sequence: UInt64, turn: Int)] = []

  mutating func start(hasInput: Bool, context: TurnContext?) {
    listed.append(startedCount)
    contexts.append(context)
    if hasInput { withInput.append(startedCount) }
    startedCount += 1
  }

  mutating func compact(at sequence: UInt64) { compactions.append((sequence, startedCount - 1)) }

  /// The last compaction that stays; 0: none.
  var contextStart: UInt64 { compactions.last?.sequence ?? 0 }

  /// What the last turn that stays ran with, unless a compaction came after its start (rules.md M7).
  var baseline: TurnContext? {
    guard let turn = listed.last(where: { contexts[$0] != nil }), compactions.last.map({ $0.turn < turn }) ?? true
    else { return nil }
    return contexts[turn]
  }

  /// Rolls back the last turns that have input, and with them whatever turns without input (a compaction, say) came after:
  /// they rest on what is gone. More than there are: all, turns in front of the first input included.
  ///
  /// - Returns: the indices of these turns in ranges that do not touch, oldest first. They are several when turns between
  ///   them were rolled back before.
  mutating func rollBack(_ count: Int64) -> [Range<Int>] {
    guard count > 0, !withInput.isEmpty else { return [] }
    let kept = withInput.count - min(Int(clamping: count), withInput.count)
    let first = Int64(withInput.count) >= count ? withInput[kept] : 0
    withInput.removeLast(withInput.count - kept)
    var ranges: [Range<Int>] = []
    while let index = listed.last, index >= first {
      listed.removeLast()
      if let range = ranges.last, range.lowerBound == index + 1 {
        ranges[ranges.count - 1] = index..<range.upperBound
      } else {
        ranges.append(index..<index + 1)
      }
    }
    while let last = compactions.last, last.turn >= first { compactions.removeLast() }
    return ranges.reversed()
  }
}

/// Tokens of the running turn.
struct UsageLedger {
  private(set) var turn: TokenUsage?
  private var total: TokenUsage?

  mutating func startTurn() { turn = nil }

  /// - Returns: nil when the record says nothing about tokens. Codex repeats the last report whenever it hears of its rate
  ///   limits; the repeat is known by its unchanged total, and taking it for a report would count tokens twice.
  mutating func report(_ payload: JSONNode) -> UsageReported? {
    guard let info = payload["info"], let last = Self.tokens(info["last_token_usage"]) else { return nil }
    let newTotal = Self.tokens(info["total_token_usage"])
    if let newTotal, newTotal == total { return nil }
    total = newTotal
    let sum = Self.sum(turn ?? TokenUsage(), last)
    turn = sum
    return UsageReported(usage: last, turnUsage: sum, threadUsage: newTotal)
  }

  private static func tokens(_ node: JSONNode?) -> TokenUsage? {
    guard let node, node.isObject else { return nil }
    func count(_ name: String) -> UInt64 { node[name]?.integer.flatMap { UInt64(exactly: $0) } ?? 0 }
    return TokenUsage(
      inputTokens: count("input_tokens"), cachedInputTokens: count("cached_input_tokens"),
      outputTokens: count("output_tokens"), reasoningOutputTokens: count("reasoning_output_tokens"))
  }

  private static func sum(_ a: TokenUsage, _ b: TokenUsage) -> TokenUsage {
    func add(_ a: UInt64, _ b: UInt64) -> UInt64 {
      let (sum, overflow) = a.addingReportingOverflow(b)
      return overflow ? .max : sum
    }
    return TokenUsage(
      inputTokens: add(a.inputTokens, b.inputTokens), cachedInputTokens: add(a.cachedInputTokens, b.cachedInputTokens),
      outputTokens: add(a.outputTokens, b.outputTokens),
      reasoningOutputTokens: add(a.reasoningOutputTokens, b.reasoningOutputTokens))
  }
}
