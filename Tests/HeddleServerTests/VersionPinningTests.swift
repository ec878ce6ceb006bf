import HeddleClient
import HeddleCore
import HeddleRuntime
import HeddleServer
import HeddleStorage
import Testing

enum Issue {
  static func recordFailure(_ text: String) { Testing.Issue.record("the store failed: \(text)") }
}

@Suite struct VersionPinningTests {
  private static let candidates: [MultiAgentVersion] = [.v1, .v2, .disabled]

  @Test("V9: of 1,000 races to pin a version each has one winner, and all callers get the winner's value")
  func races() async throws {
    try await withServer { server, client, store in
      for _ in 0..<1_000 {
        let thread = try await client.threads.start().thread?.id ?? ThreadID()
        let got = try await race(server, client, thread)
        #expect(Set(got).count == 1)
        let read = try await client.threads.read(ReadThreadRequest(thread: thread)).thread
        #expect(read?.version == got.first)
      }
      // One event each, in every log: kind 12 is VersionPinned.
      for row in try store.list(tenant: "default", filter: ThreadFilter(), after: nil, limit: 1_000).rows {
        let pins = try store.events(
          row.id, kinds: [12], from: 0, backwards: false, ordinal: nil, hidden: [], limit: 10)
        #expect(pins.count == 1)
      }
    }
  }

  /// Three writers want three versions while a client changes settings.
  private func race(
    _ server: HeddleServer, _ client: HeddleClient, _ thread: ThreadID
  ) async throws -> [MultiAgentVersion] {
    try await withThrowingTaskGroup(of: MultiAgentVersion?.self) { group in
      for version in Self.candidates.shuffled() {
        group.addTask {
          try await server.manager.setMultiAgentVersionIfUnset(thread, tenant: "default", version)
        }
      }
      group.addTask {
        let change = SettingsChange(reasoningEffort: "low")
        _ = try await client.call(.settingsUpdate(UpdateSettingsRequest(thread: thread, change: change)))
        return nil
      }
      return try await group.reduce(into: []) { list, version in if let version { list.append(version) } }
    }
  }

  @Test("V9: the pin is in the log on disk when it is returned")
  func durable() async throws {
    try await withServer { server, client, store in
      let thread = try await client.threads.start().thread?.id ?? ThreadID()
      let pinned = try await server.manager.setMultiAgentVersionIfUnset(thread, tenant: "default", .v2)
      #expect(pinned == .v2)
      let row = try #require(try store.row(thread, tenant: "default"))
      let events = try store.events(thread, after: 0, limit: 10, bytes: 1 << 20)
      #expect(row.sequence == 2 && events.map(\.kind) == [10, 12])
    }
  }

  @Test("V9, attacks.md M2: another tenant's thread is no thread")
  func tenants() async throws {
    try await withServer { server, client, _ in
      let thread = try await client.threads.start().thread?.id ?? ThreadID()
      await #expect(throws: Refusal(.thread)) {
        try await server.manager.setMultiAgentVersionIfUnset(thread, tenant: "another", .v2)
      }
    }
  }
}
