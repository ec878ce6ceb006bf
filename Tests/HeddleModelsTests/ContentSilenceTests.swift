// How long a provider may be silent, on a clock that the test sets by hand; and the parts of a stream that are an
// answer.

import HeddleCore
import HeddleRuntime
import Testing

@testable import HeddleModels

@Suite struct ContentSilenceTests {
  private static let timeouts = ProviderTimeouts(connect: 100, firstByte: 1_000, idle: 2_000, content: 5_000)

  /// A try whose answer has begun at 500.
  private func streaming(_ timeouts: ProviderTimeouts = timeouts) -> StallWatch {
    var watch = StallWatch(timeouts: timeouts, now: 0)
    watch.enter(.waiting, now: 50)
    watch.enter(.streaming, now: 500)
    return watch
  }

  @Test("U7: lines without an answer are waited for until the time for content is over, from the first byte on")
  func signsOfLife() {
    var watch = streaming()
    for now in stride(from: Int64(1_000), through: 5_000, by: 1_000) {
      watch.progressed(now: now)
      #expect(watch.verdict(now: now) == nil)
    }
    #expect(watch.due == 5_500)
    #expect(watch.verdict(now: 5_499) == nil)
    #expect(watch.verdict(now: 5_500) == .silent)
  }

  @Test("U7: a piece of the answer begins the time for content anew")
  func pieces() {
    var watch = streaming()
    for now in stride(from: Int64(1_500), through: 60_000, by: 1_500) {
      watch.progressed(now: now)
      if now % 4_500 == 0 { watch.said(now: now) }
      #expect(watch.verdict(now: now + 1_499) == nil, "\(now)")
    }
  }

  @Test("attacks.md M22: a stream without a line is a stall, not a silence of content, when both times are over")
  func idle() {
    let watch = streaming()
    #expect(watch.verdict(now: 2_499) == nil)
    #expect(watch.verdict(now: 2_500) == .stalled)
    let equal = streaming(ProviderTimeouts(connect: 100, firstByte: 1_000, idle: 2_000, content: 2_000))
    #expect(equal.verdict(now: 2_500) == .stalled)
  }

  @Test("M3: the time that the server takes with signals is no silence of content")
  func busy() {
    var watch = streaming()
    watch.beganHandingOver()
    #expect(watch.due == nil && watch.verdict(now: 100_000) == nil)
    watch.endedHandingOver(now: 100_000)
    #expect(watch.verdict(now: 101_999) == nil)
    watch.progressed(now: 101_999)
    watch.progressed(now: 103_998)
    #expect(watch.verdict(now: 104_999) == nil && watch.verdict(now: 105_000) == .silent)
  }

  @Test("U7: 0 is no limit; the time for the first byte is a time of its own")
  func none() {
    var watch = streaming(ProviderTimeouts(connect: 100, firstByte: 1_000, idle: 2_000, content: 0))
    for now in stride(from: Int64(1_000), through: 10_000_000, by: 1_000) { watch.progressed(now: now) }
    #expect(watch.verdict(now: 10_001_999) == nil && watch.verdict(now: 10_002_000) == .stalled)
    #expect(watch.lookMilliseconds == 25)
    var patient = StallWatch(
      timeouts: ProviderTimeouts(connect: 100, firstByte: 60_000, idle: 2_000, content: 5_000), now: 0)
    patient.enter(.waiting, now: 0)
    #expect(patient.verdict(now: 59_999) == nil && patient.verdict(now: 60_000) == .stalledBeforeFirstByte)
  }

  @Test("U7: each end of patience has words of its own")
  func words() throws {
    let words = FailureWords(provider: "there")
    let silent = try #require(words.fault(.silent, Self.timeouts))
    #expect(silent.reason == "model_timeout" && !silent.isRetried)
    #expect(silent.failure.error.message.contains("nothing of an answer came for 5000 ms"))
    #expect(words.fault(.stalled, Self.timeouts)?.failure.error.message.contains("said nothing for 2000 ms") == true)
  }

  // MARK: The parts of a stream that are an answer

