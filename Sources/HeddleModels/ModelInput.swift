// The history in the form that all three APIs are written from: what must not reach a provider is left out, what the
// server says for itself is put into words, and calls and outputs are in pairs.
//
// I1  Every call is followed by exactly one output, behind the calls of the same answer and in their order; a call that
//     never got one has "(no output)". Providers refuse a request with a call that is left open.
// I2  An output without a call is not there.
// I3  Thoughts are there only when this provider wrote them, and only in front of something of the same answer.

import HeddleCore
import HeddleJSON
import HeddleProtocol

enum ModelInput {
  enum Speaker: Equatable, Sendable {
    case user
    case developer
    case system
    case assistant
  }

  enum Part: Equatable, Sendable {
    case text(String)
    case image(url: String, detail: String)

    var text: String? {
      guard case .text(let text) = self else { return nil }
      return text
    }
  }

  struct Call: Equatable, Sendable {
    var id: String
    var name: String
    /// A JSON object.
    var arguments: String
  }

  enum Entry: Equatable, Sendable {
    case message(Speaker, [Part], Phase)
    case reasoning(ReasoningItem, providerID: String)
    case call(Call)
    case output(Call, [Part], failed: Bool)
    /// An item of this provider's own, as it came.
    case opaque(JSONValue)

    /// Part of what the model answered.
    var isAnswer: Bool {
      switch self {
      case .message(let speaker, _, _): speaker == .assistant
      case .reasoning, .call, .opaque: true
      case .output: false
      }
    }
  }

  static let noOutput = "(no output)"

  static func entries(_ items: [Item], provider: String) -> [Entry] {
    var outputs = Outputs(items)
    var entries: [Entry] = []
    // Items of the model since the last item of another speaker.
    var answer: [Entry] = []
    for (place, item) in items.enumerated() {
      switch item.kind {
      case .toolCall(let call)?:
        outputs.called(call, at: place)
        answer.append(.call(self.call(call)))
      case .reasoning(let reasoning)?:
        guard reasoning.provider == provider, reasoning.encrypted?.isEmpty == false else { continue }
        answer.append(.reasoning(reasoning, providerID: item.providerId))
      case .opaque(let part)?:
        if let json = json(part, provider: provider) { answer.append(.opaque(json)) }
      case .message(let message)? where message.role == .assistant:
        let content = parts(message.content)
        if !content.isEmpty { answer.append(.message(.assistant, content, message.phase)) }
      case .message, .agentMessage, .marker, .toolOutput:
        end(&answer, &outputs, &entries)
        if let entry = said(item) { entries.append(entry) }
      case .compaction, nil: continue
      }
    }
    end(&answer, &outputs, &entries)
    return entries
  }

  /// Puts an answer behind what there is, and the outputs of its calls behind it.
  private static func end(_ answer: inout [Entry], _ outputs: inout Outputs, _ entries: inout [Entry]) {
    while case .reasoning? = answer.last { answer.removeLast() }
    entries += answer
    answer = []
    entries += outputs.taken()
  }

  // MARK: One item

  /// The entry of another speaker than the model; nil: the item has none.
  private static func said(_ item: Item) -> Entry? {
    switch item.kind {
    case .message(let message)?:
      let content = parts(message.content)
      if message.role == .user, content.count == 1, let text = content[0].text,
        let notice = AgentFrame.framed(notification: text)
      {
        return .message(.user, notice, .unspecified)
      }
      return content.isEmpty ? nil : .message(speaker(message.role), content, .unspecified)
    case .agentMessage(let message)?: return .message(.user, AgentFrame.framed(message), .unspecified)
    case .marker(let marker)?:
      return marker.text.isEmpty ? nil : .message(speaker(marker.role), [.text(marker.text)], .unspecified)
    default: return nil
    }
  }

  private static func speaker(_ role: Role) -> Speaker {
    switch role {
    case .developer: .developer
    case .system: .system
    case .assistant: .assistant
    case .user, .unspecified: .user
    }
  }

