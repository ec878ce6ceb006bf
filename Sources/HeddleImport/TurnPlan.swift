// Which records belong to which turn, worked out before any event is made: a turn's event carries the context that stands
// some lines further down, and the end of a turn may be missing.
//
//   opens a turn    a start; a turn context of a turn never seen (its start was lost in a damaged line); in files from
//                   before turns had marks: the user's words
//   ends it         its end or abort; otherwise the next start, a rollback (only an idle thread is rolled back) or the
//                   end of the file, and then it was interrupted
//
// True at any time: at most one turn is open; turns do not overlap; no two turns have the same id.

import HeddleCore

struct PlannedTurn {
  var id: TurnID
  /// The id comes from the file; one that was derived gives way to it when it turns up.
  var hasOwnID: Bool
  /// First and last record.
  let first: Int
  var last: Int
  /// The record that ended it; nil when nothing did.
  var end: Int?
  /// Record of its newest turn context.
  var context: Int?
  /// Has input of a user or an agent: only then a rollback counts it.
  var hasInput = false
  var status: TurnStatus = .interrupted
  /// The newest error, as long as no item came after it; means something only in a failed turn.
  var error: TurnError?
}

struct TurnPlan {
  private(set) var turns: [PlannedTurn] = []
  /// The number of the turn that a record belongs to, by the number of the record.
  private(set) var turnOfRecord: [Int?]

  private var open: Int?
  private var seen: Set<TurnID> = []
  private let ids: DerivedIDs

  init(_ records: [RolloutRecord], lineage: Lineage, ids: DerivedIDs) {
    self.ids = ids
    turnOfRecord = Array(repeating: nil, count: records.count)
    var unmarked = Self.unmarkedStarts(records, isSpawned: lineage.parent != nil)[...]
    for (index, record) in records.enumerated() {
      if unmarked.first == index {
        unmarked.removeFirst()
        start(index, record, nil)
      }
      switch record.kind {
      case .turnStarted: turnStarted(index, record)
      case .turnContext: turnContext(index, record)
      case .turnsRolledBack: open = nil
      default: break
      }
      guard let open else { continue }
      turnOfRecord[index] = open
      turns[open].last = index
      note(index, record, in: open)
    }
  }

  private mutating func turnStarted(_ index: Int, _ record: RolloutRecord) {
    let id = record.turnText.map { ids.turn($0) }
    // The same start twice: two processes wrote.
    if let id, let open, turns[open].id == id { return }
    start(index, record, id)
  }

  private mutating func turnContext(_ index: Int, _ record: RolloutRecord) {
    if let id = record.turnText.map({ ids.turn($0) }) {
      if let open, turns[open].id == id {
        // Its own.
      } else if let open, !turns[open].hasOwnID, turns[open].context == nil, !seen.contains(id) {
        name(open, id)
      } else if !seen.contains(id) {
        start(index, record, id)
      } else {
        return
      }
    }
    if let open { turns[open].context = index }
  }

  /// Adds a record's facts to the turn that it belongs to.
  private mutating func note(_ index: Int, _ record: RolloutRecord, in turn: Int) {
    if record.isInput { turns[turn].hasInput = true }
    switch record.kind {
    case .turnError:
      let message = record.payload.text("message") ?? "The turn failed; the imported history does not say why."
      turns[turn].error = TurnError(reason: "imported_error", message: message)
    case .item:
      // The turn went on, so the error was not its end.
      turns[turn].error = nil
    case .turnCompleted where ends(record, turn):
      turns[turn].status = turns[turn].error == nil ? .completed : .failed
      end(index, record, turn)
    case .turnInterrupted where ends(record, turn): end(index, record, turn)
    default: break
    }
  }

  /// Whether the open turn is the one that the record ends. An end of another turn ends nothing: its start was lost.
  private func ends(_ record: RolloutRecord, _ turn: Int) -> Bool {
    guard let id = record.turnText.map({ ids.turn($0) }) else { return true }
    return id == turns[turn].id || !turns[turn].hasOwnID && !seen.contains(id)
  }

  private mutating func end(_ index: Int, _ record: RolloutRecord, _ turn: Int) {
    if let text = record.turnText, !turns[turn].hasOwnID { name(turn, ids.turn(text)) }
    turns[turn].end = index
    open = nil
  }

  private mutating func name(_ turn: Int, _ id: TurnID) {
    turns[turn].id = id
    turns[turn].hasOwnID = true
    seen.insert(id)
  }

  private mutating func start(_ index: Int, _ record: RolloutRecord, _ given: TurnID?) {
    var id = given ?? ids.make(from: "turn at \(record.line) \(record.range.lowerBound)", at: record.at)
    // A turn that was there before, as in a file that holds a history twice, begins anew under a derived id.
    if seen.contains(id) { id = ids.make(from: "turn \(id) again at \(record.range.lowerBound)", at: record.at) }
    seen.insert(id)
    turns.append(PlannedTurn(id: id, hasOwnID: given != nil, first: index, last: index))
    open = turns.count - 1
  }

  /// The records at which turns begin while no record marks them: those in front of the user's words. In a spawned
  /// agent's file the user's words in front of the first mark are copied from the parent and belong to no turn.
  private static func unmarkedStarts(_ records: [RolloutRecord], isSpawned: Bool) -> [Int] {
    let firstMark = records.firstIndex {
      $0.kind == .turnStarted || $0.kind == .turnContext && $0.turnText != nil
    }
    if isSpawned, firstMark != nil { return [] }
    let unmarked = records[..<(firstMark ?? records.count)]
    let showsUser = unmarked.contains { $0.kind == .userSpoke }
    var starts: [Int] = []
    for (index, record) in unmarked.enumerated()
    where showsUser ? record.kind == .userSpoke : record.isUserMessage {
      // The item that says the same, and the context that was written with it, stand in front of the event.
      var start = index
      while start > 0, records[start - 1].isWrittenWithUserMessage, starts.last.map({ $0 < start - 1 }) ?? true {
        start -= 1
      }
      starts.append(start)
    }
    return starts
  }
}

extension RolloutRecord {
  fileprivate var isWrittenWithUserMessage: Bool {
    kind == .turnContext || kind == .item && payload.text("type") == "message" && payload.text("role") == "user"
  }
}
