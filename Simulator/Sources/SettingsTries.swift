// Each field of a change of settings: how it is set, and how an answer shows that it was. So that `expected_revision` is
// tried beside every one of them (rules.md S4).

import HeddleCore

struct SettingsTry {
  /// As the change's own field is called in Swift.
  let field: String
  let set: (inout SettingsChange.Fields, Int) -> Void
  let holds: (Settings, SettingsChange) -> Bool

  /// A field that an absent value leaves alone.
  private static func plain<T: Equatable>(
    _ field: String, _ change: WritableKeyPath<SettingsChange.Fields, T?>, _ settings: KeyPath<Settings.Fields, T?>,
    _ value: @escaping (Int) -> T
  ) -> SettingsTry {
    SettingsTry(field: field) {
      $0[keyPath: change] = value($1)
    } holds: {
      $1.fields[keyPath: change] == nil || $1.fields[keyPath: change] == $0.fields[keyPath: settings]
    }
  }

  // Budgets are so large that no turn ends by one, and agents are not kept from being.
  nonisolated(unsafe) static let all: [SettingsTry] = [
    SettingsTry(field: "model") {
      $0.model = ["scripted", "scripted-v1", "scripted-v2", "scripted-disabled"][$1 % 4]
    } holds: {
      $1.model == nil || $0.model == $1.model
    },
    SettingsTry(field: "modelProvider") { change, _ in
      change.modelProvider = "scripted"
    } holds: {
      $1.modelProvider == nil || $0.modelProvider == $1.modelProvider
    },
    plain("reasoningEffort", \.reasoningEffort, \.reasoningEffort) { ["low", "medium", "high"][$0 % 3] },
    plain("reasoningSummary", \.reasoningSummary, \.reasoningSummary) { "summary \($0)" },
    plain("serviceTier", \.serviceTier, \.serviceTier) { "tier \($0)" },
    plain("baseInstructions", \.baseInstructions, \.baseInstructions) { "base \($0)" },
    plain("developerInstructions", \.developerInstructions, \.developerInstructions) { "instructions \($0)" },
    SettingsTry(field: "mode") {
      let mode: MultiAgentMode = $1 % 2 == 0 ? .proactive : .explicitRequestOnly
      $0.mode = ModeSelection(choice: $1 % 5 == 0 ? .clear(true) : .set(mode))
    } holds: {
      switch $1.mode?.choice {
      case nil: true
      case .set(let mode)?: $0.mode == mode
      case .clear?: $0.mode == nil
      }
    },
    plain("workingFolder", \.workingFolder, \.workingFolder) { "/folder/\($0)" },
    SettingsTry(field: "metadata") {
      $0.metadata = [NameValue(name: "name \($1 % 5)", value: "\($1)")]
    } holds: { settings, change in
      change.metadata.allSatisfy(settings.metadata.contains)
    },
    plain("temperature", \.temperature, \.temperature) { Float($0 % 9) / 4 },
    SettingsTry(field: "removeMetadata") {
      $0.removeMetadata = ["name \(($1 + 1) % 5)"]
    } holds: { settings, change in
      !settings.metadata.contains { change.removeMetadata.contains($0.name) }
    },
    SettingsTry(field: "clear") {
      $0.clear = [[.serviceTier, .workingFolder, .baseInstructions, .temperature, .wakeParent, .agentTotal][$1 % 6]]
    } holds: { settings, change in
      change.clear.allSatisfy { isUnset($0, in: settings) }
    },
    plain("turnTokens", \.turnTokens, \.turnTokens) { 1_000_000_000 + UInt64($0) },
    plain("threadTokens", \.threadTokens, \.threadTokens) { 2_000_000_000 + UInt64($0) },
    plain("treeTokens", \.treeTokens, \.treeTokens) { 3_000_000_000 + UInt64($0) },
    plain("agentDepth", \.agentDepth, \.agentDepth) { 2 + UInt32($0 % 3) },
    plain("agentTotal", \.agentTotal, \.agentTotal) { 20 + UInt32($0 % 100) },
    plain("wakeParent", \.wakeParent, \.wakeParent) { $0 % 3 == 0 },
  ]

  private static func isUnset(_ field: SettingsField, in settings: Settings) -> Bool {
    switch field {
    case .serviceTier: settings.serviceTier == nil
    case .workingFolder: settings.workingFolder == nil
    case .baseInstructions: settings.baseInstructions == nil
    case .temperature: settings.temperature == nil
    case .wakeParent: settings.wakeParent == nil
    case .agentTotal: settings.agentTotal == nil
    default: false
    }
  }

  /// Fields of a change that no try sets: a field that the schema gets later must come to `all`.
  static var missing: [String] {
    let fields = Mirror(reflecting: SettingsChange.Fields()).children.compactMap(\.label)
    return fields.filter { field in !all.contains { $0.field == field } }
  }

  /// A field that is set and unset in one change is refused, so the change keeps the set one.
  static func change(_ tries: [SettingsTry], _ number: Int) -> SettingsChange {
    var fields = SettingsChange.Fields()
    for one in tries { one.set(&fields, number) }
    let set = fields
    fields.clear.removeAll { field in
      switch field {
      case .serviceTier: set.serviceTier != nil
      case .workingFolder: set.workingFolder != nil
      case .baseInstructions: set.baseInstructions != nil
      case .temperature: set.temperature != nil
      case .wakeParent: set.wakeParent != nil
      case .agentTotal: set.agentTotal != nil
      default: false
      }
    }
    return SettingsChange(fields: fields)
  }
}

extension World {
  /// A change of one field or a few.
  func anyChange() -> (change: SettingsChange, fields: [String]) {
    ledger.nextMark += 1
    var tries: [SettingsTry] = []
    for _ in 0..<chance.within(1...3) {
      if let one = chance.pick(SettingsTry.all), !tries.contains(where: { $0.field == one.field }) { tries.append(one) }
    }
    return (SettingsTry.change(tries, ledger.nextMark), tries.map(\.field))
  }

  /// The answer's settings contain the change, and the revision moved if, and only if, they did (S4).
  func checkUpdate(_ update: UpdateSettingsRequest, _ answer: UpdateSettingsResponse, _ call: Call) {
    guard let settings = answer.settings, let change = update.change else {
      return violated("an answer to an update without settings")
    }
    for one in SettingsTry.all where !one.holds(settings, change) {
      violated("S: an update is answered with settings that do not have its `\(one.field)`")
    }
    if let expected = update.expectedRevision, answer.revision != expected + (answer.changed ? 1 : 0) {
      violated(
        "S4: an update of \(call.fields) that expected revision \(expected) is answered with \(answer.revision)")
    }
    for field in call.fields {
      count("settings.\(field)")
      if update.expectedRevision != nil { count("settings expected.\(field)") }
    }
  }
}
