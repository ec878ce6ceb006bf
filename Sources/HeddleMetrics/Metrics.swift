// The room of all metrics of one server. It is handed in like the clock; each loop, provider and store gets its values
// from here, and a reader sums them.
//
// Metrics.M1  A value of a loop is written on that loop only.
// Metrics.M2  No metric has a tenant, an id or an address in it.

import Synchronization

/// All metrics of one server.
public final class Metrics: Sendable {
  private struct State {
    var loops: [LoopMetrics] = []
    var providers: [ProviderMetrics] = []
    var build = Build()
  }

  /// The program that counts.
  public struct Build: Equatable, Sendable {
    public var version: String
    /// The hash of its schema.
    public var schema: String

    public init(version: String = "", schema: String = "") {
      self.version = version
      self.schema = schema
    }
  }

  public let store: StoreMetrics
  public let captures = CaptureMetrics()
  public let identities = IdentityMetrics()
  public let tls = TLSMetrics()
  public let telemetry = TelemetryMetrics()
  public let tenants = TenantTokens()
  private let state = Mutex(State())

  /// `store`: the values that the store was opened with.
  public init(store: StoreMetrics) { self.store = store }

  /// The values of one more loop.
  public func addLoop() -> LoopMetrics {
    let loop = LoopMetrics()
    state.withLock { $0.loops.append(loop) }
    return loop
  }

  /// The values of one more provider.
  public func addProvider(_ name: String, limit: Int) -> ProviderMetrics {
    let provider = ProviderMetrics(name: name, limit: limit)
    state.withLock { $0.providers.append(provider) }
    return provider
  }

  public var build: Build {
    get { state.withLock(\.build) }
    set { state.withLock { $0.build = newValue } }
  }

  // MARK: Sums

  public var loops: [LoopMetrics] { state.withLock(\.loops) }
  /// By name.
  public var providers: [ProviderMetrics] { state.withLock(\.providers).sorted { $0.name < $1.name } }

  public var connections: Int { sumOfDoors { $0.connections.value } }
  public var requestsInFlight: Int { sumOfDoors { $0.requestsInFlight.value } }
  public var threadsLoaded: Int { sum { $0.threadsLoaded.value } }
  /// As clients have been told of them.
  public var turnsRunning: Int { sum { $0.turnsRunning.value } }

  func sum(_ value: (LoopMetrics) -> Int) -> Int { loops.reduce(0) { $0 + value($1) } }

  private func sumOfDoors(_ value: (DoorMetrics) -> Int) -> Int {
    sum { $0.doors.reduce(0) { $0 + value($1.values) } }
  }

  /// The values of each door, of all loops.
  var doors: [(name: String, values: [DoorMetrics])] {
    let doors = loops.flatMap(\.doors)
    return Set(doors.map(\.name)).sorted().map { name in (name, doors.filter { $0.name == name }.map(\.values)) }
  }
}
