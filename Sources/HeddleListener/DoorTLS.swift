// TLS of one door: its files, and the context that new handshakes use. The files are read anew when they change; a pair that
// does not fit or is not valid changes nothing (attacks.md T13).
//
// TLS.N1  A context holds a key that fits its certificate, which is valid when the context is made.
// TLS.N2  An open connection keeps the context of its handshake. A certificate authority that a reload takes away is
//         distrusted for every connection whose certificate it has signed.

import Foundation
import HeddleMetrics
import HeddleService
import HeddleTokens
import NIOCore
import NIOSSL
import Synchronization

public final class DoorTLS: Sendable {
  /// Whether clients show a certificate.
  public enum Client: String, CaseIterable, Sendable { case none, optional, require }

  /// As configured.
  public struct Files: Sendable {
    public var certificate: String
    public var key: String
    /// Authorities that sign clients' certificates.
    public var clientCA: String?
    public var client = Client.none
    /// Those of SPIFFE identities that count; if there are any, a client's certificate must name one.
    public var trustDomains: Set<String> = []

    public init(certificate: String, key: String) {
      self.certificate = certificate
      self.key = key
    }
  }

  public enum Reload: Equatable, Sendable {
    case unchanged
    case renewed
    /// The context that was made before stays in force.
    case failed(String)
  }

  private struct State {
    var context: NIOSSLContext
    var authorities: ClientAuthorities
    /// Seconds since 1970.
    var expiresAt: Int
    var stamps: [FileStamp?]
    var protocols: [String] = []
    /// The door and where its certificate is counted, once it is open.
    var door: (name: String, metrics: TLSMetrics)?
  }

  private let files: Files
  private let state: Mutex<State>

  public var client: Client { files.client }

  /// Reads the files, which an event loop must not wait for.
  public init(_ files: Files) throws(CredentialFileError) {
    self.files = files
    let stamps = Self.stamps(files)
    let material = try TLSMaterial(files)
    state = Mutex(
      State(
        context: try material.context([]), authorities: ClientAuthorities(material.authorities),
        expiresAt: material.expiresAt, stamps: stamps))
  }

  /// The door opens with these protocols. The files may have changed since they were read.
  func open(_ name: String, _ protocols: ApplicationProtocols, _ metrics: TLSMetrics) throws {
    state.withLock { state in
      state.protocols = protocols.names
      state.door = (name, metrics)
    }
    if case .failed(let cause) = load(Self.stamps(files)) { throw StartError(description: cause) }
  }

  /// The beginning of a handshake.
  func session() throws -> TLSSession {
    let (context, authorities) = state.withLock { ($0.context, $0.authorities) }
    return try TLSSession(context, authorities, files.trustDomains, client: files.client)
  }

  /// Reads the files again if one of them has changed, or in any case with `always`; not before the door is open.
  public func reload(always: Bool = false) async -> Reload {
    guard let metrics = state.withLock({ $0.door?.metrics }) else { return .unchanged }
    let stamps = Self.stamps(files)
    guard always || state.withLock({ $0.stamps != stamps }) else { return .unchanged }
    let outcome = load(stamps)
    if outcome == .renewed { metrics.renewed.add(1) } else { metrics.failed.add(1) }
    return outcome
  }

  private func load(_ stamps: [FileStamp?]) -> Reload {
    do throws(CredentialFileError) {
      let material = try TLSMaterial(files)
      let context = try material.context(state.withLock(\.protocols))
      state.withLock { state in
        state.stamps = stamps
        state.context = context
        state.authorities = state.authorities.replaced(by: material.authorities)
        state.expiresAt = material.expiresAt
        if let door = state.door { door.metrics.serves(door.name, until: material.expiresAt) }
      }
      return .renewed
    } catch {
      // A file that is being written is looked at again only when it changes again.
      state.withLock { $0.stamps = stamps }
      return .failed(error.description)
    }
  }

  private static func stamps(_ files: Files) -> [FileStamp?] {
    [files.certificate, files.key, files.clientCA].compactMap(\.self).map { FileStamp($0) }
  }
}

