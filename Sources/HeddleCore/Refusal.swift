// A refusal: the peer's fault, answered. Rules throw it; the connection turns it into an ERROR frame.

/// Why something was not done, and the facts that go with the reason.
public struct Refusal: Error, Equatable, Sendable {
  public var reason: Reason
  public var details: [ErrorDetail]
  public var retryAfterMilliseconds: Int64?

  public init(_ reason: Reason, _ details: [(String, String)] = [], retryAfterMilliseconds: Int64? = nil) {
    self.reason = reason
    self.details = details.map { ErrorDetail(name: $0.0, value: $0.1) }
    self.retryAfterMilliseconds = retryAfterMilliseconds
  }

  /// As it goes on the wire: the advice, then the facts in words.
  public var wire: WireError {
    var text = reason.advice
    if !details.isEmpty {
      text += " (" + details.map { "\($0.name): \($0.value)" }.joined(separator: ", ") + ")"
    }
    return WireError(
      code: reason.code, reason: reason.rawValue, message: text, retryAfterMs: retryAfterMilliseconds, details: details)
  }
}
