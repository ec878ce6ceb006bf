// Resuming, naming, archiving, rolling back, settings: everything that changes a thread without running a turn.

extension ThreadMachine {
  /// rules.md V8: the first resume of a legacy thread pins it; `updatedAt` stays.
  mutating func resume(
    _ tools: ToolSelection?, _ environment: inout MachineEnvironment
  ) throws(Refusal) -> Response {
    if record.archived { throw Refusal(.archived) }
    // It refuses before anything is appended.
    if let tools { _ = try changeSettings(SettingsChange(), environment, tools: tools) }
    if record.version == .unspecified,
      let resolved = resolveBeforeFirstTurn(VersionSources(hasHistory: record.hasHistory))
    {
      append(.versionPinned(VersionPinned(version: resolved.version, source: resolved.source)), environment)
    }
    return .threadResume(ResumeThreadResponse(sequence: record.sequence, thread: summary()))
  }

  /// rules.md V7, V9: the first writer wins; later ones get the stored value and write nothing.
  mutating func pinIfUnset(
    _ version: MultiAgentVersion, _ source: VersionSource, _ environment: MachineEnvironment
  ) -> Response {
    if record.version == .unspecified, version != .unspecified {
      append(.versionPinned(VersionPinned(version: version, source: source)), environment)
    }
    return .threadResume(ResumeThreadResponse(sequence: record.sequence, thread: summary()))
  }

  mutating func setName(_ name: String, _ environment: inout MachineEnvironment) throws(Refusal) -> Response {
    try checkLength(name, "name", environment.rules.limits.nameBytes)
    // By bytes: `==` takes names for equal that only look alike (attacks.md M21).
    if !name.utf8.elementsEqual(record.name.utf8) {
      try checkWritable(environment.rules.limits)
      append(.nameChanged(NameChanged(name: name)), environment)
    }
    return .threadSetName(SetThreadNameResponse(sequence: record.sequence))
  }

  /// rules.md T6: not while a turn runs or waits. Archiving an archived thread changes nothing.
  mutating func archive(_ root: ThreadID, _ environment: inout MachineEnvironment) throws(Refusal) -> Response {
    if let running = record.running { throw Refusal(.turnInProgress, [("turn", running.id.description)]) }
    if !record.archived { append(.threadArchived(ThreadArchived(root: root)), environment) }
    return .threadArchive(ArchiveThreadResponse(sequence: record.sequence))
  }

  mutating func unarchive(_ root: ThreadID, _ environment: inout MachineEnvironment) throws(Refusal) -> Response {
    if record.archived {
      append(.threadUnarchived(ThreadUnarchived(root: root)), environment)
      wantTurn()
    }
    return .threadUnarchive(UnarchiveThreadResponse(sequence: record.sequence))
  }

  /// rules.md T7: idle only; the log keeps the turns that lists leave out.
  mutating func rollback(
    _ count: Int32, _ basis: RollbackBasis, _ environment: inout MachineEnvironment
  ) throws(Refusal) -> Response {
    guard count >= 1 else { throw Refusal(.outOfRange, [("field", "turns"), ("minimum", "1")]) }
    if let running = record.running { throw Refusal(.turnInProgress, [("turn", running.id.description)]) }
    try checkWritable(environment.rules.limits)
    guard let range = record.rollbackRange(UInt64(count)) else {
      return .threadRollback(RollbackThreadResponse(sequence: record.sequence, rolledBack: 0))
    }
    append(
      .turnsRolledBack(
        TurnsRolledBack(
          count: range.count, firstOrdinal: range.first, lastOrdinal: range.last, baseline: basis.baseline,
          contextStart: basis.contextStart)), environment)
    return .threadRollback(RollbackThreadResponse(sequence: record.sequence, rolledBack: range.count))
  }

  func readSettings() -> Response {
    let resolved = record.shownVersion
    return .settingsRead(
      ReadSettingsResponse(
        settings: record.settings, revision: record.revision, version: resolved.version,
        versionSource: resolved.source, tools: record.tools.map(\.name)))
  }

  /// rules.md S2 to S5: an event when, and only when, something changed; the running turn keeps its context.
  mutating func updateSettings(
    _ change: SettingsChange?, _ tools: ToolSelection?, _ expected: UInt64?, _ environment: inout MachineEnvironment
  ) throws(Refusal) -> Response {
    if record.archived { throw Refusal(.archived) }
    if let expected, expected != record.revision {
      throw Refusal(.revisionMismatch, [("now", "\(record.revision)")])
    }
    let changed = try changeSettings(change ?? SettingsChange(), environment, tools: tools)
    return .settingsUpdate(
      UpdateSettingsResponse(
        sequence: record.sequence, revision: record.revision, changed: changed, settings: record.settings,
        tools: record.tools.map(\.name)))
  }

  /// Applies a change and says whether it was one (rules.md S4, S6).
  mutating func changeSettings(
    _ change: SettingsChange, _ environment: MachineEnvironment, tools: ToolSelection? = nil
  ) throws(Refusal) -> Bool {
    let after = try record.currentSettings.applying(change, rules: environment.rules)
    let wanted = try tools?.chosen(environment.rules.limits)
    let selection = wanted.flatMap { $0.isIdentical(to: record.tools) ? nil : ToolSelection(choosing: $0) }
    if selection == nil, let before = record.settings, after.isIdentical(to: before) { return false }
    try checkWritable(environment.rules.limits)
    append(
      .settingsUpdated(SettingsUpdated(revision: record.revision &+ 1, settings: after, tools: selection)), environment)
    return true
  }
}
