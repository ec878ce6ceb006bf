import HeddleCore
import HeddleRuntime
import Testing

@testable import HeddleModels

@Suite struct AnswerReaderTests {
  private let provider = Answers.provider(.chat)

  private func text(_ text: String) -> String { #"{"choices":[{"index":0,"delta":{"content":"\#(text)"}}]}"# }

  private func read(
    _ body: String, status: Int = 200, headers: [(name: String, value: String)] = []
  ) -> (signals: [ModelSignal], fault: AnswerFault?) {
    Answers.read(Array(body.utf8), provider, status: status, headers: headers)
  }

  @Test("A stream may say that it is one, or say nothing")
  func types() {
    let body = "data: \(text("a"))\n\ndata: [DONE]\n\n"
    for headers in [[], [("content-type", "text/event-stream; charset=utf-8")], [("content-encoding", "identity")]] {
      #expect(read(body, headers: headers).fault == nil)
    }
  }

  @Test("What is packed, or is no stream of events, is refused, and what it says of an error is read")
  func notAStream() {
    #expect(read("…", headers: [("content-encoding", "gzip")]).fault?.reason == "model_output_invalid")
    #expect(read("<html>", headers: [("content-type", "text/html")]).fault?.reason == "model_output_invalid")
    let json = [(name: "content-type", value: "application/json")]
    #expect(read(#"{"choices":[]}"#, headers: json).fault?.reason == "model_output_invalid")
    #expect(
      read(#"{"error":{"type":"overloaded_error","message":"m"}}"#, headers: json).fault?.reason == "model_rate_limited"
    )
  }

  @Test("A refusal's body is read up to a limit, whatever it is")
  func refusals() {
    let (_, fault) = read(#"{"error":{"message":"no such thing"}}"#, status: 400)
    #expect(fault?.failure.error.message.contains("(HTTP 400: no such thing)") == true)
    #expect(read("\u{0}\u{1}", status: 500).fault?.reason == "model_failed")
    #expect(read("", status: 503, headers: [("Retry-After", "3")]).fault?.retryAfterMilliseconds == 3_000)
    let long = String(repeating: "x", count: 200_000)
    #expect(read(long, status: 400).fault?.reason == "model_failed")
  }

  @Test("attacks.md M23: an answer has a largest size and a largest number of events")
  func limits() {
    let small = Answers.provider(.chat) {
      $0.limits.answerBytes = 300
      $0.limits.events = 3
    }
    let stream = Answers.stream([text("a"), text("b"), "[DONE]"])
    #expect(Answers.read(stream, small).fault == nil)
    #expect(Answers.read([text("a"), text("b"), text("c"), "[DONE]"], small).fault?.reason == "model_output_too_large")
    let long = [text(String(repeating: "x", count: 300))]
    #expect(Answers.read(long, small).fault?.reason == "model_output_too_large")
  }

  @Test("attacks.md M23: a piece of 100 MiB is cut at the limit of a line, and is never held whole")
  func hugeDelta() {
    var reader = AnswerReader(
      decoder: provider.api().decoder(Answers.request()), words: provider.words, limits: provider.limits)
    let piece = [UInt8](repeating: UInt8(ascii: "x"), count: 64 * 1024)
    var taken = 0
    var fault: AnswerFault?
    do throws(AnswerFault) {
      try reader.begin(status: 200, headers: [], now: 0)
      try reader.append(Array(#"data: {"choices":[{"delta":{"content":""#.utf8))
      while taken < 100 * 1024 * 1024 {
        #expect(try reader.next() == nil)
        try reader.append(piece)
        taken += piece.count
      }
    } catch { fault = error }
    #expect(fault?.reason == "model_output_too_large")
    #expect(taken <= provider.limits.lineBytes + piece.count)
  }

  @Test("A NUL, which the store does not keep, becomes U+FFFD; a name that is too long ends the answer")
  func clean() {
    let (signals, fault) = Answers.read([text(#"a\u0000b"#), "[DONE]"], provider)
    #expect(fault == nil)
    #expect(signals.first == .text("a\u{FFFD}b"))
    let thought = #"{"choices":[{"delta":{"reasoning_content":"a\u0000b"}}]}"#
    let named = #"{"choices":[{"delta":{"tool_calls":[{"id":"c\u0000","function":{"name":"f","arguments":"{}"}}]}}]}"#
    let others = Answers.read([thought, named, "[DONE]"], provider).signals
    #expect(others.contains(.thought("a\u{FFFD}b")))
    #expect(others.contains { if case .toolCall(id: "c\u{FFFD}", _, _, _, _) = $0 { true } else { false } })
    let name = String(repeating: "n", count: 257)
    let call = #"{"choices":[{"delta":{"tool_calls":[{"id":"1","function":{"name":"\#(name)"}}]}}]}"#
    #expect(Answers.read([call, "[DONE]"], provider).fault?.reason == "model_output_invalid")
  }

  @Test("What follows an answer's end is of no interest")
  func afterTheEnd() {
    let (signals, fault) = read("data: \(text("a"))\n\ndata: [DONE]\n\ndata: {rubbish\n\n\u{FF}")
    #expect(fault == nil)
    #expect(signals == [.text("a"), .itemDone(ItemEnd(isThought: false))])
  }
}

@Suite struct StallWatchTests {
  private let timeouts = ProviderTimeouts(connect: 100, firstByte: 200, idle: 300)

  @Test("attacks.md M22: each phase has its own patience, and its own verdict")
  func phases() {
    var watch = StallWatch(timeouts: timeouts, now: 1_000)
    #expect(watch.verdict(now: 1_099) == nil)
    #expect(watch.verdict(now: 1_100) == .connectTimeout)
    watch.enter(.waiting, now: 1_050)
    #expect(watch.verdict(now: 1_249) == nil)
    #expect(watch.verdict(now: 1_250) == .stalledBeforeFirstByte)
    watch.progressed(now: 1_240)
    #expect(watch.verdict(now: 1_539) == nil)
    #expect(watch.verdict(now: 1_540) == .stalled)
    watch.progressed(now: 1_530)
    #expect(watch.verdict(now: 1_829) == nil)
    watch.enter(.draining, now: 1_600)
    watch.progressed(now: 1_700)
    #expect(watch.verdict(now: 1_849) == nil)
    #expect(watch.verdict(now: 1_850) == .enough)
  }

  @Test("M3: a server that is behind is no silence of the provider")
  func busy() {
    var watch = StallWatch(timeouts: timeouts, now: 0)
    watch.enter(.streaming, now: 0)
    watch.beganHandingOver()
    #expect(watch.due == nil)
    #expect(watch.verdict(now: 1_000_000) == nil)
    watch.endedHandingOver(now: 1_000_000)
    #expect(watch.verdict(now: 1_000_299) == nil)
    #expect(watch.verdict(now: 1_000_300) == .stalled)
  }

  @Test("Deadlines are met late by a quarter of the shortest at most, and by a second")
  func looks() {
    #expect(StallWatch(timeouts: timeouts, now: 0).lookMilliseconds == 25)
    #expect(StallWatch(timeouts: ProviderTimeouts(), now: 0).lookMilliseconds == 1_000)
    #expect(StallWatch(timeouts: ProviderTimeouts(connect: 1, firstByte: 1, idle: 1), now: 0).lookMilliseconds == 10)
  }
}
