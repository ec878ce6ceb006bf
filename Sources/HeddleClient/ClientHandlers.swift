// Requests of the server that a program answers (rules.md A9), as closures of the configuration.

import HeddleCore

/// The handlers of requests of the server. A handler that is not there is not named in HELLO.
///
/// A handler answers, or throws: `HeddleError.refused` goes to the server as it is, `CancellationError` leaves the call to
/// the other clients, anything else is the tool's failure. Its task is cancelled when the server no longer waits: another
/// client has answered, the turn has ended, the time is over, or the connection is lost. A server that still waits
/// asks again on the next connection.
public struct ClientHandlers: Sendable {
  /// Calls a tool that this client brought to a thread.
  public var callTool: (@Sendable (CallToolRequest) async throws -> CallToolResponse)?
  /// Asks a person. The answer repeats the `actionHash` of the request.
  public var requestUserInput: (@Sendable (RequestUserInputRequest) async throws -> RequestUserInputResponse)?

  public init(
    callTool: (@Sendable (CallToolRequest) async throws -> CallToolResponse)? = nil,
    requestUserInput: (@Sendable (RequestUserInputRequest) async throws -> RequestUserInputResponse)? = nil
  ) {
    self.callTool = callTool
    self.requestUserInput = requestUserInput
  }

  /// The names by which HELLO tells of them.
  var names: [String] {
    (callTool == nil ? [] : ["call_tool"]) + (requestUserInput == nil ? [] : ["request_user_input"])
  }
}
