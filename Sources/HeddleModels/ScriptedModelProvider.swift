// A model that needs nothing: it answers by what the user's text says, or by a script file. Deterministic, so that tests,
// demonstrations and load runs get the same from every turn.
//
// Lines of the last message of the user, or of the last task that another agent gave, that begin with `!` are directives,
// the other lines are the text. Without a directive the answer is `You said: TEXT`. A line `!then` begins the next step:
// what is above it is for the first request to the model, what is below for the one after the tools have answered.
//
//   !say TEXT          answer exactly this
//   !repeat N          the answer N times
//   !chunks N          send it in N pieces (default: one for each word)
//   !delay MS          wait before each piece
//   !think TEXT        think this aloud first
//   !tool NAME JSON    call a tool first, answer when its output is there; several lines: several calls at once.
//                      `{agent:1}` in JSON stands for the id of the first agent that was spawned
//   !stall             say nothing, for ever
//   !fail              the request fails
//   !rubbish           send a stream that breaks the protocol
//   !flood BYTES       answer with that many bytes

import HeddleCore
import HeddleJSON
import HeddleProtocol
import HeddleRuntime

/// The embedded default provider.
public final class ScriptedModelProvider: ModelProvider {
  public let name = "scripted"
  private let script: [Rule]
  private let record: RequestRecord?

  /// One line of a script file: text that contains `when` is treated as if it were `then`.
  public struct Rule: Sendable {
    public var when: String
    public var then: String
    public init(when: String, then: String) {
      self.when = when
      self.then = then
    }
  }

  /// `record`: where every request is written down before it is answered.
  public init(script: [Rule] = [], record: RequestRecord? = nil) {
    self.script = script
    self.record = record
  }

  public func answer(
    _ request: ModelRequest, emit: @escaping @Sendable (ModelSignal) async -> Void
  ) async throws {
    record?.add(request)
    // A summary is asked for in words that the server chose.
    if request.isCompaction { return try await sumUp(request, emit) }
    let input = Self.lastInput(request.items)
    let plan = Plan(apply(input.text), step: input.step, toolOutput: input.output)
    if plan.stalls { try await Task.sleep(for: .seconds(365 * 24 * 3600)) }
    if plan.fails { throw ModelFailure(.modelFailed, "The script says that this request fails; remove `!fail`.") }
    if let thought = plan.thought { await emit(.thought(thought)) }
    if plan.tools.isEmpty {
      try await say(plan, emit)
    } else {
      if plan.delayMilliseconds > 0 { try await Task.sleep(for: .milliseconds(plan.delayMilliseconds)) }
      for (index, tool) in plan.tools.enumerated() {
        let arguments = Self.filled(tool.arguments, request.items)
        await emit(
          .toolCall(id: "call-\(request.items.count)-\(index)", name: tool.name, arguments: arguments, providerID: ""))
      }
    }
    if plan.isRubbish {
      throw ModelFailure(.outputInvalid, "The model's answer broke off in a way that makes no sense; try again.")
    }
    await emit(.usage(usage(request, plan)))
  }

  private func sumUp(_ request: ModelRequest, _ emit: @Sendable (ModelSignal) async -> Void) async throws {
    let summary = "A summary of \(request.items.count - 1) items."
    await emit(.text(summary))
    let bytes = request.items.reduce(0) { $0 + Self.text($1).utf8.count }
    await emit(.usage(TokenUsage(inputTokens: UInt64(bytes / 4 + 1), outputTokens: UInt64(summary.utf8.count / 4 + 1))))
  }

  private func say(_ plan: Plan, _ emit: @Sendable (ModelSignal) async -> Void) async throws {
    for piece in plan.pieces {
      if plan.delayMilliseconds > 0 { try await Task.sleep(for: .milliseconds(plan.delayMilliseconds)) }
      try Task.checkCancellation()
      await emit(.text(piece))
    }
  }

  private func usage(_ request: ModelRequest, _ plan: Plan) -> TokenUsage {
    let input = request.items.reduce(0) { $0 + Self.bytes($1) }
    let output = plan.pieces.reduce(0) { $0 + $1.utf8.count }
    // Four bytes to a token, as good a rule as any for a model that has none.
    return TokenUsage(inputTokens: UInt64(input / 4 + 1), outputTokens: UInt64(output / 4 + 1))
  }

  private func apply(_ text: String) -> String { script.first { text.contains($0.when) }?.then ?? text }

  static func text(_ item: Item) -> String {
    switch item.kind {
    case .message(let message)?: return joined(message.content)
    case .toolOutput(let output)?: return joined(output.content)
    case .marker(let marker)?: return marker.text
    case .agentMessage(let message)?: return joined(message.content)
    default: return ""
    }
  }

  /// Of `text(item)`, which is not made for it.
  private static func bytes(_ item: Item) -> Int {
    func sum(_ content: [ContentPart]) -> Int {
      content.reduce(max(0, content.count - 1)) { sum, part in
        if case .text(let text)? = part.part { sum + text.utf8.count } else { sum }
      }
    }
    switch item.kind {
    case .message(let message)?: return sum(message.content)
    case .toolOutput(let output)?: return sum(output.content)
    case .marker(let marker)?: return marker.text.utf8.count
    case .agentMessage(let message)?: return sum(message.content)
    default: return 0
    }
  }

  private static func joined(_ content: [ContentPart]) -> String {
    content.map { if case .text(let text)? = $0.part { text } else { "" } }.joined(separator: "\n")
  }

