// Property tests of rules V, M, S, U, T7 and A of one thread together, and the proof that they bite.

import Foundation
import HeddleCore
import Testing

@Suite struct RulePropertyTests {
  /// 2,000 in a normal run; `HEDDLE_SEQUENCES` for more.
  static let count = UInt64(ProcessInfo.processInfo.environment["HEDDLE_SEQUENCES"] ?? "") ?? 2_000
  static let batches: UInt64 = 8

  @Test("V1 V2 V3 V4 V5 M6 M7: what once failed does not fail again", arguments: keptSequences.indices)
  func kept(_ index: Int) {
    let (found, sequence) = keptSequences[index]
    #expect(sequence.mismatch() == nil, "\(found)")
  }

  @Test(
    "V2 V3 V4 V5 V6 V7 V8 M1 M2 M3 M4 M6 M7 M8 M9 S1 S2 S4 T7 U1 U2 U3 U4 A5 A9: random threads do what the rules say, after each step",
    arguments: 0..<batches)
  func random(_ batch: UInt64) {
    var seed = batch
    while seed < Self.count {
      defer { seed += Self.batches }
      let sequence = RuleSequence(seed: seed)
      guard sequence.mismatch() != nil else { continue }
      let short = sequence.shrunk()
      Issue.record("seed \(seed):\n  \(short.source)\n  \(short.mismatch() ?? "")")
      return
    }
  }

  @Test("The checker notices each rule's opposite, and shrinks it to a few steps", arguments: Twist.allCases)
  func notices(_ twist: Twist) throws {
    let seeds = 0..<UInt64(3_000)
    let seed = try #require(seeds.first { RuleSequence(seed: $0).mismatch(twist: twist) != nil }, "\(twist.rawValue)")
    let short = RuleSequence(seed: seed).shrunk(twist: twist)
    #expect(short.mismatch(twist: twist) != nil)
    #expect(short.mismatch() == nil)
    #expect(short.steps.count <= 10, "\(twist.rawValue): \(short.source)")
  }

  @Test("A sequence is printed as it can be pasted")
  func printed() {
    let sequence = RuleSequence(
      .imported(turns: 2, .v2), features: 3, [.select(.proactive), .turn(.queue, model: 1, mode: nil), .rollback(2)])
    #expect(
      sequence.source
        == "RuleSequence(.imported(turns: 2, Optional(.v2)), features: 3, "
        + "[.select(.proactive), .turn(.queue, model: Optional(1), mode: nil), .rollback(2)])")
  }

  @Test("The same seed gives the same sequence, and other seeds reach every kind of step")
  func generator() {
    #expect(RuleSequence(seed: 5).steps == RuleSequence(seed: 5).steps)
    var kinds: [String] = []
    for seed in 0..<UInt64(50) {
      for step in RuleSequence(seed: seed).steps {
        let kind = "\(step)".prefix { $0 != "(" }
        if !kinds.contains(String(kind)) { kinds.append(String(kind)) }
      }
    }
    #expect(
      kinds.sorted() == [
        "answer", "archive", "ask", "cancel", "checkpoint", "clear", "close", "compact", "deadline", "delivered",
        "fail",
        "features", "finish", "fork", "forkUpTo", "hints", "interrupt", "interruptAgain", "mail", "markers", "model",
        "reopen", "restart", "resume", "retry", "rollback", "sameMail", "say", "select", "slot", "stale", "steer",
        "steerWrong", "sumUp", "summary", "tooLarge", "tool", "turn", "unarchive",
      ])
  }
}
