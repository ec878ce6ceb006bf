// Lays two captures of the same requests side by side: a recording and its replay, or two servers.
//
//   what                        is compared
//   connections                 by the client's address, which a replay writes as the recording has it; else by order
//   answers, errors, greetings  stream by stream, field by field
//   events                      by kind and order within their stream, then field by field
//   calls of the server         by order within the connection
//   status                      the sequence of states, repetitions taken out; either side may lack some: a follower that
//                               is behind is told the newest state only (E3)
//   live                        that it came, not where: that depends on when the subscriber did
//   streamed text, progress     not: they depend on time, and what they add up to is in the events
//
// Events behind the last one that a recording's client waited for before it left or unsubscribed are no difference: the
// other client stayed longer.

import HeddleCapture
import HeddleCore
import HeddleJSON
import HeddleProtocol

public struct CaptureDiff {
  private struct Key: Hashable {
    var connection: Int
    var stream: UInt32
  }

  /// The frames of one stream of one connection.
  private struct Talk {
    var method: Method?
    /// Places in `Capture.frames`.
    var answer: Int?
    var events: [(kind: UInt16, frame: Int)] = []
    var states: [JSONValue] = []
    var hasEnded = false
    var isLive = false
  }

  private struct Side {
    let capture: Capture
    var talks: [Key: Talk] = [:]
    var greetings: [Int: Int] = [:]
    var calls: [Int: [Int]] = [:]
    var timely: UInt64 = 0

    init(_ capture: Capture) {
      self.capture = capture
      for (place, frame) in capture.frames.enumerated() { add(frame, place) }
    }

    private mutating func add(_ frame: CapturedFrame, _ place: Int) {
      guard let header = frame.header else { return }
      let key = Key(connection: frame.connection, stream: header.stream)
      if frame.fromClient {
        if header.knownKind == .request { talks[key, default: Talk()].method = FrameMessages.method(header) }
        return
      }
      switch header.knownKind {
      case .hello: greetings[frame.connection] = place
      case .request: calls[frame.connection, default: []].append(place)
      case .response:
        if talks[key]?.answer == nil { talks[key, default: Talk()].answer = place }
        talks[key]?.hasEnded = header.flags & FrameHeader.endOfStream != 0
      case .error:
        // The end of a stream that was answered before is part of it.
        if talks[key]?.answer == nil { talks[key, default: Talk()].answer = place }
        // Ended by its client, when that chose to: another one may choose later.
        let reason = Array(frame.message).withUnsafeBytes { ErrorPeek.reason($0) }
        talks[key]?.hasEnded = reason != Reason.cancelled.rawValue
      case .event: event(frame, key, place)
      default: break
      }
    }

    private mutating func event(_ frame: CapturedFrame, _ key: Key, _ place: Int) {
      let peek = frame.body.withUnsafeBytes { raw in
        EventPeek(UnsafeRawBufferPointer(rebasing: raw[min(frame.metadata.count, raw.count)...]))
      }
      guard let peek else { return }
      if peek.kind == EventPeek.status {
        let value = CaptureDiff.value(frame)
        if talks[key]?.states.last != value { talks[key, default: Talk()].states.append(value) }
      } else if peek.kind == EventPeek.live {
        talks[key, default: Talk()].isLive = true
      } else if EventPeek.isTimely(peek.kind) {
        if peek.kind >= 100 { timely += 1 }
      } else {
        talks[key, default: Talk()].events.append((peek.kind, place))
      }
    }
  }

  private let before: Side
  private let after: Side
  private var fields: FieldDiff
  /// Pairs of frames, compared in the order in which the first capture has them, so that ids are met in their order.
  private var pairs: [(before: Int, after: Int, path: String)] = []

  private init(_ before: Capture, _ after: Capture, rules: DiffRules) {
    // Where one holds no text, the other's must not count.
    let scrubs = Self.isScrubbed(before) || Self.isScrubbed(after)
    self.before = Side(scrubs ? Self.scrubbed(before) : before)
    self.after = Side(scrubs ? Self.scrubbed(after) : after)
    fields = FieldDiff(rules: rules, slack: self.before.timely + self.after.timely)
  }

