// Made by `make generate` from proto/; edit that instead.
// swift-format-ignore-file

/// Which multi-agent system a thread speaks; pinned once, for life (rules.md V).
public enum MultiAgentVersion: Int32, Sendable, CaseIterable, Hashable {
  /// Not pinned yet.
  case unspecified = 0
  /// The first system: spawn, send, wait, close, resume.
  case v1 = 1
  /// The second system: named agents, mail, concurrency by running turns.
  case v2 = 2
  /// No other agents.
  case disabled = 3

  /// The value's name in the schema, without the enum's prefix.
  public var name: String {
    switch self {
    case .unspecified: "UNSPECIFIED"
    case .v1: "V1"
    case .v2: "V2"
    case .disabled: "DISABLED"
    }
  }
}

/// Where a version came from (rules.md V11).
public enum VersionSource: Int32, Sendable, CaseIterable, Hashable {
  /// The version is not pinned yet.
  case unspecified = 0
  /// Found in the thread's own history.
  case stored = 1
  /// Handed down by a parent, or by the source of a fork.
  case inherited = 2
  /// A history in which nobody ever stored a version.
  case legacy = 3
  /// The catalog entry of the first turn's model.
  case catalog = 4
  /// The feature flags.
  case flags = 5

  /// The value's name in the schema, without the enum's prefix.
  public var name: String {
    switch self {
    case .unspecified: "UNSPECIFIED"
    case .stored: "STORED"
    case .inherited: "INHERITED"
    case .legacy: "LEGACY"
    case .catalog: "CATALOG"
    case .flags: "FLAGS"
    }
  }
}

/// What the model is told about delegating; never changes tools or limits (rules.md M).
public enum MultiAgentMode: Int32, Sendable, CaseIterable, Hashable {
  /// Unset.
  case unspecified = 0
  /// Delegate only when the user asks for it.
  case explicitRequestOnly = 1
  /// Delegate when it helps.
  case proactive = 2

  /// The value's name in the schema, without the enum's prefix.
  public var name: String {
    switch self {
    case .unspecified: "UNSPECIFIED"
    case .explicitRequestOnly: "EXPLICIT_REQUEST_ONLY"
    case .proactive: "PROACTIVE"
    }
  }
}

/// Settings that can be unset.
public enum SettingsField: Int32, Sendable, CaseIterable, Hashable {
  /// Refused.
  case unspecified = 0
  /// `reasoning_effort`
  case reasoningEffort = 1
  /// `reasoning_summary`
  case reasoningSummary = 2
  /// `service_tier`
  case serviceTier = 3
  /// `base_instructions`
  case baseInstructions = 4
  /// `developer_instructions`
  case developerInstructions = 5
  /// `working_folder`
  case workingFolder = 6
  /// `temperature`
  case temperature = 7

  /// The value's name in the schema, without the enum's prefix.
  public var name: String {
    switch self {
    case .unspecified: "UNSPECIFIED"
    case .reasoningEffort: "REASONING_EFFORT"
    case .reasoningSummary: "REASONING_SUMMARY"
    case .serviceTier: "SERVICE_TIER"
    case .baseInstructions: "BASE_INSTRUCTIONS"
    case .developerInstructions: "DEVELOPER_INSTRUCTIONS"
    case .workingFolder: "WORKING_FOLDER"
    case .temperature: "TEMPERATURE"
    }
  }
}

/// A name and a value.
public struct NameValue: Equatable, Sendable {
  /// The name; not empty.
  public var name: String = ""
  /// The value.
  public var value: String = ""

  public init() {}

  public init(name: String = "", value: String = "") {
    self.name = name
    self.value = value
  }
}

/// The sticky settings of a thread (rules.md S1), complete.
public struct Settings: Equatable, Sendable {
  /// Model that answers turns.
  public var model: String = ""
  /// Provider of that model.
  public var modelProvider: String = ""
  /// How hard the model is asked to think.
  public var reasoningEffort: String? = nil
  /// Which summary of its reasoning the model is asked for.
  public var reasoningSummary: String? = nil
  /// Service tier at the provider.
  public var serviceTier: String? = nil
  /// Replaces the model's base instructions.
  public var baseInstructions: String? = nil
  /// Said to the model as a developer before anything else.
  public var developerInstructions: String? = nil
  /// The selected mode; absent when no client has selected one. Never the effective mode (rules.md M10).
  public var mode: MultiAgentMode? = nil
  /// Folder that the thread works in.
  public var workingFolder: String? = nil
  /// Names and values of the client's own, sorted by name.
  public var metadata: [NameValue] = []
  /// Sampling temperature, 0 to 2.
  public var temperature: Float? = nil

  public init() {}

  public init(model: String = "", modelProvider: String = "", reasoningEffort: String? = nil, reasoningSummary: String? = nil, serviceTier: String? = nil, baseInstructions: String? = nil, developerInstructions: String? = nil, mode: MultiAgentMode? = nil, workingFolder: String? = nil, metadata: [NameValue] = [], temperature: Float? = nil) {
    self.model = model
    self.modelProvider = modelProvider
    self.reasoningEffort = reasoningEffort
    self.reasoningSummary = reasoningSummary
    self.serviceTier = serviceTier
    self.baseInstructions = baseInstructions
    self.developerInstructions = developerInstructions
    self.mode = mode
    self.workingFolder = workingFolder
    self.metadata = metadata
    self.temperature = temperature
  }
}