  private func pieces(_ kind: ProviderKind, _ events: [String]) throws -> [Int] {
    var decoder = Answers.provider(kind).api().decoder(Answers.request())
    var before = 0
    return try events.map { data in
      _ = try decoder.decode(ServerSentEvent(data: data))
      defer { before = decoder.pieces }
      return decoder.pieces - before
    }
  }

  @Test("U7: text, arguments, begins and ends are pieces of a Responses answer; what repeats or waits is none")
  func responses() throws {
    let events: [(String, Int)] = [
      (#"{"type":"response.created","response":{}}"#, 0), (#"{"type":"response.in_progress","response":{}}"#, 0),
      (#"{"type":"keepalive","sequence_number":3}"#, 0),
      (#"{"type":"response.output_item.added","output_index":0,"item":{"type":"message"}}"#, 1),
      (#"{"type":"response.output_text.delta","output_index":0,"delta":""}"#, 0),
      (#"{"type":"response.output_text.delta","output_index":0,"delta":"x"}"#, 1),
      (#"{"type":"response.output_item.done","output_index":0,"item":{"type":"message"}}"#, 1),
      (#"{"type":"response.output_item.added","output_index":1,"item":{"type":"function_call"}}"#, 1),
      (#"{"type":"response.function_call_arguments.delta","output_index":1,"delta":"{"}"#, 1),
      (#"{"type":"response.function_call_arguments.delta","output_index":1,"delta":""}"#, 0),
    ]
    #expect(try pieces(.responses, events.map(\.0)) == events.map(\.1))
  }

  @Test("U7: chunks without a text, a thought or a part of a call are no pieces of a Chat Completions answer")
  func chat() throws {
    func chunk(_ delta: String) -> String { #"{"choices":[{"index":0,"delta":\#(delta)}]}"# }
    let events: [(String, Int)] = [
      (#"{"choices":[]}"#, 0), (chunk("{}"), 0), (chunk(#"{"role":"assistant","content":""}"#), 0),
      (#"{"choices":[],"usage":{"prompt_tokens":1}}"#, 0), (chunk(#"{"reasoning_content":"x"}"#), 1),
      (chunk(#"{"content":"x"}"#), 1),
      (chunk(#"{"tool_calls":[{"index":0,"id":"a","function":{"name":"look","arguments":""}}]}"#), 1),
      (chunk(#"{"tool_calls":[{"index":0,"function":{"arguments":""}}]}"#), 0),
      (chunk(#"{"tool_calls":[{"index":0,"function":{"arguments":"{}"}}]}"#), 1),
      (#"{"choices":[{"index":0,"delta":{},"finish_reason":"tool_calls"}]}"#, 1),
      (#"{"choices":[{"index":0,"delta":{},"finish_reason":"tool_calls"}]}"#, 0),
    ]
    #expect(try pieces(.chat, events.map(\.0)) == events.map(\.1))
  }

  @Test("U7: pings and empty deltas are no pieces of an Anthropic answer; signatures and arguments are")
  func anthropic() throws {
    func delta(_ place: Int, _ body: String) -> String {
      #"{"type":"content_block_delta","index":\#(place),"delta":\#(body)}"#
    }
    let events: [(String, Int)] = [
      (#"{"type":"message_start","message":{}}"#, 0), (#"{"type":"ping"}"#, 0),
      (#"{"type":"content_block_start","index":0,"content_block":{"type":"thinking","thinking":""}}"#, 1),
      (delta(0, #"{"type":"thinking_delta","thinking":""}"#), 0),
      (delta(0, #"{"type":"thinking_delta","thinking":"x"}"#), 1),
      (delta(0, #"{"type":"signature_delta","signature":"S"}"#), 1), (#"{"type":"ping"}"#, 0),
      (#"{"type":"content_block_stop","index":0}"#, 1),
      (#"{"type":"content_block_start","index":1,"content_block":{"type":"tool_use","id":"t","name":"n"}}"#, 1),
      (delta(1, #"{"type":"input_json_delta","partial_json":""}"#), 0),
      (delta(1, #"{"type":"input_json_delta","partial_json":"{}"}"#), 1),
    ]
    #expect(try pieces(.anthropic, events.map(\.0)) == events.map(\.1))
  }
}
