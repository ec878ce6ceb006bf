// Made by `make generate` from proto/; edit that instead.
// swift-format-ignore-file

/// Why a request was not served: stable names that clients may switch on.
public enum Reason: String, Sendable, CaseIterable, Hashable {
  /// A frame of this kind needs a payload; send one.
  case emptyFrame = "empty_frame"
  /// The frame is larger than this connection allows; see limits in the server's HELLO and split the work into more requests.
  case frameTooLarge = "frame_too_large"
  /// The frame was not complete in time; send a frame in one go.
  case frameTimeout = "frame_timeout"
  /// This kind of frame is not known here; speak protocol version 1.
  case unknownFrame = "unknown_frame"
  /// A reserved flag is set; send 0 in every bit that the protocol does not name. Compression is not offered.
  case unknownFlags = "unknown_flags"
  /// This protocol version is not spoken here; use one between min and max.
  case unsupportedVersion = "unsupported_version"
  /// No method has this number; compare the schema hash in the server's HELLO with yours.
  case unknownMethod = "unknown_method"
  /// The method is in the schema but this server does not have it yet; see docs/methods.md.
  case notImplemented = "not_implemented"
  /// Only the server sends frames of this kind; send REQUEST, CANCEL, CREDIT, PING or GOAWAY.
  case wrongDirection = "wrong_direction"
  /// Stream numbers of a client are odd and rise with every request; use the next one.
  case badRequestId = "bad_request_id"
  /// The bytes are not a message of this method; encode it with a protobuf library from the schema.
  case malformed = "malformed"
  /// A text field does not hold UTF-8; encode text as UTF-8.
  case invalidUtf8 = "invalid_utf8"
  /// A text field holds a NUL character; remove it.
  case embeddedNul = "embedded_nul"
  /// A choice is needed here and none that this server knows was made; set one member.
  case unknownOperation = "unknown_operation"
  /// The value is not one of the field's enum; use a value from the schema.
  case unknownEnum = "unknown_enum"
  /// The message has too many fields that this server does not know; use the schema of this server.
  case tooManyUnknown = "too_many_unknown"
  /// Messages are nested too deeply; flatten them.
  case tooDeep = "too_deep"
  /// Decoding the message would take too much memory; send less at once.
  case decodeBudget = "decode_budget"
  /// A repeated field has too many elements; send fewer.
  case tooManyElements = "too_many_elements"
  /// A field that is needed is absent; set it.
  case missingField = "missing_field"
  /// An id is exactly 16 bytes; send the bytes of the UUID, not its text.
  case badId = "bad_id"
  /// The number is not finite; send a finite one.
  case notFinite = "not_finite"
  /// The number is outside of what the field allows; see the schema.
  case outOfRange = "out_of_range"
  /// The text is longer than the field allows; shorten it.
  case textTooLong = "text_too_long"
  /// The first frame must be HELLO (or PING); send HELLO first.
  case notInitialized = "not_initialized"
  /// HELLO was sent before; send it once.
  case alreadyInitialized = "already_initialized"
  /// This server needs a token; put it into HELLO.
  case missingToken = "missing_token"
  /// The token is not accepted; get a valid one.
  case invalidToken = "invalid_token"
  /// The token has expired; connect again with a fresh one.
  case tokenExpired = "token_expired"
  /// This method is for operators; use an operator's token.
  case permissionDenied = "permission_denied"
  /// The server has not asked this; answer only what it asked.
  case unknownServerRequest = "unknown_server_request"
  /// Too many requests of this connection wait for their answers; wait for some.
  case tooManyInFlight = "too_many_in_flight"
  /// The server has as many connections as it may; close some or try later.
  case tooManyConnections = "too_many_connections"
  /// This connection or tenant has as many subscriptions as it may; end some.
  case tooManySubscriptions = "too_many_subscriptions"
  /// The tenant sends requests faster than it may; wait and retry.
  case rateLimited = "rate_limited"
  /// Too many errors, cancels or pings on this connection; send fewer and connect again.
  case enhanceYourCalm = "enhance_your_calm"
  /// The peer did not take a byte for too long; connect again and subscribe after last_seq.
  case slowConsumer = "slow_consumer"
  /// No byte came for too long; answer PING.
  case idleTimeout = "idle_timeout"
  /// The server is about to end; connect again, elsewhere or later.
  case shuttingDown = "shutting_down"
  /// The disk failed to take a write; outcomes are unknown: retry with the same idempotency keys after the restart.
  case storageFailed = "storage_failed"
  /// The disk did not give what was asked for; nothing was changed: retry.
  case readFailed = "read_failed"
  /// The disk is full: reads go on, changes are refused; free space and retry.
  case diskFull = "disk_full"
  /// The deadline of the request passed; a change may still happen: retry with the same idempotency key.
  case deadlineExceeded = "deadline_exceeded"
  /// The request was cancelled by its caller.
  case cancelled = "cancelled"
  /// There is no such thread.
  case thread = "thread"
  /// This connection follows the thread already; use that stream or unsubscribe first.
  case subscribed = "subscribed"
  /// The thread is archived; unarchive it first.
  case archived = "archived"
  /// A turn runs; wait for its end, interrupt it, or let the new one queue.
  case turnInProgress = "turn_in_progress"
  /// No turn runs; start one.
  case noTurn = "no_turn"
  /// The turn that runs, or that waits, is another one; read the thread and use its id.
  case turnMismatch = "turn_mismatch"
  /// The thread has no such turn.
  case turn = "turn"
  /// As many turns wait as may; wait for one to end.
  case queueFull = "queue_full"
  /// The catalog has no such model; see CatalogService/ListModels.
  case unknownModel = "unknown_model"
  /// There is no such feature; see CatalogService/ListFeatures.
  case unknownFeature = "unknown_feature"
  /// The input has no content; send some.
  case emptyInput = "empty_input"
  /// The input is larger than a turn may bring; shorten it.
  case inputTooLarge = "input_too_large"
  /// A field is both set and cleared; do one of both.
  case emptyChange = "empty_change"
  /// The cursor is not one of this list; begin with the first page.
  case badCursor = "bad_cursor"
  /// The position is beyond the newest event; subscribe after head or less.
  case futureSeq = "future_seq"
  /// The position is before the oldest event; subscribe after oldest - 1 or more.
  case compacted = "compacted"
  /// The thread's events were numbered anew; read the thread and subscribe with its epoch.
  case epochMismatch = "epoch_mismatch"
  /// The settings changed in the meantime; read them and decide again.
  case revisionMismatch = "revision_mismatch"
  /// The key was used for another request; use a new key for a new request.
  case idempotencyMismatch = "idempotency_mismatch"
  /// Somebody else answered first, or the time is over.
  case alreadyAnswered = "already_answered"
  /// The answer is for another action than the one that was asked about; show the question again and answer that.
  case actionChanged = "action_changed"
  /// The thread has as many events or bytes as it may; start a new one.
  case threadFull = "thread_full"
  /// As many turns of the tenant run as may; wait for one to end.
  case tooManyTurns = "too_many_turns"
  /// A budget is used up; raise it in the settings, or start a new thread.
  case quota = "quota"
  /// A tool of this name is the server's own, or stands in the list twice; name the tool otherwise.
  case reservedName = "reserved_name"
  /// The thread has no history that could be summed up; start a turn first.
  case nothingToCompact = "nothing_to_compact"
  /// The agent was closed; its parent can open a V1 agent again.
  case agentClosed = "agent_closed"
  /// The thread is no agent of a tree; see AgentService/ListTree.
  case agent = "agent"
  /// Stored data of this thread is damaged; it is readable up to the damage: restore it from a backup.
  case dataLoss = "data_loss"
  /// Threads in memory only hold as many bytes as they may; delete some, or start a stored thread.
  case ephemeralFull = "ephemeral_full"
  /// A thread in memory only cannot do this; start a stored thread.
  case notEphemeral = "not_ephemeral"
  /// Only its parent gives a V2 agent input; write to the root.
  case clientInputRefused = "client_input_refused"
  /// This server has no folder for recordings; its operator names one in capture.folder.
  case captureOff = "capture_off"
  /// There is one recording at a time; end the one that runs with ServerService/StopCapture.
  case captureRunning = "capture_running"
  /// Nothing has been recorded since the server started; begin with ServerService/StartCapture.
  case noCapture = "no_capture"
  /// The folder for recordings, or its disk, has no room; take old recordings away, or raise capture.folderBytes.
  case captureSpace = "capture_space"
  /// The file of the recording cannot be made; the server's log says why.
  case captureFailed = "capture_failed"
  /// The server broke one of its own rules; report the debug_id.
  case `internal` = "internal"

