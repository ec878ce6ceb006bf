// Pages of threads, and trees.

import HeddleCore
import HeddleStorage
import Testing

@testable import HeddleSQLite

@Suite struct ListTests {
  let folder: TemporaryFolder
  let store: SQLiteStore

  /// Twenty threads of tenant `t`, two for each creation time, of which some have a mark; one of another tenant.
  init() async throws {
    folder = try TemporaryFolder()
    store = try SQLiteStore(folder: folder.path)
    var mutations: [Mutation] = []
    for number in 1...20 as ClosedRange<UInt64> {
      var one = row(threadID(number), sequence: 0, createdAt: Int64((number + 1) / 2) * 10)
      one.archived = number == 20
      one.source = number % 5 == 0 ? .fork : .client
      one.root = threadID(number < 4 ? 3 : number)
      one.parent = number < 3 ? threadID(3) : nil
      one.forkedFrom = number == 5 ? threadID(4) : nil
      one.modelProvider = number < 10 ? "small" : "large"
      one.workingFolder = number % 2 == 0 ? "/even" : "/odd"
      one.name = number == 7 ? "100% Sure_THING" : ""
      one.preview = number == 8 ? "nothing ÄRGER" : ""
      mutations.append(Mutation([.thread(one)]))
    }
    mutations.append(Mutation([.thread(row(threadID(99), sequence: 0, tenant: "other"))]))
    try await store.write(mutations)
  }

  private func list(_ change: (inout ThreadFilter) -> Void = { _ in }) throws -> [UInt64] {
    var filter = ThreadFilter()
    filter.newestFirst = false
    change(&filter)
    return try store.list(tenant: "t", filter: filter, after: nil, limit: 100).rows.map(\.id.low)
  }

  @Test(
    "Paging meets every thread once, in the order of creation and id, in both directions", arguments: [false, true])
  func paging(newestFirst: Bool) throws {
    var filter = ThreadFilter()
    filter.newestFirst = newestFirst
    var met: [UInt64] = []
    var after: ListPosition?
    repeat {
      let page = try store.list(tenant: "t", filter: filter, after: after, limit: 3)
      met += page.rows.map(\.id.low)
      after = page.next
    } while after != nil
    #expect(met == (newestFirst ? Array((1...19).reversed()) : Array(1...19)))
  }

