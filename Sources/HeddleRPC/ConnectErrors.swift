// Errors as the Connect protocol carries them (connectrpc.com/docs/protocol).

import HeddleCore
import HeddleJSON
import HeddleProtocol

package enum ConnectErrors {
  /// The object of an error.
  package static func value(_ error: WireError) -> JSONValue {
    let details = StatusDetails(error).details.map { detail in
      JSONValue.object([
        .init("type", .text("google.rpc." + detail.type)), .init("value", .text(Base64.unpadded(detail.value))),
      ])
    }
    return .object([
      // Connect writes this one code with one L.
      .init("code", .text(error.code == .cancelled ? "canceled" : error.code.name.lowercased())),
      .init("message", .text(error.message)),
      .init("details", .list(details)),
    ])
  }

  /// The body of the answer to a unary call.
  package static func body(_ error: WireError) -> [UInt8] { Array(value(error).written().utf8) }

  /// The headers that stand with it.
  package static func headers(_ error: WireError) -> [(name: StaticString, value: String)] {
    var headers: [(name: StaticString, value: String)] = [("heddle-reason", error.reason)]
    if error.code == .unauthenticated { headers.append(("www-authenticate", "Bearer")) }
    if let wait = error.retryAfterMs, wait > 0 { headers.append(("retry-after", String((wait + 999) / 1_000))) }
    return headers
  }

  /// The last message of a stream; nil: the stream ends well.
  package static func end(_ error: WireError?) -> [UInt8] {
    guard let error else { return Array("{}".utf8) }
    let metadata = JSONValue.object([.init("heddle-reason", .list([.text(error.reason)]))])
    return Array(JSONValue.object([.init("error", value(error)), .init("metadata", metadata)]).written().utf8)
  }

  package static func status(_ code: Code) -> Int {
    switch code {
    case .cancelled: 499
    case .invalidArgument, .failedPrecondition, .outOfRange: 400
    case .deadlineExceeded: 504
    case .notFound: 404
    case .alreadyExists, .aborted: 409
    case .permissionDenied: 403
    case .resourceExhausted: 429
    case .unimplemented: 501
    case .unavailable: 503
    case .unauthenticated: 401
    case .unspecified, .unknown, .internal, .dataLoss: 500
    }
  }
}
