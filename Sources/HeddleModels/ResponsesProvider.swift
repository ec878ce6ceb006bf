// The OpenAI Responses API, what is sent. Nothing is stored at the provider (`store: false`): the history is ours, and
// thoughts come back encrypted, to be given along with the next request.

import HeddleCore
import HeddleJSON
import HeddleProtocol
import HeddleRuntime

struct ResponsesAPI: ModelAPI {
  let configuration: ProviderConfiguration

  var path: String { "/responses" }

  /// The ids let a provider's cache, and its operator, tell whose requests belong together.
  func headers(_ request: ModelRequest) -> [(name: String, value: String)] {
    var headers = [("session-id", request.root.description), ("thread-id", request.thread.description)]
    if let parent = request.parent { headers.append(("x-heddle-parent-thread-id", parent.description)) }
    if let key = configuration.key { headers.append(("authorization", "Bearer \(key.revealed)")) }
    return headers.map { (name: $0.0, value: $0.1) }
  }

  func body(_ request: ModelRequest) -> JSONValue {
    let tools = request.offeredTools.map(tool)
    return .members([
      "model": .text(request.model),
      "instructions": request.setting(\.baseInstructions).map { .text($0) },
      "input": .list(ModelInput.entries(request.items, provider: configuration.name).flatMap(input)),
      "tools": tools.isEmpty ? nil : .list(tools),
      "parallel_tool_calls": tools.isEmpty ? nil : .bool(true),
      "reasoning": reasoning(request),
      "include": configuration.encryptsThoughts ? .list([.text("reasoning.encrypted_content")]) : nil,
      "service_tier": request.setting(\.serviceTier).map { .text($0) },
      "temperature": request.temperature,
      "max_output_tokens": configuration.maximumOutputTokens.map { .whole($0) },
      "text": request.answerSchema.map(format),
      "store": .bool(false),
      "stream": .bool(true),
    ])
  }

  func decoder(_ request: ModelRequest) -> any AnswerDecoder {
    ResponsesDecoder(words: configuration.words, limits: configuration.limits)
  }

  private func tool(_ tool: ToolDefinition) -> JSONValue {
    .members([
      "type": .text("function"), "name": .text(tool.name), "description": .text(tool.description),
      "parameters": tool.parameters, "strict": .bool(false),
    ])
  }

  private func reasoning(_ request: ModelRequest) -> JSONValue? {
    let effort = request.setting(\.reasoningEffort)
    let summary = request.setting(\.reasoningSummary)
    guard effort != nil || summary != nil else { return nil }
    return .members(["effort": effort.map { .text($0) }, "summary": summary.map { .text($0) }])
  }

  private func format(_ schema: JSONValue) -> JSONValue {
    .members([
      "format": .members([
        "type": .text("json_schema"), "name": .text("answer"), "schema": schema, "strict": .bool(true),
      ])
    ])
  }

  /// One entry as input items. Ids are left out but for thoughts: at a provider that stores nothing they name nothing.
  private func input(_ entry: ModelInput.Entry) -> [JSONValue] {
    switch entry {
    case .message(let speaker, let parts, let phase): return [message(speaker, parts, phase)]
    case .reasoning(let reasoning, let providerID):
      return [
        .members([
          "type": .text("reasoning"), "id": providerID.isEmpty ? nil : .text(providerID),
          "summary": .list(reasoning.summary.map { text("summary_text", $0) }),
          "encrypted_content": reasoning.encrypted.map { .text($0) },
        ])
      ]
    case .call(let call):
      return [
        .members([
          "type": .text("function_call"), "call_id": .text(call.id), "name": .text(call.name),
          "arguments": .text(call.arguments),
        ])
      ]
    case .output(let call, let parts, _):
      return [
        .members(["type": .text("function_call_output"), "call_id": .text(call.id), "output": output(parts)])
      ]
    case .opaque(let json): return [json]
    }
  }

  private func message(_ speaker: ModelInput.Speaker, _ parts: [ModelInput.Part], _ phase: Phase) -> JSONValue {
    let role =
      switch speaker {
      case .user: "user"
      case .developer: "developer"
      case .system: "system"
      case .assistant: "assistant"
      }
    let content =
      speaker == .assistant ? parts.compactMap(\.text).map { text("output_text", $0) } : parts.map(inputPart)
    return .members([
      "type": .text("message"), "role": .text(role), "content": .list(content),
      "phase": phase == .unspecified ? nil : .text(phase == .commentary ? "commentary" : "final_answer"),
    ])
  }

  /// A text where there is nothing but text: that is what most servers of this API understand.
  private func output(_ parts: [ModelInput.Part]) -> JSONValue {
    let texts = parts.compactMap(\.text)
    return texts.count == parts.count ? .text(texts.joined(separator: "\n")) : .list(parts.map(inputPart))
  }

  private func inputPart(_ part: ModelInput.Part) -> JSONValue {
    switch part {
    case .text(let value): text("input_text", value)
    case .image(let url, let detail):
      .members([
        "type": .text("input_image"), "image_url": .text(url), "detail": detail.isEmpty ? nil : .text(detail),
      ])
    }
  }

  private func text(_ type: String, _ value: String) -> JSONValue {
    .members(["type": .text(type), "text": .text(value)])
  }
}
