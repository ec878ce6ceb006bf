// A diff reports every difference, and nothing else.

import HeddleCapture
import HeddleCore
import HeddleJSON
import HeddleProtocol
import Testing

@testable import HeddleReplay

@Suite struct DiffTests {
  private func differences(_ a: String, _ b: String, ignored: [String] = [], slack: UInt64 = 0) throws -> [String] {
    var diff = FieldDiff(rules: DiffRules(ignored: ignored), slack: slack)
    diff.compare(
      try JSONValue(parsing: a), try JSONValue(parsing: b), at: .init(connection: 0, stream: 1), path: "M")
    return diff.result.differences.map(\.place)
  }

  private let one = "00000000-0000-7000-8000-000000000001"
  private let two = "00000000-0000-7000-8000-000000000002"

  @Test func fieldsThatDifferAppearOrGoAreFound() throws {
    #expect(try differences(#"{"a": 1, "b": "x"}"#, #"{"a": 1, "b": "x"}"#) == [])
    #expect(try differences(#"{"a": 1}"#, #"{"a": 2}"#) == ["M.a"])
    #expect(try differences(#"{"a": 1}"#, #"{}"#) == ["M.a"])
    #expect(try differences(#"{}"#, #"{"a": 1}"#) == ["M.a"])
    #expect(try differences(#"{"l": [{"a": 1}, {"a": 2}]}"#, #"{"l": [{"a": 1}, {"a": 3}]}"#) == ["M.l[1].a"])
    #expect(try differences(#"{"l": [1]}"#, #"{"l": [1, 2]}"#) == ["M.l"])
  }

