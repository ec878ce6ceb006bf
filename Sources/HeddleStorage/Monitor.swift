// A lock with a condition: state that several threads share and wait upon. `Synchronization.Mutex` has no condition.

import Glibc

/// State that is only reached with the lock held. Inlined, so that another target's state is not handled by its metadata.
// @unchecked: `state` is only touched between lock and unlock, and the two pthread objects never move.
package final class Monitor<State>: @unchecked Sendable {
  @usableFromInline let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
  @usableFromInline let condition = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
  @usableFromInline var state: State

  @inlinable package init(_ state: sending State) {
    self.state = state
    pthread_mutex_init(mutex, nil)
    pthread_cond_init(condition, nil)
  }

  @inlinable deinit {
    pthread_cond_destroy(condition)
    pthread_mutex_destroy(mutex)
    condition.deallocate()
    mutex.deallocate()
  }

  /// Runs `body` with the lock held, then wakes all waiters to look again.
  @inlinable package func change<Value, Failure: Error>(_ body: (inout State) throws(Failure) -> Value) throws(Failure)
    -> Value
  {
    pthread_mutex_lock(mutex)
    defer {
      pthread_cond_broadcast(condition)
      pthread_mutex_unlock(mutex)
    }
    return try body(&state)
  }

  /// Waits until `body` returns a value; it is asked with the lock held, at once and after every change.
  @inlinable package func wait<Value>(until body: (inout State) -> Value?) -> Value {
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    while true {
      if let value = body(&state) { return value }
      pthread_cond_wait(condition, mutex)
    }
  }
}
