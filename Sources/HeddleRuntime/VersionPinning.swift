// Pinning a version from outside a turn: for imports, repairs and tests. It runs on the thread's shard, in line with the
// thread's other commands, which is what makes it safe beside a live writer (rules.md V9).

import HeddleCore
import NIOCore

extension SessionManager {
  /// Pins the version unless one is pinned, and returns the one that is; durable when it returns. Throws `Refusal`.
  public func setMultiAgentVersionIfUnset(
    _ thread: ThreadID, tenant: String, _ version: MultiAgentVersion, source: VersionSource = .stored
  ) async throws -> MultiAgentVersion {
    let response = try await perform(.pinVersionIfUnset(version, source), on: thread, .threadResume, tenant: tenant)
    guard case .threadResume(let resumed) = response else { throw Refusal(.internal) }
    return resumed.thread?.version ?? .unspecified
  }
}
