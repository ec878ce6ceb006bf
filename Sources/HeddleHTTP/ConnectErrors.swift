// Errors as the Connect protocol carries them (connectrpc.com/docs/protocol).

import HeddleCore
import HeddleJSON
import HeddleProtocol

enum ConnectErrors {
  /// The object of an error.
  static func value(_ error: WireError) -> JSONValue {
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

  /// The whole answer to a unary call.
  static func response(_ error: WireError) -> HTTPResponse {
    var response = HTTPResponse(status(error.code), "application/json", Array(value(error).written().utf8))
    response.headers.append(("heddle-reason", error.reason))
    if error.code == .unauthenticated { response.headers.append(("www-authenticate", "Bearer")) }
    if let wait = error.retryAfterMs, wait > 0 {
      response.headers.append(("retry-after", String((wait + 999) / 1_000)))
    }
    return response
  }

  /// The last message of a stream.
  static func end(_ error: WireError?) -> [UInt8] {
    Array(JSONValue.object(error.map { [.init("error", value($0))] } ?? []).written().utf8)
  }

  static func status(_ code: Code) -> Int {
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
