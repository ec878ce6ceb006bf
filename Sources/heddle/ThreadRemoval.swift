// Removes the threads that a load has made: a server that was measured must not be fuller afterwards.

import HeddleClient
import HeddleCore
import Synchronization

/// Deletes threads over one connection, several at a time. Gives up at the first refusal that does not ask to wait, and when
/// nothing was deleted for a while.
final class ThreadRemoval: Sendable {
  private struct State {
    var next = 0
    var removed = 0
    var progress = ContinuousClock.now
    var failure: String?
  }

  private let threads: [ThreadID]
  private let state = Mutex(State())

  /// A quarter of what a server lets one connection have in flight: deletions share syncs, and nothing is refused.
  private static let atOnce = 64
  /// For one deletion, and for all of them without one that succeeds: a server that takes longer has stopped working.
  private static let patience = Duration.seconds(10)

  init(_ threads: [ThreadID]) { self.threads = threads }

  /// Nil: all are gone; otherwise how many are left, and why.
  func run(_ client: HeddleClient) async -> String? {
    await withTaskGroup(of: Void.self) { group in
      for _ in 0..<min(Self.atOnce, threads.count) {
        group.addTask { while let thread = self.take() { await self.remove(thread, client) } }
      }
    }
    let (removed, failure) = state.withLock { ($0.removed, $0.failure) }
    return failure.map { "\(threads.count - removed) of \(threads.count) threads that it made are left: \($0)" }
  }

  private func take() -> ThreadID? {
    state.withLock { state in
      guard state.failure == nil, state.next < threads.count else { return nil }
      defer { state.next += 1 }
      return threads[state.next]
    }
  }

  private func removed() {
    state.withLock { state in
      state.removed += 1
      state.progress = .now
    }
  }

  private var makesProgress: Bool { state.withLock { $0.failure == nil && .now - $0.progress < Self.patience } }

  private func remove(_ thread: ThreadID, _ client: HeddleClient) async {
    while true {
      do {
        _ = try await client.call(
          .threadDelete(DeleteThreadRequest(thread: thread)), deadline: Self.patience)
        return removed()
      } catch let error as HeddleError where error.reason == Reason.thread.rawValue {
        return removed()
      } catch let error as HeddleError {
        // A quota of requests, for example, which lets the next one through. A full disk may stay full.
        if error.code == .resourceExhausted, makesProgress {
          try? await Task.sleep(for: max(error.retryAfter ?? .zero, .milliseconds(50)))
          continue
        }
        return state.withLock { $0.failure = "\(error)" }
      } catch {
        return state.withLock { $0.failure = "the connection failed" }
      }
    }
  }
}
