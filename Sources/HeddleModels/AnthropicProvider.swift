// The Anthropic Messages API, what is sent. Roles alternate, so neighbours of one role become one message; thoughts go
// back exactly as they came, or the API refuses them.

import HeddleCore
import HeddleJSON
import HeddleProtocol
import HeddleRuntime

struct AnthropicAPI: ModelAPI {
  let configuration: ProviderConfiguration

  /// The API wants a number; most of its models can write as much.
  private static let outputTokens = 32_000
  /// The least that the API takes for a budget of thoughts, and what an answer needs beside it.
  private static let smallestBudget = 1_024

  var path: String { "/messages" }

  func headers(_ request: ModelRequest) -> [(name: String, value: String)] {
    var headers = [(name: "anthropic-version", value: "2023-06-01")]
    if let key = configuration.key { headers.append(("x-api-key", key.revealed)) }
    return headers
  }

  func body(_ request: ModelRequest) -> JSONValue {
    let entries = ModelInput.entries(request.items, provider: configuration.name)
    let (system, rest) = entries.leadingInstructions(request.setting(\.baseInstructions))
    let thinking = thinking(request)
    var conversation = Conversation(
      sendsCalls: !request.offeredTools.isEmpty, sendsAllThoughts: thinking != nil && !request.isCompaction)
    conversation.add(Array(rest))
    return .members([
      "model": .text(request.model),
      "max_tokens": .whole(maximumTokens),
      "system": system.map { .list([Self.cached(Self.text($0))]) },
      "messages": conversation.messages(),
      "tools": request.offeredTools.isEmpty ? nil : .list(request.offeredTools.map(tool)),
      "thinking": thinking,
      "output_config": outputConfiguration(request),
      "service_tier": request.setting(\.serviceTier).map { .text($0) },
      // Refused beside thoughts.
      "temperature": thinking == nil ? request.temperature : nil,
      "stream": .bool(true),
    ])
  }

  func decoder(_ request: ModelRequest) -> any AnswerDecoder {
    AnthropicDecoder(words: configuration.words, limits: configuration.limits)
  }

  private var maximumTokens: Int { configuration.maximumOutputTokens ?? Self.outputTokens }

  private func tool(_ tool: ToolDefinition) -> JSONValue {
    .members([
      "name": .text(tool.name), "description": .text(tool.description), "input_schema": tool.parameters,
    ])
  }

  private func effort(_ request: ModelRequest) -> String? {
    switch request.setting(\.reasoningEffort) {
    case nil, "none": nil
    case "minimal": "low"
    case let effort: effort
    }
  }

  private func thinking(_ request: ModelRequest) -> JSONValue? {
    guard let effort = effort(request) else { return nil }
    if configuration.budgetsThoughts {
      let wanted = ["low": 4_096, "medium": 8_192][effort] ?? 16_384
      let budget = min(wanted, maximumTokens - Self.smallestBudget)
      guard budget >= Self.smallestBudget else { return nil }
      return .members(["type": .text("enabled"), "budget_tokens": .whole(budget)])
    }
    let display = request.setting(\.reasoningSummary) == "none" ? "omitted" : "summarized"
    return .members(["type": .text("adaptive"), "display": .text(display)])
  }

  private func outputConfiguration(_ request: ModelRequest) -> JSONValue? {
    let effort = configuration.budgetsThoughts ? nil : effort(request)
    let format = request.answerSchema.map { JSONValue.members(["type": .text("json_schema"), "schema": $0]) }
    guard effort != nil || format != nil else { return nil }
    return .members(["effort": effort.map { .text($0) }, "format": format])
  }

  static func text(_ text: String) -> JSONValue { .members(["type": .text("text"), "text": .text(text)]) }

  /// Marks what stands up to here as worth keeping for the next request: without a mark nothing is.
  static func cached(_ block: JSONValue) -> JSONValue {
    guard case .object(var members) = block else { return block }
    members.append(.init("cache_control", .members(["type": .text("ephemeral")])))
    return .object(members)
  }
}

/// The messages of a request while they are put together.
private struct Conversation {
  /// False where no tools are offered: the API refuses calls then, so they are told of as text.
  let sendsCalls: Bool
  /// Thoughts of earlier turns too: a request that does not think must not hold any. Those of the turn in hand belong
  /// to their calls and always go along.
  let sendsAllThoughts: Bool
  private var list: [(role: String, blocks: [JSONValue])] = []

