// The one error of the client. It says whether a change may have happened, because that decides how a program goes on.

import HeddleCore
import HeddleProtocol

public struct HeddleError: Error, Equatable, Sendable {
  public enum Kind: String, Sendable, CaseIterable {
    /// The server answered with an error.
    case refused = "Refused"
    /// No server could be reached, and nothing was sent.
    case cannotConnect = "CannotConnect"
    /// The connection ended before the answer came.
    case lost = "Lost"
    /// The call's time was over.
    case timedOut = "TimedOut"
    /// The server sent something that no server of this protocol sends.
    case violation = "Protocol"
    /// A message is larger than a frame may be.
    case tooLarge = "TooLarge"
    /// The client is closed.
    case closed = "Closed"
    /// The program's task was cancelled.
    case cancelled = "Cancelled"
    /// A turn ended without a result.
    case turnFailed = "TurnFailed"
  }

  public var kind: Kind
  public var message: String
  /// The server's words: the answer of a refusal, the error of a turn that failed, the reason why a connection ended.
  public var refusal: WireError?
  /// The number of attempts to send the call.
  public var attempts = 1
  /// A change may have been made although no answer said so. The same call with the same key tells.
  public var mayHaveHappened = false
  /// No connection could be made because of TLS.
  public var isAboutTLS = false
  /// The connection was cut in its handshake.
  var isCut = false
  /// The end of a turn, and its text until then.
  public var turnStatus = TurnStatus.unspecified
  public var text = ""
  /// The server has said that it did not serve the call.
  var isUnserved = false

  public init(_ kind: Kind, _ message: String, refusal: WireError? = nil) {
    self.kind = kind
    self.message = message
    self.refusal = refusal
  }

  /// A refusal of the server. A handler of a tool may throw one, which goes to the server as it is.
  public static func refused(_ error: WireError) -> HeddleError {
    HeddleError(.refused, error.message, refusal: error)
  }

  /// Code of a refusal.
  public var code: Code? { kind == .refused ? refusal?.code : nil }

  /// The stable name of a refusal, or of why a turn failed, to switch on (docs/errors.md); empty: there is none.
  public var reason: String { kind == .refused || kind == .turnFailed ? refusal?.reason ?? "" : "" }

  /// Facts about a refusal by their names.
  public var details: [String: String] {
    Dictionary((refusal?.details ?? []).map { ($0.name, $0.value) }, uniquingKeysWith: { $1 })
  }

  /// The time for which the server asks to be left alone.
  public var retryAfter: Duration? { refusal?.retryAfterMs.map { .milliseconds($0) } }

  /// The next step that the server's reason asks for, also where it came with the end of a connection.
  var retry: Retry? {
    guard let refusal, !refusal.reason.isEmpty, kind == .refused || kind == .lost else { return nil }
    return Reason(rawValue: refusal.reason)?.retry ?? .never
  }

  /// Its name in logs and hooks.
  var label: String { reason.isEmpty ? kind.rawValue : reason }
}

extension HeddleError: CustomStringConvertible {
  public var description: String {
    switch kind {
    case .refused:
      guard let refusal else { return message }
      return "\(refusal.code.name) \(refusal.reason): \(refusal.message)"
        + (refusal.debugId.isEmpty ? "" : " [\(refusal.debugId)]")
    case .cannotConnect: return "cannot connect: \(message)"
    case .violation: return "the server broke the protocol: \(message)"
    case .lost, .timedOut, .tooLarge, .closed, .cancelled, .turnFailed: return message
    }
  }
}

extension HeddleError {
  static let closed = HeddleError(.closed, "the client is closed")
  static let cancelled = HeddleError(.cancelled, "the task was cancelled")
  static let timedOut = HeddleError(.timedOut, "the call's time is over; call again with the same idempotency key")

  static func violation(_ text: String) -> HeddleError { HeddleError(.violation, text) }

  static func lost(_ text: String) -> HeddleError { HeddleError(.lost, text) }

  static func tls(_ text: String) -> HeddleError {
    var error = HeddleError(.cannotConnect, text)
    error.isAboutTLS = true
    return error
  }

  static func unserved(_ text: String) -> HeddleError {
    var error = HeddleError(.lost, text)
    error.isUnserved = true
    return error
  }

  /// The error of calls whose connection has ended: they may have been served.
  static func lost(by cause: HeddleError) -> HeddleError {
    if cause.kind == .violation || cause.kind == .tooLarge { return cause }
    var error = HeddleError(.lost, cause.message, refusal: cause.refusal)
    if cause.kind == .refused { error.message = "\(cause)" }
    return error
  }

  static func undecodable(_ message: String, _ error: DecodeError) -> HeddleError {
    .violation("\(message) cannot be decoded: \(error)")
  }
}
