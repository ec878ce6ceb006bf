// Every combination of the sources of a thread's version, against an oracle in another form than the code: each source
// that has a version bids it with its strength from rules.md, and the strongest bid wins.

import HeddleCore
import Testing

@Suite struct VersionMatrixTests {
  enum History: CaseIterable {
    case none, legacy, v1, v2, disabled

    /// The version in its newest pin.
    var stored: MultiAgentVersion? {
      switch self {
      case .none, .legacy: nil
      case .v1: .v1
      case .v2: .v2
      case .disabled: .disabled
      }
    }
  }

  /// The model of the first turn: none of its own, one for each version, and one that the catalog does not know.
  enum Model: String, CaseIterable {
    case none = "scripted"
    case v1 = "scripted-v1"
    case v2 = "scripted-v2"
    case disabled = "scripted-disabled"
    case unknown = "from-another-catalog"

    var version: MultiAgentVersion? {
      switch self {
      case .none, .unknown: nil
      case .v1: .v1
      case .v2: .v2
      case .disabled: .disabled
      }
    }
  }

  struct Case: CustomTestStringConvertible {
    var history: History
    var inherited: MultiAgentVersion?
    var model: Model
    var features: Features
    var testDescription: String { "\(history) \(inherited.map(\.name) ?? "-") \(model) \(features)" }
  }

  static let cases: [Case] = {
    var out: [Case] = []
    for history in History.allCases {
      for inherited in [nil, .v1, .v2, .disabled] as [MultiAgentVersion?] {
        for model in Model.allCases {
          for features in [Features.off, .v1, .v2] {
            out.append(Case(history: history, inherited: inherited, model: model, features: features))
          }
        }
      }
    }
    return out
  }()

  /// Strength of a source, from the numbers of the rules.
  private func oracle(_ c: Case) -> ResolvedVersion {
    var bids: [(strength: Int, ResolvedVersion)] = []
    func bid(_ strength: Int, _ version: MultiAgentVersion?, _ source: VersionSource) {
      if let version { bids.append((strength, ResolvedVersion(version, source))) }
    }
    bid(6, c.inherited == .disabled ? .disabled : nil, .inherited)
    bid(5, c.history.stored, .stored)
    bid(4, c.inherited, .inherited)
    bid(3, c.history == .none ? nil : .v1, .legacy)
    bid(2, c.model.version, .catalog)
    let flags: [(Bool, MultiAgentVersion)] = [
      (c.features.multiAgentV2, .v2), (c.features.multiAgent, .v1), (true, .disabled),
    ]
    bid(1, flags.first(where: \.0)?.1, .flags)
    return bids.max { $0.strength < $1.strength }?.1 ?? ResolvedVersion(.unspecified, .unspecified)
  }

  @Test("V1 V2 V3 V4 V5: of all sources the strongest decides, in every one of the 300 combinations")
  func functions() {
    #expect(Self.cases.count == 300)
    var wrong: [String] = []
    for c in Self.cases {
      let sources = VersionSources(
        stored: c.history.stored, inherited: c.inherited, hasHistory: c.history != .none, catalog: c.model.version,
        features: c.features)
      let expected = oracle(c)
      let late = resolveAtFirstTurn(sources)
      if late != expected { wrong.append("\(c.testDescription): \(late), not \(expected)") }
      // Sources that only the first turn has give no version earlier.
      let early = resolveBeforeFirstTurn(sources)
      if early != ([.catalog, .flags].contains(expected.source) ? nil : expected) {
        wrong.append("\(c.testDescription): early \(String(describing: early))")
      }
    }
    #expect(wrong == [])
  }

  @Test(
    "V1 V2 V3 V4 V5 V7: the machine pins what the strongest source says, once, in every one of the 300 combinations")
  func machines() throws {
    var wrong: [String] = []
    for c in Self.cases {
      let driver = begun(c)
      var expected = oracle(c)
      // DISABLED handed down to a history that says so already writes nothing (V7), so the copied pin is what is reported.
      if c.history == .disabled, c.inherited == .disabled { expected.source = .stored }
      try driver.runTurn()
      let first = driver.pins
      try driver.runTurn()
      let seen = [driver.version.version, first.last?.version, driver.contexts.last?.version]
      if driver.version != expected || seen != Array(repeating: expected.version, count: 3) {
        wrong.append("\(c.testDescription): \(driver.version) \(seen), not \(expected)")
      }
      if driver.pins != first { wrong.append("\(c.testDescription): pinned again: \(driver.pins)") }
    }
    #expect(wrong == [])
  }

  /// A thread that begins with this history under this parent, and has run no turn of its own.
  private func begun(_ c: Case) -> ThreadDriver {
    let rules = ServerRules.with(c.features)
    let settings = Settings(model: c.model.rawValue, modelProvider: "scripted")
    guard c.history != .none else { return ThreadDriver.begin(nil, settings, rules, inherited: c.inherited) }
    let pin = c.history.stored.map { VersionPinned(version: $0, source: .stored) }
    let source = ThreadDriver.load(importedHistory(turns: 1, pin: pin, settings: settings), rules: rules)
    return ThreadDriver.begin(source, settings, rules, inherited: c.inherited)
  }
}
