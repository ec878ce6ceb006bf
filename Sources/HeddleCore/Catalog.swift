// A server's models and switches. Values only; the program reads them from its configuration.

/// The models of a server, in the order of its configuration.
public struct Catalog: Equatable, Sendable {
  public var models: [CatalogModel]

  public init(models: [CatalogModel]) { self.models = models }

  public func model(_ id: String) -> CatalogModel? { models.first { $0.id == id } }

  /// The model of new threads that name none.
  public var defaultModel: CatalogModel? { models.first { $0.isDefault } ?? models.first }

  /// The catalog of a server without a configuration: the scripted model, once for each version.
  public static var builtIn: Catalog {
    func entry(_ id: String, _ version: MultiAgentVersion, _ text: String, isDefault: Bool = false) -> CatalogModel {
      CatalogModel(
        id: id, provider: "scripted", displayName: id, description: text, version: version,
        reasoningEfforts: ["low", "medium", "high"], defaultReasoningEffort: "medium", contextWindow: 128_000,
        isDefault: isDefault)
    }
    return Catalog(models: [
      entry("scripted", .unspecified, "Answers by a script; needs no network.", isDefault: true),
      entry("scripted-v1", .v1, "The same; asks for the first multi-agent runtime."),
      entry("scripted-v2", .v2, "The same; asks for the second multi-agent runtime."),
      entry("scripted-disabled", .disabled, "The same; asks for no multi-agent runtime."),
    ])
  }
}

/// The switches of a server (rules.md V5, M4).
public struct Features: Equatable, Sendable {
  /// `multi_agent`: threads without a version get the first runtime.
  public var multiAgent = true
  /// `multi_agent_v2`: threads without a version get the second runtime.
  public var multiAgentV2 = false
  /// `multi_agent_mode`: the selected mode takes effect.
  public var multiAgentMode = false

  public init(multiAgent: Bool = true, multiAgentV2: Bool = false, multiAgentMode: Bool = false) {
    self.multiAgent = multiAgent
    self.multiAgentV2 = multiAgentV2
    self.multiAgentMode = multiAgentMode
  }

  /// Every switch with its value now; by name.
  public func all(defaults: Features) -> [Feature] {
    [
      Feature(
        name: "multi_agent", stage: .stable,
        description: "Threads without a version get the first multi-agent runtime.",
        defaultEnabled: defaults.multiAgent, enabled: multiAgent),
      Feature(
        name: "multi_agent_mode", stage: .underDevelopment,
        description: "The delegation mode that a client selects takes effect; otherwise explicit requests only.",
        defaultEnabled: defaults.multiAgentMode, enabled: multiAgentMode),
      Feature(
        name: "multi_agent_v2", stage: .underDevelopment,
        description: "Threads without a version get the second multi-agent runtime.",
        defaultEnabled: defaults.multiAgentV2, enabled: multiAgentV2),
    ]
  }

  /// Sets a switch by name; false if there is none of that name.
  public mutating func set(_ name: String, _ value: Bool) -> Bool {
    switch name {
    case "multi_agent": multiAgent = value
    case "multi_agent_v2": multiAgentV2 = value
    case "multi_agent_mode": multiAgentMode = value
    default: return false
    }
    return true
  }
}

/// The server's own texts to models; configurable.
public struct ModelTexts: Equatable, Sendable {
  public var explicitMode =
    "Work alone from here on. Hand a task to another agent only when the user asks for that in so many words, "
    + "whatever an earlier note said about handing out work freely."
  public var proactiveMode =
    "From here on you may hand parts of the work to other agents on your own judgement, without being asked, wherever "
    + "working side by side makes the result better or sooner. This replaces any earlier note that told you to wait "
    + "for a request, and it holds until a later note of this kind."
  public var rootHint =
    "You are `/root`, the agent that the user talks to. You can start other agents, give them tasks, exchange messages "
    + "with them and collect their answers; each has a path below yours, such as `/root/tests`."
  public var agentHint =
    "You are one agent of a team. The agent above you in your path gave you your task and receives your last message "
    + "as your answer."
  /// Usage hints are on; without them no mode applies (rules.md M4).
  public var usageHints = true
  public var interruption =
    "The previous turn was interrupted before it was done. What it had started may have taken effect in part."
  /// The interruption marker is written (rules.md U3).
  public var interruptionMarker = true
  /// The request to a model to summarize the context (rules.md T7).
  public var compaction =
    "Write down, for yourself to go on from, everything of this conversation that still matters: what the user wants, "
    + "what has been decided and why, what is done, what is open, names, numbers and places that will be needed. Leave "
    + "out what no longer matters. What you write replaces the conversation."
  /// The sentence before the summary in the new context.
  public var summaryIntroduction = "The conversation so far was replaced by this summary of it:"
  /// V2: models see the options of `spawn_agent` beyond name, task and history.
  public var spawnOptions = false
  /// Instructions for agents of a role, in addition to their task.
  public var explorerRole = "Your role is to look and to report: find out what was asked, change nothing, be brief."
  public var workerRole = "Your role is to carry a task out: do all of it, then say what you did and what is left."

  public init() {}
}

/// Everything that rules look up beside a thread's own state, as it is at one moment.
public struct ServerRules: Equatable, Sendable {
  public var catalog: Catalog
  public var features: Features
  public var texts: ModelTexts
  public var limits: Limits

  public init(
    catalog: Catalog = .builtIn, features: Features = Features(), texts: ModelTexts = ModelTexts(),
    limits: Limits = Limits()
  ) {
    self.catalog = catalog
    self.features = features
    self.texts = texts
    self.limits = limits
  }
}
