// Keeps the one connection of a client: makes it, gives it to whoever asks, and makes another when it is lost. Those who
// ask at the same time share one attempt.

import HeddleCore
import Synchronization

actor Dialer {
  nonisolated let configuration: ClientConfiguration
  private let notices: AsyncStream<SubscriptionEvent>.Continuation
  private let lastHello = Mutex(ServerHello())
  private var current: Connection?
  private var attempt: Task<Connection, any Error>?
  private var isClosed = false

  init(_ configuration: ClientConfiguration, notices: AsyncStream<SubscriptionEvent>.Continuation) {
    self.configuration = configuration
    self.notices = notices
  }

  deinit {
    current?.shutDown(.closed)
    notices.finish()
  }

  /// The last HELLO of the server.
  nonisolated var hello: ServerHello { lastHello.withLock { $0 } }

  /// The connection, made now when there is none that takes calls. One attempt, no waiting: whether to try again is the
  /// caller's decision.
  func connection() async throws -> Connection {
    if isClosed { throw HeddleError.closed }
    if let current, current.isUsable { return current }
    if let attempt { return try await attempt.value }
    // A task of its own, so that a caller who is cancelled does not take the attempt away from the others.
    let attempt = Task { [configuration, notices] in
      let (connection, hello) = try await Connection.open(configuration, notices: notices)
      lastHello.withLock { $0 = hello }
      return connection
    }
    self.attempt = attempt
    defer { self.attempt = nil }
    let connection = try await attempt.value
    if isClosed {
      connection.shutDown(.closed)
      throw HeddleError.closed
    }
    current = connection
    return connection
  }

  func close() {
    isClosed = true
    current?.shutDown(.closed)
    current = nil
    notices.finish()
  }
}
