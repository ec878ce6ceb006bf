// The effective mode of each turn context. Until 0.144 it stands in the turn context itself; 0.163 keeps it in the world
// state instead, as a whole now and then and as a change in between.

import HeddleCore
import HeddleJSON

struct ModeReader {
  /// The mode of each turn context, in order.
  private(set) var modes: [MultiAgentMode?] = []
  /// The same by the number of the record.
  private(set) var modeOfRecord: [Int: MultiAgentMode] = [:]

  /// - Parameter version: the thread's, for turn contexts that do not name theirs.
  init(_ records: [RolloutRecord], version: MultiAgentVersion) {
    var inForce: MultiAgentMode?
    for (index, record) in records.enumerated() {
      switch record.kind {
      case .worldState: Self.apply(record.payload, to: &inForce)
      case .turnContext:
        let mode = Self.effective(record.payload, version, inForce)
        modes.append(mode)
        modeOfRecord[index] = mode
      default: break
      }
    }
  }

  static func mode(_ text: String?) -> MultiAgentMode? {
    switch text {
    case "explicitRequestOnly": .explicitRequestOnly
    case "proactive": .proactive
    default: nil
    }
  }

  /// Not applicable unless the version is V2 (rules.md M4). A field in the turn context decides even with a name that is
  /// not known: some builds wrote `none`, which tells the model nothing.
  private static func effective(
    _ context: JSONNode, _ version: MultiAgentVersion, _ inForce: MultiAgentMode?
  ) -> MultiAgentMode? {
    guard (ThreadIdentity.version(context.text("multi_agent_version")) ?? version) == .v2 else { return nil }
    guard let own = context.member("multi_agent_mode") else { return inForce }
    return mode(own.string)
  }

  /// A full state replaces the one before; a change touches what it names, and null removes it.
  private static func apply(_ payload: JSONNode, to inForce: inout MultiAgentMode?) {
    if payload["full"]?.flag == true { inForce = nil }
    guard let node = payload["state"]?.member("multi_agent_mode") else { return }
    if node.isNull { return inForce = nil }
    guard let value = node.member("mode") ?? (node.isObject ? nil : node) else { return }
    inForce = mode(value.string)
  }
}
