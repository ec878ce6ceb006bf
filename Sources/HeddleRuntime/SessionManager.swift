// All threads of this node: the shards, and what doors call.

import HeddleCore
import HeddleMetrics
import HeddleProtocol
import HeddleStorage
import Logging
import NIOCore

/// Owns the node and its shards. Everything about a thread is on the thread's shard.
public final class SessionManager: Sendable {
  let node: Node
  /// Spans are made. Asked for each request, so it is kept apart.
  package let isTracing: Bool
  let shards: ShardTable
  public let contexts: [LoopContext]
  /// Switches as they were configured.
  public let defaultFeatures: Features
  // These are the node's; doors ask for them with every request.
  public let store: any Store
  public let clock: RuntimeClock
  public let logger: Logger
  public let index: LiveIndex
  public let backlog: WriteBacklog
  public let metrics: Metrics

  public init(
    store: any Store, group: any EventLoopGroup, rules: ServerRules, providers: [any ModelProvider],
    clock: RuntimeClock, metrics: Metrics, seed: UInt64, logger: Logger, ownership: any Ownership = WholeOwnership(),
    taskExecutor: (any TaskExecutor)? = nil, spans: (any SpanSink)? = nil,
    onStorageFailure: @escaping StorageFailure
  ) {
    let contexts = group.makeIterator().enumerated().map {
      LoopContext(index: $0.offset, eventLoop: $0.element, metrics: metrics.addLoop())
    }
    let callers = CallerDirectory()
    let condition = StoreCondition(
      StoreCondition.Surroundings(
        health: store.health, metrics: metrics.store, logger: logger, callers: callers, end: onStorageFailure))
    let node = Node(
      store: store, clock: clock, metrics: metrics, logger: logger,
      placement: Placement(ownership, loops: contexts.count),
      models: ModelProviders(providers, metrics, executor: taskExecutor), rules: rules, callers: callers,
      condition: condition, tracer: spans.map { Tracer(sink: $0, clock: clock) })
    self.contexts = contexts
    self.node = node
    isTracing = spans != nil
    spans?.count(in: metrics.telemetry)
    defaultFeatures = rules.features
    self.store = store
    self.clock = clock
    self.metrics = metrics
    self.logger = logger
    index = node.index
    backlog = node.backlog
    var seeds = IDGenerator(seed: seed)
    let shards = contexts.map { Shard(context: $0, node: node, rules: rules, seed: seeds.random()) }
    self.shards = ShardTable(shards)
    condition.begin(shards)
  }

  package var tracer: Tracer? { node.tracer }

  func shard(of thread: ThreadID) -> Shard { shards[node.placement.shardIndex(thread)] }

  func shard(of context: LoopContext) -> Shard { shards[context.index] }

  // MARK: Rules

  public var rules: ServerRules { node.rules }

  /// Changes one switch; two at once change both.
  func setFeature(_ name: String, _ value: Bool) { changeFeatures { _ = $0.set(name, value) } }

  /// Changes switches for all shards (rules.md V5: threads that are pinned do not notice).
  func changeFeatures(_ change: (inout Features) -> Void) {
    let rules = node.changeFeatures(change)
    for shard in shards.all { shard.context.run { shard.setRules(rules) } }
  }

  public var isReadOnly: Bool { node.condition.isReadOnly }

  // MARK: Callers

  /// `hearsOfStarts`: it wants to be notified of every thread of its tenant that starts (rules.md T1).
  public func add(_ caller: any CallerPort, hearsOfStarts: Bool) {
    node.callers.add(caller, hearsOfStarts: hearsOfStarts)
  }

  public func remove(_ caller: any CallerPort) { node.callers.remove(caller) }

  /// Whether the caller is notified of every thread's status, name and end.
  public func followLifecycle(_ caller: any CallerPort, _ follows: Bool) {
    node.callers.followLifecycle(caller, follows)
  }

  public func goAway(_ refusal: Refusal) { node.callers.goAway(refusal) }

  /// Stops every turn and timer; for a server that ends.
  public func stop() async {
    node.condition.stop()
    node.placement.ownership.onChange { _ in }
    for shard in shards.all { try? await shard.eventLoop.submit { shard.stop() }.get() }
  }

  // MARK: Requests

  /// A command for one thread: what the router calls for most requests. Runs on the shard of the thread.
  public func command(_ thread: ThreadID, _ command: ThreadCommand, _ request: RequestContext) {
    let shard = shard(of: thread)
    if shard.eventLoop.inEventLoop { return shard.command(thread, command, request) }
    shard.inbox.post { shard.command(thread, command, request) }
  }

  /// Runs a command of the server's own on the shard of its thread; returns its answer when that is durable.
  func perform(
    _ command: ThreadCommand, on thread: ThreadID, _ method: Method, tenant: String
  ) async throws(Refusal) -> Response {
    let context = shard(of: thread).context
    let answer = await withCheckedContinuation { continuation in
      let reply = Reply(on: context, tenant: tenant, continuation)
      self.command(thread, command, RequestContext(method, reply))
    }
    switch answer {
    case .response(let response): return response
    case .stored: throw Refusal(.internal)
    case .refused(let refusal): throw refusal
    }
  }
}

/// The shards, one for each loop.
struct ShardTable: Sendable {
  let all: [Shard]
  init(_ shards: [Shard]) { all = shards }
  subscript(index: Int) -> Shard { all[index] }
}
