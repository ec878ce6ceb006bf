// Made by `make generate` from proto/; edit that instead.
// swift-format-ignore-file

/// The kinds of frame. A receiver skips an unknown kind that has its top bit set; any other unknown kind is an error.
public enum FrameKind: Int32, Sendable, CaseIterable, Hashable {
  /// Never sent.
  case unspecified = 0
  /// Opens a stream. Client and server may both send it.
  case request = 1
  /// Answers a request. With the end flag it ends the stream; without the flag, events follow.
  case response = 2
  /// One item of a stream: a `SubscriptionEvent`.
  case event = 3
  /// Ends a stream with an `Error`.
  case error = 4
  /// Asks the peer to end a stream; no payload.
  case cancel = 5
  /// Allows the server to send more bytes of a stream: a `Credit`.
  case credit = 6
  /// Checks that the peer is alive: a `Ping`. Allowed before HELLO.
  case ping = 7
  /// Answers a PING: a `Pong`.
  case pong = 8
  /// Announces that the sender accepts no more streams: a `GoAway`.
  case goaway = 9
  /// The first frame from each side: `ClientHello` and `ServerHello`.
  case hello = 10

  /// The value's name in the schema, without the enum's prefix.
  public var name: String {
    switch self {
    case .unspecified: "UNSPECIFIED"
    case .request: "REQUEST"
    case .response: "RESPONSE"
    case .event: "EVENT"
    case .error: "ERROR"
    case .cancel: "CANCEL"
    case .credit: "CREDIT"
    case .ping: "PING"
    case .pong: "PONG"
    case .goaway: "GOAWAY"
    case .hello: "HELLO"
    }
  }
}

/// The number of each method, carried in bytes 2 and 3 of a frame. `X_Y` is the method `Y` of service `XService`.
public enum Method: Int32, Sendable, CaseIterable, Hashable {
  /// Frames that belong to no method.
  case unspecified = 0
  /// ThreadService.Start
  case threadStart = 101
  /// ThreadService.Resume
  case threadResume = 102
  /// ThreadService.Fork
  case threadFork = 103
  /// ThreadService.Read
  case threadRead = 104
  /// ThreadService.List
  case threadList = 105
  /// ThreadService.ListLoaded
  case threadListLoaded = 106
  /// ThreadService.Search
  case threadSearch = 107
  /// ThreadService.ListTurns
  case threadListTurns = 108
  /// ThreadService.ListItems
  case threadListItems = 109
  /// ThreadService.SetName
  case threadSetName = 110
  /// ThreadService.Archive
  case threadArchive = 111
  /// ThreadService.Unarchive
  case threadUnarchive = 112
  /// ThreadService.Delete
  case threadDelete = 113
  /// ThreadService.Rollback
  case threadRollback = 114
  /// ThreadService.Compact
  case threadCompact = 115
  /// ThreadService.InjectItems
  case threadInjectItems = 116
  /// ThreadService.Export
  case threadExport = 117
  /// ThreadService.Subscribe
  case threadSubscribe = 118
  /// ThreadService.Unsubscribe
  case threadUnsubscribe = 119
  /// TurnService.Start
  case turnStart = 201
  /// TurnService.Steer
  case turnSteer = 202
  /// TurnService.Interrupt
  case turnInterrupt = 203
  /// TurnService.ListQueue
  case turnListQueue = 204
  /// TurnService.CancelQueued
  case turnCancelQueued = 205
  /// SettingsService.Read
  case settingsRead = 301
  /// SettingsService.Update
  case settingsUpdate = 302
  /// AgentService.ListTree
  case agentListTree = 401
  /// AgentService.Interrupt
  case agentInterrupt = 402
  /// AgentService.Close
  case agentClose = 403
  /// CatalogService.ListModels
  case catalogListModels = 501
  /// CatalogService.ListFeatures
  case catalogListFeatures = 502
  /// CatalogService.SetFeature
  case catalogSetFeature = 503
  /// ServerService.Status
  case serverStatus = 601
  /// ServerService.StartCapture
  case serverStartCapture = 602
  /// ServerService.StopCapture
  case serverStopCapture = 603
  /// ServerService.ReadCapture
  case serverReadCapture = 604
  /// ClientService.CallTool
  case clientCallTool = 701
  /// ClientService.RequestUserInput
  case clientRequestUserInput = 702
  /// CallService.Answer
  case callAnswer = 801

