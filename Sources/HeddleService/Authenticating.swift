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
    case .failure(.missing): return .refused(Refusal(.missingToken), afterMilliseconds: 0)
    case .failure(let fault):
      let wait = quotas.badToken(address: address, instant: manager.clock.instant())
      logger.log(
        level: wait > 0 ? .debug : .info, "a token was refused",
        metadata: ["cause": "\(fault.rawValue)", "address": "\(address)"])
      return .refused(Refusal(.invalidToken), afterMilliseconds: wait)
    }
  }

  func credential(of token: String, _ peer: PeerIdentity) -> Result<Credential, TokenFault> {
    guard let authentication else { return .success(.everybody) }
    return authentication.credential(of: token, now: manager.clock.now())
  }
}
