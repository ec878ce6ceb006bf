// The requests to a model, one JSON object a line: for tests, and for operators who want to see what a rule did.
// Text is left out unless it is asked for; what the server itself put into the input (fragments in tags) is always shown.

import Glibc
import HeddleCore
import HeddleJSON
import HeddleProtocol
import HeddleRuntime
import Synchronization

/// A file of model requests. Lines are appended whole, one after the other.
public final class RequestRecord: Sendable {
  private let file: Mutex<Int32>
  private let showsText: Bool

  /// Opens the file for appending, readable by its owner only; nil if that fails.
  public init?(path: String, showsText: Bool) {
    let descriptor = open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { return nil }
    file = Mutex(descriptor)
    self.showsText = showsText
  }

  deinit { file.withLock { _ = close($0) } }

  func add(_ request: ModelRequest) {
    let mode = request.context.effectiveMode
    let line = JSONValue.object([
      .init("thread", .text(request.thread.description)), .init("turn", .text(request.turn.description)),
      .init("model", .text(request.model)), .init("version", .text(request.context.version.name)),
      .init("effective_mode", mode.map { .text($0.name) } ?? .null),
      .init("revision", .number("\(request.context.revision)")),
      .init("tools", .list(request.tools.map { .text($0.name) })), .init("compaction", .bool(request.isCompaction)),
      .init("items", .list(request.items.map(item))),
    ])
    var bytes = Array(line.written().utf8)
    bytes.append(UInt8(ascii: "\n"))
    file.withLock { descriptor in
      // A record that cannot be written is no reason to fail a turn.
      _ = bytes.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
    }
  }

  private func item(_ item: Item) -> JSONValue {
    var role = JSONValue.null
    switch item.kind {
    case .message(let message)?: role = .text(message.role.name)
    case .marker(let marker)?: role = .text(marker.role.name)
    default: break
    }
    let text = ScriptedModelProvider.text(item)
    var members: [JSONValue.Member] = [.init("kind", .text(kind(item))), .init("role", role)]
    switch item.kind {
    case .toolCall(let call)?:
      members += [.init("call", .text(call.callId)), .init("name", .text(call.name))]
      if showsText { members.append(.init("arguments", .text(call.arguments))) }
    case .toolOutput(let output)?:
      members += [.init("call", .text(output.callId)), .init("reason", .text(output.reason))]
    case .agentMessage(let message)?:
      members += [
        .init("author", .text(message.author)), .init("recipient", .text(message.recipient)),
        .init("message", .text(message.kind.name)),
      ]
    default: break
    }
    members.append(.init("bytes", .number("\(text.utf8.count)")))
    if showsText || isOurs(item, text) { members.append(.init("text", .text(text))) }
    return .object(members)
  }

  private func kind(_ item: Item) -> String {
    switch item.kind {
    case .message?: "message"
    case .reasoning?: "reasoning"
    case .toolCall?: "tool_call"
    case .toolOutput?: "tool_output"
    case .agentMessage?: "agent_message"
    case .compaction?: "compaction"
    case .marker?: "marker"
    case .opaque?: "opaque"
    case nil: "none"
    }
  }

  /// Text that the server wrote: mode fragments and markers.
  private func isOurs(_ item: Item, _ text: String) -> Bool {
    if case .marker? = item.kind { return true }
    guard case .message(let message)? = item.kind, message.role == .developer else { return false }
    return text.hasPrefix("<multi_agent_mode>")
  }
}