  /// The value's name in the schema, without the enum's prefix.
  public var name: String {
    switch self {
    case .unspecified: "UNSPECIFIED"
    case .threadStart: "THREAD_START"
    case .threadResume: "THREAD_RESUME"
    case .threadFork: "THREAD_FORK"
    case .threadRead: "THREAD_READ"
    case .threadList: "THREAD_LIST"
    case .threadListLoaded: "THREAD_LIST_LOADED"
    case .threadSearch: "THREAD_SEARCH"
    case .threadListTurns: "THREAD_LIST_TURNS"
    case .threadListItems: "THREAD_LIST_ITEMS"
    case .threadSetName: "THREAD_SET_NAME"
    case .threadArchive: "THREAD_ARCHIVE"
    case .threadUnarchive: "THREAD_UNARCHIVE"
    case .threadDelete: "THREAD_DELETE"
    case .threadRollback: "THREAD_ROLLBACK"
    case .threadCompact: "THREAD_COMPACT"
    case .threadInjectItems: "THREAD_INJECT_ITEMS"
    case .threadExport: "THREAD_EXPORT"
    case .threadSubscribe: "THREAD_SUBSCRIBE"
    case .threadUnsubscribe: "THREAD_UNSUBSCRIBE"
    case .turnStart: "TURN_START"
    case .turnSteer: "TURN_STEER"
    case .turnInterrupt: "TURN_INTERRUPT"
    case .turnListQueue: "TURN_LIST_QUEUE"
    case .turnCancelQueued: "TURN_CANCEL_QUEUED"
    case .settingsRead: "SETTINGS_READ"
    case .settingsUpdate: "SETTINGS_UPDATE"
    case .agentListTree: "AGENT_LIST_TREE"
    case .agentInterrupt: "AGENT_INTERRUPT"
    case .agentClose: "AGENT_CLOSE"
    case .catalogListModels: "CATALOG_LIST_MODELS"
    case .catalogListFeatures: "CATALOG_LIST_FEATURES"
    case .catalogSetFeature: "CATALOG_SET_FEATURE"
    case .serverStatus: "SERVER_STATUS"
    case .serverStartCapture: "SERVER_START_CAPTURE"
    case .serverStopCapture: "SERVER_STOP_CAPTURE"
    case .serverReadCapture: "SERVER_READ_CAPTURE"
    case .clientCallTool: "CLIENT_CALL_TOOL"
    case .clientRequestUserInput: "CLIENT_REQUEST_USER_INPUT"
    case .callAnswer: "CALL_ANSWER"
    }
  }
}

/// The 17 canonical codes of gRPC.
public enum Code: Int32, Sendable, CaseIterable, Hashable {
  /// No error; never sent.
  case unspecified = 0
  /// The caller cancelled the request.
  case cancelled = 1
  /// The server does not know what went wrong.
  case unknown = 2
  /// The request is invalid in any state.
  case invalidArgument = 3
  /// The deadline passed.
  case deadlineExceeded = 4
  /// The requested object does not exist for this tenant.
  case notFound = 5
  /// The object already exists.
  case alreadyExists = 6
  /// The caller does not have permission.
  case permissionDenied = 7
  /// A limit has been reached.
  case resourceExhausted = 8
  /// The current state does not allow the request.
  case failedPrecondition = 9
  /// Another caller was first.
  case aborted = 10
  /// A position is outside the existing range.
  case outOfRange = 11
  /// The server does not implement this method.
  case unimplemented = 12
  /// The server broke one of its own rules.
  case `internal` = 13
  /// Retry later or on another server.
  case unavailable = 14
  /// Stored data is damaged.
  case dataLoss = 15
  /// The caller is not authenticated.
  case unauthenticated = 16

  /// The value's name in the schema, without the enum's prefix.
  public var name: String {
    switch self {
    case .unspecified: "UNSPECIFIED"
    case .cancelled: "CANCELLED"
    case .unknown: "UNKNOWN"
    case .invalidArgument: "INVALID_ARGUMENT"
    case .deadlineExceeded: "DEADLINE_EXCEEDED"
    case .notFound: "NOT_FOUND"
    case .alreadyExists: "ALREADY_EXISTS"
    case .permissionDenied: "PERMISSION_DENIED"
    case .resourceExhausted: "RESOURCE_EXHAUSTED"
    case .failedPrecondition: "FAILED_PRECONDITION"
    case .aborted: "ABORTED"
    case .outOfRange: "OUT_OF_RANGE"
    case .unimplemented: "UNIMPLEMENTED"
    case .internal: "INTERNAL"
    case .unavailable: "UNAVAILABLE"
    case .dataLoss: "DATA_LOSS"
    case .unauthenticated: "UNAUTHENTICATED"
    }
  }
}

/// A server's serving status.
public enum ServingStatus: Int32, Sendable, CaseIterable, Hashable {
  /// Not specified.
  case unspecified = 0
  /// Requests are served and mutations reach the disk.
  case serving = 1
  /// Reads are served; mutations are refused (durability.md D9).
  case readOnly = 2
  /// The server is shutting down.
  case draining = 3

  /// The value's name in the schema, without the enum's prefix.
  public var name: String {
    switch self {
    case .unspecified: "UNSPECIFIED"
    case .serving: "SERVING"
    case .readOnly: "READ_ONLY"
    case .draining: "DRAINING"
    }
  }
}

