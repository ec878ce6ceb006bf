// Changing settings: rules.md S1, M1, M2 and the limits of each field. Pure: settings and a change in, settings out.

extension Settings {
  /// Settings of a new thread before its client changes any.
  public init(defaultsOf rules: ServerRules) {
    self.init()
    if let model = rules.catalog.defaultModel {
      self.model = model.id
      modelProvider = model.provider
    }
  }

  /// The settings after a change; throws the fault that a client has to mend. Equal settings mean: nothing changed (S4).
  public func applying(_ change: SettingsChange, rules: ServerRules) throws(Refusal) -> Settings {
    var out = fields
    try change.check(rules.limits)
    if let model = change.model {
      guard let entry = rules.catalog.model(model) else { throw Refusal(.unknownModel, [("model", model)]) }
      out.model = entry.id
      out.modelProvider = entry.provider
    }
    if let provider = change.modelProvider, provider != out.modelProvider {
      throw Refusal(.unknownModel, [("model", out.model), ("model_provider", provider)])
    }
    out.reasoningEffort = change.reasoningEffort ?? out.reasoningEffort
    out.reasoningSummary = change.reasoningSummary ?? out.reasoningSummary
    out.serviceTier = change.serviceTier ?? out.serviceTier
    out.baseInstructions = change.baseInstructions ?? out.baseInstructions
    out.developerInstructions = change.developerInstructions ?? out.developerInstructions
    out.workingFolder = change.workingFolder ?? out.workingFolder
    out.temperature = change.temperature ?? out.temperature
    out.turnTokens = change.turnTokens ?? out.turnTokens
    out.threadTokens = change.threadTokens ?? out.threadTokens
    out.treeTokens = change.treeTokens ?? out.treeTokens
    out.agentDepth = change.agentDepth ?? out.agentDepth
    out.agentTotal = change.agentTotal ?? out.agentTotal
    out.wakeParent = change.wakeParent ?? out.wakeParent
    switch change.mode?.choice {
    case nil: break  // keep
    case .set(let mode)?: out.mode = mode
    case .clear(let clear)?:
      guard clear else { throw Refusal(.outOfRange, [("field", "settings.mode.clear")]) }
      out.mode = nil
    }
    try out.applyMetadata(change, rules.limits)
    for field in change.clear { out.unset(field) }
    return Settings(fields: out)
  }

  /// Whether nothing changed (S4). By bytes: `==` takes texts for equal that only look alike (attacks.md M21).
  func isIdentical(to other: Settings) -> Bool {
    self == other && texts.elementsEqual(other.texts) { $0.utf8.elementsEqual($1.utf8) }
  }

  private var texts: [String] {
    let optional = [
      reasoningEffort, reasoningSummary, serviceTier, baseInstructions, developerInstructions, workingFolder,
    ]
    return [model, modelProvider] + optional.map { $0 ?? "" } + metadata.flatMap { [$0.name, $0.value] }
  }
}

extension Settings.Fields {
  fileprivate mutating func applyMetadata(_ change: SettingsChange, _ limits: Limits) throws(Refusal) {
    guard !change.metadata.isEmpty || !change.removeMetadata.isEmpty else { return }
    var entries = metadata.filter { entry in
      !change.removeMetadata.contains(entry.name) && !change.metadata.contains { $0.name == entry.name }
    }
    var seen: [NameValue] = []
    for entry in change.metadata.reversed() where !seen.contains(where: { $0.name == entry.name }) {
      seen.append(entry)  // the last one of a name wins
    }
    entries += seen
    guard entries.count <= limits.metadataEntries else {
      throw Refusal(.tooManyElements, [("field", "settings.metadata"), ("limit", "\(limits.metadataEntries)")])
    }
    metadata = entries.sorted { $0.name < $1.name }
  }

  fileprivate mutating func unset(_ field: SettingsField) {
    switch field {
    case .unspecified: break
    case .reasoningEffort: reasoningEffort = nil
    case .reasoningSummary: reasoningSummary = nil
    case .serviceTier: serviceTier = nil
    case .baseInstructions: baseInstructions = nil
    case .developerInstructions: developerInstructions = nil
    case .workingFolder: workingFolder = nil
    case .temperature: temperature = nil
    case .turnTokens: turnTokens = nil
    case .threadTokens: threadTokens = nil
    case .treeTokens: treeTokens = nil
    case .agentDepth: agentDepth = nil
    case .agentTotal: agentTotal = nil
    case .wakeParent: wakeParent = nil
    }
  }
}

extension SettingsChange {
  /// Lengths, ranges and contradictions.
  func check(_ limits: Limits) throws(Refusal) {
    let short = limits.shortTextBytes
    try checkLength(model, "settings.model", short)
    try checkLength(modelProvider, "settings.model_provider", short)
    try checkLength(reasoningEffort, "settings.reasoning_effort", short)
    try checkLength(reasoningSummary, "settings.reasoning_summary", short)
    try checkLength(serviceTier, "settings.service_tier", short)
    try checkLength(baseInstructions, "settings.base_instructions", limits.longTextBytes)
    try checkLength(developerInstructions, "settings.developer_instructions", limits.longTextBytes)
    try checkLength(workingFolder, "settings.working_folder", limits.metadataValueBytes)
    if let temperature {
      guard temperature.isFinite else { throw Refusal(.notFinite, [("field", "settings.temperature")]) }
      guard temperature >= 0, temperature <= 2 else {
        throw Refusal(.outOfRange, [("field", "settings.temperature"), ("minimum", "0"), ("maximum", "2")])
      }
    }
    guard metadata.count <= limits.metadataEntries else {
      throw Refusal(.tooManyElements, [("field", "settings.metadata"), ("limit", "\(limits.metadataEntries)")])
    }
    for entry in metadata {
      if entry.name.isEmpty { throw Refusal(.missingField, [("field", "settings.metadata.name")]) }
      try checkLength(entry.name, "settings.metadata.name", short)
      try checkLength(entry.value, "settings.metadata.value", limits.metadataValueBytes)
    }
    for field in clear where isSet(field) {
      throw Refusal(.emptyChange, [("field", "settings.\(field.name.lowercased())")])
    }
  }

  private func isSet(_ field: SettingsField) -> Bool {
    switch field {
    case .unspecified: false
    case .reasoningEffort: reasoningEffort != nil
    case .reasoningSummary: reasoningSummary != nil
    case .serviceTier: serviceTier != nil
    case .baseInstructions: baseInstructions != nil
    case .developerInstructions: developerInstructions != nil
    case .workingFolder: workingFolder != nil
    case .temperature: temperature != nil
    case .turnTokens: turnTokens != nil
    case .threadTokens: threadTokens != nil
    case .treeTokens: treeTokens != nil
    case .agentDepth: agentDepth != nil
    case .agentTotal: agentTotal != nil
    case .wakeParent: wakeParent != nil
    }
  }
}

/// Refuses a text that is longer than its field allows.
public func checkLength(_ text: String?, _ field: String, _ limit: Int) throws(Refusal) {
  if let text, text.utf8.count > limit {
    throw Refusal(.textTooLong, [("field", field), ("limit", "\(limit)")])
  }
}
