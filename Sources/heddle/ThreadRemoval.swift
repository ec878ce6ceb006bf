// Removes the threads that a load has made: a server that was measured must not be fuller afterwards.

import HeddleClient
import HeddleCore
import Synchronization

/// Deletes threads over one connection, several at a time. Gives up at the first one that a server does not delete.
final class ThreadRemoval: Sendable {
  private struct State {
    var next = 0
    var removed = 0
    var failure: String?
  }

  private let threads: [ThreadID]
  private let state = Mutex(State())

  private static let atOnce = 64
  /// For one deletion; a server that takes longer has stopped working.
  private static let deadline = Duration.seconds(10)

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

  private func remove(_ thread: ThreadID, _ client: HeddleClient) async {
    while true {
      do {
        _ = try await client.call(
          .threadDelete(DeleteThreadRequest(thread: thread)), deadline: Self.deadline)
        return state.withLock { $0.removed += 1 }
      } catch HeddleError.refused(let error) where error.reason == Reason.thread.rawValue {
        return state.withLock { $0.removed += 1 }
      } catch let error as HeddleError {
        // Asked to wait: by a quota of requests, for example.
        if case .refused(let refusal) = error, refusal.code == .resourceExhausted {
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
