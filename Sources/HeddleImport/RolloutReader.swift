// The importer's front door: bytes of a Codex rollout in, a Heddle history out. It reads; whoever calls it stores.
//
// Four steps, each in a file of its own: RolloutFile cuts the bytes into records and sets damaged lines aside,
// ThreadIdentity finds out whose history it is, TurnPlan says which records make up which turn, and HistoryBuilder goes
// over the records once and makes the events. Nothing depends on a clock or on chance: the same bytes always give the
// same history (rules.md I1).

import HeddleCore

/// Reads Codex rollouts, of which the samples are from 0.133 to 0.163.
public enum RolloutReader {
  /// Reads one file.
  public static func read(_ bytes: [UInt8]) throws(RolloutError) -> ImportedHistory {
    let file = RolloutFile(bytes)
    guard !file.records.isEmpty else {
      if let first = file.skipped.first { throw .unreadable(first) }
      throw .empty
    }
    // The first meta that is left is not the thread's own if the one before it is damaged: a fork's file holds its
    // source's meta too, and the fork would take the source's place.
    if let damaged = file.damagedBeginning { throw .noSessionMeta(damaged: damaged) }
    guard let identity = ThreadIdentity(file) else { throw .noSessionMeta(damaged: nil) }
    var builder = HistoryBuilder(file, identity)
    return builder.build()
  }
}
