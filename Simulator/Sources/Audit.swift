// The rules that hold for the disk at every start, and for everything at the end of a run.

import HeddleCore
import HeddleProtocol
import HeddleSQLite
import HeddleStorage

/// A thread's log, read and folded from its first event.
private struct Story {
  var record = ThreadRecord(revision: 1)
  var version: MultiAgentVersion?
  var running: TurnID?
  var ended: Set<TurnID> = []
  var queued: Set<TurnID> = []
  var cancelled: Set<TurnID> = []
  var items: Set<ItemID> = []
  var steered: Set<ItemID> = []
  var openCalls: Set<String> = []
  var received: [ItemID] = []
  var sent: Set<ItemID> = []
  var texts: [String: Int] = [:]
  var queuedTexts: [String: Int] = [:]
  var steeredTexts: [String: Int] = [:]
  var names: [String: Int] = [:]
  var revisions: [UInt64: Settings] = [:]
  var pins = 0
  var isFork = false
}

extension World {
  // MARK: At every start

  /// Nothing that was acknowledged is missing, and nothing on disk contradicts itself (D1, D5).
  func auditDisk(_ store: SQLiteStore) throws {
    do {
      let problems = try store.check()
      if let first = problems.first { throw Violation(text: "check: \(first)") }
      for (thread, known) in ledger.threads.sorted(by: { $0.key < $1.key }) {
        guard let row = try store.row(thread, tenant: known.tenant) else {
          if known.mayBeDeleted || known.life != nil { continue }
          throw Violation(text: "D1: thread \(thread) was acknowledged and is not there")
        }
        if known.life != nil { throw Violation(text: "D11: thread \(thread) is in memory only, and on disk") }
        if known.isDeleted { throw Violation(text: "T6: thread \(thread) was deleted and is there") }
        if row.sequence < known.acknowledged {
          throw Violation(
            text: "D1: event \(known.acknowledged) of thread \(thread) was acknowledged, \(row.sequence) is the newest")
        }
      }
    } catch let error as StoreError {
      throw Violation(text: "D7: what is on disk cannot be read: \(error)")
    }
  }

  // MARK: At the end

  func audit() throws {
    guard let store = life.sqlite else { throw Violation(text: "no store") }
    try auditDisk(store)
    var stories: [ThreadID: Story] = [:]
    for thread in ledger.order where !mayBeGone(thread) && ledger.threads[thread]?.life == nil {
      stories[thread] = try story(thread, store)
    }
    for (thread, story) in stories.sorted(by: { $0.key < $1.key }) {
      try compareWithServer(thread, story)
      try checkMail(thread, story, stories)
    }
    try checkMarks(stories)
    for (thread, revision, settings) in ledger.settings {
      guard let story = stories[thread], !story.isFork else { continue }
      guard story.revisions[revision] == settings else {
        throw Violation(text: "S5: revision \(revision) of thread \(thread) was acknowledged and is not in the log")
      }
    }
    count("threads audited", stories.count)
  }

  private func story(_ thread: ThreadID, _ store: SQLiteStore) throws -> Story {
    var story = Story()
    var codec = Codec(limits: .trusted)
    var after: UInt64 = 0
    while true {
      let page = try store.events(thread, after: after, limit: 500, bytes: 1 << 20)
      if page.isEmpty { break }
      for stored in page {
        guard stored.sequence == after + 1 else {
          throw Violation(text: "E: event \(stored.sequence) follows \(after) in the log of thread \(thread)")
        }
        after = stored.sequence
        let event = try codec.decodeTrusted(Event.self, stored.payload)
        if let seen = ledger.events[thread]?[event.sequence] {
          var hash = Digest()
          hash.add(codec.encode(event))
          if hash.value != seen {
            throw Violation(text: "D2: event \(after) of \(thread) is not what a client was sent")
          }
        }
        try read(event, thread, &story)
      }
    }
    for sequence in ledger.events[thread]?.keys.sorted() ?? [] where sequence > after {
      throw Violation(text: "D2: event \(sequence) of thread \(thread) was sent to a client and is not in the log")
    }
    try checkEnd(of: story, thread)
    return story
  }

  /// Compares ephemeral threads with the events that clients got, as long as the threads exist.
  func auditThreadsInMemory() throws {
    for thread in ledger.order where ledger.threads[thread]?.life != nil && !mayBeGone(thread) {
      guard let known = ledger.threads[thread] else { continue }
      var codec = Codec(limits: .trusted)
      let answer = try ask(.threadRead(ReadThreadRequest(thread: thread)), tenant: known.tenant)
      guard case .success(let bytes) = answer, let found = try codec.decode(ReadThreadResponse.self, bytes).thread
      else { throw Violation(text: "D11: thread \(thread) is in memory and cannot be read: \(answer)") }
      if found.sequence < known.acknowledged {
        throw Violation(text: "D11: event \(known.acknowledged) of thread \(thread) was acknowledged and is lost")
      }
      // Not all of them are followed from the first event to the last.
      guard let seen = ledger.inMemory[thread], seen.count == Int(clamping: found.sequence) else { continue }
      count("threads in memory audited")
      var story = Story()
      for event in seen.values.sorted(by: { $0.sequence < $1.sequence }) { try read(event, thread, &story) }
      try checkEnd(of: story, thread)
      try compareWithServer(thread, story)
      try checkMarks([thread: story])
    }
  }

