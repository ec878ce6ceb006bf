// A store as the rules see it: reads that wait for their answer, by way of `Store.read`.

import HeddleCore
import HeddleStorage

struct StoreUnderTest: StoreReader {
  let tested: any TestedStore
  var store: any Store { tested.store }

  init(_ tested: any TestedStore) { self.tested = tested }

  private func read<Value: Sendable>(
    _ work: @escaping @Sendable (any StoreReader) throws(StoreError) -> Value
  ) throws(StoreError) -> Value {
    let answer = Monitor<Result<Value, StoreError>?>(nil)
    store.read(.short) { reader, _ throws(StoreError) in
      try work(reader)
    } completion: { result in
      answer.change { $0 = result }
    }
    return try answer.wait { $0 }.get()
  }

  func load(_ thread: ThreadID, tenant: String) throws(StoreError) -> LoadedThread? {
    try read { reader throws(StoreError) in try reader.load(thread, tenant: tenant) }
  }

  func row(_ thread: ThreadID, tenant: String) throws(StoreError) -> ThreadRow? {
    try read { reader throws(StoreError) in try reader.row(thread, tenant: tenant) }
  }

  func events(_ thread: ThreadID, after: UInt64, limit: Int, bytes: Int) throws(StoreError) -> [StoredEvent] {
    try read { reader throws(StoreError) in try reader.events(thread, after: after, limit: limit, bytes: bytes) }
  }

  func events(
    _ thread: ThreadID, kinds: [UInt8], from: UInt64, backwards: Bool, ordinal: UInt64?, hidden: [TurnRange], limit: Int
  ) throws(StoreError) -> [StoredEvent] {
    try read { reader throws(StoreError) in
      try reader.events(
        thread, kinds: kinds, from: from, backwards: backwards, ordinal: ordinal, hidden: hidden, limit: limit)
    }
  }

  func turns(
    _ thread: ThreadID, from: UInt64, backwards: Bool, hidden: [TurnRange], limit: Int
  ) throws(StoreError) -> [(ordinal: UInt64, payload: [UInt8])] {
    try read { reader throws(StoreError) in
      try reader.turns(thread, from: from, backwards: backwards, hidden: hidden, limit: limit)
    }
  }

  func turn(_ thread: ThreadID, id: TurnID) throws(StoreError) -> (ordinal: UInt64, payload: [UInt8])? {
    try read { reader throws(StoreError) in try reader.turn(thread, id: id) }
  }

  func turn(_ thread: ThreadID, ordinal: UInt64) throws(StoreError) -> [UInt8]? {
    try read { reader throws(StoreError) in try reader.turn(thread, ordinal: ordinal) }
  }

  func list(tenant: String, filter: ThreadFilter, after: ListPosition?, limit: Int) throws(StoreError) -> ThreadPage {
    try read { reader throws(StoreError) in
      try reader.list(tenant: tenant, filter: filter, after: after, limit: limit)
    }
  }

  func tree(root: ThreadID, tenant: String) throws(StoreError) -> [ThreadRow] {
    try read { reader throws(StoreError) in try reader.tree(root: root, tenant: tenant) }
  }

  func active(in slots: SlotSet) throws(StoreError) -> [ThreadRow] {
    try read { reader throws(StoreError) in try reader.active(in: slots) }
  }

  func strays(in slots: SlotSet) throws(StoreError) -> [(thread: ThreadID, root: ThreadID)] {
    try read { reader throws(StoreError) in try reader.strays(in: slots) }
  }

  func key(_ key: IdempotencyKey, tenant: String) throws(StoreError) -> KeyRecord? {
    try read { reader throws(StoreError) in try reader.key(key, tenant: tenant) }
  }

  func features() throws(StoreError) -> [String: Bool] {
    try read { reader throws(StoreError) in try reader.features() }
  }

  func submit(_ mutations: [Mutation], completion: @escaping @Sendable (Result<Void, StoreError>) -> Void) {
    store.submit(mutations, completion: completion)
  }

  func write(_ mutations: [Mutation]) async throws { try await store.write(mutations) }
  func write(_ writes: StoreWrite...) async throws { try await store.write([Mutation(writes)]) }

  func problems() throws -> [String] { try tested.problems() }
}
