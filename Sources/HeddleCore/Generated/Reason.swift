// Made by `make generate` from proto/; edit that instead.
// swift-format-ignore-file

/// Why a request was not served: stable names that clients may switch on.
public enum Reason: String, Sendable, CaseIterable, Hashable {
  /// A frame of this kind needs a payload; send one.
  case emptyFrame = "empty_frame"
  /// The frame exceeds this connection's limit; see limits in the server's HELLO and split the work into several requests.
  case frameTooLarge = "frame_too_large"
  /// The frame did not arrive in time; send each frame without pauses.
  case frameTimeout = "frame_timeout"
  /// The server does not know this kind of frame; use protocol version 1.
  case unknownFrame = "unknown_frame"
  /// A reserved flag is set; send 0 in every bit that the protocol does not name. Compression is not supported.
  case unknownFlags = "unknown_flags"
  /// The server does not support this protocol version; use one between min and max.
  case unsupportedVersion = "unsupported_version"
  /// No method has this number; compare the schema hash in the server's HELLO with yours.
  case unknownMethod = "unknown_method"
  /// The method is in the schema, but this server does not implement it yet; see docs/methods.md.
  case notImplemented = "not_implemented"
  /// Only the server sends frames of this kind; send REQUEST, CANCEL, CREDIT, PING or GOAWAY.
  case wrongDirection = "wrong_direction"
  /// A client's stream numbers must be odd and increase with every request; use the next one.
  case badRequestId = "bad_request_id"
  /// The bytes are not a valid message of this method; encode it with a protobuf library from the schema.
  case malformed = "malformed"
  /// A text field is not valid UTF-8; encode text as UTF-8.
  case invalidUtf8 = "invalid_utf8"
  /// A text field contains a NUL character; remove it.
  case embeddedNul = "embedded_nul"
  /// This field requires exactly one option that the server supports; set one.
  case unknownOperation = "unknown_operation"
  /// The enum field does not allow this value; use a value from the schema.
  case unknownEnum = "unknown_enum"
  /// The message has too many fields that this server does not know; use this server's schema.
  case tooManyUnknown = "too_many_unknown"
  /// The message is nested too deeply; flatten it.
  case tooDeep = "too_deep"
  /// Decoding the message would take too much memory; send less at once.
  case decodeBudget = "decode_budget"
  /// A repeated field has too many elements; send fewer.
  case tooManyElements = "too_many_elements"
  /// A required field is missing; set it.
  case missingField = "missing_field"
  /// An id is exactly 16 bytes; send the bytes of the UUID, not its text.
  case badId = "bad_id"
  /// The number is not finite; send a finite number.
  case notFinite = "not_finite"
  /// The value is outside the range that the field allows; see the schema.
  case outOfRange = "out_of_range"
  /// The text is longer than the field allows; shorten it.
  case textTooLong = "text_too_long"
  /// The first frame must be HELLO (or PING); send HELLO first.
  case notInitialized = "not_initialized"
  /// HELLO has already been sent on this connection; send it once.
  case alreadyInitialized = "already_initialized"
  /// This server requires a token; put it into HELLO, or into the header `authorization`.
  case missingToken = "missing_token"
  /// The server does not accept this token; get a valid one.
  case invalidToken = "invalid_token"
  /// The token has expired; reconnect with a fresh one.
  case tokenExpired = "token_expired"
  /// The server has no tenant for this client's identity; the operator adds a line for it to the identities file.
  case unknownIdentity = "unknown_identity"
  /// The client's identity is ambiguous or not well formed; name one SPIFFE id of a trusted domain, once.
  case invalidIdentity = "invalid_identity"
  /// The token is bound to another client certificate; connect with the certificate that the token was issued for.
  case tokenNotBound = "token_not_bound"
  /// This method is for operators; use an operator's token.
  case permissionDenied = "permission_denied"
  /// The server has made no request with this number; answer only its requests.
  case unknownServerRequest = "unknown_server_request"
  /// This connection has too many requests in flight; wait for some answers.
  case tooManyInFlight = "too_many_in_flight"
  /// The server has reached its connection limit; close some connections or try later.
  case tooManyConnections = "too_many_connections"
  /// This connection or tenant has reached its subscription limit; end some subscriptions.
  case tooManySubscriptions = "too_many_subscriptions"
  /// The tenant exceeds its request rate; wait and retry.
  case rateLimited = "rate_limited"
  /// Too many errors, cancels or pings on this connection; send fewer and reconnect.
  case enhanceYourCalm = "enhance_your_calm"
  /// The client read nothing from this connection for too long; reconnect and subscribe after last_seq.
  case slowConsumer = "slow_consumer"
  /// The client sent nothing for too long; answer PING.
  case idleTimeout = "idle_timeout"
  /// The server is shutting down; reconnect later or to another server.
  case shuttingDown = "shutting_down"
  /// The connection has reached its maximum age; connect again and subscribe after last_sequence.
  case connectionAge = "connection_age"
  /// The server cannot write its audit file and serves no operator without it; free space or correct audit.file, then retry.
  case auditFailed = "audit_failed"
  /// A disk write failed, and the outcome of unanswered requests is unknown; retry with the same idempotency keys after the restart.
  case storageFailed = "storage_failed"
  /// A disk read failed and nothing was changed; retry.
  case readFailed = "read_failed"
  /// The disk is full: reads continue, changes are refused; free space and retry.
  case diskFull = "disk_full"
  /// The request's deadline passed, but its change may still happen; retry with the same idempotency key.
  case deadlineExceeded = "deadline_exceeded"
  /// The caller cancelled the request.
  case cancelled = "cancelled"
  /// There is no such thread.
  case thread = "thread"
  /// This connection already follows the thread; use that stream or unsubscribe first.
  case subscribed = "subscribed"
  /// The thread is archived; unarchive it first.
  case archived = "archived"
  /// A turn is running; wait for it to end, interrupt it, or queue the new turn.
  case turnInProgress = "turn_in_progress"
  /// No turn is running; start one.
  case noTurn = "no_turn"
  /// This turn is not the running one, or not in the queue; read the thread and use the id of the current turn.
  case turnMismatch = "turn_mismatch"
  /// The thread has no such turn.
  case turn = "turn"
  /// The queue of waiting turns or inputs is full; wait for a turn to finish.
  case queueFull = "queue_full"
  /// The catalog has no such model; see CatalogService/ListModels.
  case unknownModel = "unknown_model"
  /// There is no such feature; see CatalogService/ListFeatures.
  case unknownFeature = "unknown_feature"
  /// The input has no content; send some.
  case emptyInput = "empty_input"
  /// The input exceeds the size limit of a turn's input; shorten it.
  case inputTooLarge = "input_too_large"
  /// The change both sets and clears a field; do one or the other.
  case emptyChange = "empty_change"
  /// The cursor does not belong to this list; start with the first page.
  case badCursor = "bad_cursor"
  /// The position is after the newest event; subscribe after head or an earlier event.
  case futureSeq = "future_seq"
  /// The position is before the oldest event; subscribe after oldest - 1 or a later event.
  case compacted = "compacted"
  /// The thread's events have been renumbered; read the thread and subscribe with its current epoch.
  case epochMismatch = "epoch_mismatch"
  /// The settings have changed in the meantime; read them and decide again.
  case revisionMismatch = "revision_mismatch"
  /// The key was used for a different request; use a new key for each new request.
  case idempotencyMismatch = "idempotency_mismatch"
  /// Another client has already answered, or the deadline has passed; no answer is needed.
  case alreadyAnswered = "already_answered"
  /// The answer is for a different action than the one in question; show the question again and answer that.
  case actionChanged = "action_changed"
  /// The thread has reached its limit of events or bytes; start a new thread.
  case threadFull = "thread_full"
  /// The tenant has reached its limit of running turns; wait for one to end.
  case tooManyTurns = "too_many_turns"
  /// A token budget is used up; raise it in the settings, or start a new thread.
  case quota = "quota"
  /// The tool name is reserved by the server or occurs twice in the list; choose another name.
  case reservedName = "reserved_name"
  /// The thread has no history to summarize; start a turn first.
  case nothingToCompact = "nothing_to_compact"
  /// The agent is closed; its parent can reopen a V1 agent.
  case agentClosed = "agent_closed"
  /// The thread is not an agent of a tree; see AgentService/ListTree.
  case agent = "agent"
  /// This thread's stored data is damaged and can be read only up to the damage; restore it from a backup.
  case dataLoss = "data_loss"
  /// Ephemeral threads have reached their memory limit; delete some, or start a stored thread.
  case ephemeralFull = "ephemeral_full"
  /// An ephemeral thread does not support this; start a stored thread.
  case notEphemeral = "not_ephemeral"
  /// Clients cannot send input to a V2 agent; send it to the root thread.
  case clientInputRefused = "client_input_refused"
  /// This server has no folder for recordings; the operator sets one with capture.folder.
  case captureOff = "capture_off"
  /// A recording is already running; stop it with ServerService/StopCapture.
  case captureRunning = "capture_running"
  /// Nothing has been recorded since the server started; start with ServerService/StartCapture.
  case noCapture = "no_capture"
  /// The folder for recordings, or its disk, is full; remove old recordings, or raise capture.folderBytes.
  case captureSpace = "capture_space"
  /// The server cannot create the recording's file; see the server's log.
  case captureFailed = "capture_failed"
  /// The recording that `heddle fixture` plays has no such request; record one, or send a request that it has.
  case notRecorded = "not_recorded"
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
    case .unknownIdentity: .unauthenticated
    case .invalidIdentity: .unauthenticated
    case .tokenNotBound: .unauthenticated
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
    case .connectionAge: .unavailable
    case .auditFailed: .unavailable
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
    case .notRecorded: .failedPrecondition
    case .internal: .internal
    }
  }

  /// The next step of a client whose call is refused for this reason.
  public var retry: Retry {
    switch self {
    case .tooManyInFlight, .rateLimited, .enhanceYourCalm, .readFailed, .diskFull: .wait
    case .tooManyConnections, .slowConsumer, .idleTimeout, .shuttingDown, .connectionAge, .storageFailed: .reconnect
    case .invalidToken, .tokenExpired: .token
    default: .never
    }
  }

  /// What happened and what to do about it.
  public var advice: String {
    switch self {
    case .emptyFrame: "A frame of this kind needs a payload; send one."
    case .frameTooLarge: "The frame exceeds this connection's limit; see limits in the server's HELLO and split the work into several requests."
    case .frameTimeout: "The frame did not arrive in time; send each frame without pauses."
    case .unknownFrame: "The server does not know this kind of frame; use protocol version 1."
    case .unknownFlags: "A reserved flag is set; send 0 in every bit that the protocol does not name. Compression is not supported."
    case .unsupportedVersion: "The server does not support this protocol version; use one between min and max."
    case .unknownMethod: "No method has this number; compare the schema hash in the server's HELLO with yours."
    case .notImplemented: "The method is in the schema, but this server does not implement it yet; see docs/methods.md."
    case .wrongDirection: "Only the server sends frames of this kind; send REQUEST, CANCEL, CREDIT, PING or GOAWAY."
    case .badRequestId: "A client's stream numbers must be odd and increase with every request; use the next one."
    case .malformed: "The bytes are not a valid message of this method; encode it with a protobuf library from the schema."
    case .invalidUtf8: "A text field is not valid UTF-8; encode text as UTF-8."
    case .embeddedNul: "A text field contains a NUL character; remove it."
    case .unknownOperation: "This field requires exactly one option that the server supports; set one."
    case .unknownEnum: "The enum field does not allow this value; use a value from the schema."
    case .tooManyUnknown: "The message has too many fields that this server does not know; use this server's schema."
    case .tooDeep: "The message is nested too deeply; flatten it."
    case .decodeBudget: "Decoding the message would take too much memory; send less at once."
    case .tooManyElements: "A repeated field has too many elements; send fewer."
    case .missingField: "A required field is missing; set it."
    case .badId: "An id is exactly 16 bytes; send the bytes of the UUID, not its text."
    case .notFinite: "The number is not finite; send a finite number."
    case .outOfRange: "The value is outside the range that the field allows; see the schema."
    case .textTooLong: "The text is longer than the field allows; shorten it."
    case .notInitialized: "The first frame must be HELLO (or PING); send HELLO first."
    case .alreadyInitialized: "HELLO has already been sent on this connection; send it once."
    case .missingToken: "This server requires a token; put it into HELLO, or into the header `authorization`."
    case .invalidToken: "The server does not accept this token; get a valid one."
    case .tokenExpired: "The token has expired; reconnect with a fresh one."
    case .unknownIdentity: "The server has no tenant for this client's identity; the operator adds a line for it to the identities file."
    case .invalidIdentity: "The client's identity is ambiguous or not well formed; name one SPIFFE id of a trusted domain, once."
    case .tokenNotBound: "The token is bound to another client certificate; connect with the certificate that the token was issued for."
    case .permissionDenied: "This method is for operators; use an operator's token."
    case .unknownServerRequest: "The server has made no request with this number; answer only its requests."
    case .tooManyInFlight: "This connection has too many requests in flight; wait for some answers."
    case .tooManyConnections: "The server has reached its connection limit; close some connections or try later."
    case .tooManySubscriptions: "This connection or tenant has reached its subscription limit; end some subscriptions."
    case .rateLimited: "The tenant exceeds its request rate; wait and retry."
    case .enhanceYourCalm: "Too many errors, cancels or pings on this connection; send fewer and reconnect."
    case .slowConsumer: "The client read nothing from this connection for too long; reconnect and subscribe after last_seq."
    case .idleTimeout: "The client sent nothing for too long; answer PING."
    case .shuttingDown: "The server is shutting down; reconnect later or to another server."
    case .connectionAge: "The connection has reached its maximum age; connect again and subscribe after last_sequence."
    case .auditFailed: "The server cannot write its audit file and serves no operator without it; free space or correct audit.file, then retry."
    case .storageFailed: "A disk write failed, and the outcome of unanswered requests is unknown; retry with the same idempotency keys after the restart."
    case .readFailed: "A disk read failed and nothing was changed; retry."
    case .diskFull: "The disk is full: reads continue, changes are refused; free space and retry."
    case .deadlineExceeded: "The request's deadline passed, but its change may still happen; retry with the same idempotency key."
    case .cancelled: "The caller cancelled the request."
    case .thread: "There is no such thread."
    case .subscribed: "This connection already follows the thread; use that stream or unsubscribe first."
    case .archived: "The thread is archived; unarchive it first."
    case .turnInProgress: "A turn is running; wait for it to end, interrupt it, or queue the new turn."
    case .noTurn: "No turn is running; start one."
    case .turnMismatch: "This turn is not the running one, or not in the queue; read the thread and use the id of the current turn."
    case .turn: "The thread has no such turn."
    case .queueFull: "The queue of waiting turns or inputs is full; wait for a turn to finish."
    case .unknownModel: "The catalog has no such model; see CatalogService/ListModels."
    case .unknownFeature: "There is no such feature; see CatalogService/ListFeatures."
    case .emptyInput: "The input has no content; send some."
    case .inputTooLarge: "The input exceeds the size limit of a turn's input; shorten it."
    case .emptyChange: "The change both sets and clears a field; do one or the other."
    case .badCursor: "The cursor does not belong to this list; start with the first page."
    case .futureSeq: "The position is after the newest event; subscribe after head or an earlier event."
    case .compacted: "The position is before the oldest event; subscribe after oldest - 1 or a later event."
    case .epochMismatch: "The thread's events have been renumbered; read the thread and subscribe with its current epoch."
    case .revisionMismatch: "The settings have changed in the meantime; read them and decide again."
    case .idempotencyMismatch: "The key was used for a different request; use a new key for each new request."
    case .alreadyAnswered: "Another client has already answered, or the deadline has passed; no answer is needed."
    case .actionChanged: "The answer is for a different action than the one in question; show the question again and answer that."
    case .threadFull: "The thread has reached its limit of events or bytes; start a new thread."
    case .tooManyTurns: "The tenant has reached its limit of running turns; wait for one to end."
    case .quota: "A token budget is used up; raise it in the settings, or start a new thread."
    case .reservedName: "The tool name is reserved by the server or occurs twice in the list; choose another name."
    case .nothingToCompact: "The thread has no history to summarize; start a turn first."
    case .agentClosed: "The agent is closed; its parent can reopen a V1 agent."
    case .agent: "The thread is not an agent of a tree; see AgentService/ListTree."
    case .dataLoss: "This thread's stored data is damaged and can be read only up to the damage; restore it from a backup."
    case .ephemeralFull: "Ephemeral threads have reached their memory limit; delete some, or start a stored thread."
    case .notEphemeral: "An ephemeral thread does not support this; start a stored thread."
    case .clientInputRefused: "Clients cannot send input to a V2 agent; send it to the root thread."
    case .captureOff: "This server has no folder for recordings; the operator sets one with capture.folder."
    case .captureRunning: "A recording is already running; stop it with ServerService/StopCapture."
    case .noCapture: "Nothing has been recorded since the server started; start with ServerService/StartCapture."
    case .captureSpace: "The folder for recordings, or its disk, is full; remove old recordings, or raise capture.folderBytes."
    case .captureFailed: "The server cannot create the recording's file; see the server's log."
    case .notRecorded: "The recording that `heddle fixture` plays has no such request; record one, or send a request that it has."
    case .internal: "The server broke one of its own rules; report the debug_id."
    }
  }
}