  private func checkEnd(of story: Story, _ thread: ThreadID) throws {
    if let running = story.running {
      throw Violation(text: "liveness: turn \(running) of thread \(thread) never ended")
    }
    if let item = story.steered.subtracting(story.items).min() {
      throw Violation(text: "U2: steered input \(item) of thread \(thread) never reached the history")
    }
    if let turn = story.queued.first {
      throw Violation(text: "U1: turn \(turn) of thread \(thread) waited and neither ran nor was cancelled")
    }
  }

  private func read(_ event: Event, _ thread: ThreadID, _ story: inout Story) throws {
    func wrong(_ text: String) -> Violation { Violation(text: "\(text) (event \(event.sequence) of thread \(thread))") }
    let updatedAt = story.record.updatedAt
    story.record.apply(event)
    if story.record.updatedAt < updatedAt { throw wrong("D10: `updated_at` goes back") }
    switch event.kind {
    case .threadCreated(let created)?:
      if created.lineage?.source == .fork {
        // The source's events are the fork's history, but its queue is not. A turn that ran is ended by the fork's own next
        // event (T3).
        story.isFork = true
        story.queued = []
        story.steered = []
        story.sent = []
        story.received = []
        story.version = nil
        story.pins = 0
      }
    case .versionPinned(let pin)?:
      story.pins += 1
      if story.pins > 1, !story.isFork { throw wrong("V7: the version is pinned twice") }
      if let before = story.version, before != pin.version { throw wrong("V: the version changed") }
      story.version = pin.version
    case .turnQueued(let queued)?:
      guard let turn = queued.turn else { break }
      story.queued.insert(turn.id)
      for text in Self.texts(turn.input) { story.queuedTexts[text, default: 0] += 1 }
    case .queuedTurnCancelled(let cancelled)?:
      if story.queued.remove(cancelled.turn) == nil { throw wrong("U1: a turn is cancelled that did not wait") }
      story.cancelled.insert(cancelled.turn)
    case .turnStarted(let started)?:
      if let running = story.running { throw wrong("U1: a turn starts while \(running) runs") }
      if story.ended.contains(started.turn) || story.cancelled.contains(started.turn) {
        throw wrong("U1: a turn starts that has ended")
      }
      story.queued.remove(started.turn)
      story.running = started.turn
      if let version = started.context?.version, let pinned = story.version, version != pinned {
        throw wrong("V10: a turn runs as \(version.name) in a thread of \(pinned.name)")
      }
    case .turnEnded(let ended)?:
      if story.running != ended.turn { throw wrong("U: a turn ends that does not run") }
      if !story.openCalls.isEmpty { throw wrong("U: a turn ends with calls that nobody answered") }
      story.running = nil
      story.ended.insert(ended.turn)
    case .inputSteered(let steered)?:
      story.steered.insert(steered.item)
      for text in Self.texts(steered.input) { story.steeredTexts[text, default: 0] += 1 }
    case .itemCompleted(let completed)?:
      guard let item = completed.item else { break }
      if !story.items.insert(item.id).inserted { throw wrong("U: item \(item.id) is there twice") }
      switch item.kind {
      case .message(let message)? where message.role == .user:
        for case .text(let text)? in message.content.map(\.part) { story.texts[text, default: 0] += 1 }
      case .toolCall(let call)? where story.running != nil: story.openCalls.insert(call.callId)
      case .toolOutput(let output)? where story.running != nil:
        if story.openCalls.remove(output.callId) == nil { throw wrong("U: an output without a call") }
      default: break
      }
    case .mailReceived(let received)?:
      guard let mail = received.mail else { break }
      if story.received.contains(mail.id) { throw wrong("A5: a message arrives twice") }
      story.received.append(mail.id)
    case .mailQueued(let queued)?: if let mail = queued.mail { story.sent.insert(mail.id) }
    case .nameChanged(let change)?: story.names[change.name, default: 0] += 1
    case .settingsUpdated(let update)?:
      if story.revisions[update.revision] != nil, !story.isFork { throw wrong("S4: a revision is made twice") }
      story.revisions[update.revision] = update.settings
    default: break
    }
  }

  private static func texts(_ input: TurnInput?) -> [String] {
    (input?.content ?? []).compactMap { if case .text(let text)? = $0.part { text } else { nil } }
  }