  @Test func anIDMayBeAnotherOneIfItIsSoEverywhere() throws {
    #expect(try differences(#"{"a": "\#(one)", "b": "\#(one)"}"#, #"{"a": "\#(two)", "b": "\#(two)"}"#) == [])
    #expect(try differences(#"{"a": "\#(one)", "b": "\#(two)"}"#, #"{"a": "\#(two)", "b": "\#(one)"}"#) == [])
    #expect(try differences(#"{"a": "\#(one)", "b": "\#(one)"}"#, #"{"a": "\#(two)", "b": "\#(one)"}"#) == ["M.b"])
    // Two must not become one.
    #expect(try differences(#"{"a": "\#(one)", "b": "\#(two)"}"#, #"{"a": "\#(one)", "b": "\#(one)"}"#) == ["M.b"])
    #expect(
      try differences(#"{"a": "\#(one)", "t": "see \#(one)!"}"#, #"{"a": "\#(two)", "t": "see \#(two)!"}"#) == [])
    #expect(
      try differences(#"{"a": "\#(one)", "t": "see \#(one)!"}"#, #"{"a": "\#(two)", "t": "see \#(one)!"}"#) == ["M.t"])
  }

  @Test func rulesLeaveFieldsOut() throws {
    let (a, b) = (#"{"thread": {"created_at": 1, "name": "a"}}"#, #"{"thread": {"created_at": 2, "name": "b"}}"#)
    #expect(try differences(a, b) == ["M.thread.name"])
    #expect(try differences(a, b, ignored: ["M.thread.name"]) == [])
    #expect(try differences(a, b, ignored: ["*.name"]) == [])
    #expect(try differences(a, b, ignored: ["M.name"]) == ["M.thread.name"])
  }

  @Test func numbersOfEventsMayBeApartByTheCheckpoints() throws {
    #expect(try differences(#"{"sequence": 5}"#, #"{"sequence": 7}"#) == ["M.sequence"])
    #expect(try differences(#"{"sequence": 5}"#, #"{"sequence": 7}"#, slack: 2) == [])
    #expect(try differences(#"{"sequence": 5}"#, #"{"sequence": 8}"#, slack: 2) == ["M.sequence"])
    #expect(try differences(#"{"revision": 5}"#, #"{"revision": 6}"#, slack: 2) == ["M.revision"])
  }

  @Test func patternsMatchWithStars() {
    func matches(_ text: String, _ pattern: String) -> Bool { DiffRules.matches(Array(text.utf8), Array(pattern.utf8)) }
    #expect(matches("a.b.c", "a.b.c") && matches("a.b.c", "*") && matches("a.b.c", "*.c") && matches("a.b.c", "a.*c"))
    #expect(matches("a.b.c", "*b*") && matches("", "*") && matches("aXbXc", "a*b*c") && matches("aab", "*ab"))
    #expect(!matches("a.b.c", "a.b") && !matches("a.b", "a.b.c") && !matches("a.b.c", "*.b") && !matches("", "a"))
  }

  @Test func listsAreLaidSideBySide() {
    #expect(Alignment.of([1, 2, 3], [1, 2, 3]) == [.both(0, 0), .both(1, 1), .both(2, 2)])
    #expect(Alignment.of([1, 2, 3], [1, 3]) == [.both(0, 0), .first(1), .both(2, 1)])
    #expect(Alignment.of([1, 3], [1, 2, 3]) == [.both(0, 0), .second(1), .both(1, 2)])
    #expect(Alignment.of([1], [2]) == [.first(0), .second(0)])
    #expect(Alignment.of([], [1, 2]) == [.second(0), .second(1)])
  }
}

@Suite struct CaptureDiffTests {
  /// The frames of a conversation, in their order.
  private enum Part: Int, CaseIterable {
    case greeting, read, answer, subscribe, subscribed, archived, live, active, renamed, idle, call, end
  }

  private let client = Endpoint(address: [127, 0, 0, 1], port: 50_000)
  private let server = Endpoint(address: [127, 0, 0, 1], port: 7420)
  private let thread = ThreadID(high: 7, low: 8)

  private func frame<M: WireMessage>(
    _ kind: FrameKind, _ message: M, method: UInt16 = 0, stream: UInt32 = 0, flags: UInt8 = 0, fromClient: Bool = false
  ) -> CapturedFrame {
    var codec = Codec()
    let body = codec.encode(message)
    let header = FrameHeader(kind, method: method, stream: stream, flags: flags, length: UInt32(body.count))
    return CapturedFrame(at: 0, connection: 0, fromClient: fromClient, header: header, body: body)
  }

  private func event(_ kind: SubscriptionEvent.Kind) -> CapturedFrame {
    frame(.event, SubscriptionEvent(kind: kind), stream: 3)
  }

  private func renamed(_ name: String, _ sequence: UInt64 = 2) -> CapturedFrame {
    event(.event(Event(sequence: sequence, at: 0, kind: .nameChanged(NameChanged(name: name)))))
  }

  private func status(_ state: ThreadState) -> CapturedFrame {
    event(.status(StatusChanged(thread: thread, status: ThreadStatus(state: state))))
  }

  private func error(_ reason: String, stream: UInt32) -> CapturedFrame {
    frame(.error, WireError(code: .notFound, reason: reason), stream: stream, flags: FrameHeader.endOfStream)
  }

  private func frame(_ part: Part) -> CapturedFrame {
    let end = FrameHeader.endOfStream
    return switch part {
    case .greeting: frame(.hello, ServerHello(version: 1))
    case .read: frame(.request, ReadThreadRequest(thread: thread), method: 104, stream: 1, flags: end, fromClient: true)
    case .answer: frame(.response, ReadThreadResponse(), method: 104, stream: 1, flags: end)
    case .subscribe:
      frame(.request, SubscribeRequest(thread: thread), method: 118, stream: 3, flags: end, fromClient: true)
    case .subscribed: frame(.response, SubscriptionEvent(kind: .subscribed(Subscribed())), method: 118, stream: 3)
    case .archived:
      event(.event(Event(sequence: 1, at: 0, kind: .threadArchived(ThreadArchived(root: thread)))))
    case .live: event(.live(Live(sequence: 1)))
    case .active: status(.active)
    case .renamed: renamed("a name")
    case .idle: status(.idle)
    case .call: frame(.request, CallToolRequest(thread: thread, callId: "call-1"), method: 701, stream: 2)
    case .end: error("thread_deleted", stream: 3)
    }
  }

  private var whole: [CapturedFrame] { Part.allCases.map { frame($0) } }

  private func with(_ other: CapturedFrame, for part: Part) -> [CapturedFrame] {
    Part.allCases.map { $0 == part ? other : frame($0) }
  }

  /// The paths that differ.
  private func differences(_ before: [CapturedFrame], _ after: [CapturedFrame]) -> [String] {
    func capture(_ frames: [CapturedFrame]) -> Capture {
      var capture = Capture()
      capture.connections = [CapturedConnection(client: client, server: server)]
      capture.frames = frames
      return capture
    }
    return CaptureDiff.compare(capture(before), capture(after)).differences.map(\.path)
  }

  @Test func whateverIsMissingIsFound() {
    let wanted: [(Part, String)] = [
      (.greeting, "HELLO"), (.answer, "ThreadService/Read"), (.archived, "EVENT.thread_archived"),
      (.live, "EVENT.live"), (.renamed, "EVENT.name_changed"), (.call, "CALL"),
    ]
    #expect(differences(whole, whole) == [])
    for (part, path) in wanted {
      #expect(differences(whole, Part.allCases.filter { $0 != part }.map { frame($0) }) == [path], "\(part)")
    }
    // A status whose presence depends on when the client left.
    #expect(differences(whole, Part.allCases.filter { $0 != .idle }.map { frame($0) }) == [])
    // A follower that was behind gets the newest status only.
    #expect(differences(whole, Part.allCases.filter { $0 != .active }.map { frame($0) }) == [])
    #expect(differences(Part.allCases.filter { $0 != .active }.map { frame($0) }, whole) == [])
  }

  @Test func whateverIsAnotherIsFound() {
    #expect(differences(whole, with(error("not_found", stream: 1), for: .answer)) == ["ThreadService/Read"])
    #expect(differences(whole, with(status(.systemError), for: .idle)) == ["EVENT.status.status.state"])
    #expect(differences(whole, with(renamed("another name"), for: .renamed)) == ["EVENT.event.name_changed.name"])
    #expect(differences(whole, with(renamed("a name", 3), for: .renamed)) == ["EVENT.event.sequence"])
    #expect(
      differences(with(error("not_found", stream: 1), for: .answer), with(error("internal", stream: 1), for: .answer))
        == ["ThreadService/Read ERROR.reason"])
  }

  @Test func anEventTooManyIsFoundUnlessTheClientMerelyStayedLonger() {
    var more = whole
    more.insert(renamed("more", 3), at: Part.end.rawValue)
    #expect(differences(whole, more) == ["EVENT.name_changed"])
    more[Part.end.rawValue + 1] = error("cancelled", stream: 3)
    #expect(differences(with(error("cancelled", stream: 3), for: .end), more) == [])
  }

  @Test func aConnectionThatIsMissingIsFound() {
    var before = Capture()
    before.connections = [CapturedConnection(client: client, server: server)]
    before.frames = whole
    #expect(CaptureDiff.compare(before, Capture()).differences.map(\.path) == ["CONNECTION"])
  }
}

@Suite struct StreamWatchTests {
  private func counted(_ sequences: [UInt64]) throws -> [UInt64] {
    var statistics = RunStatistics()
    var watch = StreamWatch(opened: 0)
    for (at, sequence) in sequences.enumerated() {
      var codec = Codec()
      let event = Event(sequence: sequence, at: 1, kind: .nameChanged(NameChanged(name: "a")))
      let bytes = codec.encode(SubscriptionEvent(kind: .event(event)))
      let peek = try #require(bytes.withUnsafeBytes { EventPeek($0) })
      watch.event(peek, at: Int64(at), &statistics)
    }
    return [statistics.gaps, statistics.duplicates, watch.last]
  }

  @Test func missingAndRepeatedEventsAreCounted() throws {
    #expect(try counted([1, 2, 3]) == [0, 0, 3])
    #expect(try counted([7, 8]) == [0, 0, 8])
    #expect(try counted([1, 2, 5]) == [2, 0, 5])
    #expect(try counted([1, 2, 2, 1, 3]) == [0, 2, 3])
  }
}
