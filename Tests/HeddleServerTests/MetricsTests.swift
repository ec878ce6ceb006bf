// Every metric of the catalog is moved by a real server: by work that is held where a gauge counts what waits.

import Foundation
import Glibc
import HeddleClient
import HeddleCore
import HeddleMetrics
import HeddleModels
import HeddleProtocol
import HeddleRecorder
import HeddleRuntime
import HeddleServer
import HeddleStorage
import Logging
import Synchronization
import Testing

@testable import HeddleSQLite

/// The scripted model, one request at a time.
private struct OneAtATime: ModelProvider {
  private let model = ScriptedModelProvider()
  var name: String { model.name }
  let concurrency = 1

  func answer(_ request: ModelRequest, emit: @escaping @Sendable (ModelSignal) async -> Void) async throws {
    try await model.answer(request, emit: emit)
  }
}

/// A server, and the metrics that had a value other than zero at any look.
private final class Watched: Sendable {
  let server: HeddleServer
  let store: SQLiteStore
  let client: HeddleClient
  let port: Int
  private let folder: String
  private let moved = Mutex<Set<String>>([])

  /// `pages` bounds the database, as a full disk would.
  init(pages: Int? = nil) async throws {
    folder = FileManager.default.temporaryDirectory.path + "/" + UUID().uuidString
    let captures = folder + "/captures"
    try FileManager.default.createDirectory(
      atPath: captures, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    store = try SQLiteStore(folder: folder + "/data", maximumPages: pages)
    var configuration = ServerConfiguration(cursorKey: Array(repeating: 7, count: 32), version: "test")
    configuration.port = 0
    configuration.loops = 2
    // Room for the beginning of a connection, and for none of its frames.
    configuration.capture = try CaptureFolder(path: captures, bufferBytes: 400)
    var logger = Logger(label: "test")
    logger.logLevel = .critical
    server = try await HeddleServer.start(
      configuration, store: store, providers: [OneAtATime()], logger: logger
    ) { text in Testing.Issue.record("the store failed: \(text)") }
    port = Int(server.address.split(separator: ":").last ?? "") ?? 0
    client = try await HeddleClient.connect(ClientConfiguration(port: port))
  }

  func end() async {
    await client.close()
    await server.drain()
    store.close()
    await server.end()
    try? FileManager.default.removeItem(atPath: folder)
  }

  /// The value of a metric now, all labels together.
  func value(_ name: String) -> Int {
    let samples = Metrics.catalog.first { $0.name == name }?.samples(of: server.manager.metrics) ?? []
    return samples.reduce(0) { sum, sample in
      switch sample.value {
      case .number(let number): sum + number
      case .histogram(let reading): sum + reading.count
      }
    }
  }

  /// Waits until the metric has a value that passes.
  func until(_ name: String, _ passes: (Int) -> Bool = { $0 != 0 }) async throws {
    let end = ContinuousClock.now + .seconds(60)
    while !passes(value(name)) {
      guard ContinuousClock.now < end else {
        Testing.Issue.record("\(name) is \(value(name))")
        return
      }
      try await Task.sleep(for: .milliseconds(5))
    }
    for metric in Metrics.catalog where value(metric.name) != 0 { moved.withLock { _ = $0.insert(metric.name) } }
  }

  var unmoved: [String] { Metrics.catalog.map(\.name).filter { name in !moved.withLock { $0.contains(name) } } }
}

/// A socket that is no client.
struct RawSocket {
  private let descriptor: Int32

  init(port: Int, _ bytes: [UInt8]) {
    descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = in_port_t(port).bigEndian
    address.sin_addr.s_addr = inet_addr("127.0.0.1")
    let connected = withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
    #expect(connected == 0 && send(descriptor, bytes, bytes.count, 0) == bytes.count)
  }

  func end() { close(descriptor) }
}

@Suite struct MetricsTests {
  /// Moved in AuditLogTests and in SpanExporterTests.
  private static let telemetry: Set = ["heddle_audit_lost_total", "heddle_spans_dropped_total"]

  @Test("Every metric is moved by something, and gauges go back to zero", .timeLimit(.minutes(5)))
  func moved() async throws {
    let watched = try await Watched()
    try await sockets(watched)
    try await requests(watched)
    try await turns(watched)
    try await capture(watched)
    try await waiting(watched)
    let full = try await Watched(pages: 80)
    try await fullDisk(full)
    #expect(Set(watched.unmoved).intersection(full.unmoved) == DoorMetricsTests.moved.union(Self.telemetry))
    await full.end()
    await watched.client.close()
    for name in ["heddle_connections", "heddle_subscriptions", "heddle_followers", "heddle_requests_in_flight"] {
      try await watched.until(name) { $0 == 0 }
    }
    await watched.end()
    let constant = ["heddle_model_requests_limit", "heddle_build_info"]
    for name in Metrics.catalog.filter({ $0.kind == .gauge && !constant.contains($0.name) }).map(\.name) {
      #expect(watched.value(name) == 0, "\(name)")
    }
  }

  /// Connections that are none of this protocol's, and half a frame.
  private func sockets(_ watched: Watched) async throws {
    let tls = RawSocket(port: watched.port, [0x16, 3, 1, 0, 5])
    try await watched.until("heddle_tls_on_plain_total")
    tls.end()
    let half = RawSocket(port: watched.port, [FrameHeader.magic])
    try await watched.until("heddle_unfinished_frame_bytes") { $0 == 1 }
    half.end()
    try await watched.until("heddle_unfinished_frame_bytes") { $0 == 0 }
    try await watched.until("heddle_connections") { $0 == 1 }
    #expect(watched.value("heddle_connections_accepted_total") == 3)
    #expect(watched.value("heddle_connections_closed_total") == 2)
  }

