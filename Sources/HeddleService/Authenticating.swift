// The identity of a caller: decided before there is one, over the credentials of its connection and its call.

import HeddleCore
import HeddleRuntime
import HeddleTokens
import Logging

package enum Authenticated {
  case accepted(Credential, generation: UInt64)
  /// The answer goes out after this time.
  case refused(Refusal, afterMilliseconds: Int64)
}

extension ServerCore {
  /// Decides over a peer's token and identities. A wrong one is always refused in the same words; the cause is in the
  /// log, as long as it is not a flood, and every guess waits longer for its answer (attacks.md A2, R21).
  package func authenticate(_ token: String, _ peer: PeerIdentity, from address: String) -> Authenticated {
    // Asked before the token is, so that no change of the files falls between the two.
    let generation = authentication?.generation ?? 0
    switch credential(of: token, peer) {
    case .success(let credential): return .accepted(credential, generation: generation)
    case .failure(let fault): return refused(fault, address)
    }
  }

  private func refused(_ fault: TokenFault, _ address: String) -> Authenticated {
    let reason = Self.reason(fault)
    // A name cannot be guessed at, since a proxy or an authority vouches for it; a token can.
    let wait = reason == .invalidToken ? quotas.badToken(address: address, instant: manager.clock.instant()) : 0
    if reason != .missingToken {
      logger.log(
        level: wait > 0 ? .debug : .info,
        fault.concernsIdentity ? "an identity was refused" : "a token was refused",
        metadata: ["cause": "\(fault.rawValue)", "address": "\(address)"])
    }
    if reason != .missingToken { auditRefusal(fault, from: address) }
    if fault.concernsIdentity { metrics.identities.refused.add(1) }
    return .refused(Refusal(reason), afterMilliseconds: wait)
  }

  static func reason(_ fault: TokenFault) -> Reason {
    switch fault {
    case .missing: .missingToken
    case .unbound: .tokenNotBound
    case .unknownIdentity: .unknownIdentity
    case .invalidIdentity: .invalidIdentity
    case .ended: .tokenExpired
    case .unknown, .tooLong, .form, .header, .algorithm, .key, .signature, .claims, .expired, .early, .issuer,
      .audience, .bound, .tenant, .otherTenant:
      .invalidToken
    }
  }

  func credential(of token: String, _ peer: PeerIdentity) -> Result<Credential, TokenFault> {
    let now = manager.clock.now()
    if let authentication { return authentication.credential(of: token, peer, now: now) }
    let everybody = Credential.everybody(peer)
    return everybody.isCurrent(at: now) ? .success(everybody) : .failure(.ended)
  }

}
