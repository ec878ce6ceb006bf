// Bodies, errors and parameters of calls (attacks.md H4, H5, H6).

import HeddleCore
import HeddleProtocol
import NIOCore
import Testing

@testable import HeddleHTTP
@testable import HeddleRPC

@Suite struct ConnectTests {
  private let limits = Limits()

  private func read(_ json: String, _ method: Method = .threadSetName) -> Result<[UInt8], Refusal> {
    ConnectBody.wire(json: ByteBuffer(string: json), method, limits).map { Array($0.readableBytesView) }
  }

  private func reason(_ json: String) -> Reason? {
    if case .failure(let refusal) = read(json) { refusal.reason } else { nil }
  }

  @Test("Connect's names of codes: lower case, and `canceled` with one L")
  func codes() {
    for (code, name) in [
      (Code.cancelled, "canceled"), (.notFound, "not_found"), (.invalidArgument, "invalid_argument"),
    ] {
      let error = WireError(code: code, reason: "thread", message: "x")
      #expect(ConnectErrors.value(error).written().contains("\"code\":\"\(name)\""))
    }
  }

  @Test("Both names of a field are read, an empty body is an empty message, and of a repeated name the last counts")
  func accepted() throws {
    #expect(try read(#"{"name":"a"}"#).get() == read(#"{"name":"b","name":"a"}"#).get())
    #expect(
      try read(#"{"whenBusy":"WHEN_BUSY_QUEUE"}"#, .turnStart).get() == read(#"{"when_busy":1}"#, .turnStart).get())
    #expect(try read("").get().isEmpty && read("{}").get().isEmpty)
    let id = ThreadID(high: 1, low: 2)
    #expect(try read(#"{"thread":"\#(id)"}"#).get() == [10, 16] + id.bytes)
    #expect(try read(#"{"thread":"\#(Base64.text(id.bytes))"}"#).get() == [10, 16] + id.bytes)
  }

  @Test("H4: what JSON can get wrong has the reasons of other doors")
  func refused() {
    let deep = String(repeating: "[", count: 33)
    #expect(reason(#"{"name":"# + deep + String(repeating: "]", count: 33) + "}") == .tooDeep)
    #expect(reason(#"{"name":"\ud800"}"#) == .invalidUtf8)
    #expect(reason(#"{"name":1}"#) == .malformed)
    #expect(reason(#"{"wrong":1}"#) == .malformed)
    #expect(reason(#"{"name""#) == .malformed)
    #expect(reason("[]") == .malformed)
    guard case .failure(let refusal) = read(#"{"after":18446744073709551616}"#, .threadSubscribe) else {
      Issue.record("2^64 was read")
      return
    }
    #expect(refusal == Refusal(.malformed, [("field", "after")]))
    guard case .failure(let float) = read(#"{"change":{"temperature":1e400}}"#, .settingsUpdate) else {
      Issue.record("1e400 was read")
      return
    }
    #expect(float == Refusal(.malformed, [("field", "change.temperature")]))
    let invalid = ConnectBody.wire(json: ByteBuffer(bytes: [0x22, 0xFF, 0x22]), .threadSetName, limits)
    #expect(invalid == .failure(Refusal(.invalidUtf8)))
  }

  @Test("H5: one message behind a prefix, no more and no less")
  func envelopes() {
    func read(_ bytes: [UInt8]) -> Result<ByteBuffer, Refusal> { ConnectBody.message(ByteBuffer(bytes: bytes), limits) }
    #expect(read([0, 0, 0, 0, 2, 7, 8]) == .success(ByteBuffer(bytes: [7, 8])))
    #expect(read([0, 0, 0, 0, 0]) == .success(ByteBuffer()))
    for flags in [UInt8(1), 2, 0x80] {
      #expect(read([flags, 0, 0, 0, 0]) == .failure(Refusal(.unknownFlags, [("flags", "\(flags)")])))
    }
    for bytes in [[], [0, 0], [0, 0, 0, 0, 1], [0, 0, 0, 0, 1, 1, 1]] as [[UInt8]] {
      #expect(read(bytes) == .failure(Refusal(.malformed)))
    }
    #expect(
      read([0, 255, 255, 255, 255, 1])
        == .failure(Refusal(.frameTooLarge, [("length", "4294967295"), ("limit", "\(limits.frameBytes)")])))
  }

