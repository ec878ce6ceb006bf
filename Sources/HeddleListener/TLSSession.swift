// The handshake of one connection, and the client's certificate in it.

import HeddleTokens
import NIOCore
import NIOSSL

/// One handshake. Confined to its loop.
final class TLSSession {
  enum Certificate: Equatable {
    case none
    case accepted(PeerCertificate)
    /// Its names are not those of a workload that may come in.
    case refused
  }

  let handler: NIOSSLHandler
  private let check: CertificateCheck
  private let authorities: ClientAuthorities

  init(
    _ context: NIOSSLContext, _ authorities: ClientAuthorities, _ trustDomains: Set<String>, client: DoorTLS.Client
  ) throws {
    self.authorities = authorities
    let check = CertificateCheck(trustDomains)
    self.check = check
    if client == .none {
      handler = NIOSSLServerHandler(context: context)
    } else {
      handler = try CheckedHandler.make(CheckedHandler.self, context) { check.certificate($1, verified: $0) }
      check.handler = handler
    }
  }

  /// The client was refused for the names in its certificate.
  var hasRefusedIdentity: Bool { check.hasRefused }

  /// Asked when the handshake is done.
  func peerCertificate() -> Certificate {
    guard let certificate = handler.peerCertificate, let bytes = try? certificate.toDERBytes() else { return .none }
    let identity: WorkloadIdentity?
    // A session that was resumed has not been checked before.
    switch CertificateNames(certificate).identity(check.trustDomains) {
    case .none: identity = nil
    case .named(let name): identity = name
    case .invalid: return .refused
    }
    return .accepted(
      PeerCertificate(
        identity, certificate: bytes, expiresAt: Int64(certificate.notValidAfter) * 1_000,
        by: authorities[check.anchor]))
  }
}

/// Looks on while the library verifies a chain, from the authority down to the client's own certificate.
private final class CertificateCheck {
  let trustDomains: Set<String>
  weak var handler: NIOSSLHandler?
  /// The authority at the beginning of the chain.
  private(set) var anchor: NIOSSLCertificate?
  private(set) var hasRefused = false

  init(_ trustDomains: Set<String>) { self.trustDomains = trustDomains }

  /// A certificate of the chain. A refusal becomes an alert, so the client hears of it (attacks.md A14).
  func certificate(
    _ certificate: NIOSSLCertificate, verified: NIOSSLVerificationResult
  ) -> NIOSSLVerificationResult {
    guard verified == .certificateVerified else { return verified }
    anchor = anchor ?? certificate
    guard certificate == handler?.peerCertificate else { return verified }
    hasRefused = CertificateNames(certificate).identity(trustDomains) == .invalid
    return hasRefused ? .failed : verified
  }
}

/// The names of a certificate.
struct CertificateNames: Equatable {
  var uris: [[UInt8]] = []
  var hosts: [[UInt8]] = []

  init(uris: [[UInt8]], hosts: [[UInt8]]) {
    self.uris = uris
    self.hosts = hosts
  }

  init(_ certificate: NIOSSLCertificate) {
    for name in certificate._subjectAlternativeNames() {
      switch name.nameType {
      case .uri: uris.append(name.contents.withUnsafeBufferPointer { Array($0) })
      case .dnsName: hosts.append(name.contents.withUnsafeBufferPointer { Array($0) })
      default: break
      }
    }
  }

  /// With trust domains: the SPIFFE identity, which is the only URI and has a path. Without: the URI if there is one alone,
  /// else `dns:` and the first host name.
  func identity(_ trustDomains: Set<String>) -> ForwardedIdentity {
    let names = uris.map { WorkloadIdentity($0) }
    let isOfSPIFFE = names.contains { $0?.trustDomain != nil } || uris.contains { $0.starts(with: Self.scheme) }
    guard isOfSPIFFE || !trustDomains.isEmpty else {
      if uris.count == 1, let name = names[0] { return .named(name) }
      return hosts.first.flatMap(Self.host).map { .named($0) } ?? .none
    }
    guard names.count == 1, let name = names[0], let domain = name.trustDomain, name.isOf(trustDomains),
      name.text.utf8.count > Self.scheme.count + "//".utf8.count + domain.utf8.count
    else { return .invalid }
    return .named(name)
  }

  private static let scheme = Array("spiffe:".utf8)

  private static func host(_ bytes: [UInt8]) -> WorkloadIdentity? {
    WorkloadIdentity(("dns:" + String(decoding: bytes, as: UTF8.self).lowercased()).utf8)
  }
}

/// Makes a handler with a look at each certificate that the library has verified. The library calls this way deprecated: its
/// other one leaves the whole verification to its user. A requirement of a protocol can be called without a warning.
private protocol HandlerMaker {
  static func make(
    _ context: NIOSSLContext, _ check: @escaping NIOSSLVerificationCallback
  ) throws -> NIOSSLServerHandler
}

private enum CheckedHandler: HandlerMaker {
  @available(*, deprecated)
  static func make(
    _ context: NIOSSLContext, _ check: @escaping NIOSSLVerificationCallback
  ) throws -> NIOSSLServerHandler {
    try NIOSSLServerHandler(context: context, verificationCallback: check)
  }

  static func make(
    _ maker: (some HandlerMaker).Type, _ context: NIOSSLContext, _ check: @escaping NIOSSLVerificationCallback
  ) throws -> NIOSSLServerHandler {
    try maker.make(context, check)
  }
}
