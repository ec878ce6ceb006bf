// Pages: threads, turns, items (rules.md T8). Read off the loop; positions are keys that never change, so no entry is
// seen twice and none is missed, whatever happens between two pages.

import HeddleCore
import HeddleProtocol
import HeddleRuntime
import HeddleStorage

/// A page that was asked for: checked size, and the cursor's position.
private struct PageRequest {
  var size: Int
  var position: [UInt8]?
  var query: [UInt8]
}

/// An answer and where the next page begins.
private struct Page<Entry: Sendable>: Sendable {
  var entries: [Entry]
  var next: [UInt8]?

  /// What a page may hold: a frame of the default size less room for what stands around the entries.
  private static var pageBytes: Int { 4 * 1024 * 1024 - 128 * 1024 }

  /// Takes one entry more than the page holds, to know whether there is a next page. Large entries make shorter pages;
  /// every page has at least one.
  init(_ found: [Entry], size: Int, bytes: (Entry) -> Int, position: (Entry) -> [UInt8]) {
    entries = []
    var total = 0
    for entry in found.prefix(size) {
      total += bytes(entry)
      if total > Self.pageBytes, !entries.isEmpty { break }
      entries.append(entry)
    }
    next = entries.count < found.count ? entries.last.map(position) : nil
  }
}

extension Caller {
  private func page(
    _ size: Int32?, _ cursor: String, positionBytes: Int, method: Method, query: some WireMessage
  ) throws(Refusal) -> PageRequest {
    let limits = core.limits
    let size = size ?? limits.defaultPageSize
    guard size >= 1, size <= limits.pageSize else {
      throw Refusal(
        .outOfRange, [("field", "page_size"), ("minimum", "1"), ("maximum", "\(limits.pageSize)")])
    }
    let canonical = loop.codec.encode(query)
    let position = try core.signer.position(
      cursor, bytes: positionBytes, tenant: tenant, method: method, query: canonical)
    return PageRequest(size: Int(size), position: position, query: canonical)
  }

  private func cursor(_ position: [UInt8]?, _ method: Method, _ page: PageRequest) -> String {
    position.map { core.signer.sign($0, tenant: tenant, method: method, query: page.query) } ?? ""
  }

  private func respond<T: Sendable>(
    _ stream: UInt32, _ work: @escaping @Sendable (any StoreReader, inout Codec) throws(StoreError) -> T?,
    _ response: @escaping @Sendable (T) -> Response
  ) {
    whenThereIsRoom {
      self.core.manager.store.read(.long(ObjectIdentifier(self)), work) { (result: Result<T?, StoreError>) in
        self.context.inbox.post {
          switch result {
          case .success(let value?): self.answer(stream, .response(response(value)), follows: nil)
          case .success(nil): self.answer(stream, .refused(Refusal(.thread)), follows: nil)
          case .failure(let error): self.answer(stream, .refused(error.refusal), follows: nil)
          }
          self.pageIsDone()
        }
      }
    }
  }

  // MARK: Threads

  func list(_ request: ListThreadsRequest, _ stream: UInt32) {
    do throws(Refusal) {
      let filter = try request.filter
      var query = request
      query.cursor = ""
      query.pageSize = nil
      let page = try page(
        request.pageSize, request.cursor, positionBytes: 24, method: .threadList, query: query)
      let after = page.position.map {
        ListPosition(
          createdAt: Int64(bitPattern: UInt64(bigEndianBytes: $0.prefix(8))),
          id: ThreadID(bytes: $0.suffix(16)) ?? ThreadID())
      }
      let tenant = tenant
      let index = core.manager.index
      respond(stream) { reader, codec throws(StoreError) in
        let listed = try reader.list(tenant: tenant, filter: filter, after: after, limit: page.size)
        var read: [(row: ThreadRow, thread: AgentThread?, bytes: Int)] = []
        for row in listed.rows {
          let thread = try Self.summary(row, index, reader, &codec)
          read.append((row, thread, thread.map { codec.encode($0).count } ?? 0))
        }
        let found = Page(read, size: page.size, bytes: \.bytes) {
          ListPosition(createdAt: $0.row.createdAt, id: $0.row.id).bytes
        }
        // Cut by its bytes, a page ends before the store's does.
        return (found.entries.compactMap(\.thread), found.next ?? listed.next?.bytes)
      } _: { threads, next in
        .threadList(ListThreadsResponse(threads: threads, nextCursor: self.cursor(next, .threadList, page)))
      }
    } catch {
      answer(stream, .refused(error), follows: nil)
    }
  }

  /// Nil if the thread has been deleted meanwhile. One that is damaged is listed as far as its row goes, so that it does
  /// not take the others with it (attacks.md L10).
  private static func summary(
    _ row: ThreadRow, _ index: LiveIndex, _ reader: any StoreReader, _ codec: inout Codec
  ) throws(StoreError) -> AgentThread? {
    do throws(StoreError) {
      guard let loaded = try reader.load(row.id, tenant: row.tenant) else { return nil }
      return try loaded.record(&codec).summary(
        identity: loaded.identity, status: ThreadStatus(state: index.state(row.id)))
    } catch {
      guard case .damaged = error else { throw error }
      return AgentThread(
        id: row.id,
        lineage: Lineage(source: row.source, root: row.root, parent: row.parent, forkedFrom: row.forkedFrom),
        name: row.name, preview: row.preview, status: ThreadStatus(state: .systemError), archived: row.archived,
        createdAt: row.createdAt, updatedAt: row.updatedAt, sequence: row.sequence, epoch: row.epoch)
    }
  }

