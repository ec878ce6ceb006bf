// The common parts of the three APIs: a request becomes a call, a stream of events becomes signals. Pure; the socket is
// `ModelTransport`'s, the order of tries `HTTPModelProvider`'s.

import HeddleCore
import HeddleJSON
import HeddleProtocol
import HeddleRuntime

/// One HTTP request.
struct ModelCall: Equatable, Sendable {
  var address: String
  var headers: [(name: String, value: String)]
  var body: [UInt8]

  static func == (a: ModelCall, b: ModelCall) -> Bool {
    a.address == b.address && a.body == b.body && a.headers.elementsEqual(b.headers) { $0 == $1 }
  }
}

/// One API, as one provider offers it.
protocol ModelAPI: Sendable {
  /// The end of the address.
  var path: String { get }
  /// Headers of our own, the key included.
  func headers(_ request: ModelRequest) -> [(name: String, value: String)]
  func body(_ request: ModelRequest) -> JSONValue
  /// Reads the answer to one try.
  func decoder(_ request: ModelRequest) -> any AnswerDecoder
}

/// Reads one answer, event by event.
protocol AnswerDecoder: Sendable {
  /// The answer has come to its end; what follows is of no interest.
  var isWhole: Bool { get }
  /// Rises with each piece of the answer: text, thoughts, arguments, the beginning and the end of an item. What only
  /// shows that the provider is there is none.
  var pieces: Int { get }
  mutating func decode(_ event: ServerSentEvent) throws(AnswerFault) -> [ModelSignal]
  /// The stream ended. Throws unless the answer is whole, and sets `isWhole` if it is.
  mutating func end() throws(AnswerFault) -> [ModelSignal]
}

extension ModelAPI {
  /// The request with its headers; those of the configuration win.
  func call(_ request: ModelRequest, _ configuration: ProviderConfiguration) -> ModelCall {
    var headers: [(name: String, value: String)] = [
      ("content-type", "application/json"), ("accept", "text/event-stream"), ("user-agent", "heddle"),
    ]
    headers += self.headers(request)
    if let trace = request.trace {
      headers.append(("traceparent", trace.traceparent))
      if !trace.state.isEmpty { headers.append(("tracestate", trace.state)) }
    }
    for own in configuration.headers {
      headers.removeAll { $0.name.lowercased() == own.name.lowercased() }
      headers.append((own.name, own.value.revealed))
    }
    return ModelCall(
      address: configuration.address(path), headers: headers, body: Array(body(request).written().utf8))
  }
}

extension ProviderConfiguration {
  var words: FailureWords { FailureWords(provider: name, secrets: secrets) }
}

extension ToolDefinition {
  /// The schema of the arguments; every API wants an object.
  var parameters: JSONValue {
    if let value = try? JSONValue(parsing: schema), value.isObject { return value }
    return .members(["type": .text("object"), "properties": .object([])])
  }
}

extension ModelRequest {
  /// The tools that the model may call now.
  var offeredTools: [ToolDefinition] { isCompaction ? [] : tools }

  /// The shape of the answer, if there is one.
  var answerSchema: JSONValue? {
    guard !isCompaction, let text = context.outputSchema else { return nil }
    return try? JSONValue(parsing: text)
  }

  var temperature: JSONValue? {
    guard let value = context.settings?.temperature, value.isFinite else { return nil }
    return .number(value.description)
  }

  /// A setting that is there and says something.
  func setting(_ path: KeyPath<Settings, String?>) -> String? {
    context.settings?[keyPath: path].flatMap { $0.isEmpty ? nil : $0 }
  }
}