  /// The canonical code that goes with it.
  public var code: Code {
    switch self {
    case .emptyFrame: .invalidArgument
    case .frameTooLarge: .resourceExhausted
    case .frameTimeout: .deadlineExceeded
    case .unknownFrame: .invalidArgument
    case .unknownFlags: .invalidArgument
    case .unsupportedVersion: .failedPrecondition
    case .unknownMethod: .unimplemented
    case .notImplemented: .unimplemented
    case .wrongDirection: .invalidArgument
    case .badRequestId: .invalidArgument
    case .malformed: .invalidArgument
    case .invalidUtf8: .invalidArgument
    case .embeddedNul: .invalidArgument
    case .unknownOperation: .invalidArgument
    case .unknownEnum: .invalidArgument
    case .tooManyUnknown: .invalidArgument
    case .tooDeep: .invalidArgument
    case .decodeBudget: .resourceExhausted
    case .tooManyElements: .invalidArgument
    case .missingField: .invalidArgument
    case .badId: .invalidArgument
    case .notFinite: .invalidArgument
    case .outOfRange: .invalidArgument
    case .textTooLong: .invalidArgument
    case .notInitialized: .unauthenticated
    case .alreadyInitialized: .failedPrecondition
    case .missingToken: .unauthenticated
    case .invalidToken: .unauthenticated
    case .tokenExpired: .unauthenticated
    case .permissionDenied: .permissionDenied
    case .unknownServerRequest: .failedPrecondition
    case .tooManyInFlight: .resourceExhausted
    case .tooManyConnections: .resourceExhausted
    case .tooManySubscriptions: .resourceExhausted
    case .rateLimited: .resourceExhausted
    case .enhanceYourCalm: .resourceExhausted
    case .slowConsumer: .resourceExhausted
    case .idleTimeout: .deadlineExceeded
    case .shuttingDown: .unavailable
    case .storageFailed: .unavailable
    case .readFailed: .unavailable
    case .diskFull: .resourceExhausted
    case .deadlineExceeded: .deadlineExceeded
    case .cancelled: .cancelled
    case .thread: .notFound
    case .subscribed: .alreadyExists
    case .archived: .failedPrecondition
    case .turnInProgress: .failedPrecondition
    case .noTurn: .failedPrecondition
    case .turnMismatch: .failedPrecondition
    case .turn: .notFound
    case .queueFull: .resourceExhausted
    case .unknownModel: .invalidArgument
    case .unknownFeature: .invalidArgument
    case .emptyInput: .invalidArgument
    case .inputTooLarge: .invalidArgument
    case .emptyChange: .invalidArgument
    case .badCursor: .invalidArgument
    case .futureSeq: .outOfRange
    case .compacted: .outOfRange
    case .epochMismatch: .failedPrecondition
    case .revisionMismatch: .aborted
    case .idempotencyMismatch: .alreadyExists
    case .alreadyAnswered: .aborted
    case .actionChanged: .aborted
    case .threadFull: .resourceExhausted
    case .tooManyTurns: .resourceExhausted
    case .quota: .resourceExhausted
    case .reservedName: .invalidArgument
    case .nothingToCompact: .failedPrecondition
    case .agentClosed: .failedPrecondition
    case .agent: .notFound
    case .dataLoss: .dataLoss
    case .ephemeralFull: .resourceExhausted
    case .notEphemeral: .failedPrecondition
    case .clientInputRefused: .failedPrecondition
    case .captureOff: .failedPrecondition
    case .captureRunning: .failedPrecondition
    case .noCapture: .failedPrecondition
    case .captureSpace: .resourceExhausted
    case .captureFailed: .unavailable
    case .internal: .internal
    }
  }

