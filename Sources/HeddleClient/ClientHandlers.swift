// Requests of the server that a program answers (rules.md A9).

import Foundation
import HeddleCore

/// The handlers of requests of the server. HELLO names what has one.
///
/// A handler answers, or throws: `HeddleError.refused` goes to the server as it is, `CancellationError` leaves the call to
/// the other clients, anything else is the tool's failure, which the model reads. Its task is cancelled when the server
/// no longer waits: another client has answered, the turn has ended, the time is over. A lost connection does not cancel
/// it: the server asks again on the next one, and the answer goes there.
public struct ClientHandlers: Sendable {
  /// Gets the arguments, a JSON object, and gives text for the model.
  public typealias Tool = @Sendable (_ arguments: String) async throws -> String

  public var tools: [String: Tool]
  /// Calls a tool that has no entry of its own in `tools`.
  public var callTool: (@Sendable (CallToolRequest) async throws -> CallToolResponse)?
  /// Asks a person. The answer repeats the `actionHash` of the request.
  public var requestUserInput: (@Sendable (RequestUserInputRequest) async throws -> RequestUserInputResponse)?

  public init(
    tools: [String: Tool] = [:],
    callTool: (@Sendable (CallToolRequest) async throws -> CallToolResponse)? = nil,
    requestUserInput: (@Sendable (RequestUserInputRequest) async throws -> RequestUserInputResponse)? = nil
  ) {
    self.tools = tools
    self.callTool = callTool
    self.requestUserInput = requestUserInput
  }

  /// Reads the arguments into a type. Arguments that do not fit are told to the model.
  public static func tool<Arguments: Decodable & SendableMetatype>(
    _ type: Arguments.Type, _ run: @escaping @Sendable (Arguments) async throws -> String
  ) -> Tool {
    { text in
      let arguments: Arguments
      do { arguments = try JSONDecoder().decode(Arguments.self, from: Data(text.utf8)) } catch {
        throw ToolFailure("the arguments do not fit: \(error)")
      }
      return try await run(arguments)
    }
  }

  /// The names by which HELLO tells of them.
  var features: [String] {
    (callTool == nil && tools.isEmpty ? [] : ["call_tool"]) + (requestUserInput == nil ? [] : ["request_user_input"])
  }

  /// The function that answers a call of a tool; nil: this client does not have the tool.
  func tool(_ name: String) -> (@Sendable (CallToolRequest) async throws -> CallToolResponse)? {
    guard let tool = tools[name] else { return callTool }
    return { request in
      let text = try await tool(request.arguments.isEmpty ? "{}" : request.arguments)
      return CallToolResponse(content: [ContentPart(part: .text(text))], success: true)
    }
  }
}

/// A failure of a tool, in words for the model.
public struct ToolFailure: Error, CustomStringConvertible {
  public let description: String

  public init(_ description: String) { self.description = description }
}
