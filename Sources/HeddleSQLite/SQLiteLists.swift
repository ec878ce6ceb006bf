// A page of threads: the filter becomes SQL, so that a page costs the rows that it passes and not all there are.
//
// I1  One condition of the filter beside tenant and archive is looked up in an index that has the order of the list, so
//     what does not pass it is not met.
// I2  What the other conditions do not pass is met. No page meets more than `rowsMet` rows; a page that ends there is
//     short or empty, and says where the next one begins.

import HeddleCore
import HeddleStorage

extension SQLiteStore {
  /// Rows that one page may meet: some ten milliseconds, so that a list that finds nothing holds up nobody.
  static let rowsMet = 4_096

  public func list(
    tenant: String, filter: ThreadFilter, after: ListPosition?, limit: Int
  ) throws(StoreError) -> ThreadPage {
    guard limit > 0 else { return ThreadPage(rows: [], next: nil) }
    var query = ListQuery(filter)
    query.add("tenant = ?") { $0.bind(tenant, at: $1) }
    query.add("archived = ?") { $0.bind(filter.archived, at: $1) }
    if let time = filter.createdAfter { query.add("created_at >= ?") { $0.bind(time, at: $1) } }
    if let time = filter.createdBefore { query.add("created_at < ?") { $0.bind(time, at: $1) } }
    if let after { query.add(behind: after) }
    let index = query.addIndexed(filter)
    let order = query.order
    return try readers.read { connection throws(StoreError) in
      var bound: ListPosition?
      if query.passesOver {
        let select = try connection.statement(
          """
          SELECT created_at, id FROM threads INDEXED BY \(index) WHERE deleted = 0 AND \(query.text) \(order) \
          LIMIT 1 OFFSET \(Self.rowsMet - 1)
          """)
        query.bind(to: select)
        defer { select.reset() }
        if try select.step(), let id = select.identifier(1, ThreadID.self) {
          bound = ListPosition(createdAt: select.integer(0), id: id)
        }
      }
      query.addRest(through: bound)
      let select = try connection.statement(
        """
        SELECT \(ThreadRow.columns) FROM threads INDEXED BY \(index) WHERE deleted = 0 AND \(query.text) \(order) \
        LIMIT \(limit + 1)
        """)
      query.bind(to: select)
      var rows = try select.threadRows()
      guard rows.count > limit else { return ThreadPage(rows: rows, next: bound) }
      rows.removeLast()
      return ThreadPage(rows: rows, next: rows.last.map { ListPosition(createdAt: $0.createdAt, id: $0.id) })
    }
  }
}

/// Conditions joined by AND, with what their parameters get. Values never become part of the text.
private struct ListQuery {
  typealias Binding = (SQLiteStatement, Int32) -> Void
  private(set) var text = ""
  /// Conditions that no index is asked for.
  private(set) var passesOver = false
  private var bindings: [Binding] = []
  private var rest: [(condition: String, binding: Binding)] = []
  private let newestFirst: Bool

  init(_ filter: ThreadFilter) { newestFirst = filter.newestFirst }

  var order: String {
    newestFirst ? "ORDER BY created_at DESC, id DESC" : "ORDER BY created_at ASC, id ASC"
  }

  /// Adds a condition; each `?` in it is one parameter, all of which get the same value.
  mutating func add(_ condition: String, _ binding: @escaping Binding) {
    complete((text.isEmpty ? "" : " AND ") + condition, binding)
  }

  /// Goes on with the last condition.
  private mutating func complete(_ condition: String, _ binding: @escaping Binding) {
    let number = bindings.count + 1
    text += condition.replacing("?", with: "?\(number)")
    bindings.append(binding)
  }

  mutating func add(behind position: ListPosition) { add(newestFirst ? "<" : ">", position) }

  private mutating func add(_ relation: String, _ position: ListPosition) {
    add("(created_at, id) \(relation) (?, ") { $0.bind(position.createdAt, at: $1) }
    complete("?)") { $0.bind(position.id, at: $1) }
  }

  /// Adds the condition that leaves least, as far as one can know that beforehand, and names its index (I1). The others
  /// wait for `addRest`.
  mutating func addIndexed(_ filter: ThreadFilter) -> String {
    var found: [(index: String, condition: String, binding: Binding)] = []
    if let parent = filter.parent { found.append(("threads_parent", "parent = ?", { $0.bind(parent, at: $1) })) }
    if let origin = filter.forkedFrom {
      found.append(("threads_fork", "forked_from = ?", { $0.bind(origin, at: $1) }))
    }
    if let folder = filter.workingFolder { found.append(("threads_folder", "folder = ?", { $0.bind(folder, at: $1) })) }
    if let source = filter.source {
      found.append(("threads_source", "source = ?", { $0.bind(Int64(source.rawValue), at: $1) }))
    }
    if let provider = filter.modelProvider {
      found.append(("threads_provider", "provider = ?", { $0.bind(provider, at: $1) }))
    }
    if let first = found.first { add(first.condition, first.binding) }
    rest = found.dropFirst().map { ($0.condition, $0.binding) }
    if let text = filter.text {
      // SQLite's lower() folds ASCII only, as promised. Not LIKE: the text may contain % and _.
      rest.append(
        ("(instr(lower(name), lower(?)) > 0 OR instr(lower(preview), lower(?)) > 0)", { $0.bind(text, at: $1) }))
    }
    passesOver = !rest.isEmpty
    return found.first?.index ?? "threads_list"
  }

  /// I2
  mutating func addRest(through bound: ListPosition?) {
    for (condition, binding) in rest { add(condition, binding) }
    if let bound { add(newestFirst ? ">=" : "<=", bound) }
  }

  func bind(to statement: SQLiteStatement) {
    for (index, binding) in bindings.enumerated() { binding(statement, Int32(index + 1)) }
  }
}
