// Why a call or a stream of the client ended without its answer. Each says whether the request may have been served,
// because that decides between a plain retry and a retry with the same idempotency key.

import HeddleCore
import HeddleProtocol

public enum HeddleError: Error, Equatable, Sendable {
  /// The server answered with an error; the request was not served.
  case refused(WireError)
  /// No connection could be made; nothing was sent.
  case cannotConnect(String)
  /// TLS could not be agreed on, or a file for it cannot be used; nothing was sent.
  case tlsFailed(String)
  /// The connection ended before the answer came; the request may have been served.
  case connectionLost
  /// The server takes no more streams and did not serve this one.
  case goingAway(GoAway)
  /// No answer came in time; the request may have been served.
  case timedOut
  /// The peer broke the protocol; the stream, or the whole connection, was ended because of it.
  case protocolViolation(String)
  /// The message is larger than the frames that the server takes; nothing was sent.
  case tooLarge(bytes: Int, limit: Int)
  /// Events of a stream came faster than they were read, and the stream was cancelled.
  case fellBehind
  /// `close()` was called.
  case closed

  /// Whether a subscription goes on by connecting again, or asking again, from its cursor; a mutation may be asked again
  /// too, with the same idempotency key.
  public var isResumable: Bool {
    switch self {
    case .connectionLost, .goingAway, .fellBehind, .cannotConnect, .timedOut: true
    // The server names a time exactly when waiting helps; a slow consumer is told to come back with its cursor.
    case .refused(let error): error.retryAfterMs != nil || error.reason == Reason.slowConsumer.rawValue
    case .protocolViolation, .tooLarge, .tlsFailed, .closed: false
    }
  }

  /// How long the server asks to be left alone.
  public var retryAfter: Duration? {
    switch self {
    case .refused(let error): error.retryAfterMs.map { .milliseconds($0) }
    case .goingAway(let goAway): goAway.error?.retryAfterMs.map { .milliseconds($0) }
    default: nil
    }
  }

  /// Bytes of the server that are not the message that they should be.
  static func undecodable(_ message: String, _ error: DecodeError) -> HeddleError {
    .protocolViolation("\(message) cannot be decoded: \(error)")
  }
}

extension HeddleError: CustomStringConvertible {
  public var description: String {
    switch self {
    case .refused(let error):
      "\(error.code.name) \(error.reason): \(error.message)" + (error.debugId.isEmpty ? "" : " [\(error.debugId)]")
    case .cannotConnect(let reason): "cannot connect: \(reason)"
    case .tlsFailed(let reason): "cannot connect by TLS: \(reason)"
    case .connectionLost:
      "the connection was lost before the answer came; retry a mutation with the same idempotency key"
    case .goingAway(let goAway):
      "the server is going away and did not serve this request: \(goAway.error?.message ?? "retry elsewhere")"
    case .timedOut: "no answer came in time; retry a mutation with the same idempotency key"
    case .protocolViolation(let what): "the server broke the protocol: \(what)"
    case .tooLarge(let bytes, let limit): "the message has \(bytes) bytes, but the server takes \(limit) at most"
    case .fellBehind: "events came faster than they were read; subscribe again after the last one that was read"
    case .closed: "the client is closed"
    }
  }
}
