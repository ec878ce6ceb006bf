// All checks of a request that are the same for every door, in one place and one order: draining, room, direction, what is
// built, rights, the tenant's rate, the disk; then, with the metadata, its deadline and its token.

import Crypto
import Foundation
import HeddleCore
import HeddleProtocol
import HeddleRuntime

/// Decides whether a request is served. Looks at values only; it changes nothing but the tenant's bucket of requests.
struct RequestGate {
  /// A request as it is known before its message is decoded.
  struct Arrival {
    var method: Method
    var tenant: String
    var isAdmin: Bool
    /// Requests of the caller that have no answer yet.
    var inFlight: Int
    /// Its client cannot know yet that the server drains.
    var comesInTime = false
  }

  enum Admission {
    case admitted
    case refused(Refusal)
  }

  let core: ServerCore

  /// The checks that come before any byte of the message is looked at.
  func admit(_ arrival: Arrival) -> Admission {
    let method = arrival.method
    if core.isDraining, !arrival.comesInTime { return .refused(Refusal(.shuttingDown)) }
    if arrival.inFlight >= Int(core.limits.requestsInFlight) {
      return .refused(Refusal(.tooManyInFlight, [("limit", "\(core.limits.requestsInFlight)")]))
    }
    if method.isServerCall { return .refused(Refusal(.wrongDirection)) }
    if method.isPlanned { return .refused(Refusal(.notImplemented, [("method", method.path)])) }
    if method.isAdmin, !arrival.isAdmin { return .refused(Refusal(.permissionDenied)) }
    if core.limits.requestsPerSecond > 0,
      let wait = core.quotas.admit(tenant: arrival.tenant, instant: core.manager.clock.instant())
    {
      return .refused(Refusal(.rateLimited, retryAfterMilliseconds: wait))
    }
    if method.isMutation, core.manager.isReadOnly {
      return .refused(Refusal(.diskFull, retryAfterMilliseconds: 1_000))
    }
    return .admitted
  }

  /// The deadline's bounds: a millisecond to a day.
  static func admit(deadlineMilliseconds deadline: Int64?) -> Admission {
    guard let deadline, deadline < 1 || deadline > 24 * 3600 * 1000 else { return .admitted }
    return .refused(Refusal(.outOfRange, [("field", "deadline_ms"), ("minimum", "1"), ("maximum", "86400000")]))
  }

  /// The value that a retry is compared with: a hash over decoded fields, not wire bytes, because a retry may be
  /// encoded differently (durability.md). Nil for requests that change nothing and for those without a key.
  static func key(
    _ key: IdempotencyKey?, tenant: String, _ request: Request, _ codec: inout Codec
  ) -> KeyContext? {
    guard let key, request.method.isMutation else { return nil }
    var bytes = codec.encode(request)
    bytes += UInt64(UInt32(bitPattern: request.method.rawValue)).bigEndianBytes
    return KeyContext(tenant: tenant, key: key, requestHash: Array(SHA256.hash(data: Data(bytes))))
  }
}
