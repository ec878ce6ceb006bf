// The faults of an answer, in our own words. A provider's text is quoted only where it says what to mend, short and
// without control characters, and never where it could repeat a key.

import HeddleCore
import HeddleJSON
import HeddleProtocol
import HeddleRuntime

/// A try that failed.
struct AnswerFault: Error, Equatable, Sendable {
  var failure: ModelFailure
  /// The same request may well succeed a little later.
  var isRetried = false
  /// The provider asked for this wait.
  var retryAfterMilliseconds: Int64?
}

/// An error as providers tell it, in the answer of a refused request or in the middle of a stream.
struct ProviderError: Equatable, Sendable {
  /// `type` and `code`, whichever there are.
  var codes: [String] = []
  var message = ""

  init(codes: [String] = [], message: String = "") {
    self.codes = codes
    self.message = message
  }

  /// All three APIs, and most of those who copy them, have `{"error": {"type", "code", "message"}}`; some put a text, or
  /// the members themselves, in its place.
  init(_ json: JSONValue?) {
    let error = json?["error"] ?? json
    message = error?["message"]?.string ?? error?.string ?? error?["detail"]?.string ?? ""
    codes = [error?["type"], error?["code"]].compactMap { $0?.string }
  }
}

/// The words for one provider's failures.
struct FailureWords: Sendable {
  let provider: String
  let secrets: [String]

  init(provider: String, secrets: [String] = []) {
    self.provider = provider
    self.secrets = secrets
  }

  // MARK: What the provider refused

  /// `status`: of the HTTP answer; nil in the middle of a stream.
  func fault(_ error: ProviderError, status: Int? = nil, retryAfter: Int64? = nil) -> AnswerFault {
    func isOne(of codes: String...) -> Bool { error.codes.contains { codes.contains($0) } }
    let shown = quoted(error.message, status: status)
    if isContextOverflow(error, status) {
      return ended(
        .contextWindow,
        "The history is longer than the model's context\(shown); compact the thread, or choose a model with a larger one."
      )
    }
    if status == 401 || status == 403 || isOne(of: "authentication_error", "permission_error", "invalid_api_key") {
      return ended(
        .unauthorized, "The provider `\(provider)` does not accept the key; check its key in the configuration.")
    }
    if status == 402 || isOne(of: "insufficient_quota", "billing_error", "billing_hard_limit_reached") {
      return ended(
        .rateLimited, "The account at the provider `\(provider)` has no credit left; see to its plan and billing.")
    }
    if status == 429 || isOne(of: "rate_limit_error", "rate_limit_exceeded", "too_many_requests") {
      return later(
        .rateLimited, "The provider `\(provider)` limits how often it is asked; try again later.", status, retryAfter)
    }
    if status == 529 || isOne(of: "overloaded_error", "server_is_overloaded", "slow_down", "overloaded") {
      return later(.rateLimited, "The provider `\(provider)` is overloaded; try again later.", status, retryAfter)
    }
    let isFailure =
      status.map(Self.mayPass)
      ?? isOne(
        of: "server_error", "api_error", "timeout_error", "internal_error", "internal_server_error", "unavailable")
    if isFailure {
      return retried(.modelFailed, "The provider `\(provider)` failed\(shown); try again later.", retryAfter)
    }
    if status == 404 {
      return ended(
        .modelFailed, "The provider `\(provider)` has no such model or address\(shown); check both.")
    }
    if let status, (300...399).contains(status) {
      return ended(
        .modelFailed, "The provider `\(provider)` points elsewhere (HTTP \(status)); configure its final address.")
    }
    return ended(
      .modelFailed,
      "The provider `\(provider)` refused the request\(shown); correct the settings, or choose another model.")
  }

  /// The same request may succeed a little later. A status says more than the body's code: a provider that answers 400
  /// will do so again, whatever it calls the error.
  private static func mayPass(_ status: Int) -> Bool { [408, 409, 429].contains(status) || status >= 500 }

  /// Tried again unless the status refuses the request.
  private func later(_ reason: TurnFailure, _ message: String, _ status: Int?, _ wait: Int64?) -> AnswerFault {
    if let status, !Self.mayPass(status) { return ended(reason, message) }
    return retried(reason, message, wait)
  }

  private func isContextOverflow(_ error: ProviderError, _ status: Int?) -> Bool {
    if status == 413 { return true }
    let codes = ["context_length_exceeded", "exceed_context_size_error", "request_too_large"]
    if error.codes.contains(where: { codes.contains($0) }) { return true }
    // Not every provider has a code for it.
    guard status == nil || status == 400 || status == 422 else { return false }
    let message = error.message.lowercased()
    let signs = [
      "maximum context length", "prompt is too long", "exceed context limit", "exceeds the available context size",
      "exceeds the context window", "exceeds the model's context",
    ]
    return signs.contains { message.contains($0) }
  }

