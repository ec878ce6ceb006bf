// The settings of a client, and how it waits between attempts to connect again.

import HeddleCore

public struct ClientConfiguration: Sendable {
  public var host: String
  public var port: Int
  /// Nil: the connection is not encrypted.
  public var tls: ClientTLS?
  /// Bearer token; needed when the server was started with a token file.
  public var token: String?
  public var clientName: String
  public var clientVersion: String
  /// How long a call without a deadline of its own waits for its answer; bounds connecting and HELLO too.
  public var callTimeout: Duration
  /// A connection without a byte from the server for this long is given up. The server pings after 30 s of silence.
  public var idleTimeout: Duration
  /// Bytes of events that wait for a slow consumer of one stream. Beyond them the stream is cancelled; a subscription
  /// then resumes after the last event that it delivered.
  public var streamBufferBytes: Int
  public var reconnect: Reconnect
  /// Handlers of requests of the server.
  public var handlers: ClientHandlers
  /// Called for every connection that is made or lost, for people who watch, on the connection's loop, so it must
  /// not wait.
  public var connectionChanged: (@Sendable (ConnectionChange) -> Void)?

  public init(
    host: String = "127.0.0.1", port: Int = 7420, tls: ClientTLS? = nil, token: String? = nil,
    clientName: String = "heddle-swift",
    clientVersion: String = "1", callTimeout: Duration = .seconds(30), idleTimeout: Duration = .seconds(90),
    streamBufferBytes: Int = 1 << 20, reconnect: Reconnect = Reconnect(),
    handlers: ClientHandlers = ClientHandlers(), connectionChanged: (@Sendable (ConnectionChange) -> Void)? = nil
  ) {
    self.host = host
    self.port = port
    self.tls = tls
    self.token = token
    self.clientName = clientName
    self.clientVersion = clientVersion
    self.callTimeout = callTimeout
    self.idleTimeout = idleTimeout
    self.streamBufferBytes = streamBufferBytes
    self.reconnect = reconnect
    self.handlers = handlers
    self.connectionChanged = connectionChanged
  }
}

/// A change of the one connection of a client.
public enum ConnectionChange: Equatable, Sendable {
  /// There is one, and the server said this.
  case connected(ServerHello)
  /// There is none any more.
  case lost(HeddleError)
}

/// How a subscription waits before it connects again: twice as long each time, less a random part, so that the clients of
/// a server that restarts do not come back in one moment.
public struct Reconnect: Sendable {
  public var minimum: Duration
  public var maximum: Duration
  /// Attempts in a row without an answer before a subscription fails; nil: it never gives up.
  public var attempts: Int?

  public init(minimum: Duration = .milliseconds(100), maximum: Duration = .seconds(10), attempts: Int? = nil) {
    self.minimum = minimum
    self.maximum = maximum
    self.attempts = attempts
  }

  /// The wait before attempt number `attempt`, from 0; nil when there is no such attempt any more.
  public func wait(before attempt: Int, using generator: inout some RandomNumberGenerator) -> Duration? {
    if let attempts, attempt >= attempts { return nil }
    // Sixteen doublings of any sensible minimum are beyond any sensible maximum.
    let doubled = min(maximum, minimum * (1 << min(attempt, 16)))
    return doubled * Double.random(in: 0.5...1, using: &generator)
  }
}
