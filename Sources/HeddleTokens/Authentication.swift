// Credentials that the server accepts: static tokens of a file, web tokens signed with a known key, and identities that a
// file names. The files are read anew when they change, so that keys are rotated and tokens taken back without a restart
// (attacks.md A11).

import Crypto
import Foundation
import Synchronization

/// Decides over credentials. Shared by all connections. A signature is checked in place, on the connection's loop: in a debug
/// build that takes 0.1 to 0.2 ms, with Ed25519 0.6, with P-384 and P-521 2.5.
public final class Authentication: Sendable {
  public enum Reload: Equatable, Sendable {
    case unchanged
    case renewed
    /// The credentials that were read before stay in force.
    case failed(String)
  }

  /// The content of the files at one time.
  private final class Credentials: Sendable {
    let tokens: Tokens?
    let keys: WebTokenKeys?
    let identities: IdentityTable?

    init(tokens: Tokens?, keys: WebTokenKeys?, identities: IdentityTable?) {
      self.tokens = tokens
      self.keys = keys
      self.identities = identities
    }
  }

  private struct State {
    var credentials: Credentials
    /// Of the files as they were when they were last read, well or not.
    var stamps: [FileStamp?]
    /// Of the newest reading in force; readings that began before it come too late.
    var reading: UInt64 = 0
    var readingsBegun: UInt64 = 0
  }

  /// The files as configured; at least one of them.
  private struct Files {
    var tokens: String?
    var webTokens: WebTokenConfiguration?
    var identities: String?

    var stamps: [FileStamp?] {
      ([tokens, identities].compactMap(\.self) + (webTokens?.paths ?? [])).map { FileStamp($0) }
    }

    func read() throws(CredentialFileError) -> Credentials {
      Credentials(
        tokens: try tokens.map { path throws(CredentialFileError) in try Tokens(file: path) },
        keys: try webTokens.map { web throws(CredentialFileError) in try WebTokenKeys(web) },
        identities: try identities.map { path throws(CredentialFileError) in try IdentityTable(file: path) })
    }
  }

  private let files: Files
  private let rules: ClaimRules?
  private let state: Mutex<State>
  private let generationCount = Atomic<UInt64>(0)

  /// At least one of the three; reads their files, which an event loop must not wait for.
  public init(
    tokenFile: String?, webTokens: WebTokenConfiguration?, identitiesFile: String? = nil
  ) async throws(CredentialFileError) {
    files = Files(tokens: tokenFile, webTokens: webTokens, identities: identitiesFile)
    rules = webTokens?.rules
    let stamps = files.stamps
    state = Mutex(State(credentials: try files.read(), stamps: stamps))
  }

  /// Static tokens and identities that stand in no file, and never change.
  package init(tokens: String, identities: String? = nil) throws(CredentialFileError) {
    files = Files()
    rules = nil
    let credentials = Credentials(
      tokens: try Tokens(text: tokens), keys: nil,
      identities: try identities.map { text throws(CredentialFileError) in try IdentityTable(text: text) })
    state = Mutex(State(credentials: credentials, stamps: []))
  }

  /// The kinds of credentials that are accepted, as the ready line names them.
  public var description: String {
    [
      files.tokens.map { _ in "token" }, files.webTokens.map { _ in "jwt" }, files.identities.map { _ in "identity" },
    ].compactMap(\.self).joined(separator: ",")
  }

  // MARK: Credentials

  /// The credential of a caller: its token, else its certificate, else the identity in a header, else that of its PROXY
  /// header. A certificate whose identity no line names may be a proxy's own, so the proxy's word about its client comes
  /// next; the word of one proxy is not passed over for that of another.
  package func credential(
    of token: String, _ peer: PeerIdentity = PeerIdentity(), now: Int64
  ) -> Result<Credential, TokenFault> {
    if let certificate = peer.certificate, !certificate.isCurrent(at: now) { return .failure(.ended) }
    guard !peer.isInvalid else { return .failure(.invalidIdentity) }
    let credentials = state.withLock(\.credentials)
    let ofCertificate = credentials.identities?.principal(of: peer.certificate?.identity, via: .certificate)
    guard token.isEmpty else {
      return self.credential(token, credentials, peer, now: now).flatMap { credential in
        // The holder of a certificate may use tokens of its own tenant alone (attacks.md T17).
        guard let ofCertificate, !ofCertificate.isOf(credential.principal.tenant) else { return .success(credential) }
        return .failure(.otherTenant)
      }
    }
    let forwarded = peer.forwarded ?? peer.proxied
    let principal =
      ofCertificate
      ?? credentials.identities?.principal(of: forwarded, via: peer.forwarded == nil ? .proxy : .header)
    if let principal, let identity = ofCertificate == nil ? forwarded : peer.certificate?.identity {
      return .success(Credential(principal: principal, proof: .identity(identity), peer: peer))
    }
    let hasName = forwarded != nil || peer.certificate?.identity != nil
    return .failure(hasName && credentials.identities != nil ? .unknownIdentity : .missing)
  }

  /// The credential that the token proves; static tokens are looked up first, in constant time.
  private func credential(
    _ token: String, _ credentials: Credentials, _ peer: PeerIdentity, now: Int64
  ) -> Result<Credential, TokenFault> {
    guard token.utf8.count <= JSONWebToken.maximumBytes else { return .failure(.tooLong) }
    let digest = Array(SHA256.hash(data: Data(token.utf8)))
    if let principal = credentials.tokens?.principal(digest: digest) {
      return .success(Credential(principal: principal, proof: .token, digest: digest, peer: peer))
    }
    guard let keys = credentials.keys, let rules else { return .failure(.unknown) }
    do throws(TokenFault) {
      let token = try JSONWebToken(token)
      let entry = try keys.entry(for: token)
      let (principal, expiresAt) = try rules.check(
        try token.claims(), certificate: peer.certificate?.digest, now: now)
      return .success(
        Credential(
          principal: principal, proof: .key(entry.digest), digest: digest, expiresAt: expiresAt, peer: peer))
    } catch {
      return .failure(error)
    }
  }

  /// Rises with every change of the files.
  package var generation: UInt64 { generationCount.load(ordering: .acquiring) }

  /// True while the files still accept this credential.
  package func holds(_ credential: Credential) -> Bool {
    let credentials = state.withLock(\.credentials)
    switch credential.proof {
    case .none: return true
    case .token: return credentials.tokens?.principal(digest: credential.digest) == credential.principal
    case .key(let digest): return credentials.keys?.has(digest) ?? false
    case .identity(let identity):
      return credentials.identities?.principal(of: identity, via: credential.principal.via) == credential.principal
    }
  }

  // MARK: Files

  /// Reads the files again if one of them has changed, or in any case with `always`.
  public func reload(always: Bool = false) async -> Reload {
    let stamps = files.stamps
    guard !stamps.isEmpty else { return .unchanged }
    let reading: UInt64? = state.withLock { state in
      guard always || stamps != state.stamps else { return nil }
      state.stamps = stamps
      state.readingsBegun += 1
      return state.readingsBegun
    }
    guard let reading else { return .unchanged }
    do throws(CredentialFileError) {
      let credentials = try files.read()
      state.withLock { state in
        guard reading > state.reading else { return }
        state.reading = reading
        state.credentials = credentials
      }
      generationCount.add(1, ordering: .releasing)
      return .renewed
    } catch {
      return .failed(error.description)
    }
  }
}
