// Cases that would take days or gigabytes over the wire alone: keys that grow old, threads that are full.

import Foundation
import HeddleClient
import HeddleCore
import HeddleSQLite
import HeddleServer
import HeddleStorage
import Testing

@Suite struct KeyAgeTests {
  /// Stores a key as another request left it `days` days ago.
  private func remember(_ thread: ThreadID?, days: Int64, in store: SQLiteStore) async throws -> IdempotencyKey {
    let key = IdempotencyKey(high: .random(in: 1...(.max)), low: .random(in: 1...(.max)))
    let at = Int64(Date().timeIntervalSince1970 * 1_000) - days * 24 * 3_600 * 1_000
    let record = KeyRecord(
      tenant: "default", key: key, method: 1, requestHash: Array(repeating: 7, count: 32), thread: thread, response: [],
      at: at)
    try await store.submit([Mutation([.key(record)])], lane: WriteLane(0))
    return key
  }

  @Test(
    "D10 E2: a key of no thread is free again after seven days, one of a thread as long as that lives it is not",
    arguments: [(false, 6, true), (false, 8, false), (true, 8, true), (true, 400, true)] as [(Bool, Int64, Bool)])
  func age(_ isOfThread: Bool, _ days: Int64, _ isTaken: Bool) async throws {
    try await withServer { _, client, store in
      let thread = try await client.threads.start().thread?.id
      let key = try await remember(isOfThread ? thread : nil, days: days, in: store)
      var reason = ""
      do { _ = try await client.threads.start(key: key) } catch let error as HeddleError where error.kind == .refused {
        reason = error.reason
      }
      #expect(reason == (isTaken ? "idempotency_mismatch" : ""))
    }
  }
}

@Suite struct FullThreadTests {
  @Test("configuration.md, threadEventBytes: a thread whose events take as much as they may is full; its fork is not")
  func bytes() async throws {
    var rules = ServerRules()
    rules.limits.threadEventBytes = 10_000
    try await withServer(rules) { _, client, _ in
      let thread = try await client.threads.start().thread?.id ?? ThreadID()
      /// Whether another name of 1,000 bytes is taken.
      func renames(_ thread: ThreadID, _ number: Int) async throws -> Bool {
        let name = "\(number) " + String(repeating: "x", count: 1_000)
        do {
          _ = try await client.threads.setName(SetThreadNameRequest(thread: thread, name: name))
          return true
        } catch let error as HeddleError where error.kind == .refused {
          #expect(error.reason == "thread_full")
          return false
        }
      }
      var taken = 0
      while taken < 100, try await renames(thread, taken) { taken += 1 }
      #expect((8...10).contains(taken))
      let fork = try await client.threads.fork(ForkThreadRequest(thread: thread)).thread?.id ?? ThreadID()
      #expect(try await renames(fork, 0))
    }
  }
}