  init(sendsCalls: Bool, sendsAllThoughts: Bool) {
    self.sendsCalls = sendsCalls
    self.sendsAllThoughts = sendsAllThoughts
  }

  mutating func add(_ entries: [ModelInput.Entry]) {
    let lastInput = entries.lastIndex {
      if case .message(let speaker, _, _) = $0 { speaker != .assistant } else { false }
    }
    for (place, entry) in entries.enumerated() {
      switch entry {
      case .message(let speaker, let parts, _): add(speaker, parts)
      case .reasoning(let reasoning, _):
        guard sendsAllThoughts || (sendsCalls && place > lastInput ?? -1) else { continue }
        if let text = reasoning.encrypted, let block = try? JSONValue(parsing: text), block.isObject {
          add("assistant", block)
        }
      case .call(let call): add(call)
      case .output(let call, let parts, let failed): add(call, parts, failed: failed)
      case .opaque: continue
      }
    }
  }

  private mutating func add(_ speaker: ModelInput.Speaker, _ parts: [ModelInput.Part]) {
    let isAside = speaker == .developer || speaker == .system
    for part in isAside ? ModelInput.tagged(parts) : parts {
      if let block = block(part) { add(speaker == .assistant ? "assistant" : "user", block) }
    }
  }

  private mutating func add(_ call: ModelInput.Call) {
    guard sendsCalls else {
      return add("assistant", AnthropicAPI.text("[Called the tool \(call.name) with \(call.arguments)]"))
    }
    add(
      "assistant",
      .members([
        "type": .text("tool_use"), "id": .text(Self.id(call)), "name": .text(call.name),
        "input": (try? JSONValue(parsing: call.arguments)) ?? .object([]),
      ]))
  }

  private mutating func add(_ call: ModelInput.Call, _ parts: [ModelInput.Part], failed: Bool) {
    let blocks = parts.compactMap(block)
    guard sendsCalls else {
      add("user", AnthropicAPI.text("[The tool \(call.name) answered:]"))
      for block in blocks { add("user", block) }
      return
    }
    add(
      "user",
      .members([
        "type": .text("tool_result"), "tool_use_id": .text(Self.id(call)),
        "content": blocks.isEmpty ? nil : .list(blocks), "is_error": failed ? .bool(true) : nil,
      ]))
  }

  /// Calls of other providers may have ids that this one does not take.
  private static func id(_ call: ModelInput.Call) -> String { ModelInput.word(call.id, atMost: 128) }

  private mutating func add(_ role: String, _ block: JSONValue) {
    if list.last?.role == role { list[list.count - 1].blocks.append(block) } else { list.append((role, [block])) }
  }

  /// Nil: a text without anything to see in it, which the API refuses.
  private func block(_ part: ModelInput.Part) -> JSONValue? {
    switch part {
    case .text(let text): text.allSatisfy(\.isWhitespace) ? nil : AnthropicAPI.text(text)
    case .image(let url, _): .members(["type": .text("image"), "source": Self.source(url)])
    }
  }

  /// `data:image/png;base64,…` is split; any other address is fetched by the provider.
  private static func source(_ url: String) -> JSONValue {
    if url.hasPrefix("data:"), let comma = url.firstIndex(of: ",") {
      let head = url[url.index(url.startIndex, offsetBy: 5)..<comma]
      if head.hasSuffix(";base64") {
        return .members([
          "type": .text("base64"), "media_type": .text(String(head.dropLast(7))),
          "data": .text(String(url[url.index(after: comma)...])),
        ])
      }
    }
    return .members(["type": .text("url"), "url": .text(url)])
  }

  /// The API wants a user's message first and last.
  mutating func messages() -> JSONValue {
    if list.first?.role != "user" { list.insert(("user", [AnthropicAPI.text("(The conversation goes on.)")]), at: 0) }
    if list.last?.role != "user" { list.append(("user", [AnthropicAPI.text("Go on.")])) }
    let last = list.count - 1
    let block = list[last].blocks.count - 1
    list[last].blocks[block] = AnthropicAPI.cached(list[last].blocks[block])
    return .list(list.map { .members(["role": .text($0.role), "content": .list($0.blocks)]) })
  }
}
