// The Anthropic Messages API, what comes back: one message, made of blocks that begin, grow and end one after the other.
//
//   message_start          the message begins; tokens of the input
//   content_block_start    a block begins: text, thinking, redacted_thinking, tool_use
//   content_block_delta    … grows
//   content_block_stop     … ends
//   message_delta          why the message ends; tokens of the output
//   message_stop           the end
//   ping                   nothing
//   error                  in the place of an event
//
// Blocks of other types belong to tools of the provider's own, which are not asked for, and are skipped.
// I1  One block is open at a time, between `message_start` and `message_stop`.

import HeddleCore
import HeddleJSON
import HeddleRuntime

struct AnthropicDecoder: AnswerDecoder {
  private struct Block: Sendable {
    var index: Int
    /// As it began.
    var start: JSONValue
    var type: String
    /// Text, thought or arguments.
    var text = ""
    var hasText = false
    var signature = ""
  }

  let words: FailureWords
  let limits: AnswerLimits
  private(set) var isWhole = false
  private(set) var pieces = 0
  private var isBegun = false
  private var block: Block?
  private var blocks = 0
  private var usage = TokenUsage()

  init(words: FailureWords, limits: AnswerLimits) {
    self.words = words
    self.limits = limits
  }

  mutating func decode(_ event: ServerSentEvent) throws(AnswerFault) -> [ModelSignal] {
    guard let json = try? JSONValue(parsing: event.data), json.isObject else {
      throw words.invalid("an event is not a JSON object")
    }
    let type = json["type"]?.string ?? event.name
    switch type {
    case "message_start":
      guard !isBegun else { throw words.invalid("it begins twice") }
      isBegun = true
      count(json["message"]?["usage"])
      return []
    case "error": throw words.fault(ProviderError(json))
    case "content_block_start", "content_block_delta", "content_block_stop", "message_delta", "message_stop":
      guard isBegun else { throw words.invalid("it goes on before it begins") }
    default: return []
    }
    switch type {
    case "content_block_start": return try started(json)
    case "content_block_delta": return try grown(json)
    case "content_block_stop": return try stopped(json)
    case "message_delta": return try ending(json)
    default: return try ended()
    }
  }

  func end() throws(AnswerFault) -> [ModelSignal] {
    guard isWhole else { throw words.broken() }
    return []
  }

  // MARK: Blocks

  private mutating func started(_ json: JSONValue) throws(AnswerFault) -> [ModelSignal] {
    guard block == nil else { throw words.invalid("a block begins inside of another one") }  // I1
    guard let index = json["index"]?.index, let start = json["content_block"], let type = start["type"]?.string else {
      throw words.invalid("a block begins without a type or a place")
    }
    blocks += 1
    guard blocks <= limits.items else { throw words.tooLarge("it has more than \(limits.items) items") }
    block = Block(index: index, start: start, type: type)
    pieces += 1
    switch type {
    case "text": return grow(start["text"]?.string ?? "")
    case "thinking":
      block?.signature = start["signature"]?.string ?? ""
      return try think(start["thinking"]?.string ?? "")
    default: return []
    }
  }

  private mutating func grown(_ json: JSONValue) throws(AnswerFault) -> [ModelSignal] {
    guard let block, json["index"]?.index == block.index, let delta = json["delta"] else {
      throw words.invalid("a piece comes for a block that is not open")
    }
    switch (block.type, delta["type"]?.string) {
    case ("text", "text_delta"): return grow(delta["text"]?.string ?? "")
    case ("thinking", "thinking_delta"): return try think(delta["thinking"]?.string ?? "")
    case ("thinking", "signature_delta"):
      let more = delta["signature"]?.string ?? ""
      if !more.isEmpty { pieces += 1 }
      self.block?.signature += more
      try checkThought()
      return []
    case ("tool_use", "input_json_delta"):
      let more = delta["partial_json"]?.string ?? ""
      if !more.isEmpty { pieces += 1 }
      self.block?.text += more
      guard (self.block?.text.utf8.count ?? 0) <= limits.argumentBytes else {
        throw words.tooLarge("the arguments of a tool call have more than \(limits.argumentBytes) bytes")
      }
      return []
    case ("text", "thinking_delta"), ("text", "input_json_delta"), ("thinking", "text_delta"),
      ("thinking", "input_json_delta"), ("tool_use", "text_delta"), ("tool_use", "thinking_delta"):
      throw words.invalid("a piece does not fit its block")
    default: return []
    }
  }

