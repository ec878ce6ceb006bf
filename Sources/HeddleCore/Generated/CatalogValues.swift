// Made by `make generate` from proto/; edit that instead.
// swift-format-ignore-file

/// Maturity of a feature.
public enum FeatureStage: Int32, Sendable, CaseIterable, Hashable {
  /// Not specified.
  case unspecified = 0
  /// Under development.
  case underDevelopment = 1
  /// Complete, but may change.
  case beta = 2
  /// Stable.
  case stable = 3
  /// Deprecated; it will be removed.
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
  /// The provider that serves it.
  public var provider: String = ""
  /// A name for people.
  public var displayName: String = ""
  /// A description of its uses.
  public var description: String = ""
  /// The multi-agent version that it requests; `UNSPECIFIED` if the entry names none, or one unknown to this server.
  public var version: MultiAgentVersion = .unspecified
  /// Reasoning efforts that it supports.
  public var reasoningEfforts: [String] = []
  /// The reasoning effort that it uses if none is requested.
  public var defaultReasoningEffort: String = ""
  /// Size of its context window, tokens.
  public var contextWindow: UInt64 = 0
  /// Whether new threads use it if they name no model.
  public var isDefault: Bool = false
  /// Whether lists omit it unless `include_hidden` is set.
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
  /// Include hidden models.
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

/// A feature flag.
public struct Feature: Equatable, Sendable {
  /// Its name: `multi_agent`, `multi_agent_v2`, `multi_agent_mode`.
  public var name: String = ""
  /// Its maturity.
  public var stage: FeatureStage = .unspecified
  /// A description of its effect.
  public var description: String = ""
  /// Its value if nobody sets it.
  public var defaultEnabled: Bool = false
  /// Its current value.
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

/// The features, sorted by name.
public struct ListFeaturesResponse: Equatable, Sendable {
  /// The features.
  public var features: [Feature] = []

  public init() {}

  public init(features: [Feature] = []) {
    self.features = features
  }
}

/// Turns a feature on or off for the whole server; durable.
public struct SetFeatureRequest: Equatable, Sendable {
  /// The feature.
  public var name: String = ""
  /// Its new value; absent: return to the configured value.
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
  /// True if this answer repeats an earlier answer to the same idempotency key.
  public var replayed: Bool = false

  public init() {}

  public init(feature: Feature? = nil, replayed: Bool = false) {
    self.feature = feature
    self.replayed = replayed
  }
}

