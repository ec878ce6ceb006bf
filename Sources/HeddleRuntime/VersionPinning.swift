// Pinning a version from outside a turn: for imports, repairs and tests. It runs on the thread's shard, in line with the
// thread's other commands, which is what makes it safe beside a live writer (rules.md V9).

import HeddleCore
import NIOCore

extension SessionManager {
  /// Pins the version unless one is pinned, and returns the one that is; durable when it returns. Throws `Refusal`.
  public func setMultiAgentVersionIfUnset(
    _ thread: ThreadID, tenant: String, _ version: MultiAgentVersion, source: VersionSource = .stored
  ) async throws -> MultiAgentVersion {
    let context = shard(of: thread).context
    let promise = context.eventLoop.makePromise(of: MultiAgentVersion.self)
    let reply = Reply(on: context, tenant: tenant) { answer in
      switch answer {
      case .response(.threadResume(let response)): promise.succeed(response.thread?.version ?? .unspecified)
      case .response, .stored: promise.fail(Refusal(.internal))
      case .refused(let refusal): promise.fail(refusal)
      }
    }
    command(
      thread, .pinVersionIfUnset(version, source),
      RequestContext(.threadResume, reply))
    return try await promise.futureResult.get()
  }
}
