// A real server on loopback, on a folder of its own, with the scripted model.

import Foundation
import HeddleClient
import HeddleCore
import HeddleModels
import HeddleRuntime
import HeddleSQLite
import HeddleServer
import Logging

/// Runs `body` with a server and a client, and ends both.
func withServer(
  _ rules: ServerRules = ServerRules(),
  folder: String = FileManager.default.temporaryDirectory.path + "/" + UUID().uuidString,
  providers: [any ModelProvider] = [ScriptedModelProvider()], clock: RuntimeClock = .system,
  _ body: (HeddleServer, HeddleClient, SQLiteStore) async throws -> Void
) async throws {
  let store = try SQLiteStore(folder: folder)
  var configuration = ServerConfiguration(cursorKey: Array(repeating: 7, count: 32), version: "test")
  configuration.port = 0
  configuration.loops = 2
  configuration.rules = rules
  var logger = Logger(label: "test")
  logger.logLevel = .critical
  let server = try await HeddleServer.start(
    configuration, store: store, providers: providers, logger: logger, clock: clock
  ) { text in Issue.recordFailure(text) }
  let port = Int(server.address.split(separator: ":").last ?? "") ?? 0
  let client = try await HeddleClient.connect(ClientConfiguration(port: port))
  let result: Result<Void, any Error>
  do { result = .success(try await body(server, client, store)) } catch { result = .failure(error) }
  await client.close()
  await server.drain()
  store.close()
  await server.end()
  try? FileManager.default.removeItem(atPath: folder)
  try result.get()
}
