// Tokens and keys that change while the server runs.

import HeddleTokens
import Logging
import ServiceLifecycle

/// Reads the files of tokens and keys anew when one has changed.
struct CredentialWatch: Service, CustomStringConvertible {
  let authentication: Authentication
  let logger: Logger

  var description: String { "credentials" }

  func run() async throws {
    await cancelWhenGracefulShutdown {
      // A look costs a few system calls; attacks.md A11 asks for a minute.
      while (try? await Task.sleep(for: .seconds(2))) != nil { await reload(always: false) }
    }
  }

  /// `always`: on SIGHUP, without a look at their times.
  func reload(always: Bool) async {
    switch await authentication.reload(always: always) {
    case .unchanged: break
    case .renewed: logger.notice("tokens and keys were read again")
    case .failed(let text):
      logger.error("tokens and keys stay as they were: a file cannot be used", metadata: ["cause": "\(text)"])
    }
  }
}
