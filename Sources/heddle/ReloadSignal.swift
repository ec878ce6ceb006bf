// SIGHUP: files that may change while the server runs are read again. A supervisor is told when that begins and ends.

import ServiceLifecycle
import UnixSignals

struct ReloadSignal: Service, CustomStringConvertible {
  let supervisor: Supervisor
  /// Trapped before anybody is told that the server is ready: until then a SIGHUP ends the process.
  let hangups: UnixSignalsSequence
  /// One after the other.
  let reloads: [@Sendable () async -> Void]

  var description: String { "reload" }

  func run() async throws {
    await cancelWhenGracefulShutdown {
      for await _ in hangups {
        supervisor.tell(.reloading)
        for reload in reloads { await reload() }
        supervisor.tell(.reloaded)
      }
    }
  }
}
