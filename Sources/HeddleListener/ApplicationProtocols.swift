// The protocols that a door speaks over TLS, by their names in ALPN (RFC 7301).

package struct ApplicationProtocols: Equatable, Sendable {
  package let names: [String]
  /// A client must name one of them.
  package let isNeeded: Bool

  package init(_ names: [String], isNeeded: Bool) {
    self.names = names
    self.isNeeded = isNeeded
  }

  package static let frames = ApplicationProtocols(["heddle/1"], isNeeded: false)
  /// Clients of gRPC know by this name that they may speak HTTP/2.
  package static let grpc = ApplicationProtocols(["h2"], isNeeded: true)
  package static let http = ApplicationProtocols(["http/1.1"], isNeeded: false)
}
