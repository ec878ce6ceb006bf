"""Made by `make generate` from proto/; edit that instead."""

from heddle._errors import Refused

# What a client does by itself, by reason: docs/errors.md.
RETRY = {
    "invalid_token": "token",
    "token_expired": "token",
    "too_many_in_flight": "wait",
    "too_many_connections": "reconnect",
    "rate_limited": "wait",
    "enhance_your_calm": "wait",
    "slow_consumer": "reconnect",
    "idle_timeout": "reconnect",
    "shutting_down": "reconnect",
    "connection_age": "reconnect",
    "storage_failed": "reconnect",
    "read_failed": "wait",
    "disk_full": "wait",
}


class Reason:
    """The stable names of errors; a server may send others, which stay text."""

    EMPTY_FRAME = "empty_frame"
    FRAME_TOO_LARGE = "frame_too_large"
    FRAME_TIMEOUT = "frame_timeout"
    UNKNOWN_FRAME = "unknown_frame"
    UNKNOWN_FLAGS = "unknown_flags"
    UNSUPPORTED_VERSION = "unsupported_version"
    UNKNOWN_METHOD = "unknown_method"
    NOT_IMPLEMENTED = "not_implemented"
    WRONG_DIRECTION = "wrong_direction"
    BAD_REQUEST_ID = "bad_request_id"
    MALFORMED = "malformed"
    INVALID_UTF8 = "invalid_utf8"
    EMBEDDED_NUL = "embedded_nul"
    UNKNOWN_OPERATION = "unknown_operation"
    UNKNOWN_ENUM = "unknown_enum"
    TOO_MANY_UNKNOWN = "too_many_unknown"
    TOO_DEEP = "too_deep"
    DECODE_BUDGET = "decode_budget"
    TOO_MANY_ELEMENTS = "too_many_elements"
    MISSING_FIELD = "missing_field"
    BAD_ID = "bad_id"
    NOT_FINITE = "not_finite"
    OUT_OF_RANGE = "out_of_range"
    TEXT_TOO_LONG = "text_too_long"
    NOT_INITIALIZED = "not_initialized"
    ALREADY_INITIALIZED = "already_initialized"
    MISSING_TOKEN = "missing_token"
    INVALID_TOKEN = "invalid_token"
    TOKEN_EXPIRED = "token_expired"
    UNKNOWN_IDENTITY = "unknown_identity"
    INVALID_IDENTITY = "invalid_identity"
    TOKEN_NOT_BOUND = "token_not_bound"
    PERMISSION_DENIED = "permission_denied"
    UNKNOWN_SERVER_REQUEST = "unknown_server_request"
    TOO_MANY_IN_FLIGHT = "too_many_in_flight"
    TOO_MANY_CONNECTIONS = "too_many_connections"
    TOO_MANY_SUBSCRIPTIONS = "too_many_subscriptions"
    RATE_LIMITED = "rate_limited"
    ENHANCE_YOUR_CALM = "enhance_your_calm"
    SLOW_CONSUMER = "slow_consumer"
    IDLE_TIMEOUT = "idle_timeout"
    SHUTTING_DOWN = "shutting_down"
    CONNECTION_AGE = "connection_age"
    AUDIT_FAILED = "audit_failed"
    STORAGE_FAILED = "storage_failed"
    READ_FAILED = "read_failed"
    DISK_FULL = "disk_full"
    DEADLINE_EXCEEDED = "deadline_exceeded"
    CANCELLED = "cancelled"
    THREAD = "thread"
    SUBSCRIBED = "subscribed"
    ARCHIVED = "archived"
    TURN_IN_PROGRESS = "turn_in_progress"
    NO_TURN = "no_turn"
    TURN_MISMATCH = "turn_mismatch"
    TURN = "turn"
    QUEUE_FULL = "queue_full"
    UNKNOWN_MODEL = "unknown_model"
    UNKNOWN_FEATURE = "unknown_feature"
    EMPTY_INPUT = "empty_input"
    INPUT_TOO_LARGE = "input_too_large"
    EMPTY_CHANGE = "empty_change"
    BAD_CURSOR = "bad_cursor"
    FUTURE_SEQ = "future_seq"
    COMPACTED = "compacted"
    EPOCH_MISMATCH = "epoch_mismatch"
    REVISION_MISMATCH = "revision_mismatch"
    IDEMPOTENCY_MISMATCH = "idempotency_mismatch"
    ALREADY_ANSWERED = "already_answered"
    ACTION_CHANGED = "action_changed"
    THREAD_FULL = "thread_full"
    TOO_MANY_TURNS = "too_many_turns"
    QUOTA = "quota"
    RESERVED_NAME = "reserved_name"
    NOTHING_TO_COMPACT = "nothing_to_compact"
    AGENT_CLOSED = "agent_closed"
    AGENT = "agent"
    DATA_LOSS = "data_loss"
    EPHEMERAL_FULL = "ephemeral_full"
    NOT_EPHEMERAL = "not_ephemeral"
    CLIENT_INPUT_REFUSED = "client_input_refused"
    CAPTURE_OFF = "capture_off"
    CAPTURE_RUNNING = "capture_running"
    NO_CAPTURE = "no_capture"
    CAPTURE_SPACE = "capture_space"
    CAPTURE_FAILED = "capture_failed"
    NOT_RECORDED = "not_recorded"
    INTERNAL = "internal"


