// The metrics of TLS, PROXY headers and identities, moved by sockets.

import Foundation
import HeddleListener
import HeddleMetrics
import HeddleServer
import HeddleTokens
import Logging
import Testing

@testable import HeddleSQLite

/// A certificate of nobody, good for a hundred years.
private enum TestCertificate {
  static let chain = """
    -----BEGIN CERTIFICATE-----
    MIIBdTCCARugAwIBAgIUN6IDvg5KA9w709TblfeL79xkZfgwCgYIKoZIzj0EAwIw
    DzENMAsGA1UEAwwEdGVzdDAgFw0yNjExMjUwNDAzNThaGA8yMTI2MTEwMTA0MDM1
    OFowDzENMAsGA1UEAwwEdGVzdDBZMBMGByqGSM49AgEGCCqGSM49AwEHA0IABDd9
    9JlD9Eqmy/stD8lG39TLd6THE7zqZhU55J+95yimrZHZh0xYNNobBOc/fWYeFC54
    Fp8modXyLbmektfTqEijUzBRMB0GA1UdDgQWBBTOeD2/HU4PZcdAa9dwso2g6QNE
    4jAfBgNVHSMEGDAWgBTOeD2/HU4PZcdAa9dwso2g6QNE4jAPBgNVHRMBAf8EBTAD
    AQH/MAoGCCqGSM49BAMCA0gAMEUCIBfadPXM8oYhu6ZsIR5KsbyFvEtth7dwG5NE
    kbXkciJQAiEAl7ExWJ55DSM1V+z3TAX3ZSxfiQE72ps6jG9Up7s3zaw=
    -----END CERTIFICATE-----
    """

  static let key = """
    -----BEGIN PRIVATE KEY-----
    MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgrkoLTHaEJEieEqsE
    EnE/bg10T1zrafkcyOwpBKjTstOhRANCAAQ3ffSZQ/RKpsv7LQ/JRt/Uy3ekxxO8
    6mYVOeSfvecopq2R2YdMWDTaGwTnP31mHhQueBafJqHV8i25npLX06hI
    -----END PRIVATE KEY-----
    """
}

/// A server whose door is protected.
private struct GuardedServer {
  let server: HeddleServer
  private let store: SQLiteStore
  private let folder: String

  init(in folder: String, _ security: DoorSecurity, _ authentication: Authentication?) async throws {
    self.folder = folder
    store = try SQLiteStore(folder: folder + "/data")
    var configuration = ServerConfiguration(cursorKey: Array(repeating: 7, count: 32), version: "test")
    configuration.port = 0
    configuration.loops = 1
    configuration.security["listen"] = security
    configuration.authentication = authentication
    var logger = Logger(label: "test")
    logger.logLevel = .critical
    server = try await HeddleServer.start(configuration, store: store, providers: [], logger: logger) { text in
      Testing.Issue.record("the store failed: \(text)")
    }
  }

  var port: Int { Int(server.address.split(separator: ":").last ?? "") ?? 0 }

  func end() async {
    await server.drain()
    store.close()
    await server.end()
    try? FileManager.default.removeItem(atPath: folder)
  }

  func samples(_ name: String) -> [Sample] {
    Metrics.catalog.first { $0.name == name }?.samples(of: server.manager.metrics) ?? []
  }

  /// Waits until a sample is there.
  func until(_ name: String, _ labels: [String], _ value: Int) async throws {
    let end = ContinuousClock.now + .seconds(60)
    while !samples(name).contains(where: { $0.labels == labels && $0.value == .number(value) }) {
      guard ContinuousClock.now < end else {
        Testing.Issue.record("\(name) is \(samples(name))")
        return
      }
      try await Task.sleep(for: .milliseconds(5))
    }
  }
}

@Suite struct DoorMetricsTests {
  static let moved: Set<String> = [
    "heddle_tls_handshakes_total", "heddle_tls_certificate_expiry_seconds", "heddle_tls_reloads_total",
    "heddle_proxy_headers_total", "heddle_identities_refused_total",
  ]

  private func folder() throws -> String {
    let folder = FileManager.default.temporaryDirectory.path + "/" + UUID().uuidString
    try FileManager.default.createDirectory(
      atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    return folder
  }

  private func proxies() throws -> ProxyRules {
    var rules = ProxyRules()
    rules.mode = .accept
    rules.from = TrustedProxies([try #require(AddressRange("127.0.0.1"))])
    return rules
  }

  @Test("Handshakes, reloads and the end of the certificate are counted", .timeLimit(.minutes(5)))
  func tls() async throws {
    let folder = try folder()
    for (name, text) in [("chain", TestCertificate.chain), ("key", TestCertificate.key)] {
      try text.write(toFile: folder + "/" + name, atomically: true, encoding: .utf8)
      try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: folder + "/" + name)
    }
    let tls = try DoorTLS(DoorTLS.Files(certificate: folder + "/chain", key: folder + "/key"))
    var security = DoorSecurity()
    security.tls = tls
    security.proxy = try proxies()
    let guarded = try await GuardedServer(in: folder, security, nil)
    let socket = RawSocket(port: guarded.port, Array("PROXY UNKNOWN\r\nGET / HTTP/1.1\r\n".utf8))
    try await guarded.until("heddle_proxy_headers_total", ["local"], 1)
    try await guarded.until("heddle_tls_handshakes_total", ["frames", "not_tls"], 1)
    let ends = guarded.samples("heddle_tls_certificate_expiry_seconds")
    #expect(ends.map(\.labels) == [["frames"]])
    guard case .number(let seconds)? = ends.first?.value else {
      Testing.Issue.record("there is no end")
      return
    }
    #expect(Double(seconds) > Date().timeIntervalSince1970)
    #expect(await tls.reload(always: true) == .renewed)
    try "nothing".write(toFile: folder + "/chain", atomically: false, encoding: .utf8)
    guard case .failed = await tls.reload() else {
      Testing.Issue.record("a file without a certificate was taken")
      return
    }
    #expect(await tls.reload() == .unchanged)
    try await guarded.until("heddle_tls_reloads_total", ["renewed"], 1)
    try await guarded.until("heddle_tls_reloads_total", ["failed"], 1)
    socket.end()
    await guarded.end()
  }

  @Test("An identity that cannot be one is counted", .timeLimit(.minutes(5)))
  func identities() async throws {
    var security = DoorSecurity()
    security.proxy = try proxies()
    let authentication = try Authentication(
      tokens: String(repeating: "t", count: 32) + " somebody\n", identities: "spiffe://td/cart somebody\n")
    let guarded = try await GuardedServer(in: try folder(), security, authentication)
    let header: [UInt8] =
      [0x0D, 0x0A, 0x0D, 0x0A, 0x00, 0x0D, 0x0A, 0x51, 0x55, 0x49, 0x54, 0x0A, 0x21, 0x11, 0, 18]
      + [192, 0, 2, 7, 10, 0, 0, 1, 0, 1, 0, 2] + [0xE0, 0, 3] + Array("a b".utf8)
    let hello: [UInt8] = [0xFA, 10, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 3, 0x22, 1, 0x61]
    let socket = RawSocket(port: guarded.port, header + hello)
    try await guarded.until("heddle_proxy_headers_total", ["accepted"], 1)
    try await guarded.until("heddle_identities_refused_total", [], 1)
    socket.end()
    await guarded.end()
  }
}
