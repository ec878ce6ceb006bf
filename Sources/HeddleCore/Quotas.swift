// Budgets of tokens, as settings (rules.md S1): of a turn, of a thread, of a tree. A turn whose budget is used up does not
// ask the model again; a thread or a tree whose budget is used up starts no turn.

/// The token budget of a whole tree and its use.
public struct TreeQuota: Equatable, Sendable {
  public var used: UInt64
  public var limit: UInt64

  public init(used: UInt64, limit: UInt64) {
    self.used = used
    self.limit = limit
  }

  mutating func add(_ usage: TokenUsage) {
    let (sum, overflow) = used.addingReportingOverflow(usage.total)
    used = overflow ? .max : sum
  }
}

extension ThreadMachine {
  /// Before a turn begins: the budget of the thread and of its tree.
  func checkQuota(_ turn: QueuedTurn, _ rules: ServerRules) throws(Refusal) {
    var settings = record.currentSettings
    if let change = turn.settings { settings = try settings.applying(change, rules: rules) }
    let used = (record.usage ?? TokenUsage()).total
    if let limit = settings.threadTokens, used >= limit { throw Self.refusal("thread_tokens", used, limit) }
    if let tree = treeQuota(with: turn.settings), tree.used >= tree.limit {
      throw Self.refusal("tree_tokens", tree.used, tree.limit)
    }
  }

  /// The budget of a tree is its root's: a change that comes with a turn of the root counts for that turn.
  private func treeQuota(with change: SettingsChange?) -> TreeQuota? {
    guard var tree = treeQuota, let change, record.lineage?.parent == nil else { return treeQuota }
    if change.clear.contains(.treeTokens) { return nil }
    tree.limit = change.treeTokens ?? tree.limit
    return tree
  }

  private static func refusal(_ kind: String, _ used: UInt64, _ limit: UInt64) -> Refusal {
    Refusal(.quota, [("kind", kind), ("used", "\(used)"), ("limit", "\(limit)")])
  }

  /// Between two steps of a turn: the budget that is used up; nil: none. The turn keeps the settings that it began with.
  func quotaError() -> TurnError? {
    let settings = record.running?.context?.settings
    let turn = (record.running?.usage ?? TokenUsage()).total
    let thread = (record.usage ?? TokenUsage()).total
    if let limit = settings?.turnTokens, turn >= limit { return Self.error("turn_tokens", turn, limit) }
    if let limit = settings?.threadTokens, thread >= limit { return Self.error("thread_tokens", thread, limit) }
    if let tree = treeQuota, tree.used >= tree.limit { return Self.error("tree_tokens", tree.used, tree.limit) }
    return nil
  }

  private static func error(_ kind: String, _ used: UInt64, _ limit: UInt64) -> TurnError {
    TurnError(
      reason: TurnFailure.quota.rawValue,
      message: "The budget \(kind) of \(limit) tokens is used up (\(used)); raise it in the settings.")
  }
}
