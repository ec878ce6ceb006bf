// The time between the signal and the drain. Health says at once that the server leaves; a load balancer needs a moment
// to notice, and goes on sending connections and requests until then. They are served.

import ServiceLifecycle
import UnixSignals

enum DrainDelay {
  /// Returns when the time is over, or at the next signal.
  static func wait(_ time: Duration) async {
    guard time > .zero else { return }
    await withTaskGroup(of: Void.self) { group in
      group.addTask { try? await Task.sleep(for: time) }
      group.addTask { for await _ in await UnixSignalsSequence(trapping: .sigterm, .sigint) { return } }
      await group.next()
      group.cancelAll()
    }
  }
}
