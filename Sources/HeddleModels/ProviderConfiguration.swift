// How a provider is reached. Where the values come from is the program's business; docs/providers.md lists them.

import HeddleCore

/// A key, or a header that may hold one. Nothing that describes, prints or reflects it shows it (attacks.md L2).
public struct SecretText: Equatable, Sendable, CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable
{
  /// For the request that needs it, and for taking it out of texts. Never for a log.
  let revealed: String

  public init(_ text: String) { revealed = text }

  public var description: String { "***" }
  public var debugDescription: String { "***" }
  public var customMirror: Mirror { Mirror(self, children: []) }
}

/// Which API a provider speaks.
public enum ProviderKind: String, Sendable, CaseIterable {
  /// The OpenAI Responses API.
  case responses
  /// Chat Completions: OpenAI's older API, and what llama.cpp, vLLM, Ollama and the like offer.
  case chat
  /// The Anthropic Messages API.
  case anthropic
}

/// Times after which a provider that does not answer is given up. Milliseconds.
public struct ProviderTimeouts: Equatable, Sendable {
  /// Address look-up, connection and TLS: a network that works needs far less.
  public var connect: Int64 = 10_000
  /// From the request to the answer's first byte: a local model reads a long input first.
  public var firstByte: Int64 = 120_000
  /// Between two lines of the answer: models think for minutes without a word.
  public var idle: Int64 = 300_000
  /// Between two pieces of the answer: text, thought or arguments. Comments and other signs of life are none
  /// (`Limits.modelContentMilliseconds`). 0: for ever.
  public var content: Int64 = 300_000

  public init(
    connect: Int64 = 10_000, firstByte: Int64 = 120_000, idle: Int64 = 300_000, content: Int64 = 300_000
  ) {
    self.connect = connect
    self.firstByte = firstByte
    self.idle = idle
    self.content = content
  }
}

/// Limits of one answer, each with its reason. Sizes are bytes.
public struct AnswerLimits: Equatable, Sendable {
  /// One line of the stream. The Responses API repeats the whole answer in its last event, and the text of one item may
  /// have 4 MiB (`Limits.modelItemBytes`).
  public var lineBytes = 4 * 1024 * 1024 + 256 * 1024
  /// One event: its lines together.
  public var eventBytes = 4 * 1024 * 1024 + 256 * 1024
  /// All of an answer as it comes: some 30 bytes for each byte that a model of today can write.
  public var answerBytes = 64 * 1024 * 1024
  /// One token an event is usual; no model writes a million.
  public var events = 1_000_000
  /// Messages, thoughts and calls of one answer.
  public var items = 1_024
  /// Arguments of one tool call: a large file to be written, not a library. Ends a call that never ends.
  public var argumentBytes = 1024 * 1024
  /// A thought as only its provider can read it, and an item that is kept as it is: they must fit into an event.
  public var opaqueBytes = 1024 * 1024
  /// Names and ids that a provider makes up.
  public var nameBytes = 256
  /// Of an answer that is an error, this much is read.
  public var errorBytes = 64 * 1024

  public init() {}
}

/// One provider.
public struct ProviderConfiguration: Sendable {
  /// The name that settings and the catalog use.
  public var name: String
  public var kind: ProviderKind
  /// The address before `/responses`, `/chat/completions` or `/messages`; a query stays behind the path.
  public var baseURL: String
  /// Nil: the provider asks for none.
  public var key: SecretText?
  /// Further headers of every request; they win over our own.
  public var headers: [(name: String, value: SecretText)] = []
  public var timeouts = ProviderTimeouts()
  public var retry = RetryPolicy()
  /// Requests at one time; 0: no limit. Whoever asks the provider keeps it (`FairGate`).
  public var concurrency = 0
  /// The longest answer that is asked for, in tokens; nil: the provider's own limit.
  public var maximumOutputTokens: Int?
  /// Chat Completions: in whose name the server speaks in the middle of a conversation. Many templates refuse another
  /// role than `user` there.
  public var developerRole = Role.user
  /// Anthropic: thinks within a budget of tokens, as models before Claude 4.6 do, not as deep as it sees fit.
  public var budgetsThoughts = false
  /// Responses: asks for encrypted thoughts, which models that do not think refuse.
  public var encryptsThoughts = true
  /// PEM file of the authorities that the provider's certificate is checked against, instead of the system's.
  public var authorityFile: String?
  public var limits = AnswerLimits()

  public init(name: String, kind: ProviderKind, baseURL: String) {
    self.name = name
    self.kind = kind
    self.baseURL = baseURL
  }

  /// The address of one of the API's endpoints.
  func address(_ path: String) -> String {
    let parts = baseURL.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
    var base = parts.first.map(String.init) ?? ""
    while base.hasSuffix("/") { base.removeLast() }
    return base + path + (parts.count > 1 ? "?" + parts[1] : "")
  }

  /// Texts that must not appear in any other text.
  var secrets: [String] { ([key].compactMap { $0 } + headers.map(\.value)).map(\.revealed) }
}
