// Made by `make generate` from proto/; edit that instead.
// swift-format-ignore-file

/// Why a recording ended.
public enum CaptureEnd: Int32, Sendable, CaseIterable, Hashable {
  /// It goes on.
  case unspecified = 0
  /// By request.
  case stopped = 1
  /// The file has as many bytes as it may.
  case bytes = 2
  /// Its time is over.
  case time = 3
  /// The disk refused bytes, or has little room left.
  case disk = 4
  /// The server ends.
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

/// Asks how the server is.
public struct ServerStatusRequest: Equatable, Sendable {
  public init() {}
}

/// What a model provider does.
public struct ProviderStatus: Equatable, Sendable {
  /// Its name.
  public var name: String = ""
  /// Requests that it answers now.
  public var running: UInt32 = 0
  /// Requests that wait for their turn.
  public var waiting: UInt32 = 0
  /// How many it may answer at once; 0: no bound.
  public var limit: UInt32 = 0

  public init() {}

  public init(name: String = "", running: UInt32 = 0, waiting: UInt32 = 0, limit: UInt32 = 0) {
    self.name = name
    self.running = running
    self.waiting = waiting
    self.limit = limit
  }
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

/// Begins to record frames of this server into a file of its capture folder (docs/replay.md). At least one of thread, tenant
/// and share is needed; of several all must hold. There is one recording at a time.
public struct StartCaptureRequest: Equatable, Sendable {
  /// Only what concerns this thread.
  public var thread: ThreadID? = nil
  /// Only connections of this tenant.
  public var tenant: String? = nil
  /// Only so many of 1,000 connections, drawn by their ids: 1 to 1,000.
  public var share: UInt32? = nil
  /// Ends with the first frame that would make the file longer than this; absent: 64 MiB.
  public var maxBytes: UInt64? = nil
  /// Ends after so many milliseconds, at most 24 hours; absent: 5 minutes.
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
  /// Its file in the capture folder.
  public var file: String = ""
  /// Whether it goes on.
  public var running: Bool = false
  /// Frames in the file.
  public var frames: UInt64 = 0
  /// Bytes of the file.
  public var bytes: UInt64 = 0
  /// Frames that belonged into the file and are not there, because they came faster than they could be written.
  public var droppedFrames: UInt64 = 0
  /// Their bytes.
  public var droppedBytes: UInt64 = 0
  /// Milliseconds from its beginning to now, or to its end.
  public var elapsedMs: UInt64 = 0
  /// Why it ended.
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

/// The recording that began.
public struct StartCaptureResponse: Equatable, Sendable {
  /// As it stands.
  public var capture: CaptureState? = nil

  public init() {}

  public init(capture: CaptureState? = nil) {
    self.capture = capture
  }
}

/// Ends the recording.
public struct StopCaptureRequest: Equatable, Sendable {
  public init() {}
}

/// The recording that ended; if it had ended by itself, the last one.
public struct StopCaptureResponse: Equatable, Sendable {
  /// As it stands: everything is in the file.
  public var capture: CaptureState? = nil

  public init() {}

  public init(capture: CaptureState? = nil) {
    self.capture = capture
  }
}

/// Asks for the recording.
public struct ReadCaptureRequest: Equatable, Sendable {
  public init() {}
}

/// The recording that runs, or the last one.
public struct ReadCaptureResponse: Equatable, Sendable {
  /// As it stands; absent when there was none since the server started.
  public var capture: CaptureState? = nil

  public init() {}

  public init(capture: CaptureState? = nil) {
    self.capture = capture
  }
}

