// TLS of a client: whom it trusts, what it shows, and what its failures mean to a person.

import NIOCore
import NIOSSL

public struct ClientTLS: Sendable {
  /// A PEM file of the authorities that sign the server's certificate; nil: those of the system.
  public var authorities: String?
  /// PEM files of the client's certificate, the chain behind it, and of its key; nil: the client shows none.
  public var certificate: String?
  public var key: String?
  /// The name in the server's certificate, where it is not the host that is connected to.
  public var serverName: String?

  public init(
    authorities: String? = nil, certificate: String? = nil, key: String? = nil, serverName: String? = nil
  ) {
    self.authorities = authorities
    self.certificate = certificate
    self.key = key
    self.serverName = serverName
  }

  /// Makes handlers for connections to `host`. Reads the files, so that renewed certificates count from the next call on.
  public func encryption(host: String) throws(HeddleError) -> @Sendable () throws -> any ChannelHandler {
    var configuration = TLSConfiguration.makeClientConfiguration()
    configuration.minimumTLSVersion = .tlsv12
    configuration.applicationProtocols = ["heddle/1"]
    do {
      if let authorities {
        let found = try NIOSSLCertificate.fromPEMFile(authorities)
        guard !found.isEmpty else { throw HeddleError.tls("\(authorities) holds no certificate in PEM form") }
        configuration.trustRoots = .certificates(found)
      }
      if let certificate {
        configuration.certificateChain = try NIOSSLCertificate.fromPEMFile(certificate).map { .certificate($0) }
        configuration.privateKey = .privateKey(try NIOSSLPrivateKey(file: key ?? certificate, format: .pem))
      }
      let name = serverName ?? host
      // Names of hosts are sent to the server; an address is compared with the certificate's addresses.
      let isAddress = (try? SocketAddress(ipAddress: name, port: 0)) != nil
      let context = try NIOSSLContext(configuration: configuration)
      return { try NIOSSLClientHandler(context: context, serverHostname: isAddress ? nil : name) }
    } catch let error as HeddleError {
      throw error
    } catch {
      let files = [authorities, certificate, key].compactMap(\.self).joined(separator: ", ")
      throw .tls(
        "the files for TLS cannot be used (\(files)): they must be readable PEM, and the key the certificate's")
    }
  }

  /// The connection was cut while it was encrypted: another one may do. Nothing else about TLS passes by itself.
  static func isCut(_ error: any Error) -> Bool {
    let text = "\(error)"
    return text.contains("EOF during handshake") || text.contains("uncleanShutdown")
  }

  /// The meaning of an error of the handshake, and what to do; nil: it is none.
  public static func words(_ error: any Error) -> String? {
    let text = "\(error)"
    guard error is NIOSSLError || error is NIOSSLExtraError || error is BoringSSLError || text.contains("SSL") else {
      return nil
    }
    let causes: [(String, String)] = [
      (
        "CERTIFICATE_VERIFY_FAILED",
        "the server's certificate is not trusted or has expired; name its authority with --ca"
      ),
      ("failedToValidateHostname", "the server's certificate is for another name; use that name, or --server-name"),
      ("WRONG_VERSION_NUMBER", "the server does not speak TLS on this port; leave --tls out, or use another port"),
      ("EOF during handshake", "the server ended the connection; does it speak TLS on this port?"),
      ("uncleanShutdown", "the server ended the connection; does it speak TLS on this port?"),
      ("CERTIFICATE_REQUIRED", "the server wants a certificate of the client; give --cert and --cert-key"),
      ("UNKNOWN_CA", "the server does not know the authority of the client's certificate"),
      ("BAD_CERTIFICATE", "the server does not take the client's certificate"),
      ("CERTIFICATE_EXPIRED", "the client's certificate has expired"),
      ("NO_APPLICATION_PROTOCOL", "the port speaks another protocol than Heddle's frames; use the frame door's"),
    ]
    return causes.first { text.contains($0.0) }?.1 ?? "the handshake failed: \(text)"
  }
}
