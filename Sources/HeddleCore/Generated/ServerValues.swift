// Made by `make generate` from proto/; edit that instead.
// swift-format-ignore-file

/// Reason for the end of a recording.
public enum CaptureEnd: Int32, Sendable, CaseIterable, Hashable {
  /// The recording is still running.
  case unspecified = 0
  /// A request stopped it.
  case stopped = 1
  /// The file has reached its maximum size.
  case bytes = 2
  /// The maximum duration has passed.
  case time = 3
  /// The disk refused a write or has little space left.
  case disk = 4
  /// The server shut down.
  case shutdown = 5

  /// The value's name in the schema, without the enum's prefix.
  public var name: String {
    switch self {
    case .unspecified: "UNSPECIFIED"
    case .stopped: "STOPPED"
    case .bytes: "BYTES"
    case .time: "TIME"
    case .disk: "DISK"
    case .shutdown: "SHUTDOWN"
    }
  }
}

/// Asks for the server's status.
public struct ServerStatusRequest: Equatable, Sendable {
  public init() {}
}

/// The state of one model provider.
public struct ProviderStatus: Equatable, Sendable {
  /// Its name.
  public var name: String = ""
  /// Requests in progress.
  public var running: UInt32 = 0
  /// Requests waiting for a free slot.
  public var waiting: UInt32 = 0
  /// Maximum number of requests at a time; 0: unlimited.
  public var limit: UInt32 = 0

  public init() {}

  public init(name: String = "", running: UInt32 = 0, waiting: UInt32 = 0, limit: UInt32 = 0) {
    self.name = name
    self.running = running
    self.waiting = waiting
    self.limit = limit
  }
}

/// The server's status.
public struct ServerStatusResponse: Equatable, Sendable {
  /// The serving status.
  public var serving: ServingStatus = .unspecified
  /// Version of the program.
  public var version: String = ""
  /// Id of this server.
  public var node: NodeID = NodeID()
  /// Time since the start of the process, milliseconds.
  public var uptimeMs: UInt64 = 0
  /// Open connections.
  public var connections: UInt32 = 0
  /// Threads loaded in memory.
  public var loadedThreads: UInt32 = 0
  /// Running turns.
  public var runningTurns: UInt32 = 0
  /// Events on disk that this process has written.
  public var eventsWritten: UInt64 = 0
  /// Groups of writes that this process has synced to disk.
  public var groupsSynced: UInt64 = 0
  /// Always `synced`.
  public var durability: String = ""
  /// Tokens that the caller's tenant has used since the server started.
  public var usage: TokenUsage? = nil
  /// The model providers, by name.
  public var providers: [ProviderStatus] = []

  public init() {}

  public init(serving: ServingStatus = .unspecified, version: String = "", node: NodeID = NodeID(), uptimeMs: UInt64 = 0, connections: UInt32 = 0, loadedThreads: UInt32 = 0, runningTurns: UInt32 = 0, eventsWritten: UInt64 = 0, groupsSynced: UInt64 = 0, durability: String = "", usage: TokenUsage? = nil, providers: [ProviderStatus] = []) {
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
    self.usage = usage
    self.providers = providers
  }
}

/// Starts recording frames of this server to a file in its capture folder (docs/replay.md). Set at least one of thread,
/// tenant and share; if several are set, all must match. Only one recording can run at a time.
public struct StartCaptureRequest: Equatable, Sendable {
  /// Record only frames that concern this thread.
  public var thread: ThreadID? = nil
  /// Record only connections of this tenant.
  public var tenant: String? = nil
  /// Record only this many of every 1,000 connections, selected by connection id: 1 to 1,000.
  public var share: UInt32? = nil
  /// Maximum file size, bytes. The recording ends at the first frame that would exceed it. Absent: 64 MiB.
  public var maxBytes: UInt64? = nil
  /// Maximum duration, milliseconds, at most 24 hours; absent: 5 minutes.
  public var maxMs: UInt64? = nil

  public init() {}

  public init(thread: ThreadID? = nil, tenant: String? = nil, share: UInt32? = nil, maxBytes: UInt64? = nil, maxMs: UInt64? = nil) {
    self.thread = thread
    self.tenant = tenant
    self.share = share
    self.maxBytes = maxBytes
    self.maxMs = maxMs
  }
}

/// A recording.
public struct CaptureState: Equatable, Sendable {
  /// Name of its file in the capture folder.
  public var file: String = ""
  /// Whether it is still running.
  public var running: Bool = false
  /// Frames in the file.
  public var frames: UInt64 = 0
  /// Size of the file, bytes.
  public var bytes: UInt64 = 0
  /// Frames missing from the file because they arrived faster than they could be written.
  public var droppedFrames: UInt64 = 0
  /// Their bytes.
  public var droppedBytes: UInt64 = 0
  /// Milliseconds from its start to now, or to its end.
  public var elapsedMs: UInt64 = 0
  /// Reason for its end.
  public var end: CaptureEnd = .unspecified

  public init() {}

  public init(file: String = "", running: Bool = false, frames: UInt64 = 0, bytes: UInt64 = 0, droppedFrames: UInt64 = 0, droppedBytes: UInt64 = 0, elapsedMs: UInt64 = 0, end: CaptureEnd = .unspecified) {
    self.file = file
    self.running = running
    self.frames = frames
    self.bytes = bytes
    self.droppedFrames = droppedFrames
    self.droppedBytes = droppedBytes
    self.elapsedMs = elapsedMs
    self.end = end
  }
}

/// The recording that was started.
public struct StartCaptureResponse: Equatable, Sendable {
  /// Its current state.
  public var capture: CaptureState? = nil

  public init() {}

  public init(capture: CaptureState? = nil) {
    self.capture = capture
  }
}

/// Stops the recording.
public struct StopCaptureRequest: Equatable, Sendable {
  public init() {}
}

/// The recording that was stopped, or the last one if it had already ended by itself.
public struct StopCaptureResponse: Equatable, Sendable {
  /// Its final state; the file is complete.
  public var capture: CaptureState? = nil

  public init() {}

  public init(capture: CaptureState? = nil) {
    self.capture = capture
  }
}

/// Asks for the state of the recording.
public struct ReadCaptureRequest: Equatable, Sendable {
  public init() {}
}

/// The running recording, or the last one.
public struct ReadCaptureResponse: Equatable, Sendable {
  /// Its current state; absent if nothing has been recorded since the server started.
  public var capture: CaptureState? = nil

  public init() {}

  public init(capture: CaptureState? = nil) {
    self.capture = capture
  }
}