  private mutating func grow(_ text: String) -> [ModelSignal] {
    guard !text.isEmpty else { return [] }
    block?.hasText = true
    pieces += 1
    return [.text(text)]
  }

  /// Thoughts are kept as well as passed on: the block goes back whole.
  private mutating func think(_ text: String) throws(AnswerFault) -> [ModelSignal] {
    guard !text.isEmpty else { return [] }
    block?.text += text
    pieces += 1
    try checkThought()
    return [.thought(text)]
  }

  private func checkThought() throws(AnswerFault) {
    guard let block, block.text.utf8.count + block.signature.utf8.count <= limits.opaqueBytes else {
      throw words.tooLarge("a thought has more than \(limits.opaqueBytes) bytes")
    }
  }

  private mutating func stopped(_ json: JSONValue) throws(AnswerFault) -> [ModelSignal] {
    guard let block, json["index"]?.index == block.index else {
      throw words.invalid("a block ends that is not open")
    }
    self.block = nil
    pieces += 1
    switch block.type {
    case "text": return block.hasText ? [.itemDone(ItemEnd(isThought: false))] : []
    case "thinking": return [.itemDone(ItemEnd(isThought: true, encrypted: Self.thought(block)))]
    case "redacted_thinking":
      let text = block.start.written()
      guard text.utf8.count <= limits.opaqueBytes else {
        throw words.tooLarge("a thought has more than \(limits.opaqueBytes) bytes")
      }
      return [.itemDone(ItemEnd(isThought: true, encrypted: text))]
    case "tool_use": return [try call(block)]
    default: return []
    }
  }

  /// The block as the API wants it back; without a signature it is worth nothing there.
  private static func thought(_ block: Block) -> String? {
    guard !block.signature.isEmpty else { return nil }
    return JSONValue.members([
      "type": .text("thinking"), "thinking": .text(block.text), "signature": .text(block.signature),
    ]).written()
  }

  private func call(_ block: Block) throws(AnswerFault) -> ModelSignal {
    guard let id = block.start["id"]?.string, !id.isEmpty, let name = block.start["name"]?.string, !name.isEmpty else {
      throw words.invalid("a tool call has no name or no id")
    }
    let whole = block.text.isEmpty ? block.start["input"]?.written() ?? "" : block.text
    return .toolCall(id: id, name: name, arguments: try words.arguments(whole, limits), providerID: "")
  }

  // MARK: The end

  private mutating func ending(_ json: JSONValue) throws(AnswerFault) -> [ModelSignal] {
    count(json["usage"])
    switch json["delta"]?["stop_reason"]?.string {
    case "max_tokens": throw words.cutShort()
    case "refusal": throw words.filtered()
    case "model_context_window_exceeded": throw words.fault(ProviderError(codes: ["context_length_exceeded"]))
    default: return []
    }
  }

  private mutating func ended() throws(AnswerFault) -> [ModelSignal] {
    guard block == nil else { throw words.invalid("it ends in the middle of a block") }
    isWhole = true
    return usage == TokenUsage() ? [] : [.usage(usage)]
  }

  /// Counts are totals, and the later ones stand. What was read from or put into the cache is not among `input_tokens`.
  private mutating func count(_ json: JSONValue?) {
    guard let json else { return }
    if let input = json["input_tokens"]?.count {
      var total = TokenUsage(inputTokens: input)
      let read = json["cache_read_input_tokens"]?.count ?? 0
      total.add(TokenUsage(inputTokens: read))
      total.add(TokenUsage(inputTokens: json["cache_creation_input_tokens"]?.count ?? 0))
      usage.inputTokens = total.inputTokens
      usage.cachedInputTokens = read
    }
    if let output = json["output_tokens"]?.count { usage.outputTokens = output }
  }
}
