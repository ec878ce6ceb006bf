// heddle call ThreadService/Start '{"name": "first"}'

import ArgumentParser
import Foundation
import HeddleClient
import HeddleCore
import HeddleProtocol

func environment(_ name: String) -> String? { ProcessInfo.processInfo.environment[name] }

extension Method {
  /// By the name of docs and logs, case ignored: `ThreadService/Start` or `Thread/Start`.
  init?(path: String) {
    let wanted = path.lowercased()
    let found = Method.allCases.first { method in
      let name = method.path.lowercased()
      return method != .unspecified
        && (name == wanted || name.replacingOccurrences(of: "service/", with: "/") == wanted)
    }
    guard let found else { return nil }
    self = found
  }
}

struct CallCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "call", abstract: "Call one method: JSON at the prompt, frames on the wire.",
    discussion: "Example: heddle call ThreadService/Start '{\"name\": \"first\"}'. Errors go to standard error as JSON."
  )

  @Argument(help: "The method: SERVICE/METHOD, see docs/methods.md.")
  var method: String

  @Argument(help: "The request as JSON; ids as UUIDs, bytes as base64.")
  var request = "{}"

  @Option(name: .long, help: "Idempotency key, a UUID; a retry with the same key finds the first result.")
  var key: String?

  @Flag(name: .long, help: "Print the answer on several lines.")
  var pretty = false

  @OptionGroup var client: ClientOptions

  func run() async throws {
    guard let method = Method(path: method), !method.isServerCall else {
      throw ValidationError("There is no method \(method). Methods: \(Self.names)")
    }
    if method == .threadSubscribe { throw ValidationError("Use `heddle subscribe` to follow a thread.") }
    let payload: [UInt8]
    do throws(JSONError) {
      payload = try JSONTranscoder.wire(Self.quiet(request, method), schema: method.requestSchema)
    } catch {
      throw ValidationError("The request does not fit \(method.path): \(error)")
    }
    let key = try key.map { text in
      guard let key = IdempotencyKey(text) else { throw ValidationError("--key needs a UUID.") }
      return key
    }
    let connection = try await client.connectOrExplain()
    do {
      let answer = try await connection.callRaw(method, payload: payload, key: key)
      printLine(try JSONTranscoder.json(answer, schema: method.responseSchema, pretty: pretty))
      await connection.close()
    } catch HeddleError.refused(let error) {
      printError(try Self.json(error))
      throw ExitCode.failure
    }
  }

  static func json(_ error: WireError) throws -> String {
    var codec = Codec()
    return try JSONTranscoder.json(codec.encode(error), schema: WireError.schemaIndex)
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

  private static var names: String {
    Method.allCases.filter { $0 != .unspecified && !$0.isServerCall && !$0.isPlanned }.map(\.path)
      .joined(separator: ", ")
  }
}
