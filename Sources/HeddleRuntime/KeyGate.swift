// Idempotency keys while their first request runs. The store holds results for good; this gate keeps two requests with
// one key from running side by side (durability.md, exactly once).
//
// K1  Of all requests with one (tenant, key) at most one runs; the others wait for its answer.
// K2  A key is looked up on disk before its request runs, and its result is stored with the request's own events.

import HeddleCore
import Synchronization

/// The keys whose first request has not been answered.
final class KeyGate: Sendable {
  private struct Name: Hashable {
    var tenant: String
    var key: IdempotencyKey
  }

  private struct Entry {
    var requestHash: [UInt8]
    var waiting: [Reply] = []
  }

  private struct Remembered {
    var requestHash: [UInt8]
    var response: [UInt8]
  }

  private struct State {
    var running: [Name: Entry] = [:]
    /// The newest results: a look-up on disk saved, and the only place for those of ephemeral threads, which no disk
    /// holds. The oldest goes first.
    var memory: [Name: Remembered] = [:]
    var order: [Name] = []
    var bytes = 0
  }

  enum Arrival {
    /// Nobody runs it: look it up, then run it.
    case first
    /// Somebody runs it; the answer comes by itself.
    case waits
    case done([UInt8])
    case refused(Refusal)
  }

  private static let remembered = 4_096
  /// An answer holds the thread's settings, which may be large.
  private static let rememberedBytes = 16 * 1024 * 1024
  private let state = Mutex(State())

  func arrive(_ reply: Reply, _ key: KeyContext) -> Arrival {
    let name = Name(tenant: key.tenant, key: key.key)
    return state.withLock { state in
      if let entry = state.running[name] {
        guard entry.requestHash == key.requestHash else { return .refused(Refusal(.idempotencyMismatch)) }
        state.running[name]?.waiting.append(reply)
        return .waits
      }
      if let done = state.memory[name] {
        return done.requestHash == key.requestHash ? .done(done.response) : .refused(Refusal(.idempotencyMismatch))
      }
      state.running[name] = Entry(requestHash: key.requestHash)
      return .first
    }
  }

  /// The first request has its answer: those who waited get it too.
  func finish(_ key: KeyContext, remember response: [UInt8]? = nil) -> [Reply] {
    let name = Name(tenant: key.tenant, key: key.key)
    return state.withLock { state in
      if let response {
        let old = state.memory.updateValue(Remembered(requestHash: key.requestHash, response: response), forKey: name)
        state.bytes -= old?.response.count ?? 0
        state.order.append(name)
        state.bytes += response.count
        while state.order.count > Self.remembered || (state.bytes > Self.rememberedBytes && state.order.count > 1) {
          state.bytes -= state.memory.removeValue(forKey: state.order.removeFirst())?.response.count ?? 0
        }
      }
      return state.running.removeValue(forKey: name)?.waiting ?? []
    }
  }
}
