// Options and connection of every command that calls a server.

import ArgumentParser
import HeddleClient

/// The command line wins over the environment.
struct ClientOptions: ParsableArguments {
  @Option(name: .long, help: "The server, HOST:PORT (default: HEDDLE_SERVER of the environment, or 127.0.0.1:7420).")
  var server: ServerAddress?

  @Option(name: .long, help: "Bearer token; better in the environment, as HEDDLE_TOKEN.")
  var token: String?

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

  func connect(_ adjust: (inout ClientConfiguration) -> Void = { _ in }) async throws -> HeddleClient {
    let server = try address()
    var configuration = ClientConfiguration(
      host: server.host, port: server.port, token: secret, clientName: "heddle", clientVersion: Program.version)
    adjust(&configuration)
    return try await HeddleClient.connect(configuration)
  }

  /// The same for a command that ends when there is no server: what the server said, or why there is none, is printed.
  func connectOrExplain(
    _ adjust: (inout ClientConfiguration) -> Void = { _ in }
  ) async throws -> HeddleClient {
    let server = try address()
    do {
      return try await connect(adjust)
    } catch HeddleError.goingAway(let notice) {
      if let error = notice.error { printError(try error.json()) }
      throw ExitCode.failure
    } catch HeddleError.cannotConnect {
      printError("cannot reach a server at \(server): start one with `heddle serve`, or name another with --server")
      throw ExitCode.failure
    } catch {
      printError("cannot talk to the server at \(server): \(error)")
      throw ExitCode.failure
    }
  }
}
