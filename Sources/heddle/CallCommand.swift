// heddle call ThreadService/Start '{"name": "first"}'

import ArgumentParser
import Foundation
import HeddleClient
import HeddleCore
import HeddleJSON
import HeddleProtocol

struct CallCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "call", abstract: "Call one method: JSON at the prompt, frames on the wire.",
    usage: "heddle call <method> [<request>] [--key <key>] [--pretty] [--server <server>] [--token <token>]",
    discussion: """
      Example: heddle call ThreadService/Start '{"name": "first"}'. Errors go to standard error as JSON. \
      `heddle call METHOD --help` lists the fields of a method's request.
      """, helpNames: [])

  @Argument(help: "The method: SERVICE/METHOD, see docs/methods.md.", completion: .list(Method.names))
  var method: String?

  @Argument(help: "The request as JSON, - for standard input, @FILE for a file; ids as UUIDs, bytes as base64.")
  var request = "{}"

  @Option(name: .long, help: "Idempotency key, a UUID; a retry with the same key finds the first result.")
  var key: String?

  @Flag(name: .long, help: "Print the answer on several lines.")
  var pretty = false

  @Flag(name: .shortAndLong, help: "Show help information; behind a method: the fields of its request.")
  var help = false

  @OptionGroup var client: ClientOptions

  func validate() throws {
    if method == nil && !help { throw ValidationError("Missing expected argument '<method>'") }
    if let key, IdempotencyKey(key) == nil { throw ValidationError("--key needs a UUID.") }
  }

  func run() async throws {
    guard let name = method else { throw CleanExit.helpRequest(self) }
    guard let method = Method(path: name), !method.isServerCall else { throw refuse(Method.unknown(name)) }
    if help {
      printLine(MethodHelp.text(method))
      return
    }
    if method == .threadSubscribe { throw refuse("Use `heddle subscribe` to follow a thread.") }
    let payload = try payload(method)
    let connection = try await client.connectOrExplain()
    do {
      let answer = try await connection.callRaw(method, payload: payload, key: key.flatMap { IdempotencyKey($0) })
      printLine(try JSONTranscoder.json(answer, schema: method.responseSchema, pretty: pretty))
      await connection.close()
    } catch let error as HeddleError where error.kind == .refused {
      printError(try error.json())
      throw ExitCode.failure
    }
  }

  private func payload(_ method: Method) throws -> [UInt8] {
    let text = try CallInput.text(request)
    do throws(JSONError) {
      return try JSONTranscoder.wire(Self.quiet(text, method), schema: method.requestSchema)
    } catch {
      let place = error.position(in: text)
      guard case .path(let path) = error.place else {
        throw refuse("The request is not JSON, \(place): \(error.message)")
      }
      throw refuse("The request does not fit \(method.path), \(place): \(path): \(error.message)")
    }
  }

  /// A usage line would not help with what stands in an argument.
  private func refuse(_ text: String) -> ExitCode {
    printError("Error: \(text)")
    return .validationFailure
  }

  /// One call wants one answer: methods that subscribe are asked not to, unless the request says so.
  private static func quiet(_ request: String, _ method: Method) throws(JSONError) -> JSONValue {
    let value = try JSONValue(parsing: request)
    guard case .object(var members) = value,
      method == .threadStart || method == .threadResume || method == .threadFork,
      !members.contains(where: { $0.name == "subscribe" })
    else { return value }
    members.append(JSONValue.Member("subscribe", .bool(false)))
    return .object(members)
  }
}
