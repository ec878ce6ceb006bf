// Pages of threads, and trees.

import HeddleCore
import HeddleStorage
import Testing

struct ListRules {
  let store: StoreUnderTest

  /// Twenty threads of tenant `t`, two for each creation time, of which some have a mark; one of another tenant.
  init(_ make: MakeStore) async throws {
    store = StoreUnderTest(try make())
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

  static let rules: [StoreRule] = [
    StoreRule("Paging meets every thread once, in the order of creation and id, in both directions") { make in
      for argument in [false, true] {
        try await ListRules(make).paging(newestFirst: argument)
      }
    },
    StoreRule("Each filter picks what it says and nothing else") { make in
      try await ListRules(make).filters()
    },
    StoreRule("Text is found in name or preview, ASCII case ignored, and is never a pattern") { make in
      try await ListRules(make).text()
    },
    StoreRule("The last page says that it is the last, be it full or empty") { make in
      try await ListRules(make).last()
    },
    StoreRule("A tree begins with its root, the others follow by creation") { make in
      try await ListRules(make).tree()
    },
  ]

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

  func text() throws {
    #expect(try list { $0.text = "sure_thing" } == [7])
    #expect(try list { $0.text = "THING" } == [7, 8])
    #expect(try list { $0.text = "Ärger" } == [8])
    #expect(try list { $0.text = "ärger" } == [])
    #expect(try list { $0.text = "0%" } == [7])
    #expect(try list { $0.text = "sure%" } == [])
    #expect(try list { $0.text = "'" } == [])
  }

  func last() throws {
    var filter = ThreadFilter()
    filter.newestFirst = false
    #expect(try store.list(tenant: "t", filter: filter, after: nil, limit: 19).next == nil)
    let next = try store.list(tenant: "t", filter: filter, after: nil, limit: 18).next
    #expect(next == ListPosition(createdAt: 90, id: threadID(18)))
    filter.text = "nowhere"
    #expect(try store.list(tenant: "t", filter: filter, after: nil, limit: 9) == ThreadPage(rows: [], next: nil))
  }

  func tree() throws {
    #expect(try store.tree(root: threadID(3), tenant: "t").map(\.id.low) == [3, 1, 2])
    #expect(try store.tree(root: threadID(3), tenant: "other") == [])
  }
}
