// What the server asks of its client (rules.md A9): requests on even streams, answered by the handlers of the
// configuration. What a client can do stands in its HELLO, so a server asks nothing else of it.
//
// K1  A stream of the server's is in `serverCalls` from its request until its answer is sent, the server has cancelled it,
//     or the connection has ended; the last two cancel the handler, and nothing is sent for it.

import HeddleCore
import HeddleProtocol

/// What a client does for the server. A handler that is not there is not named in HELLO.
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

extension Connection {
  /// A request of the server's.
  func asked(_ frame: Frame) throws(HeddleError) {
    let stream = frame.header.stream
    guard stream != 0, stream & 1 == 0, serverCalls[stream] == nil else {
      throw .protocolViolation("a request of the server's on stream \(stream)")
    }
    switch Method(rawValue: Int32(frame.header.method)) {
    case .clientCallTool?:
      guard let handler = handlers.callTool else { return refuse(frame) }
      serve(frame, try decode(CallToolRequest.self, frame.message), handler)
    case .clientRequestUserInput?:
      guard let handler = handlers.requestUserInput else { return refuse(frame) }
      serve(frame, try decode(RequestUserInputRequest.self, frame.message), handler)
    default: refuse(frame)
    }
  }

  /// The server no longer waits.
  func withdrawn(_ stream: UInt32) { serverCalls.removeValue(forKey: stream)?.cancel() }

  func endServerCalls() {
    for call in serverCalls.values { call.cancel() }
    serverCalls = [:]
  }

  private func serve<Question: WireMessage, Answer: WireMessage>(
    _ frame: Frame, _ question: Question, _ handler: @escaping @Sendable (Question) async throws -> Answer
  ) {
    // Held in `serverCalls`, which is what ends it (K1).
    serverCalls[frame.header.stream] = Task {
      let result: Result<Answer, any Error>
      do { result = .success(try await handler(question)) } catch { result = .failure(error) }
      answered(frame, result)
    }
  }

  private func answered(_ frame: Frame, _ result: Result<some WireMessage, any Error>) {
    guard serverCalls.removeValue(forKey: frame.header.stream) != nil else { return }
    switch result {
    case .success(let answer):
      let message = encoded(answer)
      guard message.count <= frameLimit else {
        let text = "the answer has \(message.count) bytes, but the server takes \(frameLimit) at most"
        return refuse(frame, WireError(code: .resourceExhausted, reason: Reason.frameTooLarge.rawValue, message: text))
      }
      send(
        .response, method: Method(rawValue: Int32(frame.header.method)) ?? .unspecified, stream: frame.header.stream,
        flags: FrameHeader.endOfStream, message: message)
    case .failure(HeddleError.refused(let error)): refuse(frame, error)
    case .failure(is CancellationError): refuse(frame)
    case .failure(let error):
      refuse(frame, WireError(code: .unknown, reason: Reason.internal.rawValue, message: "\(error)"))
    }
  }

  /// Without an error of its own it says that this client does not serve the method, and the server asks others.
  private func refuse(_ frame: Frame, _ error: WireError? = nil) {
    let error =
      error
      ?? WireError(
        code: .unimplemented, reason: Reason.unknownMethod.rawValue, message: "this client does not serve the method")
    send(.error, stream: frame.header.stream, flags: FrameHeader.endOfStream, message: encoded(error))
  }
}
