// Chat Completions, what is sent. Many servers speak it, each with its own idea of the details, so the request is plain:
// one system message at the start, content as a text where there is nothing but text, no thoughts of earlier answers.

import HeddleCore
import HeddleJSON
import HeddleProtocol
import HeddleRuntime

struct ChatCompletionsAPI: ModelAPI {
  let configuration: ProviderConfiguration

  var path: String { "/chat/completions" }

  func headers(_ request: ModelRequest) -> [(name: String, value: String)] {
    guard let key = configuration.key else { return [] }
    return [("authorization", "Bearer \(key.revealed)")]
  }

  func body(_ request: ModelRequest) -> JSONValue {
    let tools = request.offeredTools.map(tool)
    return .members([
      "model": .text(request.model),
      "messages": .list(messages(request)),
      "tools": tools.isEmpty ? nil : .list(tools),
      "parallel_tool_calls": tools.isEmpty ? nil : .bool(true),
      "reasoning_effort": request.setting(\.reasoningEffort).map { .text($0) },
      "service_tier": request.setting(\.serviceTier).map { .text($0) },
      "temperature": request.temperature,
      "max_tokens": configuration.maximumOutputTokens.map { .whole($0) },
      "response_format": request.answerSchema.map(format),
      "stream": .bool(true),
      "stream_options": .members(["include_usage": .bool(true)]),
    ])
  }

  func decoder(_ request: ModelRequest) -> any AnswerDecoder {
    ChatCompletionsDecoder(words: configuration.words, limits: configuration.limits, callSeed: request.items.count)
  }

  private func tool(_ tool: ToolDefinition) -> JSONValue {
    .members([
      "type": .text("function"),
      "function": .members([
        "name": .text(tool.name), "description": .text(tool.description), "parameters": tool.parameters,
      ]),
    ])
  }

  private func format(_ schema: JSONValue) -> JSONValue {
    .members([
      "type": .text("json_schema"),
      "json_schema": .members(["name": .text("answer"), "schema": schema, "strict": .bool(true)]),
    ])
  }

  // MARK: Messages

  private func messages(_ request: ModelRequest) -> [JSONValue] {
    let entries = ModelInput.entries(request.items, provider: configuration.name)
    let (system, rest) = entries.leadingInstructions(request.setting(\.baseInstructions))
    var messages: [JSONValue] = []
    if let system { messages.append(message("system", .text(system))) }
    var answer = Answer()
    for entry in rest {
      if !entry.isAnswer, let whole = answer.taken() { messages.append(whole) }
      switch entry {
      case .message(.assistant, let parts, _): answer.texts += parts.compactMap(\.text)
      case .message(let speaker, let parts, _): messages.append(said(speaker, parts))
      case .call(let call): answer.calls.append(call)
      case .output(let call, let parts, _):
        messages.append(
          .members(["role": .text("tool"), "tool_call_id": .text(call.id), "content": .text(Self.text(parts))]))
      case .reasoning, .opaque: continue
      }
    }
    if let whole = answer.taken() { messages.append(whole) }
    return messages
  }

  /// One answer of the model: its text and its calls are one message.
  private struct Answer {
    var texts: [String] = []
    var calls: [ModelInput.Call] = []

    mutating func taken() -> JSONValue? {
      guard !texts.isEmpty || !calls.isEmpty else { return nil }
      defer { self = Answer() }
      return .members([
        "role": .text("assistant"),
        "content": texts.isEmpty ? .null : .text(texts.joined(separator: "\n\n")),
        "tool_calls": calls.isEmpty
          ? nil
          : .list(
            calls.map { call in
              .members([
                "id": .text(call.id), "type": .text("function"),
                "function": .members(["name": .text(call.name), "arguments": .text(call.arguments)]),
              ])
            }),
      ])
    }
  }

  private func said(_ speaker: ModelInput.Speaker, _ parts: [ModelInput.Part]) -> JSONValue {
    switch (speaker, configuration.developerRole) {
    case (.developer, .developer), (.system, .developer): message("developer", content(parts))
    case (.developer, .system), (.system, .system): message("system", content(parts))
    case (.developer, _), (.system, _): message("user", content(ModelInput.tagged(parts)))
    default: message("user", content(parts))
    }
  }

  private func message(_ role: String, _ content: JSONValue) -> JSONValue {
    .members(["role": .text(role), "content": content])
  }

  private func content(_ parts: [ModelInput.Part]) -> JSONValue {
    guard parts.contains(where: { $0.text == nil }) else { return .text(Self.text(parts)) }
    return .list(
      parts.map { part in
        switch part {
        case .text(let text): .members(["type": .text("text"), "text": .text(text)])
        case .image(let url, let detail):
          .members([
            "type": .text("image_url"),
            "image_url": .members(["url": .text(url), "detail": detail.isEmpty ? nil : .text(detail)]),
          ])
        }
      })
  }

  /// Outputs of tools are text here; an image in one is told of.
  private static func text(_ parts: [ModelInput.Part]) -> String {
    parts.map { $0.text ?? "(an image that cannot be shown here)" }.joined(separator: "\n")
  }
}

extension [ModelInput.Entry] {
  /// The instructions that stand before everything else as one text, and what is left. APIs with one system text at the
  /// start take them there.
  func leadingInstructions(_ base: String?) -> (text: String?, rest: ArraySlice<ModelInput.Entry>) {
    var texts = base.map { [$0] } ?? []
    var rest = self[...]
    while case .message(let speaker, let parts, _)? = rest.first, speaker == .developer || speaker == .system,
      parts.allSatisfy({ $0.text != nil })
    {
      texts.append(parts.compactMap(\.text).joined(separator: "\n"))
      rest.removeFirst()
    }
    return (texts.isEmpty ? nil : texts.joined(separator: "\n\n"), rest)
  }
}

extension ModelInput {
  /// Text of the server in a role that is also the user's: the tags tell that the server speaks.
  static func tagged(_ parts: [Part]) -> [Part] {
    let text = parts.compactMap(\.text).joined(separator: "\n")
    return [.text("<developer_message>\n\(text)\n</developer_message>")] + parts.filter { $0.text == nil }
  }
}
