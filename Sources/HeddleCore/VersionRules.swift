// Which multi-agent runtime a thread speaks: rules.md V1 to V6, as one function over named sources, first match wins.

/// The sources of a thread's version.
public struct VersionSources: Equatable, Sendable {
  /// Stored in the thread's own history; for a fork, in the history it shares.
  public var stored: MultiAgentVersion?
  /// Handed down by the parent that spawned it or by the source it was forked from.
  public var inherited: MultiAgentVersion?
  /// The thread has a history in which a version could have been stored.
  public var hasHistory: Bool
  /// The catalog entry of the first turn's model; an unknown value counts as absent.
  public var catalog: MultiAgentVersion?
  public var features: Features

  public init(
    stored: MultiAgentVersion? = nil, inherited: MultiAgentVersion? = nil, hasHistory: Bool = false,
    catalog: MultiAgentVersion? = nil, features: Features = Features()
  ) {
    self.stored = stored.flatMap { $0 == .unspecified ? nil : $0 }
    self.inherited = inherited.flatMap { $0 == .unspecified ? nil : $0 }
    self.hasHistory = hasHistory
    self.catalog = catalog.flatMap { $0 == .unspecified ? nil : $0 }
    self.features = features
  }
}

/// A version and where it came from (rules.md V11).
public struct ResolvedVersion: Equatable, Sendable {
  public var version: MultiAgentVersion
  public var source: VersionSource

  public init(_ version: MultiAgentVersion, _ source: VersionSource) {
    self.version = version
    self.source = source
  }
}

/// The version as far as history and lineage decide it (V1 to V4); nil: the thread is unset until its first turn.
public func resolveBeforeFirstTurn(_ sources: VersionSources) -> ResolvedVersion? {
  if sources.inherited == .disabled { return ResolvedVersion(.disabled, .inherited) }  // V1
  if let stored = sources.stored { return ResolvedVersion(stored, .stored) }  // V2
  if let inherited = sources.inherited { return ResolvedVersion(inherited, .inherited) }  // V3
  if sources.hasHistory { return ResolvedVersion(.v1, .legacy) }  // V4
  return nil
}

/// The version when the first turn starts (V1 to V5): always decided.
public func resolveAtFirstTurn(_ sources: VersionSources) -> ResolvedVersion {
  if let early = resolveBeforeFirstTurn(sources) { return early }
  if let catalog = sources.catalog { return ResolvedVersion(catalog, .catalog) }  // V5
  if sources.features.multiAgentV2 { return ResolvedVersion(.v2, .flags) }
  return ResolvedVersion(sources.features.multiAgent ? .v1 : .disabled, .flags)
}
