// The result of reading a rollout: one Heddle history, complete and in order, and the lines that could not be read.

import HeddleCore

/// The history of one thread, as it stood in a rollout file.
public struct ImportedHistory: Sendable, Equatable {
  /// The thread; its id is that of the file's first session meta.
  public var thread: ThreadID
  /// The thread's lineage; its source is always `.import`.
  public var lineage: Lineage
  /// When it was created, unix milliseconds.
  public var createdAt: Int64
  /// When the newest line was written, unix milliseconds.
  public var updatedAt: Int64
  /// The settings for its next turn, the selected mode (rules.md M8) included.
  public var settings: Settings
  /// Numbered 1 … n; `ThreadCreated` is the first.
  public var events: [Event]
  /// The version by the rules V2 and V4, never `.unspecified`.
  public var version: MultiAgentVersion
  /// `.stored`, or `.legacy` when no version was ever stored: then no event pins it (rules.md V8).
  public var versionSource: VersionSource
  /// The modes that the model was given, one for each turn context in the file.
  public var effectiveModes: [MultiAgentMode?]
  /// Turns in the turn list: rolled-back ones do not count.
  public var turnCount: Int
  /// Items in the history.
  public var itemCount: Int
  /// How the last turn of the turn list ended.
  public var lastTurnStatus: TurnStatus?
  /// Lines that could not be read.
  public var skippedLines: [SkippedLine]
  /// Lines of a type that this reader does not know, kept as they were.
  public var foreignLines: Int

  /// Another model for its next turn (rules.md I4): a change of settings behind all other events, at the time of the
  /// newest one, so that past turns keep the model that they ran on and the thread keeps its place in lists.
  public mutating func goOn(model: String, provider: String) {
    guard settings.model != model || settings.modelProvider != provider, let newest = events.last else { return }
    settings.model = model
    settings.modelProvider = provider
    var revision: UInt64 = 0
    for case .settingsUpdated(let update)? in events.map(\.kind) { revision = update.revision }
    events.append(
      Event(
        sequence: newest.sequence + 1, at: newest.at,
        kind: .settingsUpdated(SettingsUpdated(revision: revision + 1, settings: settings))))
  }
}

/// A line that could not be read, all of it or its beginning.
public struct SkippedLine: Sendable, Equatable {
  /// Counted from 1.
  public var number: Int
  /// The fault of the line.
  public var reason: String

  public init(number: Int, reason: String) {
    self.number = number
    self.reason = reason
  }
}

/// Why a file gives no history at all.
public enum RolloutError: Error, Equatable, CustomStringConvertible {
  /// There is nothing in the file.
  case empty
  /// Not one line could be read; this is the first of them.
  case unreadable(SkippedLine)
  /// The file does not say whose history it is. `damaged` is the line in which it probably stood.
  case noSessionMeta(damaged: SkippedLine?)

  public var description: String {
    switch self {
    case .empty: "the file is empty; there is nothing to import"
    case .unreadable(let line):
      "no line of the file can be read (line \(line.number): \(line.reason)); is it a Codex rollout?"
    case .noSessionMeta(nil):
      "the file has no session_meta line with an id, so it does not say whose history it is; is it a Codex rollout?"
    case .noSessionMeta(let line?):
      "line \(line.number), where the session_meta should be, is damaged (\(line.reason)); restore it from a copy"
    }
  }
}
