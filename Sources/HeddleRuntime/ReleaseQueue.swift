// The effects that a thread has decided and not yet let out, in the order in which they were decided, until the disk has what
// they tell of.
//
// ReleaseQueue.N2  Each effect leaves when the event that it waits for is synced, and the write that it was decided with,
//                  and never before the one in front of it (durability.md D1, D2).

import HeddleCore
import HeddleStorage

/// An effect that is held back until it is on disk.
enum Release {
  case event(StoredEvent)
  case reply(RequestContext, Answer)
  case status(ThreadStatus)
  case delta(ItemDelta)
  indirect case startModel(ModelStart)
  indirect case callTool(TurnID, ToolCallItem)
  indirect case askClient(ClientCall)
  indirect case deliver(AgentMail)
  case wantTurn
  case endClientCall(String)
}

struct ReleaseQueue {
  fileprivate struct Held {
    let after: UInt64
    var write: UInt64 = 0
    let release: Release
  }

  /// The array that the effects of a busy thread are held in. Borrowed from the shard while something waits in it: most
  /// threads are idle, and the room that it takes is the largest part of a session otherwise.
  struct Room {
    fileprivate var held: [Held] = []
    var capacity: Int { held.capacity }

    fileprivate mutating func clear() { held.removeAll(keepingCapacity: true) }
  }

  /// The newest event that is on disk; for ephemeral threads, in the log.
  private(set) var durable: UInt64
  /// The newest event that has been handed to the store.
  private(set) var submitted: UInt64
  /// Writes handed to the store, and those of them that are on disk. A write may hold no event: the answer to a key.
  private var writesSubmitted: UInt64 = 0
  private var writesSynced: UInt64 = 0
  /// Those that were on disk before one in front of them.
  private var syncedEarly: [UInt64] = []
  private var room = Room()
  /// Effects before this one have left.
  private var first = 0

  /// `startsAt`: the newest event on disk.
  init(startsAt: UInt64) {
    durable = startsAt
    submitted = startsAt
  }

  /// A write is on its way to the disk.
  var isWriting: Bool { writesSynced < writesSubmitted }

  // MARK: Holding

  /// The index of the first effect that is held from now on.
  mutating func begin(_ spare: inout SpareRooms) -> Int {
    if room.capacity == 0 { room = spare.take() }
    return room.held.count
  }

  mutating func hold(_ release: Release, after event: UInt64) { room.held.append(Held(after: event, release: release)) }

  /// Everything up to this event goes to the store in one write, and the effects from `mark` on wait for it. Returns the
  /// write's number.
  mutating func submit(upTo sequence: UInt64, from mark: Int) -> UInt64 {
    submitted = sequence
    writesSubmitted += 1
    for index in mark..<room.held.count { room.held[index].write = writesSubmitted }
    return writesSubmitted
  }

  /// Everything up to this event is in the log of an ephemeral thread, which no disk has to sync.
  mutating func keep(upTo sequence: UInt64) {
    submitted = sequence
    durable = sequence
  }

  // MARK: Releasing

  /// The store has synced this write, and with it everything up to `sequence`.
  mutating func synced(_ sequence: UInt64, write: UInt64) {
    durable = max(durable, sequence)
    if write == writesSynced + 1 { writesSynced = write } else { syncedEarly.append(write) }
    while !syncedEarly.isEmpty, let next = syncedEarly.firstIndex(of: writesSynced + 1) {
      syncedEarly.remove(at: next)
      writesSynced += 1
    }
  }

  /// Takes the next effect that may leave.
  mutating func next() -> Release? {
    guard first < room.held.count, room.held[first].after <= durable, room.held[first].write <= writesSynced else {
      return nil
    }
    defer { first += 1 }
    return room.held[first].release
  }

  /// Gives the room back if nothing waits in it.
  mutating func end(_ spare: inout SpareRooms) {
    guard first == room.held.count else { return }
    spare.giveBack(&room)
    first = 0
  }

  /// The effects that still wait, in order.
  var waiting: some Sequence<Release> { room.held[first...].lazy.map(\.release) }

  /// Hands over what still waits: none of it leaves here any more.
  mutating func takeAll() -> [Release] {
    defer { (room, first) = (Room(), 0) }
    return Array(waiting)
  }

  /// The last event that was released: everything before `first` has gone out.
  var releasedHead: UInt64 {
    for case .event(let event) in waiting { return event.sequence - 1 }
    return submitted
  }

  /// A reader can see an event on disk before this loop has been told that it is durable. Whether that is so for
  /// `sequence`.
  func isAboutToRelease(_ sequence: UInt64) -> Bool { sequence > releasedHead && sequence <= submitted }
}

/// Rooms of one loop that no session uses.
struct SpareRooms {
  private static let most = 64
  /// One large batch does not keep its room for ever.
  private static let elements = 256

  private var rooms: [ReleaseQueue.Room] = []

  var count: Int { rooms.count }

  mutating func take() -> ReleaseQueue.Room { rooms.popLast() ?? ReleaseQueue.Room() }

  /// Takes the room away from its user.
  mutating func giveBack(_ room: inout ReleaseQueue.Room) {
    var taken = ReleaseQueue.Room()
    swap(&taken, &room)
    guard 1...Self.elements ~= taken.capacity, rooms.count < Self.most else { return }
    taken.clear()
    rooms.append(taken)
  }
}
