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
  /// `turn_tokens`
  case turnTokens = 8
  /// `thread_tokens`
  case threadTokens = 9
  /// `tree_tokens`
  case treeTokens = 10
  /// `agent_depth`
  case agentDepth = 11
  /// `agent_total`
  case agentTotal = 12
  /// `wake_parent`
  case wakeParent = 13

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
    case .turnTokens: "TURN_TOKENS"
    case .threadTokens: "THREAD_TOKENS"
    case .treeTokens: "TREE_TOKENS"
    case .agentDepth: "AGENT_DEPTH"
    case .agentTotal: "AGENT_TOTAL"
    case .wakeParent: "WAKE_PARENT"
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
  /// What the message holds. To change several fields, change a copy of this and make a message of it.
  public struct Fields: Equatable, Sendable {
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
    /// Tokens that one turn may use, input and output.
    public var turnTokens: UInt64? = nil
    /// Tokens that the thread may use in its life.
    public var threadTokens: UInt64? = nil
    /// Tokens that the whole tree may use, deleted agents not counted; of the root's settings.
    public var treeTokens: UInt64? = nil
    /// How deep agents may spawn agents, 1: the root only; of the root's settings.
    public var agentDepth: UInt32? = nil
    /// How many agents may be spawned in the tree, ended ones counted and deleted ones not; of the root's settings.
    public var agentTotal: UInt32? = nil
    /// An agent's final answer starts a turn of its idle parent; of the root's settings.
    public var wakeParent: Bool? = nil

    public init() {}
  }

  @usableFromInline
  final class Box: Sendable {
    @usableFromInline let fields: Fields
    @inlinable init(_ fields: consuming Fields) { self.fields = fields }
  }

  @usableFromInline var box: Box
  private static let none = Box(Fields())

  @inlinable public var fields: Fields {
    get { box.fields }
    set { box = Box(newValue) }
  }

  public init() { box = Self.none }

  @inlinable public init(fields: consuming Fields) { box = Box(fields) }

  public init(model: String = "", modelProvider: String = "", reasoningEffort: String? = nil, reasoningSummary: String? = nil, serviceTier: String? = nil, baseInstructions: String? = nil, developerInstructions: String? = nil, mode: MultiAgentMode? = nil, workingFolder: String? = nil, metadata: [NameValue] = [], temperature: Float? = nil, turnTokens: UInt64? = nil, threadTokens: UInt64? = nil, treeTokens: UInt64? = nil, agentDepth: UInt32? = nil, agentTotal: UInt32? = nil, wakeParent: Bool? = nil) {
    var fields = Fields()
    fields.model = model
    fields.modelProvider = modelProvider
    fields.reasoningEffort = reasoningEffort
    fields.reasoningSummary = reasoningSummary
    fields.serviceTier = serviceTier
    fields.baseInstructions = baseInstructions
    fields.developerInstructions = developerInstructions
    fields.mode = mode
    fields.workingFolder = workingFolder
    fields.metadata = metadata
    fields.temperature = temperature
    fields.turnTokens = turnTokens
    fields.threadTokens = threadTokens
    fields.treeTokens = treeTokens
    fields.agentDepth = agentDepth
    fields.agentTotal = agentTotal
    fields.wakeParent = wakeParent
    box = Box(fields)
  }

  public static func == (a: Self, b: Self) -> Bool { a.box === b.box || a.box.fields == b.box.fields }

  /// Model that answers turns.
  @inlinable public var model: String {
    get { box.fields.model }
    set { fields.model = newValue }
  }

  /// Provider of that model.
  @inlinable public var modelProvider: String {
    get { box.fields.modelProvider }
    set { fields.modelProvider = newValue }
  }

  /// How hard the model is asked to think.
  @inlinable public var reasoningEffort: String? {
    get { box.fields.reasoningEffort }
    set { fields.reasoningEffort = newValue }
  }

  /// Which summary of its reasoning the model is asked for.
  @inlinable public var reasoningSummary: String? {
    get { box.fields.reasoningSummary }
    set { fields.reasoningSummary = newValue }
  }

  /// Service tier at the provider.
  @inlinable public var serviceTier: String? {
    get { box.fields.serviceTier }
    set { fields.serviceTier = newValue }
  }

  /// Replaces the model's base instructions.
  @inlinable public var baseInstructions: String? {
    get { box.fields.baseInstructions }
    set { fields.baseInstructions = newValue }
  }

  /// Said to the model as a developer before anything else.
  @inlinable public var developerInstructions: String? {
    get { box.fields.developerInstructions }
    set { fields.developerInstructions = newValue }
  }

  /// The selected mode; absent when no client has selected one. Never the effective mode (rules.md M10).
  @inlinable public var mode: MultiAgentMode? {
    get { box.fields.mode }
    set { fields.mode = newValue }
  }

  /// Folder that the thread works in.
  @inlinable public var workingFolder: String? {
    get { box.fields.workingFolder }
    set { fields.workingFolder = newValue }
  }

  /// Names and values of the client's own, sorted by name.
  @inlinable public var metadata: [NameValue] {
    get { box.fields.metadata }
    set { fields.metadata = newValue }
  }

  /// Sampling temperature, 0 to 2.
  @inlinable public var temperature: Float? {
    get { box.fields.temperature }
    set { fields.temperature = newValue }
  }

  /// Tokens that one turn may use, input and output.
  @inlinable public var turnTokens: UInt64? {
    get { box.fields.turnTokens }
    set { fields.turnTokens = newValue }
  }

  /// Tokens that the thread may use in its life.
  @inlinable public var threadTokens: UInt64? {
    get { box.fields.threadTokens }
    set { fields.threadTokens = newValue }
  }

  /// Tokens that the whole tree may use, deleted agents not counted; of the root's settings.
  @inlinable public var treeTokens: UInt64? {
    get { box.fields.treeTokens }
    set { fields.treeTokens = newValue }
  }

  /// How deep agents may spawn agents, 1: the root only; of the root's settings.
  @inlinable public var agentDepth: UInt32? {
    get { box.fields.agentDepth }
    set { fields.agentDepth = newValue }
  }

  /// How many agents may be spawned in the tree, ended ones counted and deleted ones not; of the root's settings.
  @inlinable public var agentTotal: UInt32? {
    get { box.fields.agentTotal }
    set { fields.agentTotal = newValue }
  }

  /// An agent's final answer starts a turn of its idle parent; of the root's settings.
  @inlinable public var wakeParent: Bool? {
    get { box.fields.wakeParent }
    set { fields.wakeParent = newValue }
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

/// A tool that the client brings (rules.md A9).
public struct ToolDefinition: Equatable, Sendable {
  /// Its name.
  public var name: String = ""
  /// Its purpose, in words for the model.
  public var description: String = ""
  /// JSON schema of its arguments.
  public var schema: String = ""

  public init() {}

  public init(name: String = "", description: String = "", schema: String = "") {
    self.name = name
    self.description = description
    self.schema = schema
  }
}

/// A change of the tools that the client brings. No message, or an empty one: keep them (rules.md S6).
public struct ToolSelection: Equatable, Sendable {
  /// These tools and no others from the next turn on, checked as at the start.
  public var `set`: [ToolDefinition] = []
  /// No tools from the next turn on. Together with `set` it is refused.
  public var clear: Bool = false

  public init() {}

  public init(set: [ToolDefinition] = [], clear: Bool = false) {
    self.set = `set`
    self.clear = clear
  }
}

/// A change of settings: a field that is absent stays as it is.
public struct SettingsChange: Equatable, Sendable {
  /// What the message holds. To change several fields, change a copy of this and make a message of it.
  public struct Fields: Equatable, Sendable {
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
    /// Tokens that one turn may use, input and output.
    public var turnTokens: UInt64? = nil
    /// Tokens that the thread may use in its life.
    public var threadTokens: UInt64? = nil
    /// Tokens that the whole tree may use; of the root's settings.
    public var treeTokens: UInt64? = nil
    /// How deep agents may spawn agents, 1: the root only; of the root's settings.
    public var agentDepth: UInt32? = nil
    /// How many agents may be spawned in the tree, ended ones counted; of the root's settings.
    public var agentTotal: UInt32? = nil
    /// An agent's final answer starts a turn of its idle parent; of the root's settings.
    public var wakeParent: Bool? = nil

    public init() {}
  }

  @usableFromInline
  final class Box: Sendable {
    @usableFromInline let fields: Fields
    @inlinable init(_ fields: consuming Fields) { self.fields = fields }
  }

  @usableFromInline var box: Box
  private static let none = Box(Fields())

  @inlinable public var fields: Fields {
    get { box.fields }
    set { box = Box(newValue) }
  }

  public init() { box = Self.none }

  @inlinable public init(fields: consuming Fields) { box = Box(fields) }

  public init(model: String? = nil, modelProvider: String? = nil, reasoningEffort: String? = nil, reasoningSummary: String? = nil, serviceTier: String? = nil, baseInstructions: String? = nil, developerInstructions: String? = nil, mode: ModeSelection? = nil, workingFolder: String? = nil, metadata: [NameValue] = [], temperature: Float? = nil, removeMetadata: [String] = [], clear: [SettingsField] = [], turnTokens: UInt64? = nil, threadTokens: UInt64? = nil, treeTokens: UInt64? = nil, agentDepth: UInt32? = nil, agentTotal: UInt32? = nil, wakeParent: Bool? = nil) {
    var fields = Fields()
    fields.model = model
    fields.modelProvider = modelProvider
    fields.reasoningEffort = reasoningEffort
    fields.reasoningSummary = reasoningSummary
    fields.serviceTier = serviceTier
    fields.baseInstructions = baseInstructions
    fields.developerInstructions = developerInstructions
    fields.mode = mode
    fields.workingFolder = workingFolder
    fields.metadata = metadata
    fields.temperature = temperature
    fields.removeMetadata = removeMetadata
    fields.clear = clear
    fields.turnTokens = turnTokens
    fields.threadTokens = threadTokens
    fields.treeTokens = treeTokens
    fields.agentDepth = agentDepth
    fields.agentTotal = agentTotal
    fields.wakeParent = wakeParent
    box = Box(fields)
  }

  public static func == (a: Self, b: Self) -> Bool { a.box === b.box || a.box.fields == b.box.fields }

  /// Model that answers turns; must be in the catalog.
  @inlinable public var model: String? {
    get { box.fields.model }
    set { fields.model = newValue }
  }

  /// Provider of that model; must be the one of the model's catalog entry.
  @inlinable public var modelProvider: String? {
    get { box.fields.modelProvider }
    set { fields.modelProvider = newValue }
  }

  /// How hard the model is asked to think.
  @inlinable public var reasoningEffort: String? {
    get { box.fields.reasoningEffort }
    set { fields.reasoningEffort = newValue }
  }

  /// Which summary of its reasoning the model is asked for.
  @inlinable public var reasoningSummary: String? {
    get { box.fields.reasoningSummary }
    set { fields.reasoningSummary = newValue }
  }

  /// Service tier at the provider.
  @inlinable public var serviceTier: String? {
    get { box.fields.serviceTier }
    set { fields.serviceTier = newValue }
  }

  /// Replaces the model's base instructions.
  @inlinable public var baseInstructions: String? {
    get { box.fields.baseInstructions }
    set { fields.baseInstructions = newValue }
  }

  /// Said to the model as a developer before anything else.
  @inlinable public var developerInstructions: String? {
    get { box.fields.developerInstructions }
    set { fields.developerInstructions = newValue }
  }

  /// The selected mode: keep, set or clear.
  @inlinable public var mode: ModeSelection? {
    get { box.fields.mode }
    set { fields.mode = newValue }
  }

  /// Folder that the thread works in.
  @inlinable public var workingFolder: String? {
    get { box.fields.workingFolder }
    set { fields.workingFolder = newValue }
  }

  /// Names to set; other names stay.
  @inlinable public var metadata: [NameValue] {
    get { box.fields.metadata }
    set { fields.metadata = newValue }
  }

  /// Sampling temperature, 0 to 2, finite.
  @inlinable public var temperature: Float? {
    get { box.fields.temperature }
    set { fields.temperature = newValue }
  }

  /// Names of metadata to remove.
  @inlinable public var removeMetadata: [String] {
    get { box.fields.removeMetadata }
    set { fields.removeMetadata = newValue }
  }

  /// Settings to unset. Setting and unsetting one in the same change is refused.
  @inlinable public var clear: [SettingsField] {
    get { box.fields.clear }
    set { fields.clear = newValue }
  }

  /// Tokens that one turn may use, input and output.
  @inlinable public var turnTokens: UInt64? {
    get { box.fields.turnTokens }
    set { fields.turnTokens = newValue }
  }

  /// Tokens that the thread may use in its life.
  @inlinable public var threadTokens: UInt64? {
    get { box.fields.threadTokens }
    set { fields.threadTokens = newValue }
  }

  /// Tokens that the whole tree may use; of the root's settings.
  @inlinable public var treeTokens: UInt64? {
    get { box.fields.treeTokens }
    set { fields.treeTokens = newValue }
  }

  /// How deep agents may spawn agents, 1: the root only; of the root's settings.
  @inlinable public var agentDepth: UInt32? {
    get { box.fields.agentDepth }
    set { fields.agentDepth = newValue }
  }

  /// How many agents may be spawned in the tree, ended ones counted; of the root's settings.
  @inlinable public var agentTotal: UInt32? {
    get { box.fields.agentTotal }
    set { fields.agentTotal = newValue }
  }

  /// An agent's final answer starts a turn of its idle parent; of the root's settings.
  @inlinable public var wakeParent: Bool? {
    get { box.fields.wakeParent }
    set { fields.wakeParent = newValue }
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
  /// Tools that the client brings, by name.
  public var tools: [String] = []

  public init() {}

  public init(settings: Settings? = nil, revision: UInt64 = 0, version: MultiAgentVersion = .unspecified, versionSource: VersionSource = .unspecified, tools: [String] = []) {
    self.settings = settings
    self.revision = revision
    self.version = version
    self.versionSource = versionSource
    self.tools = tools
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
  /// The tools that the client brings: keep, set or clear. A part of the same change, with the same revision.
  public var tools: ToolSelection? = nil

  public init() {}

  public init(thread: ThreadID = ThreadID(), change: SettingsChange? = nil, expectedRevision: UInt64? = nil, tools: ToolSelection? = nil) {
    self.thread = thread
    self.change = change
    self.expectedRevision = expectedRevision
    self.tools = tools
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
  /// Tools for the next turn that the client brings, by name.
  public var tools: [String] = []
  /// True when this answer was given before, to the same idempotency key.
  public var replayed: Bool = false

  public init() {}

  public init(sequence: UInt64 = 0, revision: UInt64 = 0, changed: Bool = false, settings: Settings? = nil, tools: [String] = [], replayed: Bool = false) {
    self.sequence = sequence
    self.revision = revision
    self.changed = changed
    self.settings = settings
    self.tools = tools
    self.replayed = replayed
  }
}

