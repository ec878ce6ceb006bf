// The mode of delegation that a model is told about: rules.md M4 to M7.

/// The mode of one turn; nil: not applicable (M4).
public func effectiveMode(
  version: MultiAgentVersion, hintsOn: Bool, gateOn: Bool, selected: MultiAgentMode?
) -> MultiAgentMode? {
  guard version == .v2, hintsOn else { return nil }
  guard gateOn else { return .explicitRequestOnly }
  return selected ?? .explicitRequestOnly
}

/// Whether a turn begins with the initial context, or continues with the mode of an earlier turn (M6, M7).
public enum ModeBaseline: Equatable, Sendable {
  /// First turn, or the first after a compaction or after all turns were rolled back.
  case none
  /// The effective mode of the turn before; nil: it was not applicable.
  case told(MultiAgentMode?)
}

/// The mode whose fragment the turn's input gets; nil: none (M6).
public func modeToTell(effective: MultiAgentMode?, baseline: ModeBaseline) -> MultiAgentMode? {
  switch baseline {
  case .none: return effective  // (a)
  case .told(let before):
    if effective == before { return nil }
    if let effective { return effective }  // (b)
    return before == .proactive ? .explicitRequestOnly : nil  // (c)
  }
}

/// The tag that every fragment begins with.
let modeFragmentTag = "<multi_agent_mode>"

/// The fragment itself: tagged and bounded (M5).
public func modeFragment(_ mode: MultiAgentMode, texts: ModelTexts, limitBytes: Int) -> String {
  let open = modeFragmentTag
  let close = "</multi_agent_mode>"
  let body = mode == .proactive ? texts.proactiveMode : texts.explicitMode
  return open + body.prefix(utf8Bytes: limitBytes - open.utf8.count - close.utf8.count) + close
}

extension String {
  /// The longest beginning of at most `limit` bytes that does not cut a character.
  public func prefix(utf8Bytes limit: Int) -> String {
    guard utf8.count > limit else { return self }
    var end = utf8.index(startIndex, offsetBy: max(0, limit))
    while end > startIndex, end.samePosition(in: unicodeScalars) == nil { end = utf8.index(before: end) }
    return String(self[..<end])
  }
}