  /// What happened and what to do about it.
  public var advice: String {
    switch self {
    case .emptyFrame: "A frame of this kind needs a payload; send one."
    case .frameTooLarge: "The frame is larger than this connection allows; see limits in the server's HELLO and split the work into more requests."
    case .frameTimeout: "The frame was not complete in time; send a frame in one go."
    case .unknownFrame: "This kind of frame is not known here; speak protocol version 1."
    case .unknownFlags: "A reserved flag is set; send 0 in every bit that the protocol does not name. Compression is not offered."
    case .unsupportedVersion: "This protocol version is not spoken here; use one between min and max."
    case .unknownMethod: "No method has this number; compare the schema hash in the server's HELLO with yours."
    case .notImplemented: "The method is in the schema but this server does not have it yet; see docs/methods.md."
    case .wrongDirection: "Only the server sends frames of this kind; send REQUEST, CANCEL, CREDIT, PING or GOAWAY."
    case .badRequestId: "Stream numbers of a client are odd and rise with every request; use the next one."
    case .malformed: "The bytes are not a message of this method; encode it with a protobuf library from the schema."
    case .invalidUtf8: "A text field does not hold UTF-8; encode text as UTF-8."
    case .embeddedNul: "A text field holds a NUL character; remove it."
    case .unknownOperation: "A choice is needed here and none that this server knows was made; set one member."
    case .unknownEnum: "The value is not one of the field's enum; use a value from the schema."
    case .tooManyUnknown: "The message has too many fields that this server does not know; use the schema of this server."
    case .tooDeep: "Messages are nested too deeply; flatten them."
    case .decodeBudget: "Decoding the message would take too much memory; send less at once."
    case .tooManyElements: "A repeated field has too many elements; send fewer."
    case .missingField: "A field that is needed is absent; set it."
    case .badId: "An id is exactly 16 bytes; send the bytes of the UUID, not its text."
    case .notFinite: "The number is not finite; send a finite one."
    case .outOfRange: "The number is outside of what the field allows; see the schema."
    case .textTooLong: "The text is longer than the field allows; shorten it."
    case .notInitialized: "The first frame must be HELLO (or PING); send HELLO first."
    case .alreadyInitialized: "HELLO was sent before; send it once."
    case .missingToken: "This server needs a token; put it into HELLO."
    case .invalidToken: "The token is not accepted; get a valid one."
    case .tokenExpired: "The token has expired; connect again with a fresh one."
    case .permissionDenied: "This method is for operators; use an operator's token."
    case .unknownServerRequest: "The server has not asked this; answer only what it asked."
    case .tooManyInFlight: "Too many requests of this connection wait for their answers; wait for some."
    case .tooManyConnections: "The server has as many connections as it may; close some or try later."
    case .tooManySubscriptions: "This connection or tenant has as many subscriptions as it may; end some."
    case .rateLimited: "The tenant sends requests faster than it may; wait and retry."
    case .enhanceYourCalm: "Too many errors, cancels or pings on this connection; send fewer and connect again."
    case .slowConsumer: "The peer did not take a byte for too long; connect again and subscribe after last_seq."
    case .idleTimeout: "No byte came for too long; answer PING."
    case .shuttingDown: "The server is about to end; connect again, elsewhere or later."
    case .storageFailed: "The disk failed to take a write; outcomes are unknown: retry with the same idempotency keys after the restart."
    case .readFailed: "The disk did not give what was asked for; nothing was changed: retry."
    case .diskFull: "The disk is full: reads go on, changes are refused; free space and retry."
    case .deadlineExceeded: "The deadline of the request passed; a change may still happen: retry with the same idempotency key."
    case .cancelled: "The request was cancelled by its caller."
    case .thread: "There is no such thread."
    case .subscribed: "This connection follows the thread already; use that stream or unsubscribe first."
    case .archived: "The thread is archived; unarchive it first."
    case .turnInProgress: "A turn runs; wait for its end, interrupt it, or let the new one queue."
    case .noTurn: "No turn runs; start one."
    case .turnMismatch: "The turn that runs, or that waits, is another one; read the thread and use its id."
    case .turn: "The thread has no such turn."
    case .queueFull: "As many turns wait as may; wait for one to end."
    case .unknownModel: "The catalog has no such model; see CatalogService/ListModels."
    case .unknownFeature: "There is no such feature; see CatalogService/ListFeatures."
    case .emptyInput: "The input has no content; send some."
    case .inputTooLarge: "The input is larger than a turn may bring; shorten it."
    case .emptyChange: "A field is both set and cleared; do one of both."
    case .badCursor: "The cursor is not one of this list; begin with the first page."
    case .futureSeq: "The position is beyond the newest event; subscribe after head or less."
    case .compacted: "The position is before the oldest event; subscribe after oldest - 1 or more."
    case .epochMismatch: "The thread's events were numbered anew; read the thread and subscribe with its epoch."
    case .revisionMismatch: "The settings changed in the meantime; read them and decide again."
    case .idempotencyMismatch: "The key was used for another request; use a new key for a new request."
    case .alreadyAnswered: "Somebody else answered first, or the time is over."
    case .actionChanged: "The answer is for another action than the one that was asked about; show the question again and answer that."
    case .threadFull: "The thread has as many events or bytes as it may; start a new one."
    case .tooManyTurns: "As many turns of the tenant run as may; wait for one to end."
    case .quota: "A budget is used up; raise it in the settings, or start a new thread."
    case .reservedName: "A tool of this name is the server's own, or stands in the list twice; name the tool otherwise."
    case .nothingToCompact: "The thread has no history that could be summed up; start a turn first."
    case .agentClosed: "The agent was closed; its parent can open a V1 agent again."
    case .agent: "The thread is no agent of a tree; see AgentService/ListTree."
    case .dataLoss: "Stored data of this thread is damaged; it is readable up to the damage: restore it from a backup."
    case .ephemeralFull: "Threads in memory only hold as many bytes as they may; delete some, or start a stored thread."
    case .notEphemeral: "A thread in memory only cannot do this; start a stored thread."
    case .clientInputRefused: "Only its parent gives a V2 agent input; write to the root."
    case .captureOff: "This server has no folder for recordings; its operator names one in capture.folder."
    case .captureRunning: "There is one recording at a time; end the one that runs with ServerService/StopCapture."
    case .noCapture: "Nothing has been recorded since the server started; begin with ServerService/StartCapture."
    case .captureSpace: "The folder for recordings, or its disk, has no room; take old recordings away, or raise capture.folderBytes."
    case .captureFailed: "The file of the recording cannot be made; the server's log says why."
    case .internal: "The server broke one of its own rules; report the debug_id."
    }
  }
}
