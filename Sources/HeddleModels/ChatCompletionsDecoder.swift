// Chat Completions, what comes back: chunks, each with a piece of the one answer, then `[DONE]`. Servers differ in what
// they leave out; what is missing and can be done without is not asked for.
//
//   delta.content                                  text
//   delta.reasoning_content, delta.reasoning       thoughts
//   delta.tool_calls[]                             calls by index: id and name first, then pieces of the arguments
//   finish_reason                                  the answer is whole, but for usage
//   usage                                          in a chunk of its own, in every chunk, or never
//   error                                          in the place of a chunk
//
// I1  Text and thoughts never stream side by side: one ends where the other begins.
// I2  Nothing is said after `finish_reason`.

import HeddleCore
import HeddleJSON
import HeddleProtocol
import HeddleRuntime

struct ChatCompletionsDecoder: AnswerDecoder {
  private struct Call: Sendable {
    /// As the server counts.
    var index: Int
    var id = ""
    var name = ""
    var arguments = ""
  }

  private enum Streaming: Sendable {
    case nothing
    case text
    case thought
  }

  let words: FailureWords
  let limits: AnswerLimits
  /// Makes ids of calls differ from those of earlier answers where the server gives none.
  let callSeed: Int
  private(set) var isWhole = false
  private(set) var pieces = 0
  private var streaming = Streaming.nothing
  private var hasSaid = false
  private var isFinished = false
  private var calls: [Call] = []
  private var usage: TokenUsage?

  init(words: FailureWords, limits: AnswerLimits, callSeed: Int) {
    self.words = words
    self.limits = limits
    self.callSeed = callSeed
  }

  mutating func decode(_ event: ServerSentEvent) throws(AnswerFault) -> [ModelSignal] {
    if event.data == "[DONE]" { return try finished() }
    guard let json = try? JSONValue(parsing: event.data), json.isObject else {
      throw words.invalid("a chunk is not a JSON object")
    }
    if json["error"] != nil { throw words.fault(ProviderError(json), status: status(json["error"]?["code"])) }
    if let usage = json["usage"] { self.usage = Self.usage(usage) }
    guard let choice = json["choices"]?.elements?.first(where: { ($0["index"]?.index ?? 0) == 0 }) else { return [] }
    var signals: [ModelSignal] = []
    if let delta = choice["delta"] ?? choice["message"] { try take(delta, &signals) }
    if let reason = choice["finish_reason"]?.string, !reason.isEmpty { try finish(reason, &signals) }
    return signals
  }

  mutating func end() throws(AnswerFault) -> [ModelSignal] {
    guard !isWhole else { return [] }
    // Not every server says `[DONE]`.
    guard isFinished else { throw words.broken() }
    return try finished()
  }

  // MARK: Pieces

  private mutating func take(_ delta: JSONValue, _ signals: inout [ModelSignal]) throws(AnswerFault) {
    if let thought = delta["reasoning_content"]?.string ?? delta["reasoning"]?.string, !thought.isEmpty {
      try begin(.thought, &signals)
      signals.append(.thought(thought))
    }
    if let text = delta["content"]?.string ?? delta["refusal"]?.string, !text.isEmpty {
      try begin(.text, &signals)
      signals.append(.text(text))
    }
    for call in delta["tool_calls"]?.elements ?? [] {
      guard !isFinished else { throw saidTooLate() }
      try take(call: call)
    }
  }

  private mutating func begin(_ what: Streaming, _ signals: inout [ModelSignal]) throws(AnswerFault) {
    guard !isFinished else { throw saidTooLate() }  // I2
    hasSaid = true
    pieces += 1
    guard streaming != what else { return }
    endItem(&signals)
    streaming = what
  }

  private mutating func endItem(_ signals: inout [ModelSignal]) {
    if streaming != .nothing { signals.append(.itemDone(ItemEnd(isThought: streaming == .thought))) }
    streaming = .nothing
  }

  private mutating func take(call json: JSONValue) throws(AnswerFault) {
    let id = json["id"]?.string ?? ""
    let known = calls.count
    let place = place(json["index"]?.index, id)
    guard place < calls.count else { throw words.tooLarge("it has more than \(limits.items) items") }
    hasSaid = true
    if calls[place].id.isEmpty { calls[place].id = id }
    let function = json["function"]
    if calls[place].name.isEmpty { calls[place].name = function?["name"]?.string ?? "" }
    // Arguments are a text; some servers send the object itself.
    let more = function?["arguments"].map { $0.string ?? $0.written() } ?? ""
    guard more.utf8.count <= limits.argumentBytes - calls[place].arguments.utf8.count else {
      throw words.tooLarge("the arguments of a tool call have more than \(limits.argumentBytes) bytes")
    }
    calls[place].arguments += more
    if !more.isEmpty || calls.count > known { pieces += 1 }
  }

  /// The place of the call. A new id is a new call, even if the server counts it like the one before, or not at all.
  private mutating func place(_ index: Int?, _ id: String) -> Int {
    let known = index.map { index in calls.lastIndex { $0.index == index } } ?? calls.indices.last
    if let known, id.isEmpty || calls[known].id.isEmpty || calls[known].id == id { return known }
    if calls.count < limits.items { calls.append(Call(index: index ?? calls.count)) } else { return calls.count }
    return calls.count - 1
  }

  private func saidTooLate() -> AnswerFault { words.invalid("it goes on after its end") }

  // MARK: The end

  private mutating func finish(_ reason: String, _ signals: inout [ModelSignal]) throws(AnswerFault) {
    switch reason {
    case "length", "max_tokens": throw words.cutShort()
    case "content_filter": throw words.filtered()
    case "error": throw words.broken()
    default: break
    }
    // Said twice by some servers.
    guard !isFinished else { return }
    isFinished = true
    pieces += 1
    endItem(&signals)
    for (number, call) in calls.enumerated() {
      guard !call.name.isEmpty else { throw words.invalid("a tool call has no name") }
      let id = call.id.isEmpty ? "call-\(callSeed)-\(number)" : call.id
      let arguments = try words.arguments(call.arguments, limits)
      signals.append(.toolCall(id: id, name: call.name, arguments: arguments, providerID: ""))
    }
  }

  private mutating func finished() throws(AnswerFault) -> [ModelSignal] {
    guard !isWhole else { return [] }
    var signals: [ModelSignal] = []
    if !isFinished {
      guard hasSaid else { throw words.invalid("it ends before it begins") }
      try finish("stop", &signals)
    }
    isWhole = true
    if let usage { signals.append(.usage(usage)) }
    return signals
  }

  private static func usage(_ json: JSONValue) -> TokenUsage {
    TokenUsage(
      inputTokens: json["prompt_tokens"]?.count ?? 0,
      cachedInputTokens: json["prompt_tokens_details"]?["cached_tokens"]?.count ?? 0,
      outputTokens: json["completion_tokens"]?.count ?? 0,
      reasoningOutputTokens: json["completion_tokens_details"]?["reasoning_tokens"]?.count ?? 0)
  }

  /// Some servers put an HTTP status where others have a name.
  private func status(_ code: JSONValue?) -> Int? {
    code?.index.flatMap { (400...599).contains($0) ? $0 : nil }
  }
}
