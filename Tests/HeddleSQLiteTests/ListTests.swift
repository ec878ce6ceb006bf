// The cost of lists in SQLite: rows that are met, indexes, statements.

import HeddleCore
import HeddleStorage
import HeddleStoreContract
import Testing

@testable import HeddleSQLite

@Suite struct ListTests {
  let folder: TemporaryFolder
  let store: SQLiteStore

  init() throws {
    folder = try TemporaryFolder()
    store = try SQLiteStore(folder: folder.path)
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

  @Test("Readers keep no more statements than a bound, however many kinds of lists are asked for")
  func statements() throws {
    for limit in 1...200 {
      _ = try store.list(tenant: "t", filter: ThreadFilter(), after: nil, limit: limit)
      #expect(try store.readers.read { $0.statementCount } <= 66)
    }
  }
}