class CancelledByServer(Refused):
    """The server refused a call with CANCELLED."""


class UnknownError(Refused):
    """The server refused a call with UNKNOWN."""


class InvalidArgument(Refused):
    """The server refused a call with INVALID_ARGUMENT."""


class DeadlineExceeded(Refused):
    """The server refused a call with DEADLINE_EXCEEDED."""


class NotFound(Refused):
    """The server refused a call with NOT_FOUND."""


class AlreadyExists(Refused):
    """The server refused a call with ALREADY_EXISTS."""


class PermissionDenied(Refused):
    """The server refused a call with PERMISSION_DENIED."""


class ResourceExhausted(Refused):
    """The server refused a call with RESOURCE_EXHAUSTED."""


class FailedPrecondition(Refused):
    """The server refused a call with FAILED_PRECONDITION."""


class Aborted(Refused):
    """The server refused a call with ABORTED."""


class OutOfRange(Refused):
    """The server refused a call with OUT_OF_RANGE."""


class Unimplemented(Refused):
    """The server refused a call with UNIMPLEMENTED."""


class InternalError(Refused):
    """The server refused a call with INTERNAL."""


class Unavailable(Refused):
    """The server refused a call with UNAVAILABLE."""


class DataLoss(Refused):
    """The server refused a call with DATA_LOSS."""


class Unauthenticated(Refused):
    """The server refused a call with UNAUTHENTICATED."""


BY_CODE: dict[int, type[Refused]] = {
    1: CancelledByServer,
    2: UnknownError,
    3: InvalidArgument,
    4: DeadlineExceeded,
    5: NotFound,
    6: AlreadyExists,
    7: PermissionDenied,
    8: ResourceExhausted,
    9: FailedPrecondition,
    10: Aborted,
    11: OutOfRange,
    12: Unimplemented,
    13: InternalError,
    14: Unavailable,
    15: DataLoss,
    16: Unauthenticated,
}

CODES = {
    0: "UNSPECIFIED",
    1: "CANCELLED",
    2: "UNKNOWN",
    3: "INVALID_ARGUMENT",
    4: "DEADLINE_EXCEEDED",
    5: "NOT_FOUND",
    6: "ALREADY_EXISTS",
    7: "PERMISSION_DENIED",
    8: "RESOURCE_EXHAUSTED",
    9: "FAILED_PRECONDITION",
    10: "ABORTED",
    11: "OUT_OF_RANGE",
    12: "UNIMPLEMENTED",
    13: "INTERNAL",
    14: "UNAVAILABLE",
    15: "DATA_LOSS",
    16: "UNAUTHENTICATED",
}