  public static func compare(_ before: Capture, _ after: Capture, rules: DiffRules = DiffRules()) -> DiffResult {
    var diff = CaptureDiff(before, after, rules: rules)
    diff.run()
    return diff.fields.result
  }

  private mutating func run() {
    let partners = connections()
    for (index, partner) in partners.enumerated() {
      let place = FieldDiff.Where(connection: index, stream: 0)
      guard let partner else {
        fields.report(place, "CONNECTION", "CONNECTION", "connected", "absent")
        continue
      }
      if let a = before.greetings[index] {
        if let b = after.greetings[partner] {
          pairs.append((a, b, "HELLO"))
        } else {
          fields.report(place, "HELLO", "HELLO", "greeted", "absent")
        }
      }
      calls(index, partner)
    }
    for key in before.talks.keys.sorted(by: { ($0.connection, $0.stream) < ($1.connection, $1.stream) }) {
      guard let partner = partners[key.connection], let talk = before.talks[key] else { continue }
      stream(key, talk, after.talks[Key(connection: partner, stream: key.stream)])
    }
    for pair in pairs.sorted(by: { $0.before < $1.before }) { compare(pair.before, pair.after, pair.path) }
  }

  private func connections() -> [Int?] {
    var free = Array(after.capture.connections.enumerated())
    var partners = [Int?](repeating: nil, count: before.capture.connections.count)
    for (index, connection) in before.capture.connections.enumerated() {
      guard let found = free.firstIndex(where: { $0.element.client == connection.client }) else { continue }
      partners[index] = free.remove(at: found).offset
    }
    for index in partners.indices where partners[index] == nil && !free.isEmpty {
      partners[index] = free.removeFirst().offset
    }
    return partners
  }

  private mutating func calls(_ index: Int, _ partner: Int) {
    let a = before.calls[index] ?? []
    let b = after.calls[partner] ?? []
    for (a, b) in zip(a, b) { pairs.append((a, b, method(before.capture.frames[a]))) }
    if a.count > b.count {
      fields.report(
        .init(connection: index, stream: 0), "CALL", "CALL", "\(a.count) calls of the server", "\(b.count)")
    }
  }

  private func method(_ frame: CapturedFrame) -> String {
    frame.header.flatMap(FrameMessages.method)?.path ?? "CALL"
  }

  private mutating func stream(_ key: Key, _ a: Talk, _ other: Talk?) {
    // A stream that began before its recording did: nobody could ask for it again.
    guard a.method != nil || key.stream == 0 else { return }
    let place = FieldDiff.Where(connection: key.connection, stream: key.stream)
    let b = other ?? Talk()
    let name = a.method?.path ?? "EVENT"
    if let answer = a.answer {
      fields.count(answers: 1)
      if let found = b.answer {
        pairs.append((answer, found, name))
      } else {
        fields.report(place, name, name, "answered", "not answered")
      }
    }
    if a.isLive, !b.isLive {
      fields.report(place, "EVENT.live", "live", "told", "not told")
    }
    align(place, a, b)
    let (told, heard) = (a.states.map(Self.status), b.states.map(Self.status))
    if Self.isPart(told, of: heard) || Self.isPart(heard, of: told) { return }
    // Either side may have been cut off earlier.
    let length = min(a.states.count, b.states.count)
    for index in 0..<length {
      fields.compare(a.states[index], b.states[index], at: place, path: "EVENT")
    }
  }

  /// The content of a status, without the id of its thread.
  private static func status(_ notice: JSONValue) -> JSONValue {
    guard case .object(let members) = notice else { return notice }
    return members.first { $0.name == "status" }.map(\.value).map(Self.status) ?? notice
  }

  /// Whether `some` come in `all`, in their order.
  private static func isPart(_ some: [JSONValue], of all: [JSONValue]) -> Bool {
    var rest = some[...]
    for value in all where value == rest.first { rest = rest.dropFirst() }
    return rest.isEmpty
  }

