// How a door meets the connections that it accepts: TLS, PROXY headers, and what an address that others can reach needs.

import Foundation
import HeddleService
import HeddleTokens
import NIOCore

/// The address of a door, and how it is configured.
package struct ListenerAddress: Sendable {
  /// The door's name in the ready line: `listen`, `grpc`, `http`.
  package let name: String
  package let host: String
  package let port: Int
  package let security: DoorSecurity

  package init(name: String, host: String, port: Int, security: DoorSecurity = DoorSecurity()) {
    self.name = name
    self.host = host
    self.port = port
    self.security = security
  }
}

/// How the connections of one door are protected, as configured.
public struct DoorSecurity: Sendable {
  /// Nil: the door speaks without TLS.
  public var tls: DoorTLS?
  /// The words `tls.mode=plaintext`: something else encrypts, or nothing has to.
  public var isPlaintextAllowed = false
  public var proxy = ProxyRules()
  /// Trust domains of SPIFFE identities that proxies name; empty: every one.
  public var trustDomains: Set<String> = []

  public init() {}

  /// Why a door with these settings must not open at this host; nil: it may. An address that other machines reach needs
  /// callers that are known, and TLS or the words that say why not (attacks.md A16).
  public func refusal(host: String, knowsCallers: Bool) -> StartError? {
    guard !Self.isLoopback(host) else { return nil }
    guard knowsCallers || tls?.client == .require else { return .open(host) }
    guard tls != nil || isPlaintextAllowed else { return .plaintext(host) }
    return nil
  }

  /// By the address itself: a name that begins like one may be anybody's (attacks.md A16).
  public static func isLoopback(_ host: String) -> Bool {
    if host == "localhost" { return true }
    switch try? SocketAddress(ipAddress: host, port: 0) {
    case .v4(let address): return UInt32(bigEndian: address.address.sin_addr.s_addr) >> 24 == 127
    case .v6: return host == "::1"
    case .unixDomainSocket, nil: return false
    }
  }
}

/// Whether a door reads PROXY headers, and whose.
public struct ProxyRules: Sendable {
  public enum Mode: String, CaseIterable, Sendable {
    /// No header is expected: one is a fault like any other.
    case off
    /// Listed senders may send one. A connection of anybody else is taken as it is, without one.
    case accept
    /// Only listed senders may connect, and each connection begins with a header.
    case require
  }

  public var mode = Mode.off
  /// Senders whose PROXY headers and identity headers are believed.
  public var from = TrustedProxies([])
  /// Types of TLVs that hold the client's identity.
  public var identityTypes: [UInt8] = [0xE0]

  public init() {}
}
