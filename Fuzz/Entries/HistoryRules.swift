// The rules that every imported history keeps, whatever the file was.

import HeddleCore
import HeddleImport

/// Rules that the history breaks; empty when it keeps them all.
package func historyViolations(in history: ImportedHistory) -> [String] {
  var found: [String] = []
  var open: TurnID?
  var seen: Set<TurnID> = []
  var revision: UInt64 = 0
  for (index, event) in history.events.enumerated() {
    if event.sequence != UInt64(index) + 1 { found.append("event \(index + 1) has number \(event.sequence)") }
    switch event.kind {
    case .threadCreated: if index != 0 { found.append("a second beginning") }
    case .turnStarted(let started):
      if open != nil { found.append("a turn starts inside of another") }
      if !seen.insert(started.turn).inserted { found.append("turn \(started.turn) starts twice") }
      if started.ordinal != UInt64(seen.count) { found.append("turn \(seen.count) has ordinal \(started.ordinal)") }
      open = started.turn
    case .turnEnded(let ended):
      if open != ended.turn { found.append("a turn ends that is not open") }
      open = nil
      if event.turn != ended.turn { found.append("the end of a turn is outside of it") }
      continue
    case .settingsUpdated(let updated):
      revision += 1
      if updated.revision != revision { found.append("revision \(updated.revision) instead of \(revision)") }
      if updated.settings?.model.isEmpty ?? true { found.append("settings without a model") }
    case .turnsRolledBack(let rolledBack):
      if rolledBack.lastOrdinal > UInt64(seen.count) || rolledBack.firstOrdinal < 1
        || rolledBack.lastOrdinal &- rolledBack.firstOrdinal &+ 1 != UInt64(rolledBack.count)
      {
        found.append("turns are rolled back that do not exist")
      }
    default: break
    }
    if event.turn != open { found.append("event \(index + 1) is not in the turn that is open") }
  }
  if open != nil { found.append("a turn never ends") }
  guard case .threadCreated = history.events.first?.kind else { return found + ["no beginning"] }
  if history.version == .unspecified { found.append("no version") }
  return found + foldViolations(in: history)
}

/// The record that a server makes of the events agrees with what the reader says about them.
private func foldViolations(in history: ImportedHistory) -> [String] {
  var record = ThreadRecord()
  for event in history.events { record.apply(event) }
  var found: [String] = []
  if record.settings != history.settings { found.append("the record has other settings") }
  if record.turnCount != UInt64(history.turnCount) { found.append("the record has \(record.turnCount) turns") }
  if record.createdAt != history.createdAt { found.append("the record has another time of creation") }
  if record.updatedAt > history.updatedAt { found.append("an event is newer than the newest line") }
  if record.running != nil { found.append("a turn still runs") }
  let pinned: MultiAgentVersion = history.versionSource == .stored ? history.version : .unspecified
  if record.version != pinned { found.append("the record is pinned to \(record.version)") }
  return found
}
