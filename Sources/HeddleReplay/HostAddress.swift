// The address of the server that a load or a replay is sent to.

import NIOCore

/// The name of a host that no address belongs to.
public struct UnknownHost: Error, CustomStringConvertible {
  public let description: String
}

enum HostAddress {
  static func resolve(_ host: String, port: Int) throws(UnknownHost) -> SocketAddress {
    do { return try SocketAddress.makeAddressResolvingHost(host, port: port) } catch {
      throw UnknownHost(description: "the host \(host) is not known: name another with --server")
    }
  }
}
