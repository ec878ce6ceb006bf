// Options and connection of every command that calls a server.

import ArgumentParser
import HeddleClient
import HeddleReplay

/// The command line wins over the environment.
struct ClientOptions: ParsableArguments {
  @Option(name: .long, help: "The server, HOST:PORT (default: HEDDLE_SERVER of the environment, or 127.0.0.1:7420).")
  var server: ServerAddress?

  @Option(name: .long, help: "Bearer token; better in the environment, as HEDDLE_TOKEN.")
  var token: String?

  @Flag(name: .long, help: "Speak TLS (or HEDDLE_TLS=true); the options below imply it.")
  var tls = false

  @Option(name: .long, help: "PEM file of the authorities that the server's certificate is signed by (or HEDDLE_CA).")
  var ca: String?

  @Option(name: .long, help: "PEM file of the client's certificate and its chain (or HEDDLE_CERT).")
  var cert: String?

  @Option(name: .long, help: "PEM file of the certificate's key (or HEDDLE_CERT_KEY).")
  var certKey: String?

  @Option(name: .long, help: "The name in the server's certificate, where it is not the host of --server.")
  var serverName: String?

  var secret: String? { token ?? environment("HEDDLE_TOKEN") }

  /// An empty variable counts as none; one that is no address has to be mended, whatever stands at the default one.
  func address() throws -> ServerAddress {
    if let server { return server }
    guard let text = environment("HEDDLE_SERVER"), !text.isEmpty else {
      return ServerAddress(host: "127.0.0.1", port: 7420)
    }
    guard let address = ServerAddress(argument: text) else {
      printError("HEDDLE_SERVER is `\(text)`, which is no HOST:PORT such as 127.0.0.1:7420; --server wins over it")
      throw Exit.configuration
    }
    return address
  }

  /// Nil: without TLS.
  func security() throws -> ClientTLS? {
    let security = ClientTLS(
      authorities: ca ?? environment("HEDDLE_CA"), certificate: cert ?? environment("HEDDLE_CERT"),
      key: certKey ?? environment("HEDDLE_CERT_KEY"), serverName: serverName)
    let isNamed = security.authorities ?? security.certificate ?? security.key ?? serverName
    guard tls || isNamed != nil || environment("HEDDLE_TLS") == "true" else { return nil }
    guard (security.certificate == nil) == (security.key == nil) else {
      printError("a client's certificate needs its key, and a key its certificate: give --cert and --cert-key")
      throw Exit.configuration
    }
    return security
  }

  /// For commands that have connections of their own. The files are read once.
  func encryption() throws -> Encryption? { try encryption(host: try address().host) }

  func encryption(host: String) throws -> Encryption? {
    guard let security = try security() else { return nil }
    do { return try security.encryption(host: host) } catch {
      printError("\(error)")
      throw Exit.configuration
    }
  }

  func connect(_ adjust: (inout ClientConfiguration) -> Void = { _ in }) async throws -> HeddleClient {
    let server = try address()
    var configuration = ClientConfiguration(
      host: server.host, port: server.port, tls: try security(), token: secret, clientName: "heddle",
      clientVersion: Program.version)
    // A person reads the refusal and decides; a script repeats with its own key.
    configuration.retries = 0
    adjust(&configuration)
    return try await HeddleClient.connect(configuration)
  }

  /// The same for a command that ends when there is no server: what the server said, or why there is none, is printed.
  func connectOrExplain(
    _ adjust: (inout ClientConfiguration) -> Void = { _ in }
  ) async throws -> HeddleClient {
    let server = try address()
    _ = try security()
    do {
      return try await connect(adjust)
    } catch let error as HeddleError where error.kind == .refused {
      printError(try error.json())
      throw ExitCode.failure
    } catch let error as HeddleError where error.kind == .cannotConnect && !error.isAboutTLS {
      printError("cannot reach a server at \(server): start one with `heddle serve`, or name another with --server")
      throw ExitCode.failure
    } catch {
      printError("cannot talk to the server at \(server): \(error)")
      throw ExitCode.failure
    }
  }
}