  func listLoaded(_ request: ListLoadedThreadsRequest, _ stream: UInt32) {
    do throws(Refusal) {
      let page = try page(
        request.pageSize ?? core.limits.pageSize, request.cursor, positionBytes: 16, method: .threadListLoaded,
        query: ListLoadedThreadsRequest())
      let after = page.position.flatMap { ThreadID(bytes: $0) } ?? ThreadID()
      let ids = core.manager.index.threads(tenant: tenant, after: after, limit: page.size + 1)
      let found = Page(ids, size: page.size, bytes: { _ in 16 }) { $0.bytes }
      answer(
        stream,
        .response(
          .threadListLoaded(
            ListLoadedThreadsResponse(
              threads: found.entries, nextCursor: cursor(found.next, .threadListLoaded, page)))), follows: nil)
    } catch {
      answer(stream, .refused(error), follows: nil)
    }
  }

  // MARK: Turns and items

  func listTurns(_ request: ListTurnsRequest, _ stream: UInt32) {
    do throws(Refusal) {
      var query = request
      query.cursor = ""
      query.pageSize = nil
      let page = try page(
        request.pageSize, request.cursor, positionBytes: 8, method: .threadListTurns, query: query)
      let from = page.position.map { UInt64(bigEndianBytes: $0) } ?? 0
      let backwards = request.order != .oldestFirst
      history(request.thread, stream) { history, codec throws(StoreError) in
        let turns = try history.turns(from: from, backwards: backwards, limit: page.size + 1)
        let found = Page(turns, size: page.size, bytes: \.payload.count) { $0.ordinal.bigEndianBytes }
        return (
          try found.entries.map { t throws(StoreError) in try history.decode(Turn.self, t.payload, &codec) }, found.next
        )
      } _: { turns, next in
        .threadListTurns(ListTurnsResponse(turns: turns, nextCursor: self.cursor(next, .threadListTurns, page)))
      }
    } catch {
      answer(stream, .refused(error), follows: nil)
    }
  }

  func listItems(_ request: ListItemsRequest, _ stream: UInt32) {
    do throws(Refusal) {
      var query = request
      query.cursor = ""
      query.pageSize = nil
      let page = try page(
        request.pageSize, request.cursor, positionBytes: 8, method: .threadListItems, query: query)
      let from = page.position.map { UInt64(bigEndianBytes: $0) } ?? 0
      let backwards = request.order == .newestFirst
      history(request.thread, stream) { history, codec throws(StoreError) in
        let found = Page(
          try history.items(of: request.turn, from: from, backwards: backwards, limit: page.size + 1), size: page.size,
          bytes: \.payload.count
        ) { $0.sequence.bigEndianBytes }
        var items: [ListedItem] = []
        for stored in found.entries {
          let event = try history.decode(Event.self, stored.payload, &codec)
          guard case .itemCompleted(let completed)? = event.kind else { continue }
          items.append(
            ListedItem(item: completed.item, turn: event.turn, sequence: event.sequence, at: event.at))
        }
        return (items, found.next)
      } _: { items, next in
        .threadListItems(ListItemsResponse(items: items, nextCursor: self.cursor(next, .threadListItems, page)))
      }
    } catch {
      answer(stream, .refused(error), follows: nil)
    }
  }

  /// A read of one thread's history, on disk or in memory.
  private func history<T: Sendable>(
    _ thread: ThreadID, _ stream: UInt32,
    _ work: @escaping @Sendable (StoredHistory, inout Codec) throws(StoreError) -> T,
    _ response: @escaping @Sendable (T) -> Response
  ) {
    let tenant = tenant
    Task.immediate(executorPreference: context) {
      let live = await self.core.manager.ephemeralHistory(thread, tenant: tenant)
      self.respond(
        stream,
        { reader, codec throws(StoreError) in
          if let live { return try work(live, &codec) }
          guard let history = try StoredHistory(reader, thread, tenant: tenant, &codec) else { return nil }
          return try work(history, &codec)
        }, response)
    }
  }
}

extension ListPosition {
  fileprivate var bytes: [UInt8] { UInt64(bitPattern: createdAt).bigEndianBytes + id.bytes }
}

extension ListThreadsRequest {
  /// The filter, with times checked (attacks.md P24).
  var filter: ThreadFilter {
    get throws(Refusal) {
      // Year 0 and year 10000: what people and programs can still print.
      for (name, time) in [("created_after", createdAfter), ("created_before", createdBefore)] {
        guard let time else { continue }
        guard time >= 0, time < 253_402_300_800_000 else {
          throw Refusal(.outOfRange, [("field", name), ("unit", "unix milliseconds")])
        }
      }
      if let text { try checkLength(text, "text", 1_024) }
      // The longest path that Linux knows.
      try checkLength(workingFolder, "working_folder", 4_096)
      try checkLength(modelProvider, "model_provider", 1_024)
      var filter = ThreadFilter()
      filter.archived = archived ?? false
      filter.source = source
      filter.parent = parent
      filter.forkedFrom = forkedFrom
      filter.modelProvider = modelProvider
      filter.text = text
      filter.workingFolder = workingFolder
      filter.createdAfter = createdAfter
      filter.createdBefore = createdBefore
      filter.newestFirst = order != .oldestFirst
      return filter
    }
  }
}
