// The threads of a store that carry out its reads, which may wait for the disk or the network.
//
// L1  A short read (a record, a key) never waits behind long ones (pages, histories): each lane has threads of its own
//     (attacks.md R12).
// L2  Callers of long reads take turns: a thousand pages of one caller do not delay the next one.

import Glibc
import HeddleMetrics
import HeddleProtocol
import Synchronization

/// The threads that reads run on.
public enum ReadExecution: Sendable {
  /// Threads of the pool's own.
  case threads
  /// The caller, which is handed the work: a simulation.
  case by(@Sendable (@escaping @Sendable () -> Void) -> Void)
}

/// Two threads a lane: one slow read does not hold up the next. A store has as many connections.
public final class ReadPool: Sendable {
  typealias Work = @Sendable () -> Void

  private let execution: ReadExecution
  private let short: ReadQueue
  private let long: ReadQueue
  private let threads = Mutex<[pthread_t]>([])

  public init(_ execution: ReadExecution, _ metrics: StoreMetrics = StoreMetrics()) throws(StoreError) {
    self.execution = execution
    short = ReadQueue(metrics.shortReads)
    long = ReadQueue(metrics.longReads)
    guard case .threads = execution else { return }
    for queue in [short, short, long, long] {
      let thread = try Self.start(queue)
      threads.withLock { $0.append(thread) }
    }
  }

  deinit { shutDown() }

  /// Has `work` done with the store's reader.
  public func read<Value: Sendable>(
    _ lane: ReadLane, from reader: any StoreReader,
    _ work: @escaping @Sendable (any StoreReader, inout Codec) throws(StoreError) -> Value,
    completion: @escaping @Sendable (Result<Value, StoreError>) -> Void
  ) {
    submit(lane) {
      var codec = Codec()
      let result: Result<Value, StoreError>
      do throws(StoreError) { result = .success(try work(reader, &codec)) } catch { result = .failure(error) }
      completion(result)
    }
  }

  /// Has `work` done, which may block. Once the pool is shut down that is at once on the caller's thread: its reads find
  /// a closed store, so they do not wait.
  public func submit(_ lane: ReadLane = .short, _ work: @escaping @Sendable () -> Void) {
    let (queue, owner): (ReadQueue, ObjectIdentifier?) =
      switch lane {
      case .short: (short, nil)
      case .long(let owner): (long, owner)
      }
    guard queue.add(work, of: owner) else { return work() }
    // As often as there is work; which work it is, is decided when its turn comes.
    if case .by(let hand) = execution { hand { queue.takeNow()?() } }
  }

  /// Does what waits and ends the threads. Without threads what waits is left to whoever was handed it.
  public func shutDown() {
    short.close()
    long.close()
    let running = threads.withLock { threads in
      defer { threads = [] }
      return threads
    }
    for thread in running {
      // A completion that held the last reference to the store ends it on one of these threads, which cannot wait for
      // itself.
      if pthread_equal(thread, pthread_self()) != 0 { pthread_detach(thread) } else { pthread_join(thread, nil) }
    }
  }

  /// A thread that does the work of a queue until that is closed and empty.
  private static func start(_ queue: ReadQueue) throws(StoreError) -> pthread_t {
    var thread = pthread_t()
    let handedOver = Unmanaged.passRetained(queue)
    let code = pthread_create(
      &thread, nil,
      { context in
        guard let context else { return nil }
        let queue = Unmanaged<ReadQueue>.fromOpaque(context).takeRetainedValue()
        while let work = queue.take() { work() }
        return nil
      }, handedOver.toOpaque())
    guard code == 0 else {
      handedOver.release()
      throw .unusable("cannot start a thread for reads: \(String(cString: strerror(code)))")
    }
    return thread
  }
}

/// The work that waits in one lane, in turn for each owner.
private final class ReadQueue: Sendable {
  private struct State {
    var waiting = FairQueue<ObjectIdentifier?, ReadPool.Work>()
    var isClosed = false
  }

  private let state = Monitor(State())
  private let metrics: ReadMetrics

  init(_ metrics: ReadMetrics) { self.metrics = metrics }

  /// False after `close`: then the work was not taken.
  func add(_ work: @escaping ReadPool.Work, of owner: ObjectIdentifier?) -> Bool {
    state.change { state in
      guard !state.isClosed else { return false }
      state.waiting.add(work, of: owner)
      metrics.waiting.add(1)
      return true
    }
  }

  /// The next work; nil when the queue is closed and empty.
  func take() -> ReadPool.Work? {
    state.wait { state -> ReadPool.Work?? in
      if let work = next(&state) { return work }
      return state.isClosed ? .some(nil) : .none
    }
  }

  func takeNow() -> ReadPool.Work? { state.change { next(&$0) } }

  private func next(_ state: inout State) -> ReadPool.Work? {
    guard let work = state.waiting.next() else { return nil }
    metrics.waiting.add(-1)
    metrics.done.add(1)
    return work
  }

  func close() { state.change { $0.isClosed = true } }
}
