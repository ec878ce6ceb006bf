// Tokens, keys and certificates that change while the server runs.

import HeddleListener
import HeddleRuntime
import HeddleServer
import HeddleService
import HeddleTokens
import Logging
import ServiceLifecycle

/// Reads the files of tokens, keys and certificates anew when one has changed.
struct CredentialWatch: Service, CustomStringConvertible {
  /// Nil: there is no authentication.
  let authentication: Authentication?
  let doors: [String: DoorTLS]
  let audit: AuditLog?
  let logger: Logger

  var description: String { "credentials" }

  /// Nil: there are no such files.
  init?(_ settings: ServeSettings, logger: Logger) {
    authentication = settings.authentication
    doors = settings.security.compactMapValues(\.tls)
    audit = settings.audit
    self.logger = logger
    guard authentication != nil || !doors.isEmpty else { return nil }
  }

  func run() async throws {
    await cancelWhenGracefulShutdown {
      await withDiscardingTaskGroup { group in
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

  /// On SIGHUP: without a look at the files' times.
  func reload() async {
    await reloadCredentials(always: true)
    await reloadDoors(always: true)
  }

  private func reloadCredentials(always: Bool) async {
    guard let authentication else { return }
    switch await authentication.reload(always: always) {
    case .unchanged: break
    case .renewed:
      note("tokens, keys and identities", cause: nil)
      logger.notice("tokens, keys and identities were read again")
    case .failed(let text):
      note("tokens, keys and identities", cause: text)
      logger.error(
        "tokens, keys and identities stay as they were: a file cannot be used", metadata: ["cause": "\(text)"])
    }
  }

  private func note(_ subject: String, cause: String?) {
    audit?.note(.reload(subject, cause: cause), at: RuntimeClock.system.now())
  }

  private func reloadDoors(always: Bool) async {
    for (door, tls) in doors {
      switch await tls.reload(always: always) {
      case .unchanged: break
      case .renewed:
        note("certificate of \(door)", cause: nil)
        logger.notice("the certificate of a door was read again", metadata: ["door": "\(door)"])
      case .failed(let text):
        note("certificate of \(door)", cause: text)
        logger.error(
          "the certificate of a door stays as it was: a file cannot be used",
          metadata: ["door": "\(door)", "cause": "\(text)"])
      }
    }
  }
}
