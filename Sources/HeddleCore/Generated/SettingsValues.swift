// Made by `make generate` from proto/; edit that instead.
// swift-format-ignore-file

/// The multi-agent version of a thread; pinned once, for the thread's whole life (rules.md V).
public enum MultiAgentVersion: Int32, Sendable, CaseIterable, Hashable {
  /// Not pinned yet.
  case unspecified = 0
  /// The first version: spawn, send, wait, close, resume.
  case v1 = 1
  /// The second version: named agents, mail, a limit on concurrently running turns.
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

/// Source of a thread's version (rules.md V11).
public enum VersionSource: Int32, Sendable, CaseIterable, Hashable {
  /// The version is not pinned yet.
  case unspecified = 0
  /// Found in the thread's own history.
  case stored = 1
  /// Inherited from a parent, or from the source of a fork.
  case inherited = 2
  /// The thread has a history in which no version was ever stored.
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

/// The instruction to the model about delegating work; it never changes tools or limits (rules.md M).
public enum MultiAgentMode: Int32, Sendable, CaseIterable, Hashable {
  /// Unset.
  case unspecified = 0
  /// Delegate only if the user asks for it.
  case explicitRequestOnly = 1
  /// Delegate whenever it helps.
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

/// The complete set of a thread's sticky settings (rules.md S1).
public struct Settings: Equatable, Sendable {
  /// What the message holds. To change several fields, change a copy of this and make a message of it.
  public struct Fields: Equatable, Sendable {
    /// The model that answers turns.
    public var model: String = ""
    /// The provider of that model.
    public var modelProvider: String = ""
    /// Reasoning effort requested from the model.
    public var reasoningEffort: String? = nil
    /// Kind of reasoning summary requested from the model.
    public var reasoningSummary: String? = nil
    /// Service tier at the provider.
    public var serviceTier: String? = nil
    /// Replaces the model's base instructions.
    public var baseInstructions: String? = nil
    /// Sent to the model as a developer message before anything else.
    public var developerInstructions: String? = nil
    /// The selected mode; absent if no client has selected one. Never the effective mode (rules.md M10).
    public var mode: MultiAgentMode? = nil
    /// The thread's working folder.
    public var workingFolder: String? = nil
    /// Names and values defined by the client, sorted by name.
    public var metadata: [NameValue] = []
    /// Sampling temperature, 0 to 2.
    public var temperature: Float? = nil
    /// Token budget of one turn, input and output.
    public var turnTokens: UInt64? = nil
    /// Token budget of the thread over its whole life.
    public var threadTokens: UInt64? = nil
    /// Token budget of the whole tree, not counting deleted agents; only the root's setting counts.
    public var treeTokens: UInt64? = nil
    /// Maximum depth of the tree of agents; 1: only the root may spawn agents. Only the root's setting counts.
    public var agentDepth: UInt32? = nil
    /// Maximum number of agents spawned in the tree, counting ended but not deleted ones. Only the root's setting counts.
    public var agentTotal: UInt32? = nil
    /// Whether an agent's final answer starts a turn of its idle parent. Only the root's setting counts.
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

  /// The model that answers turns.
  @inlinable public var model: String {
    get { box.fields.model }
    set { fields.model = newValue }
  }

  /// The provider of that model.
  @inlinable public var modelProvider: String {
    get { box.fields.modelProvider }
    set { fields.modelProvider = newValue }
  }

  /// Reasoning effort requested from the model.
  @inlinable public var reasoningEffort: String? {
    get { box.fields.reasoningEffort }
    set { fields.reasoningEffort = newValue }
  }

  /// Kind of reasoning summary requested from the model.
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

  /// Sent to the model as a developer message before anything else.
  @inlinable public var developerInstructions: String? {
    get { box.fields.developerInstructions }
    set { fields.developerInstructions = newValue }
  }

  /// The selected mode; absent if no client has selected one. Never the effective mode (rules.md M10).
  @inlinable public var mode: MultiAgentMode? {
    get { box.fields.mode }
    set { fields.mode = newValue }
  }

  /// The thread's working folder.
  @inlinable public var workingFolder: String? {
    get { box.fields.workingFolder }
    set { fields.workingFolder = newValue }
  }

  /// Names and values defined by the client, sorted by name.
  @inlinable public var metadata: [NameValue] {
    get { box.fields.metadata }
    set { fields.metadata = newValue }
  }

