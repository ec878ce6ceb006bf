// The parts of a call that stand in headers beside its message, the same for gRPC and Connect: the token, the key, the
// deadline, the trace and the identities that a proxy vouches for.

import HeddleCore
import HeddleListener
import HeddleProtocol
import HeddleTokens

/// Collected header by header. Values that cannot be read make a refusal, which is answered when the head is complete.
package struct CallMetadata {
  package private(set) var token: [UInt8] = []
  package var deadlineMilliseconds: UInt64?
  package var refusal: Refusal?
  private var key: IdempotencyKey?
  private var traceparent = ""
  private var tracestate = ""
  private var requestID = ""
  private var xfcc: [String] = []
  private var l5d: [String] = []
  private var hasToken = false

  package init() {}

  /// Takes one header by its name in lower case; false: it means nothing to a call.
  package mutating func take(_ name: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) -> Bool {
    switch name.count {
    case 13 where name.equals("authorization"): takeToken(value)
    case 26 where name.equals("heddle-idempotency-key-bin"): takeKey(value)
    case 11 where name.equals("traceparent"): traceparent = value.text
    case 10 where name.equals("tracestate"): tracestate = value.text
    case 12 where name.equals("x-request-id"): requestID = value.text
    case 23 where name.equals("x-forwarded-client-cert"): xfcc.append(value.text)
    case 13 where name.equals("l5d-client-id"): l5d.append(value.text)
    default: return false
    }
    return true
  }

  private mutating func takeToken(_ value: UnsafeRawBufferPointer) {
    let scheme = StaticString("bearer ")
    guard !hasToken else { return refuse(Refusal(.invalidToken)) }
    hasToken = true
    guard value.count > scheme.utf8CodeUnitCount,
      value.prefix(scheme.utf8CodeUnitCount).elementsEqual("bearer ".utf8, by: { $0 | 0x20 == $1 })
    else { return refuse(Refusal(.invalidToken)) }
    token = Array(value.dropFirst(scheme.utf8CodeUnitCount))
  }

  private mutating func takeKey(_ value: UnsafeRawBufferPointer) {
    guard let bytes = Base64.bytes(value.text), bytes.count == 16 else {
      return refuse(Refusal(.badId, [("field", "heddle-idempotency-key-bin")]))
    }
    let words = bytes.withUnsafeBytes { raw in
      (raw.loadUnaligned(as: UInt64.self), raw.loadUnaligned(fromByteOffset: 8, as: UInt64.self))
    }
    key = IdempotencyKey(high: UInt64(bigEndian: words.0), low: UInt64(bigEndian: words.1))
  }

  /// The first fault is the one that is told.
  package mutating func refuse(_ refusal: Refusal) { self.refusal = self.refusal ?? refusal }

  /// Nil: nothing of it is there.
  package var metadata: Metadata? {
    let isPlain =
      key == nil && deadlineMilliseconds == nil && traceparent.isEmpty && tracestate.isEmpty && requestID.isEmpty
    if isPlain { return nil }
    return Metadata(
      traceparent: traceparent, tracestate: tracestate, requestId: requestID,
      deadlineMs: deadlineMilliseconds.map { Int64(clamping: $0) }, idempotencyKey: key)
  }

  /// The identities of the connection, and the one that a trusted proxy vouches for in this call.
  package func identity(of peer: Peer) -> Result<PeerIdentity, Refusal> {
    peer.identity(xfcc: xfcc, l5dClientID: l5d)
  }
}

extension UnsafeRawBufferPointer {
  package func equals(_ text: StaticString) -> Bool {
    count == text.utf8CodeUnitCount && elementsEqual(UnsafeRawBufferPointer(start: text.utf8Start, count: count))
  }

  var text: String { String(decoding: self, as: UTF8.self) }
}
