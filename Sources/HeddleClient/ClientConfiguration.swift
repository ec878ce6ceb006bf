// The settings of a client. Code wins over a URL, and that over HEDDLE_URL and HEDDLE_TOKEN.

import HeddleCore
import HeddleProtocol
import Logging

public struct ClientConfiguration: Sendable {
  public struct Host: Equatable, Sendable, CustomStringConvertible {
    public var name: String
    public var port: Int

    public init(_ name: String, _ port: Int = 7420) {
      self.name = name
      self.port = port
    }

    public var description: String { name.contains(":") ? "[\(name)]:\(port)" : "\(name):\(port)" }
  }

  /// Tried in this order.
  public var hosts: [Host]
  /// Nil: the connection is not encrypted.
  public var tls: ClientTLS?
  /// Bearer token; needed where the server has a token file. Nil: HEDDLE_TOKEN of the environment.
  public var token: String?
  /// Gives a fresh token: asked at each new connection, and once more when the server says that one has expired. It
  /// wins over `token`.
  public var tokenProvider: (@Sendable () async throws -> String)?
  public var clientName: String
  public var clientVersion: String
  /// The time of a call with all its attempts.
  public var callTimeout: Duration = .seconds(30)
  /// The time for one host to connect and to say HELLO.
  public var connectTimeout: Duration = .seconds(10)
  /// Attempts of a call after the first one.
  public var retries = 4
  /// The waits between attempts, and before a subscription connects again.
  public var backoff = Backoff()
  /// Attempts in a row of a subscription to follow its thread again, before it fails; nil: it never gives up.
  public var resumptions: Int?
  /// Bytes of a subscription that may wait for the program: the server sends so many ahead of it.
  public var credit: UInt32 = 1 << 20
  /// The silence after which the server is asked whether it is there, and after which it counts as lost.
  public var pingAfter: Duration = .seconds(30)
  public var lostAfter: Duration = .seconds(90)
  /// The time that `close` gives to calls that have no answer yet.
  public var closeTimeout: Duration = .seconds(5)
  /// Tools that run at the same time; others wait.
  public var toolsAtOnce = 64
  /// Handlers of requests of the server.
  public var handlers: ClientHandlers
  public var hooks: ClientHooks
  /// No token is ever logged. Nil: nothing is.
  public var logger: Logger?
  /// Gives the W3C trace context of a call.
  public var trace: (@Sendable () -> (traceparent: String, tracestate: String)?)?

  public init(
    host: String = "127.0.0.1", port: Int = 7420, tls: ClientTLS? = nil, token: String? = nil,
    clientName: String = "heddle-swift", clientVersion: String = "1", handlers: ClientHandlers = ClientHandlers(),
    hooks: ClientHooks = ClientHooks()
  ) {
    hosts = [Host(host, port)]
    self.tls = tls
    self.token = token
    self.clientName = clientName
    self.clientVersion = clientVersion
    self.handlers = handlers
    self.hooks = hooks
  }
}

/// A wait that doubles, less a random part, so that the clients of a server that restarts do not come back in one moment.
public struct Backoff: Sendable {
  public var minimum: Duration
  public var maximum: Duration

  public init(minimum: Duration = .milliseconds(100), maximum: Duration = .seconds(10)) {
    self.minimum = minimum
    self.maximum = maximum
  }

  /// The wait before attempt number `attempt`, from 0.
  public func wait(before attempt: Int, using generator: inout some RandomNumberGenerator) -> Duration {
    // Sixteen doublings of any sensible minimum are beyond any sensible maximum.
    min(maximum, minimum * (1 << min(max(attempt, 0), 16))) * Double.random(in: 0.5...1, using: &generator)
  }

  func wait(before attempt: Int) -> Duration {
    var generator = SystemRandomNumberGenerator()
    return wait(before: attempt, using: &generator)
  }
}

/// Functions that hear of the client's work. No hook gets a token or a message; all run on the client's event loop, so none
/// may wait.
public struct ClientHooks: Sendable {
  /// There is a connection, and the server said this.
  public var connected: (@Sendable (ServerHello) -> Void)?
  /// A connection that had been made has ended.
  public var lost: (@Sendable (HeddleError) -> Void)?
  /// A call is sent again after this wait.
  public var retry: (@Sendable (CallRetry) -> Void)?
  public var call: (@Sendable (CallSummary) -> Void)?
  /// A subscription goes on behind this event.
  public var resumed: (@Sendable (ThreadID?, UInt64?) -> Void)?

  public init() {}
}

public struct CallRetry: Equatable, Sendable {
  public var method: Method
  public var attempt: Int
  public var wait: Duration
  /// The stable name of the refusal, or the kind of the error.
  public var reason: String
}

public struct CallSummary: Equatable, Sendable {
  public var method: Method
  public var attempts: Int
  public var took: Duration
  public var sentBytes: Int
  public var receivedBytes: Int
  /// Empty: the call has its answer.
  public var reason: String
}
