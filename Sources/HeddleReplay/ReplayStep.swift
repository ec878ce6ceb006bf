// One thing to send, and the milestones that it waits for.

import HeddleCapture
import HeddleProtocol

/// The milestones that a frame waits for.
public enum ReplayOrder: String, CaseIterable, Sendable {
  /// Everything for everything that any client of the recording had been told before: for comparing.
  case recorded
  /// Each connection for what it had been told itself, and for ids: for load.
  case connection
  /// For ids only.
  case ids
}

/// Something that a server says, recognised again by its place in the conversation.
struct Milestone: Hashable, Sendable {
  static let answer: UInt16 = 0
  static let hello: UInt16 = 2000
  /// The server's own calls are counted for the connection: their stream numbers are its own.
  static let call: UInt16 = 2001

  var connection: Int
  var stream: UInt32
  var kind: UInt16

  /// The milestone of a frame of the server; nil for a frame that depends on time alone.
  init?(_ connection: Int, _ header: FrameHeader, _ message: UnsafeRawBufferPointer) {
    self.connection = connection
    stream = header.stream
    switch header.knownKind {
    case .hello: kind = Self.hello
    case .response, .error: kind = Self.answer
    case .event:
      guard let peek = EventPeek(message) else { return nil }
      // A client that saw streamed text knew that a turn was in its middle.
      kind = peek.kind == EventPeek.snapshot ? EventPeek.delta : peek.kind
      if EventPeek.isTimely(kind) && kind != EventPeek.delta { return nil }
    case .request:
      stream = 0
      kind = Self.call
    default: return nil
    }
  }

  init(connection: Int, stream: UInt32, kind: UInt16) {
    self.connection = connection
    self.stream = stream
    self.kind = kind
  }
}

struct ReplayStep: Sendable {
  enum Action: Sendable {
    case frame
    case close
    /// The server ended these connections while their clients were still there: it was killed, or it went.
    case loss([Int])
    /// Nobody knows what became of a request that was on its way then; a retry with its key will say.
    case skip
  }

  struct Patch: Sendable {
    var offset: Int
    var slot: Int
  }

  /// Something whose length may differ: a cursor (its length and text), an epoch (a number).
  struct Splice: Sendable {
    var field: Range<Int>
    var slot: Int
    var isCursor: Bool
  }

  var action: Action
  /// Nanoseconds since the recording began, idle time taken out if so wanted.
  var at: Int64
  var connection: Int
  /// Header and body.
  var bytes: [UInt8] = []
  var header = FrameHeader(kind: 0)
  var isRequest = false
  var patches: [Patch] = []
  /// From the last to the first, so that none moves another.
  var splices: [Splice] = []
  /// The server's call that this answers, counted from 0.
  var answersCall: Int?
  /// Where the hash of an action stands, and which call of the server showed that action.
  var shown: (offset: Int, call: Int)?
  /// Milestones that must have come, beyond those that the lane's steps before it waited for.
  var needs: [(Milestone, Int)] = []
  var isFrame: Bool { if case .frame = action { true } else { false } }
  /// Ids and cursors that must be known.
  var slots: [Int] = []
  var cursors: [Int] = []
}
