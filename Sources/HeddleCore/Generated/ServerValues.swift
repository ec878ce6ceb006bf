// Made by `make generate` from proto/; edit that instead.
// swift-format-ignore-file

/// Asks how the server is.
public struct ServerStatusRequest: Equatable, Sendable {
  public init() {}
}

/// How the server is.
public struct ServerStatusResponse: Equatable, Sendable {
  /// Whether it serves.
  public var serving: ServingStatus = .unspecified
  /// Version of the program.
  public var version: String = ""
  /// This server.
  public var node: NodeID = NodeID()
  /// How long it has been up, milliseconds.
  public var uptimeMs: UInt64 = 0
  /// Open connections.
  public var connections: UInt32 = 0
  /// Threads that are live.
  public var loadedThreads: UInt32 = 0
  /// Turns that run.
  public var runningTurns: UInt32 = 0
  /// Events on disk that this process has written.
  public var eventsWritten: UInt64 = 0
  /// Groups that this process has synced.
  public var groupsSynced: UInt64 = 0
  /// `synced`.
  public var durability: String = ""

  public init() {}

  public init(serving: ServingStatus = .unspecified, version: String = "", node: NodeID = NodeID(), uptimeMs: UInt64 = 0, connections: UInt32 = 0, loadedThreads: UInt32 = 0, runningTurns: UInt32 = 0, eventsWritten: UInt64 = 0, groupsSynced: UInt64 = 0, durability: String = "") {
    self.serving = serving
    self.version = version
    self.node = node
    self.uptimeMs = uptimeMs
    self.connections = connections
    self.loadedThreads = loadedThreads
    self.runningTurns = runningTurns
    self.eventsWritten = eventsWritten
    self.groupsSynced = groupsSynced
    self.durability = durability
  }
}