/// Optional data before the message of a frame; bytes 9 and 10 of the header hold its length.
public struct Metadata: Equatable, Sendable {
  /// W3C trace context, `traceparent`.
  public var traceparent: String = ""
  /// W3C trace context, `tracestate`.
  public var tracestate: String = ""
  /// The caller's id for this request. The server does not use it yet.
  public var requestId: String = ""
  /// The request's deadline, in milliseconds after its arrival. Absent: no deadline. 0 is refused.
  public var deadlineMs: Int64? = nil
  /// A key made by the client, the same on every retry of one mutation (rules.md E2).
  public var idempotencyKey: IdempotencyKey? = nil
  /// The host name that the caller wants to reach. The server does not use it yet.
  public var authority: String = ""
  /// A fresh bearer token of the same tenant for this connection. Its expiry and its rights apply from then on.
  public var token: String = ""

  public init() {}

  public init(traceparent: String = "", tracestate: String = "", requestId: String = "", deadlineMs: Int64? = nil, idempotencyKey: IdempotencyKey? = nil, authority: String = "", token: String = "") {
    self.traceparent = traceparent
    self.tracestate = tracestate
    self.requestId = requestId
    self.deadlineMs = deadlineMs
    self.idempotencyKey = idempotencyKey
    self.authority = authority
    self.token = token
  }
}

/// The first frame from a client.
public struct ClientHello: Equatable, Sendable {
  /// Protocol versions that the client supports; empty means version 1.
  public var versions: [UInt32] = []
  /// Name of the client program.
  public var clientName: String = ""
  /// Version of the client program.
  public var clientVersion: String = ""
  /// Bearer token, either static or a JSON Web Token; required if the server demands one.
  public var token: String = ""
  /// Limits that the client asks for; the server's HELLO contains the limits in effect.
  public var wantedLimits: ConnectionLimits? = nil
  /// Names of features that the client understands, including experimental ones.
  public var features: [String] = []
  /// Kinds of notification that the client does not want on stream 0: `thread_started`.
  public var unwantedNotifications: [String] = []

  public init() {}

  public init(versions: [UInt32] = [], clientName: String = "", clientVersion: String = "", token: String = "", wantedLimits: ConnectionLimits? = nil, features: [String] = [], unwantedNotifications: [String] = []) {
    self.versions = versions
    self.clientName = clientName
    self.clientVersion = clientVersion
    self.token = token
    self.wantedLimits = wantedLimits
    self.features = features
    self.unwantedNotifications = unwantedNotifications
  }
}

/// The server's answer to HELLO.
public struct ServerHello: Equatable, Sendable {
  /// The protocol version in use.
  public var version: UInt32 = 0
  /// Id of this server.
  public var node: NodeID = NodeID()
  /// Id of this connection.
  public var connection: ConnectionID = ConnectionID()
  /// The server's clock, unix milliseconds. For information only: nothing is ordered by it.
  public var serverTime: Int64 = 0
  /// First 8 bytes of the SHA-256 of the schema, as hexadecimal digits.
  public var schemaHash: String = ""
  /// `synced`: an acknowledged mutation is on disk (durability.md D1, D4).
  public var durability: String = ""
  /// Every limit that the server enforces on this connection.
  public var limits: ConnectionLimits? = nil
  /// Version of the server program.
  public var serverVersion: String = ""

  public init() {}

  public init(version: UInt32 = 0, node: NodeID = NodeID(), connection: ConnectionID = ConnectionID(), serverTime: Int64 = 0, schemaHash: String = "", durability: String = "", limits: ConnectionLimits? = nil, serverVersion: String = "") {
    self.version = version
    self.node = node
    self.connection = connection
    self.serverTime = serverTime
    self.schemaHash = schemaHash
    self.durability = durability
    self.limits = limits
    self.serverVersion = serverVersion
  }
}

/// The limits of one connection. In a client's HELLO, an absent field requests no particular limit.
public struct ConnectionLimits: Equatable, Sendable {
  /// Maximum frame payload, bytes.
  public var frameBytes: UInt32? = nil
  /// Requests in flight.
  public var requestsInFlight: UInt32? = nil
  /// Subscriptions.
  public var subscriptions: UInt32? = nil
  /// Bytes queued for sending.
  public var outgoingBytes: UInt32? = nil
  /// The server closes a connection that has sent nothing for this long, milliseconds.
  public var idleMs: UInt32? = nil
  /// A frame must be complete within this time of its first byte, milliseconds.
  public var frameMs: UInt32? = nil
  /// Maximum depth of nested messages.
  public var nesting: UInt32? = nil
  /// Maximum elements of one repeated field.
  public var repeatedElements: UInt32? = nil
  /// Maximum unknown fields of one message.
  public var unknownFields: UInt32? = nil
  /// Maximum input text of one turn, bytes.
  public var turnInputBytes: UInt32? = nil
  /// Maximum page size.
  public var pageSize: UInt32? = nil
  /// Queued turns of one thread.
  public var queuedTurns: UInt32? = nil
  /// Events of one thread.
  public var threadEvents: UInt32? = nil
  /// Requests per second of one tenant; 0: unlimited.
  public var tenantRequestsPerSecond: UInt32? = nil
  /// Running turns of one tenant; 0: unlimited.
  public var tenantRunningTurns: UInt32? = nil
  /// Errors and cancels of one connection within 30 seconds.
  public var glitches: UInt32? = nil

