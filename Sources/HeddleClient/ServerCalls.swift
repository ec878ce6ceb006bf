// Requests of the server to its client (rules.md A9): on even streams, answered by the handlers of the configuration. HELLO
// names the handlers that there are, so a server asks nothing else.
//
// K1  A stream of the server's is in `ServerCalls` from its request until its answer is sent, the server has cancelled it,
//     or the connection has ended; the last two cancel the handler, and nothing is sent for it.

import HeddleCore
import HeddleProtocol

/// The requests of one server that are being answered. No I/O: the connection sends the answers.
struct ServerCalls {
  typealias Outcome = Result<any WireMessage, any Error>
  private typealias Work = @Sendable () async throws -> any WireMessage

  let handlers: ClientHandlers
  private var running: [UInt32: Task<Void, Never>] = [:]

  init(_ handlers: ClientHandlers) { self.handlers = handlers }

  /// Runs the handler of a request, whose outcome is told to `then` by a task of its own. Without a handler for it, this
  /// gives the refusal that is to be sent.
  mutating func begin(
    _ frame: Frame, _ codec: inout Codec, then: @escaping @Sendable (Frame, Outcome) async -> Void
  ) throws(HeddleError) -> ServerCallAnswer? {
    let stream = frame.header.stream
    guard stream != 0, stream & 1 == 0, running[stream] == nil else {
      throw .protocolViolation("a request of the server's on stream \(stream)")
    }
    let work: Work? =
      switch Method(rawValue: Int32(frame.header.method)) {
      case .clientCallTool?: try Self.work(frame, &codec, handlers.callTool)
      case .clientRequestUserInput?: try Self.work(frame, &codec, handlers.requestUserInput)
      default: nil
      }
    guard let work else { return ServerCallAnswer(notServed: frame, &codec) }
    // Held in `running`, which is what ends it (K1).
    running[stream] = Task {
      let outcome: Outcome
      do { outcome = .success(try await work()) } catch { outcome = .failure(error) }
      await then(frame, outcome)
    }
    return nil
  }

  /// The answer to send for the outcome of a handler; nil: the server no longer waits.
  mutating func answer(
    _ frame: Frame, _ outcome: Outcome, limit: Int, _ codec: inout Codec
  ) -> ServerCallAnswer? {
    guard running.removeValue(forKey: frame.header.stream) != nil else { return nil }
    return ServerCallAnswer(to: frame, outcome, limit: limit, &codec)
  }

  /// The server no longer waits.
  mutating func withdraw(_ stream: UInt32) { running.removeValue(forKey: stream)?.cancel() }

  mutating func end() {
    for call in running.values { call.cancel() }
    running = [:]
  }

  private static func work<Question: WireMessage, Answer: WireMessage>(
    _ frame: Frame, _ codec: inout Codec, _ handler: (@Sendable (Question) async throws -> Answer)?
  ) throws(HeddleError) -> Work? {
    guard let handler else { return nil }
    let question: Question
    do throws(DecodeError) { question = try codec.decode(Question.self, frame.message) } catch {
      throw .undecodable("\(Question.self)", error)
    }
    return { try await handler(question) }
  }
}

/// The frame that ends a request of the server.
struct ServerCallAnswer {
  let kind: FrameKind
  let method: Method
  let stream: UInt32
  let message: [UInt8]
}

extension ServerCallAnswer {
  init(to frame: Frame, _ outcome: ServerCalls.Outcome, limit: Int, _ codec: inout Codec) {
    switch outcome {
    case .success(let answer):
      let message = codec.encode(answer)
      guard message.count <= limit else {
        let text = "the answer has \(message.count) bytes, but the server takes \(limit) at most"
        self.init(refusing: frame, .resourceExhausted, .frameTooLarge, text, &codec)
        return
      }
      let method = Method(rawValue: Int32(frame.header.method)) ?? .unspecified
      self.init(kind: .response, method: method, stream: frame.header.stream, message: message)
    case .failure(HeddleError.refused(let error)): self.init(refusing: frame, error, &codec)
    case .failure(is CancellationError): self.init(notServed: frame, &codec)
    case .failure(let error): self.init(refusing: frame, .unknown, .internal, "\(error)", &codec)
    }
  }

  /// Says that this client does not serve the method, so that the server asks others.
  init(notServed frame: Frame, _ codec: inout Codec) {
    self.init(refusing: frame, .unimplemented, .unknownMethod, "this client does not serve the method", &codec)
  }

  private init(refusing frame: Frame, _ code: Code, _ reason: Reason, _ text: String, _ codec: inout Codec) {
    self.init(refusing: frame, WireError(code: code, reason: reason.rawValue, message: text), &codec)
  }

  private init(refusing frame: Frame, _ error: WireError, _ codec: inout Codec) {
    self.init(kind: .error, method: .unspecified, stream: frame.header.stream, message: codec.encode(error))
  }
}