  /// Sampling temperature, 0 to 2.
  @inlinable public var temperature: Float? {
    get { box.fields.temperature }
    set { fields.temperature = newValue }
  }

  /// Token budget of one turn, input and output.
  @inlinable public var turnTokens: UInt64? {
    get { box.fields.turnTokens }
    set { fields.turnTokens = newValue }
  }

  /// Token budget of the thread over its whole life.
  @inlinable public var threadTokens: UInt64? {
    get { box.fields.threadTokens }
    set { fields.threadTokens = newValue }
  }

  /// Token budget of the whole tree, not counting deleted agents; only the root's setting counts.
  @inlinable public var treeTokens: UInt64? {
    get { box.fields.treeTokens }
    set { fields.treeTokens = newValue }
  }

  /// Maximum depth of the tree of agents; 1: only the root may spawn agents. Only the root's setting counts.
  @inlinable public var agentDepth: UInt32? {
    get { box.fields.agentDepth }
    set { fields.agentDepth = newValue }
  }

  /// Maximum number of agents spawned in the tree, counting ended but not deleted ones. Only the root's setting counts.
  @inlinable public var agentTotal: UInt32? {
    get { box.fields.agentTotal }
    set { fields.agentTotal = newValue }
  }

  /// Whether an agent's final answer starts a turn of its idle parent. Only the root's setting counts.
  @inlinable public var wakeParent: Bool? {
    get { box.fields.wakeParent }
    set { fields.wakeParent = newValue }
  }
}

/// A change of the selected mode. An absent or empty message keeps it (rules.md M1, M2).
public struct ModeSelection: Equatable, Sendable {
  /// Set neither to keep the mode.
  public enum Choice: Equatable, Sendable {
    /// Selects this mode.
    case `set`(MultiAgentMode)
    /// Unsets the mode; must be true.
    case clear(Bool)

    /// The member's field number.
    public var number: UInt8 {
      switch self {
      case .set: 1
      case .clear: 2
      }
    }
  }

  /// Set neither to keep the mode.
  public var choice: Choice? = nil

  public init() {}

  public init(choice: Choice? = nil) {
    self.choice = choice
  }
}

/// A tool that the client provides (rules.md A9).
public struct ToolDefinition: Equatable, Sendable {
  /// Its name.
  public var name: String = ""
  /// Its purpose, described for the model.
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

/// A change of the client's tools. An absent or empty message keeps them (rules.md S6).
public struct ToolSelection: Equatable, Sendable {
  /// Replaces all tools from the next turn on; the tools are checked as at the start of a thread.
  public var `set`: [ToolDefinition] = []
  /// Removes all tools from the next turn on. Refused together with `set`.
  public var clear: Bool = false

  public init() {}

  public init(set: [ToolDefinition] = [], clear: Bool = false) {
    self.set = `set`
    self.clear = clear
  }
}

/// A change of settings. An absent field keeps its current value.
public struct SettingsChange: Equatable, Sendable {
  /// What the message holds. To change several fields, change a copy of this and make a message of it.
  public struct Fields: Equatable, Sendable {
    /// The model that answers turns; must be in the catalog.
    public var model: String? = nil
    /// The provider of that model; must match the model's catalog entry.
    public var modelProvider: String? = nil
    /// Reasoning effort requested from the model.
    public var reasoningEffort: String? = nil
    /// Kind of reasoning summary requested from the model.
    public var reasoningSummary: String? = nil
    /// Service tier at the provider.
    public var serviceTier: String? = nil
    /// Replaces the model's base instructions.
    public var baseInstructions: String? = nil
    /// Sent to the model as a developer message before anything else.
    public var developerInstructions: String? = nil
    /// The selected mode: keep, set or clear.
    public var mode: ModeSelection? = nil
    /// The thread's working folder.
    public var workingFolder: String? = nil
    /// Metadata to set; other names keep their values.
    public var metadata: [NameValue] = []
    /// Sampling temperature, 0 to 2, finite.
    public var temperature: Float? = nil
    /// Names of metadata to remove.
    public var removeMetadata: [String] = []
    /// Settings to unset. Setting and unsetting one in the same change is refused.
    public var clear: [SettingsField] = []
    /// Token budget of one turn, input and output.
    public var turnTokens: UInt64? = nil
    /// Token budget of the thread over its whole life.
    public var threadTokens: UInt64? = nil
    /// Token budget of the whole tree; only the root's setting counts.
    public var treeTokens: UInt64? = nil
    /// Maximum depth of the tree of agents; 1: only the root may spawn agents. Only the root's setting counts.
    public var agentDepth: UInt32? = nil
    /// Maximum number of agents spawned in the tree, counting ended ones. Only the root's setting counts.
    public var agentTotal: UInt32? = nil
    /// Whether an agent's final answer starts a turn of its idle parent. Only the root's setting counts.
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