  private mutating func align(_ place: FieldDiff.Where, _ a: Talk, _ b: Talk) {
    fields.count(events: a.events.count)
    for step in Alignment.of(a.events.map(\.kind), b.events.map(\.kind)) {
      switch step {
      case .both(let i, let j): pairs.append((a.events[i].frame, b.events[j].frame, "EVENT"))
      case .first(let i):
        let name = EventPeek.name(a.events[i].kind)
        fields.report(place, "EVENT.\(name)", "event \(i + 1), \(name)", "told", "not told")
      case .second(let j):
        // Behind everything that was recorded, of a stream that had not ended: the recording stopped before.
        if j >= b.events.count - Alignment.tail(a.events.count, b.events.count), !a.hasEnded { continue }
        let name = EventPeek.name(b.events[j].kind)
        fields.report(place, "EVENT.\(name)", "event \(j + 1), \(name)", "not told", "told")
      }
    }
  }

  private mutating func compare(_ a: Int, _ b: Int, _ path: String) {
    let first = before.capture.frames[a]
    let second = after.capture.frames[b]
    guard let header = first.header, let other = second.header else { return }
    let place = FieldDiff.Where(connection: first.connection, stream: header.stream)
    if header.kind != other.kind {
      return fields.report(place, path, path, Self.summary(first), Self.summary(second))
    }
    let root = header.knownKind == .error ? "\(path) ERROR" : path
    fields.compare(Self.value(first), Self.value(second), at: place, path: root)
  }

  private static func summary(_ frame: CapturedFrame) -> String {
    guard let header = frame.header else { return "nothing" }
    guard header.knownKind == .error else { return FrameMessages.kindName(header) }
    return "ERROR " + frame.body.withUnsafeBytes { ErrorPeek.reason($0) }
  }

  fileprivate static func value(_ frame: CapturedFrame) -> JSONValue {
    guard let header = frame.header, let schema = FrameMessages.schema(header, fromClient: frame.fromClient) else {
      return .null
    }
    do throws(DecodeError) { return try JSONTranscoder.value(Array(frame.message), schema: schema) } catch {
      return .text("not readable: \(error)")
    }
  }

  static func isScrubbed(_ capture: Capture) -> Bool {
    let scrubber = Scrubber()
    return capture.frames.allSatisfy { frame in
      guard let header = frame.header else { return true }
      var body = frame.body
      scrubber.scrub(&body, header: header, fromClient: frame.fromClient)
      return body == frame.body
    }
  }

  private static func scrubbed(_ capture: Capture) -> Capture {
    var capture = capture
    let scrubber = Scrubber.plain
    for index in capture.frames.indices {
      guard let header = capture.frames[index].header else { continue }
      scrubber.scrub(&capture.frames[index].body, header: header, fromClient: capture.frames[index].fromClient)
    }
    return capture
  }
}

/// The longest common order of two lists.
enum Alignment {
  enum Step: Equatable {
    case both(Int, Int)
    case first(Int)
    case second(Int)
  }

  /// Beyond this many comparisons the middle is not aligned but reported as it stands.
  private static let bound = 16_000_000

  static func of(_ a: [UInt16], _ b: [UInt16]) -> [Step] {
    let common = zip(a, b).prefix { $0 == $1 }.count
    let head = (0..<common).map { Step.both($0, $0) }
    let restA = a.count - common
    let restB = b.count - common
    guard restA > 0, restB > 0, restA * restB <= bound else {
      return head + (common..<a.count).map { .first($0) } + (common..<b.count).map { .second($0) }
    }
    // lengths[i][j]: the longest common order of what follows i and j.
    let width = restB + 1
    var lengths = [Int32](repeating: 0, count: (restA + 1) * width)
    for i in stride(from: restA - 1, through: 0, by: -1) {
      for j in stride(from: restB - 1, through: 0, by: -1) {
        lengths[i * width + j] =
          a[common + i] == b[common + j]
          ? lengths[(i + 1) * width + j + 1] + 1
          : max(lengths[(i + 1) * width + j], lengths[i * width + j + 1])
      }
    }
    var steps = head
    var i = 0
    var j = 0
    while i < restA || j < restB {
      if i < restA, j < restB, a[common + i] == b[common + j] {
        steps.append(.both(common + i, common + j))
        i += 1
        j += 1
      } else if j == restB || (i < restA && lengths[(i + 1) * width + j] >= lengths[i * width + j + 1]) {
        steps.append(.first(common + i))
        i += 1
      } else {
        steps.append(.second(common + j))
        j += 1
      }
    }
    return steps
  }

  /// How many of the second list may stand behind the first.
  static func tail(_ a: Int, _ b: Int) -> Int { max(0, b - a) }
}
