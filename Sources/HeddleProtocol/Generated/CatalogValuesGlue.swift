// Made by `make generate` from proto/; edit that instead.
// swift-format-ignore-file

import CHeddleProtocol
import HeddleCore

extension CatalogModel: WireMessage {
  public typealias CMessage = Heddle__V1__CatalogModel
  public static var schemaIndex: UInt16 { 76 }
  public static var descriptor: UnsafePointer<ProtobufCMessageDescriptor> { heddle_descriptor_catalog_model() }

  public init(c: UnsafePointer<Heddle__V1__CatalogModel>) throws(DecodeError) {
    self.init()
    if c.pointee.has_id != 0 { id = readText(c.pointee.id) }
    if c.pointee.has_provider != 0 { provider = readText(c.pointee.provider) }
    if c.pointee.has_display_name != 0 { displayName = readText(c.pointee.display_name) }
    if c.pointee.has_description != 0 { description = readText(c.pointee.description) }
    if c.pointee.has_version != 0 { version = try readEnum(c.pointee.version.rawValue, "version", allowsZero: false) }
    if let p = c.pointee.reasoning_efforts {
      reasoningEfforts.reserveCapacity(c.pointee.n_reasoning_efforts)
      for i in 0..<c.pointee.n_reasoning_efforts { reasoningEfforts.append(readText(p[i])) }
    }
    if c.pointee.has_default_reasoning_effort != 0 { defaultReasoningEffort = readText(c.pointee.default_reasoning_effort) }
    if c.pointee.has_context_window != 0 { contextWindow = c.pointee.context_window }
    if c.pointee.has_is_default != 0 { isDefault = c.pointee.is_default != 0 }
    if c.pointee.has_hidden != 0 { hidden = c.pointee.hidden != 0 }
  }

  public func fill(_ c: UnsafeMutablePointer<Heddle__V1__CatalogModel>, _ arena: Arena) {
    heddle__v1__catalog_model__init(c)
    if !id.isEmpty { c.pointee.has_id = 1; c.pointee.id = arena.text(id) }
    if !provider.isEmpty { c.pointee.has_provider = 1; c.pointee.provider = arena.text(provider) }
    if !displayName.isEmpty { c.pointee.has_display_name = 1; c.pointee.display_name = arena.text(displayName) }
    if !description.isEmpty { c.pointee.has_description = 1; c.pointee.description = arena.text(description) }
    if version != .unspecified { c.pointee.has_version = 1; c.pointee.version = Heddle__V1__MultiAgentVersion(rawValue: UInt32(bitPattern: version.rawValue)) }
    if !reasoningEfforts.isEmpty { c.pointee.n_reasoning_efforts = reasoningEfforts.count; c.pointee.reasoning_efforts = arena.array(reasoningEfforts) { arena.text($0) } }
    if !defaultReasoningEffort.isEmpty { c.pointee.has_default_reasoning_effort = 1; c.pointee.default_reasoning_effort = arena.text(defaultReasoningEffort) }
    if contextWindow != 0 { c.pointee.has_context_window = 1; c.pointee.context_window = contextWindow }
    if isDefault { c.pointee.has_is_default = 1; c.pointee.is_default = isDefault ? 1 : 0 }
    if hidden { c.pointee.has_hidden = 1; c.pointee.hidden = hidden ? 1 : 0 }
  }
}

extension ListModelsRequest: WireMessage {
  public typealias CMessage = Heddle__V1__ListModelsRequest
  public static var schemaIndex: UInt16 { 77 }
  public static var descriptor: UnsafePointer<ProtobufCMessageDescriptor> { heddle_descriptor_list_models_request() }

  public init(c: UnsafePointer<Heddle__V1__ListModelsRequest>) throws(DecodeError) {
    self.init()
    if c.pointee.has_include_hidden != 0 { includeHidden = c.pointee.include_hidden != 0 }
  }

  public func fill(_ c: UnsafeMutablePointer<Heddle__V1__ListModelsRequest>, _ arena: Arena) {
    heddle__v1__list_models_request__init(c)
    if includeHidden { c.pointee.has_include_hidden = 1; c.pointee.include_hidden = includeHidden ? 1 : 0 }
  }
}

extension ListModelsResponse: WireMessage {
  public typealias CMessage = Heddle__V1__ListModelsResponse
  public static var schemaIndex: UInt16 { 78 }
  public static var descriptor: UnsafePointer<ProtobufCMessageDescriptor> { heddle_descriptor_list_models_response() }

  public init(c: UnsafePointer<Heddle__V1__ListModelsResponse>) throws(DecodeError) {
    self.init()
    if let p = c.pointee.models {
      models.reserveCapacity(c.pointee.n_models)
      for i in 0..<c.pointee.n_models { if let e = p[i] { models.append(try CatalogModel(c: UnsafePointer(e))) } }
    }
  }

  public func fill(_ c: UnsafeMutablePointer<Heddle__V1__ListModelsResponse>, _ arena: Arena) {
    heddle__v1__list_models_response__init(c)
    if !models.isEmpty { c.pointee.n_models = models.count; c.pointee.models = arena.messages(models) }
  }
}

