// The OpenAI Responses API, what comes back: items that begin, grow and end, and one event that ends the answer.
//
//   response.output_item.added             an item begins
//   response.output_text.delta             … its text grows; a refusal's text too
//   response.reasoning_summary_text.delta  … its summary grows; `reasoning_text` at providers that show the thoughts
//   response.function_call_arguments.delta … its arguments grow
//   response.output_item.done              the item as a whole
//   response.completed, .incomplete, .failed, error    the end
//
// Events of other types are skipped: they repeat what these say, or belong to tools that are not asked for.
//
// I1  At most one message or thought is open: what streams is one text.
// I2  An item that was not announced is taken whole; one that was announced ends before the answer does.

import HeddleCore
import HeddleJSON
import HeddleProtocol
import HeddleRuntime

struct ResponsesDecoder: AnswerDecoder {
  /// An item between `added` and `done`.
  private struct Open: Sendable {
    var type: String
    /// Bytes of text, summary or arguments so far.
    var bytes = 0
    /// The part of a summary that grows.
    var part = 0
    var streams: Bool { type == "message" || type == "reasoning" }
  }

  let words: FailureWords
  let limits: AnswerLimits
  private(set) var isWhole = false
  private(set) var pieces = 0
  private var open: [Int: Open] = [:]
  private var items = 0

  init(words: FailureWords, limits: AnswerLimits) {
    self.words = words
    self.limits = limits
  }

  mutating func decode(_ event: ServerSentEvent) throws(AnswerFault) -> [ModelSignal] {
    // Some servers end their streams as Chat Completions do.
    if event.data == "[DONE]" { return [] }
    guard let json = try? JSONValue(parsing: event.data), json.isObject else {
      throw words.invalid("an event is not a JSON object")
    }
    switch json["type"]?.string ?? event.name {
    case "response.output_item.added": return try added(json)
    case "response.output_text.delta", "response.refusal.delta": return try grown(json, "message")
    case "response.reasoning_summary_text.delta":
      return try grown(json, "reasoning", part: json["summary_index"]?.index)
    case "response.reasoning_text.delta": return try grown(json, "reasoning", part: json["content_index"]?.index)
    case "response.function_call_arguments.delta": return try argumentsGrown(json)
    case "response.output_item.done": return try done(json)
    case "response.completed": return try completed(json)
    case "response.incomplete": throw incomplete(json)
    case "response.failed": throw words.fault(ProviderError(json["response"]))
    case "error": throw words.fault(ProviderError(json))
    default: return []
    }
  }

  func end() throws(AnswerFault) -> [ModelSignal] {
    guard isWhole else { throw words.broken() }
    return []
  }

  // MARK: Items

  private mutating func added(_ json: JSONValue) throws(AnswerFault) -> [ModelSignal] {
    guard let index = json["output_index"]?.index, let type = json["item"]?["type"]?.string else {
      throw words.invalid("an item begins without a type or a place")
    }
    guard open[index] == nil else { throw words.invalid("an item begins twice") }
    let item = Open(type: type)
    // I1
    guard !item.streams || !open.values.contains(where: \.streams) else {
      throw words.invalid("an item begins inside of another one")
    }
    try count()
    open[index] = item
    pieces += 1
    return []
  }

  private mutating func grown(_ json: JSONValue, _ type: String, part: Int? = nil) throws(AnswerFault) -> [ModelSignal]
  {
    guard let index = json["output_index"]?.index, var item = open[index], item.type == type else {
      throw words.invalid("text comes for an item that is not open")
    }
    guard var delta = json["delta"]?.string else { throw words.invalid("a piece of text is none") }
    if let part, part > item.part {
      item.part = part
      if item.bytes > 0 { delta = "\n\n" + delta }
    }
    item.bytes += delta.utf8.count
    open[index] = item
    guard !delta.isEmpty else { return [] }
    pieces += 1
    return [type == "message" ? .text(delta) : .thought(delta)]
  }

  private mutating func argumentsGrown(_ json: JSONValue) throws(AnswerFault) -> [ModelSignal] {
    guard let index = json["output_index"]?.index, var item = open[index], item.type == "function_call" else {
      throw words.invalid("arguments come for a call that is not open")
    }
    let more = json["delta"]?.string?.utf8.count ?? 0
    if more > 0 { pieces += 1 }
    item.bytes += more
    open[index] = item
    guard item.bytes <= limits.argumentBytes else { throw tooManyArguments() }
    return []
  }

