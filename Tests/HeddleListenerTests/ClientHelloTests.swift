// The first message of TLS, written by a real client.

import NIOCore
import NIOEmbedded
import NIOSSL
import Testing

@testable import HeddleListener

@Suite struct ClientHelloTests {
  /// The bytes with which a client begins.
  private func hello(_ protocols: [String]) throws -> [UInt8] {
    var configuration = TLSConfiguration.makeClientConfiguration()
    configuration.trustRoots = .certificates([])
    configuration.applicationProtocols = protocols
    let channel = EmbeddedChannel()
    let handler = try NIOSSLClientHandler(
      context: try NIOSSLContext(configuration: configuration), serverHostname: "localhost")
    try channel.pipeline.syncOperations.addHandler(handler)
    channel.connect(to: try SocketAddress(ipAddress: "127.0.0.1", port: 1), promise: nil)
    var bytes: [UInt8] = []
    while let next = try channel.readOutbound(as: ByteBuffer.self) { bytes += next.readableBytesView }
    _ = try? channel.finish()
    return bytes
  }

  /// The same message in records of so many bytes.
  private func cut(_ hello: [UInt8], _ size: Int) -> [UInt8] {
    var records: [UInt8] = []
    var rest = hello[5...]
    while !rest.isEmpty {
      let part = rest.prefix(size)
      records += [22, 3, 1, UInt8(part.count >> 8), UInt8(part.count & 0xFF)] + part
      rest = rest.dropFirst(size)
    }
    return records
  }

  private func names(_ texts: [String]) -> [[UInt8]] { texts.map { Array($0.utf8) } }

  @Test("The protocols that a client names are found, however its message is cut")
  func protocols() throws {
    for offered in [["heddle/1"], ["h2", "http/1.1"], []] {
      let hello = try hello(offered)
      let expected = ClientHello.Scan.complete(protocols: offered.isEmpty ? nil : names(offered))
      #expect(ClientHello.scan(hello) == expected)
      #expect(ClientHello.scan(hello + [23, 3, 3]) == expected)
      for size in [1, 3, 100] { #expect(ClientHello.scan(cut(hello, size)) == expected) }
      for count in 0..<hello.count { #expect(ClientHello.scan(hello.prefix(count)) == .incomplete) }
    }
  }

  @Test("Bytes of another protocol are no TLS")
  func absent() {
    for first in [0xFA, 0x47, 0x50, 0, 21, 23] as [UInt8] { #expect(ClientHello.scan([first, 3, 1]) == .absent) }
    #expect(ClientHello.scan([]) == .incomplete)
  }

  @Test("A message that cannot be read is left to TLS, which says so itself")
  func unreadable() throws {
    let hello = try hello(["h2"])
    for (index, value) in [(1, 2), (3, 0xFF), (5, 2), (6, 1)] as [(Int, UInt8)] {
      var wrong = hello
      wrong[index] = value
      #expect(ClientHello.scan(wrong) == .complete(protocols: nil), "\(index)")
    }
    #expect(ClientHello.scan([22, 3, 1, 0, 0]) == .complete(protocols: nil))
    // Every byte of the message changed: no answer is wrong, and none traps.
    for index in hello.indices {
      for value in [0, 0xFF, hello[index] &+ 1] as [UInt8] {
        var wrong = hello
        wrong[index] = value
        _ = ClientHello.scan(wrong)
      }
    }
  }
}