extension Feature: WireMessage {
  public typealias CMessage = Heddle__V1__Feature
  public static var schemaIndex: UInt16 { 79 }
  public static var descriptor: UnsafePointer<ProtobufCMessageDescriptor> { heddle_descriptor_feature() }

  public init(c: UnsafePointer<Heddle__V1__Feature>) throws(DecodeError) {
    self.init()
    if c.pointee.has_name != 0 { name = readText(c.pointee.name) }
    if c.pointee.has_stage != 0 { stage = try readEnum(c.pointee.stage.rawValue, "stage", allowsZero: false) }
    if c.pointee.has_description != 0 { description = readText(c.pointee.description) }
    if c.pointee.has_default_enabled != 0 { defaultEnabled = c.pointee.default_enabled != 0 }
    if c.pointee.has_enabled != 0 { enabled = c.pointee.enabled != 0 }
  }

  public func fill(_ c: UnsafeMutablePointer<Heddle__V1__Feature>, _ arena: Arena) {
    heddle__v1__feature__init(c)
    if !name.isEmpty { c.pointee.has_name = 1; c.pointee.name = arena.text(name) }
    if stage != .unspecified { c.pointee.has_stage = 1; c.pointee.stage = Heddle__V1__FeatureStage(rawValue: UInt32(bitPattern: stage.rawValue)) }
    if !description.isEmpty { c.pointee.has_description = 1; c.pointee.description = arena.text(description) }
    if defaultEnabled { c.pointee.has_default_enabled = 1; c.pointee.default_enabled = defaultEnabled ? 1 : 0 }
    if enabled { c.pointee.has_enabled = 1; c.pointee.enabled = enabled ? 1 : 0 }
  }
}

extension ListFeaturesRequest: WireMessage {
  public typealias CMessage = Heddle__V1__ListFeaturesRequest
  public static var schemaIndex: UInt16 { 80 }
  public static var descriptor: UnsafePointer<ProtobufCMessageDescriptor> { heddle_descriptor_list_features_request() }

  public init(c: UnsafePointer<Heddle__V1__ListFeaturesRequest>) throws(DecodeError) {
    self.init()
  }

  public func fill(_ c: UnsafeMutablePointer<Heddle__V1__ListFeaturesRequest>, _ arena: Arena) {
    heddle__v1__list_features_request__init(c)
  }
}

extension ListFeaturesResponse: WireMessage {
  public typealias CMessage = Heddle__V1__ListFeaturesResponse
  public static var schemaIndex: UInt16 { 81 }
  public static var descriptor: UnsafePointer<ProtobufCMessageDescriptor> { heddle_descriptor_list_features_response() }

  public init(c: UnsafePointer<Heddle__V1__ListFeaturesResponse>) throws(DecodeError) {
    self.init()
    if let p = c.pointee.features {
      features.reserveCapacity(c.pointee.n_features)
      for i in 0..<c.pointee.n_features { if let e = p[i] { features.append(try Feature(c: UnsafePointer(e))) } }
    }
  }

  public func fill(_ c: UnsafeMutablePointer<Heddle__V1__ListFeaturesResponse>, _ arena: Arena) {
    heddle__v1__list_features_response__init(c)
    if !features.isEmpty { c.pointee.n_features = features.count; c.pointee.features = arena.messages(features) }
  }
}

extension SetFeatureRequest: WireMessage {
  public typealias CMessage = Heddle__V1__SetFeatureRequest
  public static var schemaIndex: UInt16 { 82 }
  public static var descriptor: UnsafePointer<ProtobufCMessageDescriptor> { heddle_descriptor_set_feature_request() }

  public init(c: UnsafePointer<Heddle__V1__SetFeatureRequest>) throws(DecodeError) {
    self.init()
    if c.pointee.has_name != 0 { name = readText(c.pointee.name) } else { throw .missingField("name") }
    if c.pointee.has_enabled != 0 { enabled = c.pointee.enabled != 0 }
  }

  public func fill(_ c: UnsafeMutablePointer<Heddle__V1__SetFeatureRequest>, _ arena: Arena) {
    heddle__v1__set_feature_request__init(c)
    if !name.isEmpty { c.pointee.has_name = 1; c.pointee.name = arena.text(name) }
    if let v = enabled { c.pointee.has_enabled = 1; c.pointee.enabled = v ? 1 : 0 }
  }
}

extension SetFeatureResponse: WireMessage {
  public typealias CMessage = Heddle__V1__SetFeatureResponse
  public static var schemaIndex: UInt16 { 83 }
  public static var descriptor: UnsafePointer<ProtobufCMessageDescriptor> { heddle_descriptor_set_feature_response() }

  public init(c: UnsafePointer<Heddle__V1__SetFeatureResponse>) throws(DecodeError) {
    self.init()
    if let p = c.pointee.feature { feature = try Feature(c: UnsafePointer(p)) }
    if c.pointee.has_replayed != 0 { replayed = c.pointee.replayed != 0 }
  }

  public func fill(_ c: UnsafeMutablePointer<Heddle__V1__SetFeatureResponse>, _ arena: Arena) {
    heddle__v1__set_feature_response__init(c)
    if let v = feature { c.pointee.feature = arena.message(v) }
    if replayed { c.pointee.has_replayed = 1; c.pointee.replayed = replayed ? 1 : 0 }
  }
}

