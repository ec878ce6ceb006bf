// Made by `make generate` from proto/; edit that instead.
// swift-format-ignore-file

/// How ripe a feature is.
public enum FeatureStage: Int32, Sendable, CaseIterable, Hashable {
  /// Not said.
  case unspecified = 0
  /// Being built.
  case underDevelopment = 1
  /// Complete, may change.
  case beta = 2
  /// Here to stay.
  case stable = 3
  /// On its way out.
  case deprecated = 4

  /// The value's name in the schema, without the enum's prefix.
  public var name: String {
    switch self {
    case .unspecified: "UNSPECIFIED"
    case .underDevelopment: "UNDER_DEVELOPMENT"
    case .beta: "BETA"
    case .stable: "STABLE"
    case .deprecated: "DEPRECATED"
    }
  }
}

/// A model that turns can use.
public struct CatalogModel: Equatable, Sendable {
  /// Its name, as settings use it.
  public var id: String = ""
  /// The provider that answers for it.
  public var provider: String = ""
  /// A name for people.
  public var displayName: String = ""
  /// What it is good for.
  public var description: String = ""
  /// The version that it asks for; `UNSPECIFIED` when the entry has none, or one that this server does not know.
  public var version: MultiAgentVersion = .unspecified
  /// Efforts that it knows.
  public var reasoningEfforts: [String] = []
  /// The effort that it takes when none is asked for.
  public var defaultReasoningEffort: String = ""
  /// Tokens that fit into its context.
  public var contextWindow: UInt64 = 0
  /// New threads use it when they name none.
  public var isDefault: Bool = false
  /// Lists leave it out unless asked.
  public var hidden: Bool = false

  public init() {}

  public init(id: String = "", provider: String = "", displayName: String = "", description: String = "", version: MultiAgentVersion = .unspecified, reasoningEfforts: [String] = [], defaultReasoningEffort: String = "", contextWindow: UInt64 = 0, isDefault: Bool = false, hidden: Bool = false) {
    self.id = id
    self.provider = provider
    self.displayName = displayName
    self.description = description
    self.version = version
    self.reasoningEfforts = reasoningEfforts
    self.defaultReasoningEffort = defaultReasoningEffort
    self.contextWindow = contextWindow
    self.isDefault = isDefault
    self.hidden = hidden
  }
}

/// Lists models.
public struct ListModelsRequest: Equatable, Sendable {
  /// Hidden ones too.
  public var includeHidden: Bool = false

  public init() {}

  public init(includeHidden: Bool = false) {
    self.includeHidden = includeHidden
  }
}

/// The models, in the order of the configuration.
public struct ListModelsResponse: Equatable, Sendable {
  /// The models.
  public var models: [CatalogModel] = []

  public init() {}

  public init(models: [CatalogModel] = []) {
    self.models = models
  }
}

/// A switch.
public struct Feature: Equatable, Sendable {
  /// Its name: `multi_agent`, `multi_agent_v2`, `multi_agent_mode`.
  public var name: String = ""
  /// How ripe it is.
  public var stage: FeatureStage = .unspecified
  /// What it does.
  public var description: String = ""
  /// Its value when nobody sets it.
  public var defaultEnabled: Bool = false
  /// Its value now.
  public var enabled: Bool = false

  public init() {}

  public init(name: String = "", stage: FeatureStage = .unspecified, description: String = "", defaultEnabled: Bool = false, enabled: Bool = false) {
    self.name = name
    self.stage = stage
    self.description = description
    self.defaultEnabled = defaultEnabled
    self.enabled = enabled
  }
}

/// Lists features.
public struct ListFeaturesRequest: Equatable, Sendable {
  public init() {}
}

/// The features, by name.
public struct ListFeaturesResponse: Equatable, Sendable {
  /// The features.
  public var features: [Feature] = []

  public init() {}

  public init(features: [Feature] = []) {
    self.features = features
  }
}

/// Switches a feature for the whole server; durable.
public struct SetFeatureRequest: Equatable, Sendable {
  /// The feature.
  public var name: String = ""
  /// Its value from now on; absent: back to the configured value.
  public var enabled: Bool? = nil

  public init() {}

  public init(name: String = "", enabled: Bool? = nil) {
    self.name = name
    self.enabled = enabled
  }
}

/// The feature.
public struct SetFeatureResponse: Equatable, Sendable {
  /// The feature.
  public var feature: Feature? = nil
  /// True when this answer was given before, to the same idempotency key.
  public var replayed: Bool = false

  public init() {}

  public init(feature: Feature? = nil, replayed: Bool = false) {
    self.feature = feature
    self.replayed = replayed
  }
}

