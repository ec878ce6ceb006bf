// An error as gRPC and Connect carry it: `google.rpc.Status` with details. Our schema imports nothing, so these few messages
// are written by hand (googleapis: google/rpc/status.proto, error_details.proto).

import HeddleCore

/// A `google.rpc.Status` of an error of ours. For HeddleProtocol.
public struct StatusDetails: WireWritable, Sendable {
  /// The domain of our reasons in ErrorInfo.
  public static let domain = "heddle.v1"

  private static let prefix = "type.googleapis.com/google.rpc."

  /// One detail: its type's name after `google.rpc.`, and its bytes.
  public struct Detail: Equatable, Sendable {
    public var type: String
    public var value: [UInt8]
  }

  public let error: WireError
  public let details: [Detail]

  public init(_ error: WireError) {
    self.error = error
    var details = [Detail(type: "ErrorInfo", value: Self.bytes(ErrorInfo(error: error)))]
    if let wait = error.retryAfterMs, wait > 0 {
      details.append(Detail(type: "RetryInfo", value: Self.bytes(RetryInfo(milliseconds: wait))))
    }
    if !error.debugId.isEmpty {
      details.append(Detail(type: "RequestInfo", value: Self.bytes(RequestInfo(id: error.debugId))))
    }
    self.details = details
  }

  private static func bytes(_ message: some WireWritable) -> [UInt8] {
    var writer = BackwardWriter()
    message.write(&writer)
    return Array(writer.bytes)
  }

  public func write(_ out: inout BackwardWriter) {
    for detail in details.reversed() {
      let before = out.count
      out.bytes(detail.value, 2 << 3 | 2)
      out.text(Self.prefix + detail.type, 1 << 3 | 2)
      out.unsigned(UInt64(out.count - before))
      out.unsigned(3 << 3 | 2 as UInt64)
    }
    if !error.message.isEmpty { out.text(error.message, 2 << 3 | 2) }
    if error.code != .unspecified { out.signed(Int64(error.code.rawValue), 1 << 3) }
  }

  /// The reason, where it is defined, and the facts.
  private struct ErrorInfo: WireWritable {
    let error: WireError

    func write(_ out: inout BackwardWriter) {
      for fact in error.details.reversed() {
        let before = out.count
        out.text(fact.value, 2 << 3 | 2)
        out.text(fact.name, 1 << 3 | 2)
        out.unsigned(UInt64(out.count - before))
        out.unsigned(3 << 3 | 2 as UInt64)
      }
      out.text(StatusDetails.domain, 2 << 3 | 2)
      out.text(error.reason, 1 << 3 | 2)
    }
  }

  /// The time to wait before a retry.
  private struct RetryInfo: WireWritable {
    let milliseconds: Int64

    func write(_ out: inout BackwardWriter) {
      let before = out.count
      let nanoseconds = milliseconds % 1_000 * 1_000_000
      if nanoseconds > 0 { out.signed(nanoseconds, 2 << 3) }
      if milliseconds >= 1_000 { out.signed(milliseconds / 1_000, 1 << 3) }
      out.unsigned(UInt64(out.count - before))
      out.unsigned(1 << 3 | 2 as UInt64)
    }
  }

  /// The line of the server's log.
  private struct RequestInfo: WireWritable {
    let id: String

    func write(_ out: inout BackwardWriter) { out.text(id, 1 << 3 | 2) }
  }
}
