// Settings as rollouts have them: the beginning in the session meta, then complete ones in turn contexts and in records of
// applied settings, of which the newest wins.

import HeddleCore
import HeddleJSON

enum SettingsReader {
  /// The settings that the thread began with. A session meta does not name the model, so the first record that does is
  /// taken into the beginning: else every history would start with an "unknown" model and a change away from it.
  static func beginning(_ identity: ThreadIdentity, _ records: [RolloutRecord]) -> Settings {
    let meta = Settings(
      model: "unknown", modelProvider: identity.modelProvider, baseInstructions: identity.baseInstructions,
      workingFolder: identity.workingFolder)
    let first = records.first { $0.kind == .turnContext || $0.kind == .settingsApplied }
    guard let first else { return meta }
    return first.kind == .turnContext ? turnContext(first.payload, over: meta) : applied(first.payload, over: meta)
  }

  /// A turn context is complete: an effort that is not in it is none. What it has no field for stays.
  static func turnContext(_ payload: JSONNode, over settings: Settings) -> Settings {
    var new = settings
    new.model = payload.text("model") ?? settings.model
    new.modelProvider = payload.text("model_provider") ?? settings.modelProvider
    new.reasoningEffort = payload.text("effort")
    new.reasoningSummary = payload.text("summary")
    new.serviceTier = payload.text("service_tier") ?? settings.serviceTier
    new.developerInstructions = payload.text("developer_instructions") ?? settings.developerInstructions
    new.workingFolder = payload.text("cwd") ?? settings.workingFolder
    return new
  }

  /// Applied settings are complete as well, but for the summary, which 0.144 and 0.163 leave out.
  static func applied(_ payload: JSONNode, over settings: Settings) -> Settings {
    guard let applied = payload["thread_settings"] else { return settings }
    var new = settings
    new.model = applied.text("model") ?? settings.model
    new.modelProvider = applied.text("model_provider_id") ?? settings.modelProvider
    new.reasoningEffort = applied.text("reasoning_effort")
    new.reasoningSummary = applied.text("reasoning_summary") ?? applied.text("summary") ?? settings.reasoningSummary
    new.serviceTier = applied.text("service_tier")
    new.workingFolder = applied.text("cwd") ?? settings.workingFolder
    if let selection = selection(payload) { new.mode = selection }
    return new
  }

  /// The selected mode that a record of applied settings carries (rules.md M8). Two kinds of nil: no such record, and a
  /// record that says the client has selected none.
  static func selection(_ payload: JSONNode) -> MultiAgentMode?? {
    for holder in [payload["thread_settings"], payload] {
      guard let node = holder?.member("multi_agent_mode") ?? holder?.member("multiAgentMode") else { continue }
      if node.isNull { return .some(nil) }
      if let mode = ModeReader.mode(node.string) { return mode }
    }
    return nil
  }
}
