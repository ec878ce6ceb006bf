// Tokens, keys and certificates that change while the server runs.

import HeddleListener
import HeddleTokens
import Logging
import ServiceLifecycle
import UnixSignals

/// Reads the files of tokens, keys and certificates anew when one has changed, and on SIGHUP in any case.
struct CredentialWatch: Service, CustomStringConvertible {
  /// Nil: there is no authentication.
  let authentication: Authentication?
  let doors: [String: DoorTLS]
  let logger: Logger

  var description: String { "credentials" }

  /// Nil: there are no such files.
  init?(_ settings: ServeSettings, logger: Logger) {
    authentication = settings.authentication
    doors = settings.security.compactMapValues(\.tls)
    self.logger = logger
    guard authentication != nil || !doors.isEmpty else { return nil }
  }

  func run() async throws {
    await cancelWhenGracefulShutdown {
      await withDiscardingTaskGroup { group in
        group.addTask {
          for await _ in await UnixSignalsSequence(trapping: .sighup) {
            await reloadCredentials(always: true)
            await reloadDoors(always: true)
          }
        }
        group.addTask {
          // A look costs a few system calls; attacks.md A11 asks for a minute.
          while (try? await Task.sleep(for: .seconds(2))) != nil { await reloadCredentials(always: false) }
        }
        group.addTask {
          while (try? await Task.sleep(for: .seconds(10))) != nil { await reloadDoors(always: false) }
        }
      }
    }
  }

  private func reloadCredentials(always: Bool) async {
    guard let authentication else { return }
    switch await authentication.reload(always: always) {
    case .unchanged: break
    case .renewed: logger.notice("tokens, keys and identities were read again")
    case .failed(let text):
      logger.error(
        "tokens, keys and identities stay as they were: a file cannot be used", metadata: ["cause": "\(text)"])
    }
  }

  private func reloadDoors(always: Bool) async {
    for (door, tls) in doors {
      switch await tls.reload(always: always) {
      case .unchanged: break
      case .renewed: logger.notice("the certificate of a door was read again", metadata: ["door": "\(door)"])
      case .failed(let text):
        logger.error(
          "the certificate of a door stays as it was: a file cannot be used",
          metadata: ["door": "\(door)", "cause": "\(text)"])
      }
    }
  }
}
