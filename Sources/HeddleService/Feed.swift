// A feed is the way of one thread's events to one stream: a cursor and a state. It decides, Subscriptions.swift carries
// out.
//
//   opening   the thread is being asked where it stands.                      → reading, goingLive, gone
//   reading   stored events after the cursor are being read.                  → reading, waiting, goingLive, gone
//   waiting   the socket or the credit is full; nothing is held for it.       → reading
//   goingLive the shard has been asked to push what comes after the cursor.   → live, reading, gone
//   live      pushes follow the cursor.                                       → waiting, gone
//
// Feed.U1  Events go out as cursor + 1, cursor + 2, …: a push that does not follow sends the feed back to reading.
// Feed.U2  Nothing is kept that does not fit: numbered events are in the log, deltas become one snapshot when the feed is
//          live again, and of several statuses in between only the last is sent.

import HeddleCore
import HeddleRuntime

/// The position of one thread's events on one stream. A value: the same calls give the same actions.
struct Feed: Equatable {
  enum State: Equatable { case opening, reading, waiting, goingLive, live }

  /// The next step of a feed that is not live.
  enum Step: Equatable {
    /// Nothing until there is room again.
    case wait
    /// Read stored events after this one.
    case read(after: UInt64)
    /// Ask the shard to push what comes after this event.
    case goLive(cursor: UInt64)
  }

  /// The fate of a pushed event.
  enum Pushed: Equatable {
    /// The event follows: write it.
    case write
    /// It has gone out already.
    case skip
    /// It does not follow: unfollow, and read on from the log.
    case lag
  }

  private(set) var state: State
  /// The last event that went out.
  private(set) var cursor: UInt64
  /// The Live mark has been sent.
  private(set) var saidLive: Bool
  /// The thread's status as the client knows it.
  var status: ThreadStatus
  /// Reads in a row that brought nothing although there was something.
  private var emptyReads = 0

  /// A feed whose thread is about to be asked.
  static var opening: Feed { Feed(state: .opening, cursor: 0, saidLive: false, status: ThreadStatus()) }

  /// A feed of an agent that has been loaded; it is taken up at once.
  static func joined(head: UInt64) -> Feed {
    Feed(state: .waiting, cursor: head, saidLive: false, status: ThreadStatus())
  }

  /// A feed that is live from the start: the answer to Start, Resume or Fork says where it stands.
  static func live(head: UInt64, status: ThreadStatus) -> Feed {
    Feed(state: .live, cursor: head, saidLive: true, status: status)
  }

  private init(state: State, cursor: UInt64, saidLive: Bool, status: ThreadStatus) {
    self.state = state
    self.cursor = cursor
    self.saidLive = saidLive
    self.status = status
  }

  /// The thread exists: the feed begins after this event.
  mutating func opened(at cursor: UInt64) { self.cursor = cursor }

  /// The next step towards `head`, the newest event that is known.
  mutating func advance(head: UInt64, hasRoom: Bool) -> Step {
    guard hasRoom else {
      state = .waiting
      return .wait
    }
    guard cursor < head else {
      state = .goingLive
      return .goLive(cursor: cursor)
    }
    state = .reading
    return .read(after: cursor)
  }

  /// An event has been written.
  mutating func wrote(_ sequence: UInt64) { cursor = sequence }

  /// A read for `head` has ended. Returns the head to advance to, and whether the log can be read at all.
  ///
  /// An empty read although there were events means that the thread is gone, which its shard says when it is asked to go
  /// live. After several of them the log cannot be read.
  mutating func readEnded(isEmpty: Bool, head: UInt64) -> (head: UInt64, isReadable: Bool) {
    guard isEmpty else {
      emptyReads = 0
      return (head, true)
    }
    emptyReads += 1
    return (cursor, emptyReads <= 3)
  }

  /// The shard pushes from here on. True: the Live mark is due.
  mutating func wentLive(_ status: ThreadStatus) -> Bool {
    state = .live
    guard !saidLive else { return false }
    saidLive = true
    self.status = status
    return true
  }

  /// An event has been pushed to a live feed.
  func pushed(_ sequence: UInt64) -> Pushed {
    if sequence <= cursor { return .skip }
    return sequence == cursor + 1 ? .write : .lag
  }

  /// Back to the log, from the cursor on (U2).
  mutating func lag() { state = .waiting }
}