  static func parts(_ content: [ContentPart]) -> [Part] {
    content.compactMap { part in
      switch part.part {
      case .text(let text)?: text.isEmpty ? nil : .text(text)
      case .image(let image)?: .image(url: image.url, detail: image.detail)
      // Parts that only another provider, or nobody, can read.
      case .encrypted?, .opaque?, nil: nil
      }
    }
  }

  private static func call(_ call: ToolCallItem) -> Call {
    Call(id: call.callId, name: name(call.name), arguments: arguments(call))
  }

  /// The name around arguments that are not one JSON object: every API refuses a history with such a call, and one
  /// without it would not tell the model what its output speaks of. The name is the one that Anthropic's documentation
  /// gives as an example.
  static let invalidArguments = "INVALID_JSON"

  /// Arguments as a JSON object, whatever was stored: models err, and a history may come from somewhere else.
  private static func arguments(_ call: ToolCallItem) -> String {
    if call.freeform { return JSONValue.members(["input": .text(call.arguments)]).written() }
    if call.arguments.allSatisfy(\.isWhitespace) { return "{}" }
    if let value = try? JSONValue(parsing: call.arguments), value.isObject { return call.arguments }
    return JSONValue.object([.init(invalidArguments, .text(call.arguments))]).written()
  }

  /// Letters, digits, `_` and `-`, at most 64: what every API takes for the name of a function.
  static func name(_ text: String) -> String { word(text, atMost: 64) }

  static func word(_ text: String, atMost length: Int) -> String {
    let scalars = text.unicodeScalars.prefix(length).map { scalar -> Character in
      let isPlain = scalar.isASCII && (scalar.properties.isAlphabetic || ("0"..."9").contains(scalar))
      return isPlain || scalar == "_" || scalar == "-" ? Character(scalar) : "_"
    }
    return scalars.isEmpty ? "_" : String(scalars)
  }

  // MARK: What a provider wants back as it is

  /// Marks an item as this provider's own.
  static func opaque(_ json: JSONValue, provider: String) -> OpaquePart {
    OpaquePart(kind: "\(provider)/\(json["type"]?.string ?? "item")", json: json.written())
  }

  private static func json(_ part: OpaquePart, provider: String) -> JSONValue? {
    guard part.kind.hasPrefix(provider + "/"), let value = try? JSONValue(parsing: part.json), value.isObject else {
      return nil
    }
    return value
  }
}

/// Which output belongs to which call. An id may come again in another answer: an output belongs to the last call of its
/// id before it.
private struct Outputs {
  private let items: [Item]
  /// Places of calls and outputs of an id, in order.
  private var places: [String: [Int]] = [:]
  /// Calls of the answer in hand, and the places of their outputs.
  private var open: [(call: ToolCallItem, output: Int?)] = []

  init(_ items: [Item]) {
    self.items = items
    for (place, item) in items.enumerated() {
      switch item.kind {
      case .toolCall(let call)?: places[call.callId, default: []].append(place)
      case .toolOutput(let output)?: places[output.callId, default: []].append(place)
      default: continue
      }
    }
  }

  mutating func called(_ call: ToolCallItem, at place: Int) {
    let ofID = places[call.callId] ?? []
    // Sorted: the first place behind the call.
    var low = 0
    var high = ofID.count
    while low < high {
      let middle = (low + high) / 2
      if ofID[middle] <= place { low = middle + 1 } else { high = middle }
    }
    let next = low < ofID.count ? ofID[low] : nil
    open.append((call, next.flatMap { if case .toolOutput? = items[$0].kind { $0 } else { nil } }))
  }

  /// The outputs of the answer in hand, one a call.
  mutating func taken() -> [ModelInput.Entry] {
    defer { open = [] }
    return open.map { call, place in
      let named = ModelInput.Call(id: call.callId, name: ModelInput.name(call.name), arguments: "")
      guard let place, case .toolOutput(let output)? = items[place].kind else {
        return .output(named, [.text(ModelInput.noOutput)], failed: true)
      }
      let content = ModelInput.parts(output.content)
      return .output(
        named, content.isEmpty ? [.text(ModelInput.noOutput)] : content, failed: output.success == false)
    }
  }
}
