// Ids of a recording: which of them the server gave, and which frame of the server gives them now (ReplayPlan.R3).

import HeddleCapture

/// An id of the server that stands at a place of its frame.
struct IDLesson: Sendable {
  var place: UInt64
  var slot: Int
}

/// One frame of the server.
struct ReplayMoment: Hashable, Sendable {
  var milestone: Milestone
  /// Which one of its kind, from 1.
  var count: Int
}

/// One id of the recording.
enum IDSlot: Sendable {
  /// The client's own: stays.
  case client(WireID)
  /// A key that makes a retry find its first result: new for every copy.
  case key
  /// The server's: learned.
  case server(WireID)
}

/// Collected from frames of the server, and asked for by frames of clients, in the order of time.
struct ReplayLessons {
  private(set) var slots: [IDSlot] = []
  private(set) var cursorCount = 0
  private(set) var ids: [ReplayMoment: [IDLesson]] = [:]
  private(set) var cursors: [ReplayMoment: Int] = [:]

  /// The frame in which the server gave an id first.
  private var origins: [WireID: (moment: ReplayMoment, place: UInt64)] = [:]
  private var slotOf: [WireID: Int] = [:]
  private var cursorOrigins: [[UInt8]: ReplayMoment] = [:]
  private var cursorSlotOf: [[UInt8]: Int] = [:]

  /// An id of a client's frame.
  mutating func slot(of found: FoundID) -> Int {
    if let known = slotOf[found.id] { return known }
    slotOf[found.id] = slots.count
    if found.kind == IDScan.keyKind {
      slots.append(.key)
    } else if let origin = origins[found.id] {
      slots.append(.server(found.id))
      ids[origin.moment, default: []].append(.init(place: origin.place, slot: slots.count - 1))
    } else {
      slots.append(.client(found.id))
    }
    return slots.count - 1
  }

  /// A cursor of a client's frame; nil: the server has not given it.
  mutating func slot(ofCursor text: [UInt8]) -> Int? {
    guard let origin = cursorOrigins[text] else { return nil }
    if let known = cursorSlotOf[text] { return known }
    defer { cursorCount += 1 }
    cursorSlotOf[text] = cursorCount
    cursors[origin] = cursorCount
    return cursorCount
  }

  /// An id of the server's frame, which may be a notice on stream 0.
  mutating func gave(_ found: FoundID, at moment: ReplayMoment, isNotice: Bool) {
    guard slotOf[found.id] == nil else { return }
    // A notice may be of anybody's thread: a later frame with the same id is believed instead.
    if let known = origins[found.id], known.moment.milestone.stream != 0 || isNotice { return }
    origins[found.id] = (moment, found.place)
  }

  mutating func gave(cursor text: [UInt8], at moment: ReplayMoment) {
    if cursorOrigins[text] == nil { cursorOrigins[text] = moment }
  }
}