/// The content of the files at one time, parsed and checked.
private struct TLSMaterial {
  private let files: DoorTLS.Files
  private let chain: [NIOSSLCertificate]
  private let key: NIOSSLPrivateKey
  let authorities: [NIOSSLCertificate]
  let expiresAt: Int

  init(_ files: DoorTLS.Files) throws(CredentialFileError) {
    self.files = files
    chain = try Self.certificates(files.certificate, what: "certificate file")
    let text = try CredentialFile.read(files.key, .secret, what: "key file")
    guard let key = try? NIOSSLPrivateKey(bytes: Array(text.utf8), format: .pem) else {
      throw CredentialFileError(
        description: "the key file \(files.key) holds no private key in PEM form without a passphrase")
    }
    self.key = key
    authorities =
      try files.clientCA.map { path throws(CredentialFileError) in
        try Self.certificates(path, what: "file of client authorities")
      } ?? []
    let now = time(nil)
    guard let leaf = chain.first, now < leaf.notValidAfter else {
      throw CredentialFileError(description: "the certificate in \(files.certificate) has run out; renew it")
    }
    guard now >= leaf.notValidBefore else {
      throw CredentialFileError(
        description: "the certificate in \(files.certificate) is not valid yet; wait, or set the clock of this machine")
    }
    expiresAt = leaf.notValidAfter
  }

  private static func certificates(_ path: String, what: String) throws(CredentialFileError) -> [NIOSSLCertificate] {
    let text = try CredentialFile.read(path, .publicKey, what: what)
    guard let certificates = try? NIOSSLCertificate.fromPEMBytes(Array(text.utf8)), !certificates.isEmpty else {
      throw CredentialFileError(description: "the \(what) \(path) holds no certificates in PEM form")
    }
    return certificates
  }

  /// Forward secrecy and authenticated encryption alone (attacks.md A15). Those of TLS 1.3 are not configured.
  private static let suites: [NIOTLSCipher] = [
    .TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256, .TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256,
    .TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384, .TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384,
    .TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256, .TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256,
  ]

  func context(_ protocols: [String]) throws(CredentialFileError) -> NIOSSLContext {
    var configuration = TLSConfiguration.makeServerConfiguration(
      certificateChain: chain.map { .certificate($0) }, privateKey: .privateKey(key))
    configuration.minimumTLSVersion = .tlsv12
    configuration.cipherSuiteValues = Self.suites
    configuration.applicationProtocols = protocols
    configuration.trustRoots = .certificates(authorities)
    // The end of a connection does not wait long for the goodbye of a client.
    configuration.shutdownTimeout = .milliseconds(250)
    configuration.certificateVerification =
      switch files.client {
      case .none: .none
      case .optional: .optionalVerification
      case .require: .noHostnameVerification
      }
    guard let context = try? NIOSSLContext(configuration: configuration) else {
      throw CredentialFileError(
        description: "the key in \(files.key) does not fit the certificate in \(files.certificate), which must come "
          + "first in its file; use the two files of one pair")
    }
    return context
  }
}

/// The authorities that sign clients' certificates, and how connections hear that one is gone.
struct ClientAuthorities: Sendable {
  private var known: [NIOSSLCertificate: TrustedAuthority] = [:]
  /// For a connection of which the authority is not known, since it resumed a session: it depends on all of them.
  private(set) var all = TrustedAuthority()

  init(_ certificates: [NIOSSLCertificate]) {
    for certificate in certificates { known[certificate] = TrustedAuthority() }
  }

  /// Those that stay are the same ones to their connections.
  func replaced(by certificates: [NIOSSLCertificate]) -> ClientAuthorities {
    var next = ClientAuthorities(certificates)
    for (certificate, authority) in known {
      if next.known[certificate] != nil { next.known[certificate] = authority } else { authority.distrust() }
    }
    if known.keys.allSatisfy({ next.known[$0] != nil }) { next.all = all } else { all.distrust() }
    return next
  }

  subscript(_ certificate: NIOSSLCertificate?) -> TrustedAuthority { certificate.flatMap { known[$0] } ?? all }
}
