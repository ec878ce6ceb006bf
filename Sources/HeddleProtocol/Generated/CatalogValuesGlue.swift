// Made by `make generate` from proto/; edit that instead.
// swift-format-ignore-file

import CHeddleProtocol
import HeddleCore

extension CatalogModel: WireMessage {
  public typealias CMessage = Heddle__V1__CatalogModel
  public static var schemaIndex: UInt16 { 102 }
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

  public func write(_ out: inout BackwardWriter) {
    if hidden { out.bool(hidden, 80) }
    if isDefault { out.bool(isDefault, 72) }
    if contextWindow != 0 { out.unsigned(contextWindow, 64) }
    if !defaultReasoningEffort.isEmpty { out.text(defaultReasoningEffort, 58) }
    for v in reasoningEfforts.reversed() { out.text(v, 50) }
    if version != .unspecified { out.signed(version.rawValue, 40) }
    if !description.isEmpty { out.text(description, 34) }
    if !displayName.isEmpty { out.text(displayName, 26) }
    if !provider.isEmpty { out.text(provider, 18) }
    if !id.isEmpty { out.text(id, 10) }
  }
}

extension ListModelsRequest: WireMessage {
  public typealias CMessage = Heddle__V1__ListModelsRequest
  public static var schemaIndex: UInt16 { 103 }
  public static var descriptor: UnsafePointer<ProtobufCMessageDescriptor> { heddle_descriptor_list_models_request() }

  public init(c: UnsafePointer<Heddle__V1__ListModelsRequest>) throws(DecodeError) {
    self.init()
    if c.pointee.has_include_hidden != 0 { includeHidden = c.pointee.include_hidden != 0 }
  }

  public func write(_ out: inout BackwardWriter) {
    if includeHidden { out.bool(includeHidden, 8) }
  }
}

extension ListModelsResponse: WireMessage {
  public typealias CMessage = Heddle__V1__ListModelsResponse
  public static var schemaIndex: UInt16 { 104 }
  public static var descriptor: UnsafePointer<ProtobufCMessageDescriptor> { heddle_descriptor_list_models_response() }

  public init(c: UnsafePointer<Heddle__V1__ListModelsResponse>) throws(DecodeError) {
    self.init()
    if let p = c.pointee.models {
      models.reserveCapacity(c.pointee.n_models)
      for i in 0..<c.pointee.n_models { if let e = p[i] { models.append(try CatalogModel(c: UnsafePointer(e))) } }
    }
  }

  public func write(_ out: inout BackwardWriter) {
    for v in models.reversed() { out.message(v, 10) }
  }
}

extension Feature: WireMessage {
  public typealias CMessage = Heddle__V1__Feature
  public static var schemaIndex: UInt16 { 105 }
  public static var descriptor: UnsafePointer<ProtobufCMessageDescriptor> { heddle_descriptor_feature() }

  public init(c: UnsafePointer<Heddle__V1__Feature>) throws(DecodeError) {
    self.init()
    if c.pointee.has_name != 0 { name = readText(c.pointee.name) }
    if c.pointee.has_stage != 0 { stage = try readEnum(c.pointee.stage.rawValue, "stage", allowsZero: false) }
    if c.pointee.has_description != 0 { description = readText(c.pointee.description) }
    if c.pointee.has_default_enabled != 0 { defaultEnabled = c.pointee.default_enabled != 0 }
    if c.pointee.has_enabled != 0 { enabled = c.pointee.enabled != 0 }
  }

  public func write(_ out: inout BackwardWriter) {
    if enabled { out.bool(enabled, 40) }
    if defaultEnabled { out.bool(defaultEnabled, 32) }
    if !description.isEmpty { out.text(description, 26) }
    if stage != .unspecified { out.signed(stage.rawValue, 16) }
    if !name.isEmpty { out.text(name, 10) }
  }
}

extension ListFeaturesRequest: WireMessage {
  public typealias CMessage = Heddle__V1__ListFeaturesRequest
  public static var schemaIndex: UInt16 { 106 }
  public static var descriptor: UnsafePointer<ProtobufCMessageDescriptor> { heddle_descriptor_list_features_request() }

  public init(c: UnsafePointer<Heddle__V1__ListFeaturesRequest>) throws(DecodeError) {
    self.init()
  }

  public func write(_ out: inout BackwardWriter) {
  }
}

extension ListFeaturesResponse: WireMessage {
  public typealias CMessage = Heddle__V1__ListFeaturesResponse
  public static var schemaIndex: UInt16 { 107 }
  public static var descriptor: UnsafePointer<ProtobufCMessageDescriptor> { heddle_descriptor_list_features_response() }

  public init(c: UnsafePointer<Heddle__V1__ListFeaturesResponse>) throws(DecodeError) {
    self.init()
    if let p = c.pointee.features {
      features.reserveCapacity(c.pointee.n_features)
      for i in 0..<c.pointee.n_features { if let e = p[i] { features.append(try Feature(c: UnsafePointer(e))) } }
    }
  }

  public func write(_ out: inout BackwardWriter) {
    for v in features.reversed() { out.message(v, 10) }
  }
}

extension SetFeatureRequest: WireMessage {
  public typealias CMessage = Heddle__V1__SetFeatureRequest
  public static var schemaIndex: UInt16 { 108 }
  public static var descriptor: UnsafePointer<ProtobufCMessageDescriptor> { heddle_descriptor_set_feature_request() }

  public init(c: UnsafePointer<Heddle__V1__SetFeatureRequest>) throws(DecodeError) {
    self.init()
    if c.pointee.has_name != 0, c.pointee.name.len > 0 { name = readText(c.pointee.name) } else { try missing("name") }
    if c.pointee.has_enabled != 0 { enabled = c.pointee.enabled != 0 }
  }

  public func write(_ out: inout BackwardWriter) {
    if let v = enabled { out.bool(v, 16) }
    if !name.isEmpty { out.text(name, 10) }
  }
}

extension SetFeatureResponse: WireMessage {
  public typealias CMessage = Heddle__V1__SetFeatureResponse
  public static var schemaIndex: UInt16 { 109 }
  public static var descriptor: UnsafePointer<ProtobufCMessageDescriptor> { heddle_descriptor_set_feature_response() }

  public init(c: UnsafePointer<Heddle__V1__SetFeatureResponse>) throws(DecodeError) {
    self.init()
    if let p = c.pointee.feature { feature = try Feature(c: UnsafePointer(p)) }
    if c.pointee.has_replayed != 0 { replayed = c.pointee.replayed != 0 }
  }

  public func write(_ out: inout BackwardWriter) {
    if replayed { out.bool(replayed, 120) }
    if let v = feature { out.message(v, 10) }
  }
}

