// How much of the process's memory incomplete frames may take. Counters behind one lock.

import Synchronization

/// Bytes of incomplete frames of all connections (attacks.md R13). Beyond the limit only the connection that has waited
/// longest is read, so that there is always one frame that comes to its end.
///
/// A read that has been asked for cannot be taken back, and every connection that holds nothing has one. So what these may
/// bring is taken off the limit before it comes.
package final class ReceiveBudget: Sendable {
  private struct State {
    var bytes = 0
    var connections = 0
    var held: [ObjectIdentifier: (bytes: Int, number: UInt64)] = [:]
    /// By age; entries that are not `held` under the same number are gone.
    var queue: [(owner: ObjectIdentifier, number: UInt64)] = []
    var first = 0
    var next: UInt64 = 0
    /// Those that are held back, and how to tell them that they may go on.
    var waiting: [ObjectIdentifier: @Sendable () -> Void] = [:]
    /// Owners in the order in which they are woken; entries that are not `waiting` are gone.
    var line: [ObjectIdentifier] = []
    var served = 0

    /// Releases as many held connections as there is room for, since more would be held back again after one read each. A
    /// connection that is woken but has nothing to send does not block the others for long, because the others retry on
    /// their own.
    mutating func released(_ room: Int, readBytes: Int) -> [@Sendable () -> Void] {
      guard !waiting.isEmpty else { return [] }
      guard bytes <= room else {
        guard let oldest = oldest(), let wake = waiting.removeValue(forKey: oldest) else { return [] }
        return [wake]
      }
      var wakes: [@Sendable () -> Void] = []
      let most = max(1, (room - bytes) / readBytes)
      while wakes.count < most, served < line.count {
        if let wake = waiting.removeValue(forKey: line[served]) { wakes.append(wake) }
        served += 1
      }
      if served == line.count || served > 1_024 {
        line.removeFirst(served)
        served = 0
      }
      return wakes
    }

    /// Forgets those that are gone, when they are more than those that are there.
    mutating func tidy() {
      guard queue.count > 2 * held.count + 1_024 else { return }
      queue = queue[first...].filter { held[$0.owner]?.number == $0.number }
      first = 0
    }

    mutating func oldest() -> ObjectIdentifier? {
      while first < queue.count {
        let entry = queue[first]
        if held[entry.owner]?.number == entry.number { return entry.owner }
        first += 1
      }
      queue = []
      first = 0
      return nil
    }
  }

  private let limit: Int
  private let readBytes: Int
  private let state = Mutex(State())

  /// `readBytes`: the most that one read brings.
  package init(limit: Int, readBytes: Int) {
    self.limit = limit
    self.readBytes = readBytes
  }

  package func opened() { state.withLock { $0.connections += 1 } }

  package func closed() { state.withLock { $0.connections -= 1 } }

  /// Bytes that may be held while there are so many connections. Of a limit that is too small for them a quarter is left.
  private func room(_ state: State) -> Int { max(limit / 4, limit - state.connections * readBytes) }

  /// Records how many bytes of an incomplete frame the owner holds now.
  package func hold(_ owner: ObjectIdentifier, bytes: Int) {
    let wakes = state.withLock { state in
      let before = state.held[owner]
      state.bytes += bytes - (before?.bytes ?? 0)
      if bytes == 0 {
        state.held[owner] = nil
      } else if let before {
        state.held[owner] = (bytes, before.number)
      } else {
        state.next += 1
        state.held[owner] = (bytes, state.next)
        state.queue.append((owner, state.next))
        state.tidy()
      }
      if bytes == 0 { state.waiting[owner] = nil }
      return state.released(room(state), readBytes: readBytes)
    }
    for wake in wakes { wake() }
  }

  /// Whether the owner may be read; if not, `wake` is called once it may.
  package func mayRead(_ owner: ObjectIdentifier, wake: @escaping @Sendable () -> Void) -> Bool {
    state.withLock { state in
      if state.bytes <= room(state) || state.oldest() == owner { return true }
      if state.waiting.updateValue(wake, forKey: owner) == nil { state.line.append(owner) }
      return false
    }
  }
}
