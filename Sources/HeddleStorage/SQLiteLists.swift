// A page of threads: the filter becomes SQL, so that a page costs the rows that it passes and not all there are.

import HeddleCore

extension SQLiteStore {
  public func list(
    tenant: String, filter: ThreadFilter, after: ListPosition?, limit: Int
  ) throws(StoreError) -> [ThreadRow] {
    guard limit > 0 else { return [] }
    var query = ListQuery()
    query.add("tenant = ?") { $0.bind(tenant, at: $1) }
    query.add("archived = ?") { $0.bind(filter.archived, at: $1) }
    if let source = filter.source { query.add("source = ?") { $0.bind(Int64(source.rawValue), at: $1) } }
    if let parent = filter.parent { query.add("parent = ?") { $0.bind(parent, at: $1) } }
    if let origin = filter.forkedFrom { query.add("forked_from = ?") { $0.bind(origin, at: $1) } }
    if let provider = filter.modelProvider { query.add("provider = ?") { $0.bind(provider, at: $1) } }
    if let folder = filter.workingFolder { query.add("folder = ?") { $0.bind(folder, at: $1) } }
    if let time = filter.createdAfter { query.add("created_at >= ?") { $0.bind(time, at: $1) } }
    if let time = filter.createdBefore { query.add("created_at < ?") { $0.bind(time, at: $1) } }
    if let text = filter.text {
      // SQLite's lower() folds ASCII only, as promised. Not LIKE: the text may contain % and _.
      query.add("(instr(lower(name), lower(?)) > 0 OR instr(lower(preview), lower(?)) > 0)") { $0.bind(text, at: $1) }
    }
    if let after {
      query.add("(created_at, id) \(filter.newestFirst ? "<" : ">") (?, ") { $0.bind(after.createdAt, at: $1) }
      query.complete("?)") { $0.bind(after.id, at: $1) }
    }
    let direction = filter.newestFirst ? "DESC" : "ASC"
    let sql = """
      SELECT \(ThreadRow.columns) FROM threads WHERE deleted = 0 AND \(query.text) \
      ORDER BY created_at \(direction), id \(direction) LIMIT \(limit)
      """
    return try readers.read { connection throws(StoreError) in
      let select = try connection.statement(sql)
      query.bind(to: select)
      return try select.threadRows()
    }
  }
}

/// Conditions joined by AND, with what their parameters get. Values never become part of the text.
private struct ListQuery {
  typealias Binding = (SQLiteStatement, Int32) -> Void
  private(set) var text = ""
  private var bindings: [Binding] = []

  /// Adds a condition; each `?` in it is one parameter, all of which get the same value.
  mutating func add(_ condition: String, _ binding: @escaping Binding) {
    complete((text.isEmpty ? "" : " AND ") + condition, binding)
  }

  /// Goes on with the last condition.
  mutating func complete(_ condition: String, _ binding: @escaping Binding) {
    let number = bindings.count + 1
    text += condition.replacing("?", with: "?\(number)")
    bindings.append(binding)
  }

  func bind(to statement: SQLiteStatement) {
    for (index, binding) in bindings.enumerated() { binding(statement, Int32(index + 1)) }
  }
}
