// A stream of events as its consumer holds it.

import HeddleCore
import HeddleProtocol

extension Connection {
  /// Sends a request whose answer events follow.
  func stream(_ method: Method, _ payload: [UInt8], _ options: CallOptions) async throws -> OpenStream {
    let answer = try await request(method, payload, options, keepsStream: true)
    return OpenStream(self, answer.stream, first: answer.frame)
  }
}

/// A stream whose first answer has come. Giving it up cancels it.
final class OpenStream: Sendable {
  let first: Frame
  private let connection: Connection
  private let number: UInt32

  init(_ connection: Connection, _ number: UInt32, first: Frame) {
    self.connection = connection
    self.number = number
    self.first = first
  }

  deinit { connection.release(number) }

  /// The next event; nil when the server has ended the stream.
  func next() async throws -> Frame? { try await connection.next(of: number) }
}