  private func requests(_ watched: Watched) async throws {
    let client = watched.client
    _ = try await client.threads.start(StartThreadRequest(ephemeral: true))
    try await watched.until("heddle_ephemeral_bytes")
    // An answer like any other, and a small fault.
    await #expect(throws: HeddleError.self) {
      try await client.threads.read(ReadThreadRequest(thread: ThreadID(high: 1, low: 1)))
    }
    await #expect(throws: HeddleError.self) { try await client.threads.read(ReadThreadRequest(thread: ThreadID())) }
    try await watched.until("heddle_glitches_total") { $0 == 1 }
    #expect(watched.value("heddle_refusals_total") == 2)
    #expect(watched.value("heddle_requests_total") == 3)
    let thread = try #require(try await client.threads.start().thread?.id)
    _ = try await client.threads.delete(DeleteThreadRequest(thread: thread))
    try await watched.until("heddle_store_checkpoints_total")
  }

  private func turns(_ watched: Watched) async throws {
    let client = watched.client
    let one = try #require(try await client.threads.start().thread?.id)
    let two = try #require(try await client.threads.start().thread?.id)
    // A consumer that takes one message and no more.
    let lagging = client.subscribe(SubscribeRequest(thread: one, credit: 1))
    #expect(try await lagging.next() != nil)
    let live = Task { for try await event in client.subscribe(thread: two, after: 0) { _ = event } }
    try await watched.until("heddle_followers")
    try await watched.until("heddle_subscriptions")
    // One turn runs, another one waits for the provider.
    let stalled = try await client.turns.start(StartTurnRequest(thread: one, input: .text("!stall"))).turn
    try await watched.until("heddle_model_requests_running") { $0 == 1 }
    let waits = try await client.turns.start(StartTurnRequest(thread: two, input: .text("!stall"))).turn
    try await watched.until("heddle_model_requests_waiting") { $0 == 1 }
    #expect(watched.value("heddle_turns_running") == 2)
    _ = try await client.turns.interrupt(InterruptTurnRequest(thread: two, turn: waits))
    _ = try await client.turns.interrupt(InterruptTurnRequest(thread: one, turn: stalled))
    try await watched.until("heddle_turns_running") { $0 == 0 }
    _ = try await client.turns.start(StartTurnRequest(thread: two, input: .text("!fail")))
    try await watched.until("heddle_turns_total") { $0 == 3 }
    _ = try await client.turns.start(StartTurnRequest(thread: two, input: .text("hello, how are you?")))
    try await watched.until("heddle_model_tokens_total")
    try await watched.until("heddle_turns_total") { $0 == 4 }
    try await watched.until("heddle_subscription_lags_total")
    live.cancel()
    await lagging.close()
    #expect(watched.value("heddle_model_requests_total") == 3, "the one that waited was never asked")
  }

  private func capture(_ watched: Watched) async throws {
    _ = try await watched.client.server.startCapture(StartCaptureRequest(share: 1_000))
    try await watched.until("heddle_captures_running") { $0 == 1 }
    _ = try await watched.client.server.status()
    try await watched.until("heddle_capture_dropped_frames_total")
    _ = try await watched.client.server.stopCapture()
    #expect(watched.value("heddle_captures_running") == 0 && watched.value("heddle_captures_total") == 1)
  }

  /// The store's threads are held, so that work waits for them.
  private func waiting(_ watched: Watched) async throws {
    let client = watched.client
    let thread = try #require(try await client.threads.start().thread?.id)
    let gate = DispatchSemaphore(value: 0)
    let writeGate = DispatchSemaphore(value: 0)
    for _ in 1...3 {
      watched.store.read(.short) { (_, _) throws(StoreError) in
        gate.wait()
      } completion: { _ in
      }
    }
    await withCheckedContinuation { isHeld in
      watched.store.submit([Mutation([.feature("held", true)])], lane: WriteLane(0)) { _ in
        isHeld.resume()
        writeGate.wait()
      }
    }
    let update = Task { try await client.threads.setName(SetThreadNameRequest(thread: thread, name: "held")) }
    // The key is looked up before the name is written.
    try await watched.until("heddle_store_waiting_reads") { $0 == 1 }
    for _ in 1...3 { gate.signal() }
    try await watched.until("heddle_store_waiting_writes") { $0 == 1 }
    #expect(watched.value("heddle_store_waiting_bytes") > 0)
    #expect(watched.value("heddle_requests_in_flight") == 1)
    writeGate.signal()
    _ = try await update.value
    #expect(watched.value("heddle_store_waiting_bytes") == 0)
  }

  private func fullDisk(_ watched: Watched) async throws {
    let thread = try #require(try await watched.client.threads.start().thread?.id)
    for number in 0..<200 where watched.value("heddle_store_read_only") == 0 {
      let name = "\(number) " + String(repeating: "x", count: 1_000)
      _ = try? await watched.client.threads.setName(SetThreadNameRequest(thread: thread, name: name))
    }
    try await watched.until("heddle_store_read_only") { $0 == 1 }
    #expect(watched.value("heddle_write_groups_failed_total") > 0)
  }
}
