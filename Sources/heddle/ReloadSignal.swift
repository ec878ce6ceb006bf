// SIGHUP: files that may change while the server runs are read again. A supervisor is told when that begins and ends.

import ServiceLifecycle
import UnixSignals

struct ReloadSignal: Service, CustomStringConvertible {
  let supervisor: Supervisor
  /// One after the other.
  let reloads: [@Sendable () async -> Void]

  var description: String { "reload" }

  func run() async throws {
    await cancelWhenGracefulShutdown {
      for await _ in await UnixSignalsSequence(trapping: .sighup) {
        supervisor.tell(.reloading)
        for reload in reloads { await reload() }
        supervisor.tell(.reloaded)
      }
    }
  }
}
