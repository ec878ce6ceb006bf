// Reads that may wait for the disk, off the loops.
//
// L1  A short read (a record, a key) never waits behind long ones (pages, histories): each lane has threads of its own
//     (attacks.md R12).
// L2  Who asks for long reads takes turns with the others: a thousand pages of one are no queue for the next.

import HeddleProtocol
import HeddleStorage
import NIOPosix
import Synchronization

/// Who carries out reads that may wait for the disk.
public enum ReadExecution: Sendable {
  /// Threads of the server's own.
  case threads
  /// Whoever is handed the work: a simulation.
  case by(@Sendable (@escaping @Sendable () -> Void) -> Void)
}

/// Where a read waits.
public enum ReadLane: Sendable {
  /// It costs about the same whatever the thread holds.
  case short
  /// It may bring a page or more; on behalf of whom.
  case long(ObjectIdentifier)
}

/// Two threads a lane: one slow read does not hold up the next. The store lends as many connections.
public final class ReadPool: Sendable {
  /// `isActive` is false when the pool was shut down before the work's turn came.
  private typealias Work = @Sendable (_ isActive: Bool) -> Void

  private let pools: [NIOThreadPool]
  private let handShort: @Sendable (@escaping Work) -> Void
  private let handLong: @Sendable (@escaping Work) -> Void
  private let long = Mutex(FairQueue<ObjectIdentifier, Work>())
  private let store: any Store

  init(store: any Store, _ execution: ReadExecution) {
    self.store = store
    switch execution {
    case .by(let hand):
      pools = []
      handShort = { work in hand { work(true) } }
      handLong = handShort
    case .threads:
      let pools = (0..<2).map { _ in NIOThreadPool(numberOfThreads: 2) }
      for pool in pools { pool.start() }
      self.pools = pools
      func hand(_ pool: NIOThreadPool) -> @Sendable (@escaping Work) -> Void {
        { work in pool.submit { state in if case .active = state { work(true) } else { work(false) } } }
      }
      handShort = hand(pools[0])
      handLong = hand(pools[1])
    }
  }

  func submit(_ lane: ReadLane = .short, _ work: @escaping @Sendable () -> Void) {
    hand(lane) { isActive in if isActive { work() } }
  }

  private func hand(_ lane: ReadLane, _ work: @escaping Work) {
    guard case .long(let owner) = lane else { return handShort(work) }
    long.withLock { $0.add(work, of: owner) }
    // As often as there is work; which work it is, is decided when a thread is free.
    handLong { isActive in self.long.withLock { $0.next() }?(isActive) }
  }

  func result<T>(
    _ work: @Sendable (any Store, inout Codec) throws(StoreError) -> T
  ) -> Result<T, StoreError> {
    var codec = Codec()
    do throws(StoreError) { return .success(try work(store, &codec)) } catch { return .failure(error) }
  }

  public func run<T: Sendable>(
    _ lane: ReadLane = .short, _ work: @escaping @Sendable (any Store, inout Codec) throws -> T
  ) async throws -> T {
    try await withCheckedThrowingContinuation { continuation in
      hand(lane) { isActive in
        guard isActive else { return continuation.resume(throwing: CancellationError()) }
        continuation.resume(with: Result { try self.carryOut(work) })
      }
    }
  }

  private func carryOut<T>(_ work: @Sendable (any Store, inout Codec) throws -> T) throws -> T {
    var codec = Codec()
    return try work(store, &codec)
  }

  public func shutDown() async throws { for pool in pools { try await pool.shutdownGracefully() } }
}