  @Test("Each filter picks what it says and nothing else")
  func filters() throws {
    #expect(try list { $0.archived = true } == [20])
    #expect(try list { $0.source = .fork } == [5, 10, 15])
    #expect(try list { $0.parent = threadID(3) } == [1, 2])
    #expect(try list { $0.forkedFrom = threadID(4) } == [5])
    #expect(try list { $0.modelProvider = "large" } == Array(10...19))
    #expect(try list { $0.workingFolder = "/even" } == [2, 4, 6, 8, 10, 12, 14, 16, 18])
    #expect(try list { $0.createdAfter = 90 } == [17, 18, 19])
    #expect(try list { $0.createdBefore = 20 } == [1, 2])
    #expect(
      try list {
        $0.modelProvider = "small"
        $0.source = .fork
        $0.createdAfter = 10
      } == [5])
    #expect(try store.list(tenant: "other", filter: ThreadFilter(), after: nil, limit: 9).rows.map(\.id.low) == [99])
    #expect(try store.list(tenant: "t", filter: ThreadFilter(), after: nil, limit: 0).rows == [])
  }

  @Test("Text is found in name or preview, ASCII case ignored, and is never a pattern")
  func text() throws {
    #expect(try list { $0.text = "sure_thing" } == [7])
    #expect(try list { $0.text = "THING" } == [7, 8])
    #expect(try list { $0.text = "Ärger" } == [8])
    #expect(try list { $0.text = "ärger" } == [])
    #expect(try list { $0.text = "0%" } == [7])
    #expect(try list { $0.text = "sure%" } == [])
    #expect(try list { $0.text = "'" } == [])
  }

  @Test("The last page says that it is the last, be it full or empty")
  func last() throws {
    var filter = ThreadFilter()
    filter.newestFirst = false
    #expect(try store.list(tenant: "t", filter: filter, after: nil, limit: 19).next == nil)
    let next = try store.list(tenant: "t", filter: filter, after: nil, limit: 18).next
    #expect(next == ListPosition(createdAt: 90, id: threadID(18)))
    filter.text = "nowhere"
    #expect(try store.list(tenant: "t", filter: filter, after: nil, limit: 9) == ThreadPage(rows: [], next: nil))
  }

  @Test(
    "A page that finds little among many meets a bounded number of rows and says where to go on; nothing is missed",
    arguments: [false, true])
  func bounded(newestFirst: Bool) async throws {
    let count = UInt64(2 * SQLiteStore.rowsMet + 10)
    let few: Set<UInt64> = [1_001, 5_000, 1_000 + count]
    let rows = (1_001...1_000 + count).map { number in
      var one = row(threadID(number), sequence: 0, tenant: "many", createdAt: Int64(number / 3))
      one.workingFolder = "/many"
      one.source = few.contains(number) ? .fork : .client
      one.name = few.contains(number) ? "needle" : "hay"
      return Mutation([.thread(one)])
    }
    try await store.write(rows)
    var byText = ThreadFilter()
    byText.newestFirst = newestFirst
    byText.text = "needle"
    var byTwo = ThreadFilter()
    byTwo.newestFirst = newestFirst
    byTwo.workingFolder = "/many"
    byTwo.source = .fork
    for filter in [byText, byTwo] {
      var met: [UInt64] = []
      var (after, pages) = (ListPosition?.none, 0)
      repeat {
        let page = try store.list(tenant: "many", filter: filter, after: after, limit: 9)
        met += page.rows.map(\.id.low)
        (after, pages) = (page.next, pages + 1)
      } while after != nil
      #expect(met == (newestFirst ? few.sorted().reversed() : few.sorted()))
      #expect(pages == 3)
    }
    // One condition has an index of its own, and needs no second page.
    byTwo.workingFolder = nil
    let page = try store.list(tenant: "many", filter: byTwo, after: nil, limit: 9)
    #expect(page.rows.count == few.count && page.next == nil)
  }

  @Test("Whatever the filter, a page is read along an index, nothing is sorted and no table is walked")
  func plans() throws {
    let connection = try folder.connection()
    defer { connection.close() }
    let time = "AND created_at >= 1 AND created_at < 9 AND (created_at, id) < (5, x'00')"
    for (index, condition) in [
      ("threads_list", ""), ("threads_parent", "AND parent = x'00'"), ("threads_fork", "AND forked_from = x'00'"),
      ("threads_folder", "AND folder = 'a'"), ("threads_source", "AND source = 2"),
      ("threads_provider", "AND provider = 'a'"),
    ] {
      let plan = try connection.statement(
        """
        EXPLAIN QUERY PLAN SELECT * FROM threads INDEXED BY \(index) WHERE deleted = 0 AND tenant = 't' AND archived = 0 \
        \(condition) \(time) ORDER BY created_at DESC, id DESC LIMIT 9
        """)
      defer { plan.reset() }
      #expect(try plan.step())
      let text = plan.text(3)
      #expect(text.hasPrefix("SEARCH threads USING INDEX \(index) (tenant=? AND archived=?"))
      #expect(text.contains("created_at>") && (condition.isEmpty || text.contains("=? AND created_at")))
      #expect(try !plan.step())
    }
  }

  @Test("A tree, what runs and what has strayed are found by their own indexes: no row of another thread is met")
  func ownIndexes() throws {
    let connection = try folder.connection()
    defer { connection.close() }
    for (sql, start) in [
      (SQLiteStore.treeQuery, "SEARCH threads USING INDEX threads_root (root=?)"),
      (SQLiteStore.activeQuery, "SCAN threads USING INDEX threads_active"),
      (SQLiteStore.straysQuery, "SCAN threads USING INDEX threads_strays"),
    ] {
      let plan = try connection.statement("EXPLAIN QUERY PLAN \(sql)")
      defer { plan.reset() }
      #expect(try plan.step())
      #expect(plan.text(3) == start)
    }
  }

  @Test("A tree begins with its root, the others follow by creation")
  func tree() throws {
    #expect(try store.tree(root: threadID(3), tenant: "t").map(\.id.low) == [3, 1, 2])
    #expect(try store.tree(root: threadID(3), tenant: "other") == [])
  }

  @Test("Readers keep no more statements than a bound, however many kinds of lists are asked for")
  func statements() throws {
    for limit in 1...200 {
      _ = try store.list(tenant: "t", filter: ThreadFilter(), after: nil, limit: limit)
      #expect(try store.readers.read { $0.statementCount } <= 66)
    }
  }
}