  public init() {}

  public init(frameBytes: UInt32? = nil, requestsInFlight: UInt32? = nil, subscriptions: UInt32? = nil, outgoingBytes: UInt32? = nil, idleMs: UInt32? = nil, frameMs: UInt32? = nil, nesting: UInt32? = nil, repeatedElements: UInt32? = nil, unknownFields: UInt32? = nil, turnInputBytes: UInt32? = nil, pageSize: UInt32? = nil, queuedTurns: UInt32? = nil, threadEvents: UInt32? = nil, tenantRequestsPerSecond: UInt32? = nil, tenantRunningTurns: UInt32? = nil, glitches: UInt32? = nil) {
    self.frameBytes = frameBytes
    self.requestsInFlight = requestsInFlight
    self.subscriptions = subscriptions
    self.outgoingBytes = outgoingBytes
    self.idleMs = idleMs
    self.frameMs = frameMs
    self.nesting = nesting
    self.repeatedElements = repeatedElements
    self.unknownFields = unknownFields
    self.turnInputBytes = turnInputBytes
    self.pageSize = pageSize
    self.queuedTurns = queuedTurns
    self.threadEvents = threadEvents
    self.tenantRequestsPerSecond = tenantRequestsPerSecond
    self.tenantRunningTurns = tenantRunningTurns
    self.glitches = glitches
  }
}

/// One machine-readable fact about an error: `field`, `limit`, `now`, `oldest`, `turn`.
public struct ErrorDetail: Equatable, Sendable {
  /// The name of the fact.
  public var name: String = ""
  /// The value as text; ids are written as UUIDs.
  public var value: String = ""

  public init() {}

  public init(name: String = "", value: String = "") {
    self.name = name
    self.value = value
  }
}

/// The reason that a request was not served.
public struct WireError: Equatable, Sendable {
  /// Canonical code.
  public var code: Code = .unspecified
  /// Stable lower-case name that clients may switch on; see docs/errors.md.
  public var reason: String = ""
  /// Text for people: the cause and the remedy.
  public var message: String = ""
  /// Time to wait before a retry, milliseconds; absent: waiting alone does not help.
  public var retryAfterMs: Int64? = nil
  /// Further facts.
  public var details: [ErrorDetail] = []
  /// Identifies the line in the server's log; present if there is one.
  public var debugId: String = ""

  public init() {}

  public init(code: Code = .unspecified, reason: String = "", message: String = "", retryAfterMs: Int64? = nil, details: [ErrorDetail] = [], debugId: String = "") {
    self.code = code
    self.reason = reason
    self.message = message
    self.retryAfterMs = retryAfterMs
    self.details = details
    self.debugId = debugId
  }
}

/// Allows the server to send more bytes of a subscription.
public struct Credit: Equatable, Sendable {
  /// Bytes to allow in addition to those allowed so far; at least 1.
  public var bytes: UInt32 = 0

  public init() {}

  public init(bytes: UInt32 = 0) {
    self.bytes = bytes
  }
}

/// Checks that the peer is alive.
public struct Ping: Equatable, Sendable {
  /// Returned in the PONG; at most 64 bytes.
  public var opaque: [UInt8] = []

  public init() {}

  public init(opaque: [UInt8] = []) {
    self.opaque = opaque
  }
}

/// Answers a PING.
public struct Pong: Equatable, Sendable {
  /// The bytes of the PING.
  public var opaque: [UInt8] = []
  /// The server's status; `SERVING` only while that is true.
  public var status: ServingStatus = .unspecified

  public init() {}

  public init(opaque: [UInt8] = [], status: ServingStatus = .unspecified) {
    self.opaque = opaque
    self.status = status
  }
}

/// Announces that the sender accepts no more streams.
public struct GoAway: Equatable, Sendable {
  /// The highest stream that was or will be served. Requests on higher streams are safe to retry elsewhere.
  public var lastStream: UInt32 = 0
  /// Code, reason and remedy.
  public var error: WireError? = nil

  public init() {}

  public init(lastStream: UInt32 = 0, error: WireError? = nil) {
    self.lastStream = lastStream
    self.error = error
  }
}