  /// The input to answer: the last one, how many rounds of tools there were since, and the last output.
  private static func lastInput(_ items: [Item]) -> (text: String, step: Int, output: String?) {
    var step = 0
    var output: String?
    var isInRound = false
    for item in items.reversed() {
      switch item.kind {
      case .toolOutput?: if output == nil { output = text(item) }
      case .toolCall?:
        if !isInRound { step += 1 }
        isInRound = true
        continue
      case .message(let message)? where message.role == .user:
        let text = joined(message.content)
        // A note about an agent is no input.
        if !text.hasPrefix("<agent_notification>") { return (text, step, output) }
      case .agentMessage(let message)? where message.kind == .newTask: return (joined(message.content), step, output)
      default: break
      }
      isInRound = false
    }
    return ("", step, output)
  }

  /// Puts in the ids of agents, in the order in which they were spawned.
  private static func filled(_ arguments: String, _ items: [Item]) -> String {
    guard arguments.contains("{agent:") else { return arguments }
    var out = arguments
    var number = 0
    for item in items {
      guard case .toolOutput(let output)? = item.kind, let id = agentID(joined(output.content)) else { continue }
      number += 1
      out = replaced(out, "{agent:\(number)}", id)
    }
    return out
  }

  private static func agentID(_ output: String) -> String? {
    guard case .object(let members)? = try? JSONValue(parsing: output), let member = members.first,
      member.name == "agent_id", case .text(let id) = member.value
    else { return nil }
    return id.withoutNUL
  }

  private static func replaced(_ text: String, _ old: String, _ new: String) -> String {
    var out = ""
    var rest = text[...]
    while let range = rest.firstRange(of: old) {
      out += rest[..<range.lowerBound] + new
      rest = rest[range.upperBound...]
    }
    return out + rest
  }
}

/// One answer, before it is given.
struct Plan {
  var pieces: [String] = []
  var delayMilliseconds = 0
  var thought: String?
  var tools: [(name: String, arguments: String)] = []
  var stalls = false
  var fails = false
  var isRubbish = false

  /// No script asks for more than this at once.
  private static let answerBytes = 256 * 1024 * 1024

  init(_ input: String, step: Int, toolOutput: String?) {
    let steps = Self.steps(input)
    let lines = steps[min(step, steps.count - 1)]
    // The last step goes on until it has been answered without a tool.
    let isAnswering = step >= steps.count
    var text: [String] = []
    var say: String?
    var chunks: Int?
    var times = 1
    var flood = 0
    for line in lines {
      guard line.hasPrefix("!") else {
        text.append(String(line))
        continue
      }
      let words = line.dropFirst().split(separator: " ", maxSplits: 1).map(String.init)
      let rest = words.count > 1 ? words[1] : ""
      switch words.first ?? "" {
      case "say": say = rest
      case "repeat": times = Self.number(rest, 1...1_000_000)
      case "chunks": chunks = Self.number(rest, 1...1_000_000)
      case "delay": delayMilliseconds = Self.number(rest, 0...3_600_000)
      case "think": thought = rest
      case "tool" where !isAnswering: tools.append(Self.tool(rest))
      case "tool": break
      case "stall": stalls = true
      case "fail": fails = true
      case "rubbish": isRubbish = true
      case "flood": flood = Self.number(rest, 0...Self.answerBytes)
      default: text.append(String(line))
      }
    }
    if flood > 0 {
      pieces = Self.flood(flood)
      return
    }
    let once = say ?? toolOutput.map { "The tool said: \($0)" } ?? "You said: \(text.joined(separator: "\n"))"
    let whole = String(repeating: once, count: min(times, max(1, Self.answerBytes / max(1, once.utf8.count))))
    pieces = chunks.map { Self.cut(whole, $0) } ?? Self.words(whole)
  }

  private static func steps(_ input: String) -> [[Substring]] {
    var out: [[Substring]] = [[]]
    for line in input.split(separator: "\n", omittingEmptySubsequences: false) {
      if line == "!then" { out.append([]) } else { out[out.count - 1].append(line) }
    }
    return out
  }

  private static func number(_ text: String, _ range: ClosedRange<Int>) -> Int {
    min(max(Int(text.split(separator: " ").first ?? "") ?? range.lowerBound, range.lowerBound), range.upperBound)
  }

  private static func tool(_ text: String) -> (name: String, arguments: String) {
    let parts = text.split(separator: " ", maxSplits: 1).map(String.init)
    return (parts.first ?? "tool", parts.count > 1 ? parts[1] : "{}")
  }

  private static func flood(_ bytes: Int) -> [String] {
    let piece = String(repeating: "x", count: 64 * 1024)
    var out = [String](repeating: piece, count: bytes / piece.utf8.count)
    let rest = bytes % piece.utf8.count
    if rest > 0 { out.append(String(repeating: "x", count: rest)) }
    return out
  }

  /// The text in pieces of one word each, the space in front.
  private static func words(_ text: String) -> [String] {
    var out: [String] = []
    var word = ""
    for character in text {
      if character == " ", !word.isEmpty {
        out.append(word)
        word = ""
      }
      word.append(character)
    }
    if !word.isEmpty { out.append(word) }
    return out
  }

  private static func cut(_ text: String, _ count: Int) -> [String] {
    let characters = Array(text)
    let size = max(1, (characters.count + count - 1) / count)
    return stride(from: 0, to: characters.count, by: size).map {
      String(characters[$0..<min($0 + size, characters.count)])
    }
  }
}