  @Test("An error has Connect's name of its code, and details in base64 without padding")
  func errors() {
    let json = ConnectErrors.value(Refusal(.thread).wire).written()
    #expect(json.hasPrefix(#"{"code":"not_found","message":""#))
    #expect(json.contains(#""details":[{"type":"google.rpc.ErrorInfo","value":""#) && !json.contains("="))
    #expect(ConnectErrors.response(Refusal(.thread).wire).status == 404)
    #expect(ConnectErrors.response(Refusal(.rateLimited, retryAfterMilliseconds: 1_500).wire).status == 429)
    #expect(ConnectErrors.end(nil) == Array("{}".utf8))
  }

  @Test("Last-Event-ID goes before the parameter; numbers that are none are out of range")
  func events() {
    let thread = ThreadID(high: 1, low: 2)
    func read(_ query: Substring, _ last: String? = nil) -> Result<SubscribeRequest, Refusal> {
      EventsQuery.request(thread, query: query, lastEventID: last)
    }
    #expect(read("") == .success(SubscribeRequest(thread: thread)))
    #expect(read("after=7") == .success(SubscribeRequest(thread: thread, after: 7)))
    #expect(read("after=7", "9") == .success(SubscribeRequest(thread: thread, after: 9)))
    #expect(
      read("kinds=events,deltas&tree=true")
        == .success(SubscribeRequest(thread: thread, kinds: [.events, .deltas], tree: true)))
    for (query, last, field) in [
      ("after=x", nil, "after"), ("after=-1", nil, "after"), ("after=18446744073709551616", nil, "after"),
      ("", "text", "last-event-id"),
    ] as [(Substring, String?, String)] {
      #expect(read(query, last) == .failure(Refusal(.outOfRange, [("field", field)])))
    }
    for query in ["wrong=1", "=", "after=%31"] as [Substring] {
      #expect(read(query) == .failure(Refusal(.malformed, [("field", "query")])))
    }
  }
}

@Suite struct HTTPTimesTests {
  @Test("A head has 5 s from its first byte; a connection without one is closed in silence")
  func heads() {
    var times = HTTPTimes(now: 0)
    #expect(times.tickIdle(9_999) == .fine && times.tickIdle(10_000) == .close)
    times.headGrows(by: 3, at: 2_000)
    times.headGrows(by: 3, at: 6_000)
    #expect(times.tickIdle(6_999) == .fine && times.tickIdle(7_000) == .timeout)
    times.headEnded()
    times.idle(since: 7_000)
    #expect(times.tickIdle(81_999) == .fine && times.tickIdle(82_000) == .close)
  }

  @Test("A peer that takes no byte for 30 s while something waits is cut off")
  func stalls() {
    var times = HTTPTimes(now: 0)
    let limits = Limits()
    // At each tick: the time, all bytes that were written, and those of them that wait. The fourth time a byte was taken.
    let ticks: [(at: Int64, written: Int, waiting: Int)] = [
      (0, 100, 50), (29_000, 200, 150), (30_000, 300, 250), (31_000, 300, 249), (99_000, 300, 0),
    ]
    let stalls = ticks.map { times.stalls($0.at, writtenBytes: $0.written, waitingBytes: $0.waiting, limits) }
    #expect(stalls == [false, false, true, false, false])
  }

  @Test("Ten scrapes a second, and ten more in the next")
  func scrapes() {
    let budget = ScrapeBudget()
    #expect((0..<12).map { budget.admits(at: 1_000 + $0) }.filter { $0 }.count == 10)
    #expect(budget.admits(at: 2_000))
  }
}
