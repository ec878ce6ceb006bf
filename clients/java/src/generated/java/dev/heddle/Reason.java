// Made by `make generate` from proto/; edit that instead.

package dev.heddle;

import java.util.Map;

/** The stable names of errors (docs/errors.md); a server may send others. */
public final class Reason {
  public static final String EMPTY_FRAME = "empty_frame";
  public static final String FRAME_TOO_LARGE = "frame_too_large";
  public static final String FRAME_TIMEOUT = "frame_timeout";
  public static final String UNKNOWN_FRAME = "unknown_frame";
  public static final String UNKNOWN_FLAGS = "unknown_flags";
  public static final String UNSUPPORTED_VERSION = "unsupported_version";
  public static final String UNKNOWN_METHOD = "unknown_method";
  public static final String NOT_IMPLEMENTED = "not_implemented";
  public static final String WRONG_DIRECTION = "wrong_direction";
  public static final String BAD_REQUEST_ID = "bad_request_id";
  public static final String MALFORMED = "malformed";
  public static final String INVALID_UTF8 = "invalid_utf8";
  public static final String EMBEDDED_NUL = "embedded_nul";
  public static final String UNKNOWN_OPERATION = "unknown_operation";
  public static final String UNKNOWN_ENUM = "unknown_enum";
  public static final String TOO_MANY_UNKNOWN = "too_many_unknown";
  public static final String TOO_DEEP = "too_deep";
  public static final String DECODE_BUDGET = "decode_budget";
  public static final String TOO_MANY_ELEMENTS = "too_many_elements";
  public static final String MISSING_FIELD = "missing_field";
  public static final String BAD_ID = "bad_id";
  public static final String NOT_FINITE = "not_finite";
  public static final String OUT_OF_RANGE = "out_of_range";
  public static final String TEXT_TOO_LONG = "text_too_long";
  public static final String NOT_INITIALIZED = "not_initialized";
  public static final String ALREADY_INITIALIZED = "already_initialized";
  public static final String MISSING_TOKEN = "missing_token";
  public static final String INVALID_TOKEN = "invalid_token";
  public static final String TOKEN_EXPIRED = "token_expired";
  public static final String UNKNOWN_IDENTITY = "unknown_identity";
  public static final String INVALID_IDENTITY = "invalid_identity";
  public static final String TOKEN_NOT_BOUND = "token_not_bound";
  public static final String PERMISSION_DENIED = "permission_denied";
  public static final String UNKNOWN_SERVER_REQUEST = "unknown_server_request";
  public static final String TOO_MANY_IN_FLIGHT = "too_many_in_flight";
  public static final String TOO_MANY_CONNECTIONS = "too_many_connections";
  public static final String TOO_MANY_SUBSCRIPTIONS = "too_many_subscriptions";
  public static final String RATE_LIMITED = "rate_limited";
  public static final String ENHANCE_YOUR_CALM = "enhance_your_calm";
  public static final String SLOW_CONSUMER = "slow_consumer";
  public static final String IDLE_TIMEOUT = "idle_timeout";
  public static final String SHUTTING_DOWN = "shutting_down";
  public static final String CONNECTION_AGE = "connection_age";
  public static final String AUDIT_FAILED = "audit_failed";
  public static final String STORAGE_FAILED = "storage_failed";
  public static final String READ_FAILED = "read_failed";
  public static final String DISK_FULL = "disk_full";
  public static final String DEADLINE_EXCEEDED = "deadline_exceeded";
  public static final String CANCELLED = "cancelled";
  public static final String THREAD = "thread";
  public static final String SUBSCRIBED = "subscribed";
  public static final String ARCHIVED = "archived";
  public static final String TURN_IN_PROGRESS = "turn_in_progress";
  public static final String NO_TURN = "no_turn";
  public static final String TURN_MISMATCH = "turn_mismatch";
  public static final String TURN = "turn";
  public static final String QUEUE_FULL = "queue_full";
  public static final String UNKNOWN_MODEL = "unknown_model";
  public static final String UNKNOWN_FEATURE = "unknown_feature";
  public static final String EMPTY_INPUT = "empty_input";
  public static final String INPUT_TOO_LARGE = "input_too_large";
  public static final String EMPTY_CHANGE = "empty_change";
  public static final String BAD_CURSOR = "bad_cursor";
  public static final String FUTURE_SEQ = "future_seq";
  public static final String COMPACTED = "compacted";
  public static final String EPOCH_MISMATCH = "epoch_mismatch";
  public static final String REVISION_MISMATCH = "revision_mismatch";
  public static final String IDEMPOTENCY_MISMATCH = "idempotency_mismatch";
  public static final String ALREADY_ANSWERED = "already_answered";
  public static final String ACTION_CHANGED = "action_changed";
  public static final String THREAD_FULL = "thread_full";
  public static final String TOO_MANY_TURNS = "too_many_turns";
  public static final String QUOTA = "quota";
  public static final String RESERVED_NAME = "reserved_name";
  public static final String NOTHING_TO_COMPACT = "nothing_to_compact";
  public static final String AGENT_CLOSED = "agent_closed";
  public static final String AGENT = "agent";
  public static final String DATA_LOSS = "data_loss";
  public static final String EPHEMERAL_FULL = "ephemeral_full";
  public static final String NOT_EPHEMERAL = "not_ephemeral";
  public static final String CLIENT_INPUT_REFUSED = "client_input_refused";
  public static final String CAPTURE_OFF = "capture_off";
  public static final String CAPTURE_RUNNING = "capture_running";
  public static final String NO_CAPTURE = "no_capture";
  public static final String CAPTURE_SPACE = "capture_space";
  public static final String CAPTURE_FAILED = "capture_failed";
  public static final String NOT_RECORDED = "not_recorded";
  public static final String INTERNAL = "internal";

  private static final Map<String, String> RETRY = Map.ofEntries(
    Map.entry("invalid_token", "token"),
    Map.entry("token_expired", "token"),
    Map.entry("too_many_in_flight", "wait"),
    Map.entry("too_many_connections", "reconnect"),
    Map.entry("rate_limited", "wait"),
    Map.entry("enhance_your_calm", "wait"),
    Map.entry("slow_consumer", "reconnect"),
    Map.entry("idle_timeout", "reconnect"),
    Map.entry("shutting_down", "reconnect"),
    Map.entry("connection_age", "reconnect"),
    Map.entry("storage_failed", "reconnect"),
    Map.entry("read_failed", "wait"),
    Map.entry("disk_full", "wait"));

  private Reason() {}

  /** The thing that a client does by itself: `wait`, `reconnect`, `token`, or an empty text for nothing. */
  static String retry(String reason) {
    return RETRY.getOrDefault(reason, "");
  }
}
