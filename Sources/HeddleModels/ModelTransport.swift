// The socket side: one HTTP request, its answer in pieces. The one client is shared by all providers.

import AsyncHTTPClient
import HeddleRuntime
import NIOCore
import NIOSSL

/// The parts of a reply, in this order: one head, then bytes until the end.
enum ReplyPart: Sendable {
  case head(status: Int, headers: [(name: String, value: String)])
  case bytes([UInt8])
}

/// Makes one request.
protocol ModelTransport: Sendable {
  /// Says once that a connection is there, then hands over what comes; returns at the body's end. Cancelling the task
  /// closes the connection at once.
  func exchange(
    _ call: ModelCall, authorityFile: String?, connected: @escaping @Sendable () -> Void,
    _ take: (ReplyPart) async throws -> Void
  ) async throws
}

/// Why the transport cannot be made; the text says what to do.
public struct TransportError: Error, CustomStringConvertible {
  public let description: String
}

/// The HTTP client of the process.
public final class HTTPTransport: ModelTransport {
  private let client: HTTPClient
  /// Settings of TLS for each file of authorities.
  private let authorities: [String: TLSConfiguration]

  /// `connectMilliseconds`: the longest that any provider allows; each keeps its own time besides.
  public init(authorityFiles: [String] = [], connectMilliseconds: Int64) throws(TransportError) {
    var authorities: [String: TLSConfiguration] = [:]
    for file in authorityFiles {
      guard let certificates = try? NIOSSLCertificate.fromPEMFile(file), !certificates.isEmpty else {
        throw TransportError(description: "\(file) holds no certificate in PEM form that can be read")
      }
      var configuration = TLSConfiguration.makeClientConfiguration()
      configuration.trustRoots = .certificates(certificates)
      authorities[file] = configuration
    }
    self.authorities = authorities
    var configuration = HTTPClient.Configuration()
    configuration.timeout.connect = .milliseconds(connectMilliseconds)
    // A redirect would take the key elsewhere.
    configuration.redirectConfiguration = .disallow
    // A connection that fails is this try's failure: tries are counted in one place.
    configuration.connectionPool.retryConnectionEstablishment = false
    // How many requests run is each provider's `concurrency`; the pool must not be a second, hidden limit.
    configuration.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = 100_000
    configuration.decompression = .disabled
    client = HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
  }

  /// Ends every connection. Nothing may be asked after this.
  public func shutdown() async { try? await client.shutdown() }

  func exchange(
    _ call: ModelCall, authorityFile: String?, connected: @escaping @Sendable () -> Void,
    _ take: (ReplyPart) async throws -> Void
  ) async throws {
    var request = HTTPClientRequest(url: call.address)
    request.method = .POST
    for header in call.headers { request.headers.add(name: header.name, value: header.value) }
    request.body = .stream(
      OnceConnected(bytes: ByteBuffer(bytes: call.body), connected: connected), length: .known(Int64(call.body.count)))
    request.tlsConfiguration = authorityFile.flatMap { authorities[$0] }
    // The provider's own watch ends what takes too long; no answer takes a day.
    let response = try await client.execute(request, deadline: .now() + .hours(24))
    try await take(
      .head(status: Int(response.status.code), headers: response.headers.map { (name: $0.name, value: $0.value) }))
    for try await buffer in response.body { try await take(.bytes(Array(buffer.readableBytesView))) }
  }
}

/// The body of a request. The client asks for it once there is a connection, and there is no other sign of that.
private struct OnceConnected: AsyncSequence, Sendable {
  let bytes: ByteBuffer
  let connected: @Sendable () -> Void

  struct Iterator: AsyncIteratorProtocol {
    var bytes: ByteBuffer?
    let connected: @Sendable () -> Void

    mutating func next() async -> ByteBuffer? {
      guard let bytes else { return nil }
      self.bytes = nil
      connected()
      return bytes
    }
  }

  func makeAsyncIterator() -> Iterator { Iterator(bytes: bytes, connected: connected) }
}
