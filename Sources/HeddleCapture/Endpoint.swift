// Addresses of sockets as captures have them.

import NIOCore

extension Endpoint {
  public init(_ address: SocketAddress?) {
    switch address {
    case .v4(let v4):
      let raw = v4.address.sin_addr.s_addr
      self.init(
        address: withUnsafeBytes(of: raw) { Array($0) }, port: UInt16(bigEndian: v4.address.sin_port))
    case .v6(let v6):
      let raw = v6.address.sin6_addr
      self.init(address: withUnsafeBytes(of: raw) { Array($0) }, port: UInt16(bigEndian: v6.address.sin6_port))
    default: self.init(address: [0, 0, 0, 0], port: 0)
    }
  }
}
