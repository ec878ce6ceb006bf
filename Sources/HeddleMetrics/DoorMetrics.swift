// The values of one door on one event loop: connections, bytes, frames, requests and subscriptions.

import HeddleCore

/// Counted by the connections of one door that live on one loop.
public final class DoorMetrics: Sendable {
  public let connections = LoopValue()
  public let accepted = LoopValue()
  public let receivedBytes = LoopValue()
  public let sentBytes = LoopValue()
  public let receivedFrames = LoopValue()
  public let sentFrames = LoopValue()
  /// Bytes of frames that have not come as a whole.
  public let unfinishedBytes = LoopValue()
  public let requestsInFlight = LoopValue()
  public let glitches = LoopValue()
  public let subscriptions = LoopValue()
  public let lags = LoopValue()
  /// By `SentEvent`.
  public let events = LoopRow<3>()
  public let tlsOnPlain = LoopValue()
  /// By `Handshake`.
  let handshakes = LoopRow<8>()
  /// By method and bucket; the sums in nanoseconds by method.
  let durations = LoopRow<1_088>()
  let durationSums = LoopRow<64>()
  /// By method and code.
  let requests = LoopRow<1_088>()
  /// By reason.
  let refusals = LoopRow<128>()
  /// By reason, then the other causes.
  let closed = LoopRow<132>()

  init() {}

  /// The kinds of events of subscriptions.
  public enum SentEvent: Int, CaseIterable, Sendable { case event, delta, other }

  /// The end of a connection for which the server gave no reason.
  public enum Closing: Int, CaseIterable, Sendable {
    /// The client closed it, or the network did.
    case clientLeft
    /// Its first bytes were none of the door's protocol, or it never said who it is.
    case notUnderstood

    var name: String { self == .clientLeft ? "client_left" : "not_understood" }
  }

  /// The end of a TLS handshake.
  public enum Handshake: Int, CaseIterable, Sendable {
    case completed
    /// No agreement, or a certificate that is missing or not accepted.
    case failed
    case timedOut
    /// The client went away.
    case abandoned
    /// The first bytes were none of TLS.
    case notTLS
    /// The client named no protocol of this door.
    case wrongProtocol
    /// The client's certificate names no workload that may come in.
    case badIdentity

    var name: String {
      switch self {
      case .completed: "completed"
      case .failed: "failed"
      case .timedOut: "timed_out"
      case .abandoned: "abandoned"
      case .notTLS: "not_tls"
      case .wrongProtocol: "wrong_protocol"
      case .badIdentity: "bad_identity"
      }
    }
  }

  public func handshake(_ outcome: Handshake) { handshakes.add(1, at: outcome.rawValue) }

  // MARK: Requests

  /// A request of this method has its answer; nil: no error.
  public func answered(_ method: Method, _ code: Code?) {
    requests.add(1, at: Self.row(method) * Self.codes + Int(code?.rawValue ?? 0))
  }

  /// The answer to a request of this method left so many nanoseconds after the request came in.
  public func took(_ method: Method, nanoseconds: Int) {
    let row = Self.row(method)
    durations.add(1, at: row * Self.buckets + Self.bucket(nanoseconds))
    durationSums.add(nanoseconds, at: row)
  }

  static let buckets = 17
  /// 100 µs to 10 s.
  static let durationBounds = [
    100, 250, 500, 1_000, 2_500, 5_000, 10_000, 25_000, 50_000, 100_000, 250_000, 500_000, 1_000_000, 2_500_000,
    5_000_000, 10_000_000,
  ]
  .map { $0 * 1_000 }

  /// Constants in the code instead of a search in the list: most requests take one comparison or four.
  static func bucket(_ nanoseconds: Int) -> Int {
    if nanoseconds <= 100_000 { return 0 }
    if nanoseconds <= 250_000 { return 1 }
    if nanoseconds <= 500_000 { return 2 }
    if nanoseconds <= 1_000_000 { return 3 }
    return durationBounds.firstIndex { nanoseconds <= $0 } ?? durationBounds.count
  }

  /// A client was told this reason.
  public func refused(_ reason: Reason) { refusals.add(1, at: Self.index(reason)) }

  public func closed(_ reason: Reason) { closed.add(1, at: Self.index(reason)) }

  public func closed(_ closing: Closing) { closed.add(1, at: Self.reasons + closing.rawValue) }

  // MARK: Indices

  /// As a label: a number that is no method's has no path.
  static func name(_ method: Method) -> String { method == .unspecified ? "unspecified" : method.path }

  static let codes = 17
  static let reasons = 128
  /// Methods by number; the numbers have holes.
  private static let rows: [UInt8] = {
    var rows = [UInt8](repeating: 0, count: 1_024)
    for (index, method) in Method.allCases.enumerated() { rows[Int(method.rawValue)] = UInt8(index) }
    return rows
  }()
  private static let indices = Dictionary(uniqueKeysWithValues: zip(Reason.allCases, 0...))

  static func row(_ method: Method) -> Int { Int(rows[Int(method.rawValue)]) }

  private static func index(_ reason: Reason) -> Int { indices[reason] ?? 0 }
}