  /// Each message that was sent has arrived, once; each that arrived was given to a model or waits (A5).
  private func checkMail(_ thread: ThreadID, _ story: Story, _ stories: [ThreadID: Story]) throws {
    for mail in story.sent.sorted() {
      guard let parent = story.record.lineage?.parent, let receiver = stories[parent] else { continue }
      let count = receiver.received.count { $0 == mail }
      if count != 1 { throw Violation(text: "A5: message \(mail) of thread \(thread) has arrived \(count) times") }
    }
    let waiting = Set(story.record.mailbox.map(\.id))
    for mail in story.received where !story.items.contains(mail) && !waiting.contains(mail) {
      throw Violation(text: "A5: message \(mail) is neither in the history of thread \(thread) nor waiting")
    }
  }

  private func checkMarks(_ stories: [ThreadID: Story]) throws {
    for (text, mark) in ledger.marks.sorted(by: { $0.key < $1.key }) {
      guard let story = stories[mark.thread] else { continue }
      let said = story.texts[text] ?? 0
      let waited = story.queuedTexts[text] ?? 0
      let steered = story.steeredTexts[text] ?? 0
      let named = story.names[text] ?? 0
      guard said <= 1, waited <= 1, steered <= 1, named <= 1 else {
        throw Violation(text: "E2: `\(text)` happened more than once in thread \(mark.thread)")
      }
      let happened = said + waited + steered + named
      if mark.isDone == true, happened == 0 {
        throw Violation(text: "D1: `\(text)` was acknowledged and is not in the log of thread \(mark.thread)")
      }
      if mark.isDone == false, happened > 0 {
        throw Violation(text: "`\(text)` was refused and happened in thread \(mark.thread)")
      }
    }
  }

  /// The server's answers about a thread agree with its log.
  private func compareWithServer(_ thread: ThreadID, _ story: Story) throws {
    guard let tenant = ledger.threads[thread]?.tenant else { return }
    var codec = Codec(limits: .trusted)
    let answer = try ask(.threadRead(ReadThreadRequest(thread: thread)), tenant: tenant)
    guard case .success(let bytes) = answer, let found = try codec.decode(ReadThreadResponse.self, bytes).thread else {
      throw Violation(text: "D1: thread \(thread) is in the log and cannot be read")
    }
    let record = story.record
    func compare<T: Equatable>(_ what: String, _ said: T, _ logged: T) throws {
      guard said != logged else { return }
      throw Violation(text: "thread \(thread): the server says \(what) \(said), the log says \(logged)")
    }
    try compare("sequence", found.sequence, record.sequence)
    try compare("name", found.name, record.name)
    try compare("settings", found.settings, record.settings)
    try compare("tools", found.tools, record.tools.map(\.name))
    if !story.isFork { try compare("archived", found.archived, record.archived) }
    try compare("turns", found.turnCount, record.turnCount)
    try compare("closed", found.closed, record.agent?.closed ?? false)
    if let version = story.version { try compare("version", found.version, version) }
    if !story.isFork { try compare("usage", found.usage, record.usage) }
    if story.record.lineage?.parent != nil || !story.received.isEmpty {
      let tree = try ask(.agentListTree(ListTreeRequest(thread: thread)), tenant: tenant)
      guard case .success(let bytes) = tree,
        let agent = try codec.decode(ListTreeResponse.self, bytes).agents.first(where: { $0.thread == thread })
      else { throw Violation(text: "A6: thread \(thread) is not in its tree") }
      try compare("waiting messages", Int(agent.waitingMessages), record.mailbox.count)
    }
    try compareItems(thread, tenant, story)
  }

  private func compareItems(_ thread: ThreadID, _ tenant: String, _ story: Story) throws {
    var codec = Codec(limits: .trusted)
    var cursor = ""
    var ids: [ItemID] = []
    repeat {
      let answer = try ask(
        .threadListItems(ListItemsRequest(thread: thread, cursor: cursor, pageSize: 7, order: .oldestFirst)),
        tenant: tenant)
      guard case .success(let bytes) = answer else { throw Violation(text: "T8: a page is refused: \(answer)") }
      let page = try codec.decode(ListItemsResponse.self, bytes)
      ids += page.items.compactMap { $0.item?.id }
      cursor = page.nextCursor
    } while !cursor.isEmpty
    guard Set(ids).count == ids.count else { throw Violation(text: "T8: an item is listed twice in thread \(thread)") }
    guard story.record.hiddenTurns.isEmpty else { return }
    let missing = story.items.subtracting(ids)
    guard missing.isEmpty else {
      throw Violation(text: "T8: \(missing.count) items of thread \(thread) are in the log and in no page")
    }
  }
}

extension World {
  /// Every thread's log in words, for a person who looks into a finding.
  func tell() {
    guard let store = life.sqlite else { return print("(the store is closed)") }
    var codec = Codec(limits: .trusted)
    let active = (try? store.active(in: .all).map(\.id)) ?? []
    for thread in ledger.order + active.filter({ ledger.threads[$0] == nil }) {
      print("thread \(thread)")
      for stored in (try? store.events(thread, after: 0, limit: 10_000, bytes: .max)) ?? [] {
        guard let event = try? codec.decodeTrusted(Event.self, stored.payload) else { continue }
        print("  \(event.sequence) at \(event.at) \(event.kind.map { String(describing: $0).prefix(400) } ?? "")")
      }
    }
  }
}