  /// The model that answers turns; must be in the catalog.
  @inlinable public var model: String? {
    get { box.fields.model }
    set { fields.model = newValue }
  }

  /// The provider of that model; must match the model's catalog entry.
  @inlinable public var modelProvider: String? {
    get { box.fields.modelProvider }
    set { fields.modelProvider = newValue }
  }

  /// Reasoning effort requested from the model.
  @inlinable public var reasoningEffort: String? {
    get { box.fields.reasoningEffort }
    set { fields.reasoningEffort = newValue }
  }

  /// Kind of reasoning summary requested from the model.
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

  /// Sent to the model as a developer message before anything else.
  @inlinable public var developerInstructions: String? {
    get { box.fields.developerInstructions }
    set { fields.developerInstructions = newValue }
  }

  /// The selected mode: keep, set or clear.
  @inlinable public var mode: ModeSelection? {
    get { box.fields.mode }
    set { fields.mode = newValue }
  }

  /// The thread's working folder.
  @inlinable public var workingFolder: String? {
    get { box.fields.workingFolder }
    set { fields.workingFolder = newValue }
  }

  /// Metadata to set; other names keep their values.
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

  /// Token budget of one turn, input and output.
  @inlinable public var turnTokens: UInt64? {
    get { box.fields.turnTokens }
    set { fields.turnTokens = newValue }
  }

  /// Token budget of the thread over its whole life.
  @inlinable public var threadTokens: UInt64? {
    get { box.fields.threadTokens }
    set { fields.threadTokens = newValue }
  }

  /// Token budget of the whole tree; only the root's setting counts.
  @inlinable public var treeTokens: UInt64? {
    get { box.fields.treeTokens }
    set { fields.treeTokens = newValue }
  }

  /// Maximum depth of the tree of agents; 1: only the root may spawn agents. Only the root's setting counts.
  @inlinable public var agentDepth: UInt32? {
    get { box.fields.agentDepth }
    set { fields.agentDepth = newValue }
  }

  /// Maximum number of agents spawned in the tree, counting ended ones. Only the root's setting counts.
  @inlinable public var agentTotal: UInt32? {
    get { box.fields.agentTotal }
    set { fields.agentTotal = newValue }
  }

  /// Whether an agent's final answer starts a turn of its idle parent. Only the root's setting counts.
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
  /// Number of the last change; each change increases it by one.
  public var revision: UInt64 = 0
  /// The pinned version, `V1` for a legacy thread.
  public var version: MultiAgentVersion = .unspecified
  /// Source of the version.
  public var versionSource: VersionSource = .unspecified
  /// Names of the client's tools.
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
  /// Refuse the change with `revision_mismatch` unless this is the current revision (rules.md S4).
  public var expectedRevision: UInt64? = nil
  /// The client's tools: keep, set or clear. Part of the same change, with the same revision.
  public var tools: ToolSelection? = nil

  public init() {}

  public init(thread: ThreadID = ThreadID(), change: SettingsChange? = nil, expectedRevision: UInt64? = nil, tools: ToolSelection? = nil) {
    self.thread = thread
    self.change = change
    self.expectedRevision = expectedRevision
    self.tools = tools
  }
}

/// The settings after the change, which is on disk.
public struct UpdateSettingsResponse: Equatable, Sendable {
  /// The thread's newest event.
  public var sequence: UInt64 = 0
  /// Number of the last change.
  public var revision: UInt64 = 0
  /// False if the change altered nothing; then there is no event.
  public var changed: Bool = false
  /// The settings for the next turn.
  public var settings: Settings? = nil
  /// Names of the client's tools for the next turn.
  public var tools: [String] = []
  /// True if this answer repeats an earlier answer to the same idempotency key.
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

