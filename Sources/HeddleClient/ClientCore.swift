// The state of one client: its connections, subscriptions and tools. An actor on one event loop, which is the loop of
// all its connections too, so that frames reach it without a hop and nothing needs a lock.
//
// C1  Stream numbers are odd and rise in the order in which requests are written: number, registration and write happen
//     in one step of the loop.
// C2  Every continuation is resumed once: `Wait` sees to that.
// C3  Nothing waits on an ended connection.

import HeddleCore
import HeddleProtocol
import NIOCore
import NIOPosix
import Synchronization

actor ClientCore {
  nonisolated let configuration: ClientConfiguration
  nonisolated let loop: any EventLoop
  nonisolated let notices: AsyncStream<SubscriptionEvent>.Continuation
  private let executor: any SerialExecutor
  private let lastHello = Mutex(ServerHello())

  var codec = Codec(limits: .trusted, toleratesUnknown: true)
  var handlers: ClientHandlers
  var tools = RunningTools()
  var toolWaits: CircularBuffer<Wait<Void>> = []
  var connections: [Int: Connection] = [:]
  /// Connections without a `Connection` yet, with the error that came already.
  var opening: [Int: HeddleError?] = [:]
  var current: Connection?
  var followings: [UInt64: Following] = [:]
  var isClosed = false
  private var dialWaits: [Wait<Int>] = []
  private var isDialing = false
  private var lastConnection = 0
  private let lastFollowing = Atomic<UInt64>(0)
  private var lastWait: UInt64 = 0
  private var giveUps: [UInt64: (HeddleError) -> Void] = [:]
  /// The tasks beside the calls, ended and awaited by `close`.
  private var tasks: [UInt64: Task<Void, Never>] = [:]
  private var taskEnded: Wait<Void>?

  nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

  init(_ configuration: ClientConfiguration, notices: AsyncStream<SubscriptionEvent>.Continuation) {
    self.configuration = configuration
    self.notices = notices
    handlers = configuration.handlers
    loop = MultiThreadedEventLoopGroup.singleton.any()
    executor = loop.executor
  }

  /// The last HELLO of the server.
  nonisolated var hello: ServerHello { lastHello.withLock { $0 } }

  /// Runs on the loop, after what is queued there already.
  nonisolated func onLoop(_ body: @escaping @Sendable (isolated ClientCore) -> Void) {
    loop.execute { self.assumeIsolated(body) }
  }

  // MARK: waiting

  /// Waits for what `begin` hands the wait to; ends with an error at the deadline, and when the task is cancelled.
  func wait<Value: Sendable>(
    until deadline: ContinuousClock.Instant? = nil, _ begin: (Wait<Value>) -> Void
  ) async throws(HeddleError) -> Value {
    lastWait &+= 1
    let id = lastWait
    do {
      return try await withTaskCancellationHandler {
        try await withCheckedThrowingContinuation { continuation in
          let wait = Wait(continuation)
          if Task.isCancelled { return wait.end(.failure(.cancelled)) }
          giveUps[id] = { wait.end(.failure($0)) }
          if let deadline {
            wait.timer = loop.scheduleTask(in: TimeAmount(max(.zero, deadline - .now))) {
              self.assumeIsolated { $0.giveUps[id]?(.timedOut) }
            }
          }
          wait.ended = { self.giveUps[id] = nil }
          begin(wait)
        }
      } onCancel: {
        onLoop { $0.giveUps[id]?(.cancelled) }
      }
    } catch let error as HeddleError { throw error } catch { throw .cancelled }
  }

  func pause(_ time: Duration) async throws(HeddleError) {
    guard time > .zero else { return }
    do { try await Task.sleep(for: time) } catch { throw .cancelled }
  }

  /// Runs beside everything else, until it ends or the client is closed.
  @discardableResult
  func run(_ body: @escaping @Sendable (isolated ClientCore) async -> Void) -> UInt64 {
    lastWait &+= 1
    let id = lastWait
    // Held in `tasks`, which is what ends it.
    tasks[id] = Task {
      await body(self)
      self.tasks[id] = nil
      self.taskEnded?.end(.success(()))
    }
    return id
  }

  func cancel(_ task: UInt64?) { if let task { tasks[task]?.cancel() } }

  // MARK: connections

  /// The connection for new calls. One caller that gives up does not end the dialling for the others.
  func connection(until deadline: ContinuousClock.Instant?) async throws(HeddleError) -> Connection {
    while true {
      if isClosed { throw .closed }
      if let current, current.isUsable { return current }
      let id = try await wait(until: deadline) { wait in
        dialWaits.append(wait)
        if !isDialing {
          isDialing = true
          run { await $0.dialForAll() }
        }
      }
      // It may have ended since: then there is another one to be made.
      if let made = connections[id], made.isUsable { return made }
    }
  }

  /// A connection that does not follow the thread yet; from now on it does.
  func connection(following thread: ThreadID?) async throws(HeddleError) -> Connection {
    let first = try await connection(until: nil)
    for connection in [first] + connections.values
    where connection.isUsable && !connection.follows.contains(thread) {
      connection.follows.insert(thread)
      return connection
    }
    let made = try await dial()
    made.follows.insert(thread)
    return made
  }

  private func dialForAll() async {
    let result: Result<Connection, HeddleError>
    do { result = .success(try await dial()) } catch { result = .failure(error) }
    isDialing = false
    if case .success(let made) = result { current = made }
    let waits = dialWaits
    dialWaits = []
    for wait in waits { wait.end(result.map(\.id)) }
  }

  private func dial() async throws(HeddleError) -> Connection {
    let token = try await freshToken()
    var failures: [String] = []
    var isAboutTLS = false
    var isCut = false
    for (number, host) in configuration.hosts.enumerated() {
      do throws(HeddleError) { return try await dial(host, token) } catch {
        // Another server may have room, or not be on its way down; a wrong token is wrong everywhere.
        let isLast = number == configuration.hosts.count - 1
        switch error.kind {
        case .violation, .tooLarge, .closed, .cancelled: throw error
        case .refused where isLast || error.retry != .reconnect: throw error
        default: break
        }
        isAboutTLS = error.isAboutTLS
        isCut = error.isCut
        failures.append("\(host): \(error.message)")
      }
    }
    var error = HeddleError(.cannotConnect, failures.joined(separator: "; "))
    error.isAboutTLS = isAboutTLS
    error.isCut = isCut
    throw error
  }

  private func dial(_ host: ClientConfiguration.Host, _ token: String) async throws(HeddleError) -> Connection {
    let deadline = ContinuousClock.now + configuration.connectTimeout
    lastConnection += 1
    let id = lastConnection
    opening[id] = .some(nil)
    defer { opening[id] = nil }
    let channel = try await openChannel(host, id)
    let made = Connection(id, channel, host, features: handlers.features)
    connections[id] = made
    if let fault = opening[id] ?? nil {
      end(made, fault)
    } else if !channel.isActive {
      end(made, .lost("the connection ended"))
    }
    do throws(HeddleError) {
      let hello = ClientHello(
        clientName: configuration.clientName,
        clientVersion: configuration.clientVersion, token: token, features: made.features)
      try await wait(until: deadline) { (greeted: Wait<Void>) in
        made.greeted = greeted
        if let fault = made.fault { return greeted.end(.failure(fault)) }
        send(made, .hello, message: codec.encode(hello))
      }
    } catch {
      let reason =
        error.kind == .timedOut ? HeddleError.lost("it did not answer in \(configuration.connectTimeout)") : error
      end(made, reason)
      throw reason
    }
    if isClosed {
      end(made, .closed)
      throw .closed
    }
    watch(made)
    if let hello = made.hello {
      lastHello.withLock { $0 = hello }
      configuration.hooks.connected?(hello)
    }
    configuration.logger?.info("connected", metadata: ["host": "\(host)"])
    // A handler that came meanwhile is not in this HELLO.
    if handlers.features != made.features { leave(made) }
    return made
  }

  private func freshToken() async throws(HeddleError) -> String {
    guard let provider = configuration.tokenProvider else {
      return configuration.token ?? ClientConfiguration.environmentToken
    }
    do { return try await provider() } catch let error as HeddleError { throw error } catch {
      throw HeddleError(.cannotConnect, "the function for the token failed: \(error)")
    }
  }

  // MARK: the end

  /// Waits for calls that have no answer yet, at most the close timeout; then nothing is left.
  func close() async {
    guard !isClosed else { return }
    isClosed = true
    for following in Array(followings.values) { close(following) }
    for wait in dialWaits { wait.end(.failure(.closed)) }
    dialWaits = []
    tools.cancelAll()
    for connection in Array(connections.values) { leave(connection) }
    let patience = ContinuousClock.now + configuration.closeTimeout
    while !connections.isEmpty, ContinuousClock.now < patience {
      try? await wait(until: patience) { (gone: Wait<Void>) in connections.values.first?.gone.append(gone) }
      if Task.isCancelled { break }
    }
    for connection in Array(connections.values) { end(connection, .lost("the client is closed")) }
    for task in tasks.values { task.cancel() }
    // A task that does not look at its cancellation, such as a connect that nobody answers, ends a little later by itself.
    let last = ContinuousClock.now + .seconds(1)
    while !tasks.isEmpty, ContinuousClock.now < last {
      guard (try? await wait(until: last) { (ended: Wait<Void>) in taskEnded = ended }) != nil else { break }
    }
    notices.finish()
  }

  nonisolated func nextFollowing() -> UInt64 { lastFollowing.wrappingAdd(1, ordering: .relaxed).newValue }
}

/// A wait that ends once. Used on the client's loop only.
final class Wait<Value: Sendable> {
  private var continuation: CheckedContinuation<Value, any Error>?
  var timer: Scheduled<Void>?
  var ended: (() -> Void)?

  init(_ continuation: CheckedContinuation<Value, any Error>) { self.continuation = continuation }

  var isOver: Bool { continuation == nil }

  func end(_ result: Result<Value, HeddleError>) {
    guard let continuation else { return }
    self.continuation = nil
    timer?.cancel()
    ended?()
    ended = nil
    continuation.resume(with: result.mapError { $0 })
  }
}