  // MARK: What is wrong with the stream

  /// The stream is not what the API promises. Another try would most likely get the same.
  func invalid(_ what: String) -> AnswerFault {
    ended(
      .outputInvalid,
      "The answer of the provider `\(provider)` breaks its protocol: \(what); try again, or check the provider's kind and address."
    )
  }

  func tooLarge(_ what: String) -> AnswerFault {
    ended(.outputTooLarge, "The model's answer was cut off: \(what); ask for less at once.")
  }

  /// The model stopped at its limit of tokens, and what it said is not whole.
  func cutShort() -> AnswerFault {
    ended(
      .outputTooLarge,
      "The model reached the most tokens that one answer may have; ask for less, or raise the provider's maximumOutputTokens."
    )
  }

  func filtered() -> AnswerFault {
    ended(
      .modelFailed, "The provider `\(provider)` withheld the answer by its content rules; put the request differently.")
  }

  func fault(_ fault: StreamFault, _ limits: AnswerLimits) -> AnswerFault {
    switch fault {
    case .lineTooLong: tooLarge("one line of it has more than \(limits.lineBytes) bytes")
    case .eventTooLong: tooLarge("one event of it has more than \(limits.eventBytes) bytes")
    case .notUTF8: invalid("it is not UTF-8")
    }
  }

  // MARK: What happened on the way

  /// The stream ended, or broke, before the answer was whole.
  func broken() -> AnswerFault {
    retried(
      .outputInvalid, "The answer of the provider `\(provider)` broke off before it was whole; start the turn again.",
      nil)
  }

  /// The connection was lost before an answer began.
  func lost() -> AnswerFault {
    retried(.modelFailed, "The connection to the provider `\(provider)` was lost; start the turn again.", nil)
  }

  func unreachable() -> AnswerFault {
    retried(
      .modelFailed,
      "The provider `\(provider)` cannot be reached; check its address, its certificate and the network.", nil)
  }

  func connectTimeout(_ milliseconds: Int64) -> AnswerFault {
    retried(
      .modelTimeout, "The provider `\(provider)` could not be reached within \(milliseconds) ms; check the network.",
      nil)
  }

  /// A stall is not tried again: it would wait as long once more, and pay for the work twice.
  func stalled(beforeFirstByte: Bool, _ milliseconds: Int64) -> AnswerFault {
    let what = beforeFirstByte ? "did not begin to answer within" : "said nothing for"
    return ended(
      .modelTimeout,
      "The provider `\(provider)` \(what) \(milliseconds) ms; start the turn again, or choose another model.")
  }

  /// Tried again no more than a stall.
  func silent(_ milliseconds: Int64) -> AnswerFault {
    ended(
      .modelTimeout,
      "The provider `\(provider)` kept its connection alive, but nothing of an answer came for \(milliseconds) ms; "
        + "start the turn again, or choose another model.")
  }

  // MARK: Parts

  private func ended(_ reason: TurnFailure, _ message: String) -> AnswerFault {
    AnswerFault(failure: ModelFailure(reason, message))
  }

  private func retried(_ reason: TurnFailure, _ message: String, _ wait: Int64?) -> AnswerFault {
    AnswerFault(failure: ModelFailure(reason, message), isRetried: true, retryAfterMilliseconds: wait)
  }

  /// ` (HTTP 400: what it said)`; empty when there is nothing to say.
  private func quoted(_ message: String, status: Int?) -> String {
    let parts = [status.map { "HTTP \($0)" }, excerpt(message)].compactMap { $0 }.filter { !$0.isEmpty }
    return parts.isEmpty ? "" : " (\(parts.joined(separator: ": ")))"
  }

  static let excerptCharacters = 200

  /// At most 200 characters of a provider's text, on one line, without anything secret.
  func excerpt(_ text: String) -> String {
    // Cut only after secrets are out, or half of one would stay.
    var shown = String(text.unicodeScalars.prefix(64 * 1024).map { Self.isShown($0) ? Character($0) : " " })
    for secret in secrets where secret.utf8.count >= 4 { shown = Self.replacing(secret, in: shown) }
    return String(shown.prefix(Self.excerptCharacters))
  }

  /// Not what controls a terminal, ends a line or turns the direction of writing.
  private static func isShown(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.properties.generalCategory {
    case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .privateUse, .unassigned: false
    default: true
    }
  }

  private static func replacing(_ secret: String, in text: String) -> String {
    let needle = Array(secret.unicodeScalars)
    let hay = Array(text.unicodeScalars)
    var out = String.UnicodeScalarView()
    var at = 0
    while at < hay.count {
      if hay[at...].starts(with: needle) {
        out.append(contentsOf: "***".unicodeScalars)
        at += needle.count
      } else {
        out.append(hay[at])
        at += 1
      }
    }
    return String(out)
  }
}