  private mutating func done(_ json: JSONValue) throws(AnswerFault) -> [ModelSignal] {
    guard let index = json["output_index"]?.index, let item = json["item"], let type = item["type"]?.string else {
      throw words.invalid("an item ends without a type or a place")
    }
    let begun = open.removeValue(forKey: index)
    if begun == nil { try count() }  // I2
    guard begun == nil || begun?.type == type else { throw words.invalid("an item ends as another one") }
    pieces += 1
    let id = item["id"]?.string ?? ""
    switch type {
    case "message": return message(item, id, hasStreamed: (begun?.bytes ?? 0) > 0)
    case "reasoning": return try reasoning(item, id, hasStreamed: (begun?.bytes ?? 0) > 0)
    case "function_call": return [try call(item, id)]
    default:
      let part = ModelInput.opaque(item, provider: words.provider)
      guard part.json.utf8.count <= limits.opaqueBytes else {
        throw words.tooLarge("an item of it has more than \(limits.opaqueBytes) bytes")
      }
      return [.opaque(part, providerID: id)]
    }
  }

  private func message(_ item: JSONValue, _ id: String, hasStreamed: Bool) -> [ModelSignal] {
    let phase: Phase =
      switch item["phase"]?.string {
      case "commentary": .commentary
      case "final_answer": .finalAnswer
      default: .unspecified
      }
    let text = hasStreamed ? "" : texts(item["content"]).joined()
    return (text.isEmpty ? [] : [.text(text)]) + [.itemDone(ItemEnd(isThought: false, providerID: id, phase: phase))]
  }

  private func reasoning(_ item: JSONValue, _ id: String, hasStreamed: Bool) throws(AnswerFault) -> [ModelSignal] {
    let encrypted = item["encrypted_content"]?.string
    guard (encrypted?.utf8.count ?? 0) <= limits.opaqueBytes else {
      throw words.tooLarge("a thought has more than \(limits.opaqueBytes) bytes")
    }
    var texts = hasStreamed ? [] : self.texts(item["summary"])
    if texts.isEmpty, !hasStreamed { texts = self.texts(item["content"]) }
    let thought: [ModelSignal] = texts.isEmpty ? [] : [.thought(texts.joined(separator: "\n\n"))]
    return thought + [.itemDone(ItemEnd(isThought: true, providerID: id, encrypted: encrypted))]
  }

  private func call(_ item: JSONValue, _ id: String) throws(AnswerFault) -> ModelSignal {
    guard let call = item["call_id"]?.string, !call.isEmpty, let name = item["name"]?.string, !name.isEmpty else {
      throw words.invalid("a tool call has no name or no id")
    }
    let arguments = try words.arguments(item["arguments"]?.string ?? "", limits)
    return .toolCall(id: call, name: name, arguments: arguments, providerID: id)
  }

  /// `text` of each part; a refusal says what it has to say in `refusal`.
  private func texts(_ parts: JSONValue?) -> [String] {
    (parts?.elements ?? []).compactMap { $0["text"]?.string ?? $0["refusal"]?.string }
  }

  private mutating func count() throws(AnswerFault) {
    items += 1
    guard items <= limits.items else { throw words.tooLarge("it has more than \(limits.items) items") }
  }

  private func tooManyArguments() -> AnswerFault {
    words.tooLarge("the arguments of a tool call have more than \(limits.argumentBytes) bytes")
  }

  // MARK: The end

  private mutating func completed(_ json: JSONValue) throws(AnswerFault) -> [ModelSignal] {
    guard open.isEmpty else { throw words.invalid("it ends in the middle of an item") }
    isWhole = true
    guard let usage = json["response"]?["usage"] else { return [] }
    return [
      .usage(
        TokenUsage(
          inputTokens: usage["input_tokens"]?.count ?? 0,
          cachedInputTokens: usage["input_tokens_details"]?["cached_tokens"]?.count ?? 0,
          outputTokens: usage["output_tokens"]?.count ?? 0,
          reasoningOutputTokens: usage["output_tokens_details"]?["reasoning_tokens"]?.count ?? 0))
    ]
  }

  private func incomplete(_ json: JSONValue) -> AnswerFault {
    let reason = json["response"]?["incomplete_details"]?["reason"]?.string
    return reason == "content_filter" ? words.filtered() : words.cutShort()
  }
}

extension FailureWords {
  /// Arguments of a tool call; none at all means none are needed. What is not JSON stays as it is: the model is told
  /// by the output of its call (rules.md A10).
  func arguments(_ text: String, _ limits: AnswerLimits) throws(AnswerFault) -> String {
    guard text.utf8.count <= limits.argumentBytes else {
      throw tooLarge("the arguments of a tool call have more than \(limits.argumentBytes) bytes")
    }
    if text.allSatisfy(\.isWhitespace) { return "{}" }
    return text
  }
}