/// What to do with the selected mode. No message, or no choice in it: keep it (rules.md M1, M2).
public struct ModeSelection: Equatable, Sendable {
  /// Keep is the absence of both.
  public enum Choice: Equatable, Sendable {
    /// Select this mode.
    case `set`(MultiAgentMode)
    /// Back to unset; must be true.
    case clear(Bool)

    /// The member's field number.
    public var number: UInt8 {
      switch self {
      case .set: 1
      case .clear: 2
      }
    }
  }

  /// Keep is the absence of both.
  public var choice: Choice? = nil

  public init() {}

  public init(choice: Choice? = nil) {
    self.choice = choice
  }
}

/// A change of settings: a field that is absent stays as it is.
public struct SettingsChange: Equatable, Sendable {
  /// Model that answers turns; must be in the catalog.
  public var model: String? = nil
  /// Provider of that model; must be the one of the model's catalog entry.
  public var modelProvider: String? = nil
  /// How hard the model is asked to think.
  public var reasoningEffort: String? = nil
  /// Which summary of its reasoning the model is asked for.
  public var reasoningSummary: String? = nil
  /// Service tier at the provider.
  public var serviceTier: String? = nil
  /// Replaces the model's base instructions.
  public var baseInstructions: String? = nil
  /// Said to the model as a developer before anything else.
  public var developerInstructions: String? = nil
  /// The selected mode: keep, set or clear.
  public var mode: ModeSelection? = nil
  /// Folder that the thread works in.
  public var workingFolder: String? = nil
  /// Names to set; other names stay.
  public var metadata: [NameValue] = []
  /// Sampling temperature, 0 to 2, finite.
  public var temperature: Float? = nil
  /// Names of metadata to remove.
  public var removeMetadata: [String] = []
  /// Settings to unset. Setting and unsetting one in the same change is refused.
  public var clear: [SettingsField] = []

  public init() {}

  public init(model: String? = nil, modelProvider: String? = nil, reasoningEffort: String? = nil, reasoningSummary: String? = nil, serviceTier: String? = nil, baseInstructions: String? = nil, developerInstructions: String? = nil, mode: ModeSelection? = nil, workingFolder: String? = nil, metadata: [NameValue] = [], temperature: Float? = nil, removeMetadata: [String] = [], clear: [SettingsField] = []) {
    self.model = model
    self.modelProvider = modelProvider
    self.reasoningEffort = reasoningEffort
    self.reasoningSummary = reasoningSummary
    self.serviceTier = serviceTier
    self.baseInstructions = baseInstructions
    self.developerInstructions = developerInstructions
    self.mode = mode
    self.workingFolder = workingFolder
    self.metadata = metadata
    self.temperature = temperature
    self.removeMetadata = removeMetadata
    self.clear = clear
  }
}

/// Reads a thread's settings.
public struct ReadSettingsRequest: Equatable, Sendable {
  /// The thread.
  public var thread: ThreadID = ThreadID()

  public init() {}

  public init(thread: ThreadID = ThreadID()) {
    self.thread = thread
  }
}

/// The settings for the next turn.
public struct ReadSettingsResponse: Equatable, Sendable {
  /// The settings.
  public var settings: Settings? = nil
  /// Number of the last change, rising by one with each.
  public var revision: UInt64 = 0
  /// The pinned version, `V1` for a legacy thread.
  public var version: MultiAgentVersion = .unspecified
  /// Where the version came from.
  public var versionSource: VersionSource = .unspecified

  public init() {}

  public init(settings: Settings? = nil, revision: UInt64 = 0, version: MultiAgentVersion = .unspecified, versionSource: VersionSource = .unspecified) {
    self.settings = settings
    self.revision = revision
    self.version = version
    self.versionSource = versionSource
  }
}

/// Changes settings for the next turn; starts no model request and adds no item (rules.md S3).
public struct UpdateSettingsRequest: Equatable, Sendable {
  /// The thread.
  public var thread: ThreadID = ThreadID()
  /// The change.
  public var change: SettingsChange? = nil
  /// Refuse with `revision_mismatch` unless this is the current revision (rules.md S4).
  public var expectedRevision: UInt64? = nil

  public init() {}

  public init(thread: ThreadID = ThreadID(), change: SettingsChange? = nil, expectedRevision: UInt64? = nil) {
    self.thread = thread
    self.change = change
    self.expectedRevision = expectedRevision
  }
}

/// The settings after the change, which has reached the disk.
public struct UpdateSettingsResponse: Equatable, Sendable {
  /// The thread's newest event.
  public var sequence: UInt64 = 0
  /// Number of the last change.
  public var revision: UInt64 = 0
  /// False when the change was equal to what was there: then there is no event.
  public var changed: Bool = false
  /// The settings for the next turn.
  public var settings: Settings? = nil
  /// True when this answer was given before, to the same idempotency key.
  public var replayed: Bool = false

  public init() {}

  public init(sequence: UInt64 = 0, revision: UInt64 = 0, changed: Bool = false, settings: Settings? = nil, replayed: Bool = false) {
    self.sequence = sequence
    self.revision = revision
    self.changed = changed
    self.settings = settings
    self.replayed = replayed
  }
}

