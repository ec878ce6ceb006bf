// Made by `make generate` from proto/; edit that instead.
// codegen/clients/cpp.py writes this file.
#pragma once

#include <string_view>

// The stable names of errors; a server may send others.
namespace heddle::reasons {

inline constexpr std::string_view empty_frame = "empty_frame";
inline constexpr std::string_view frame_too_large = "frame_too_large";
inline constexpr std::string_view frame_timeout = "frame_timeout";
inline constexpr std::string_view unknown_frame = "unknown_frame";
inline constexpr std::string_view unknown_flags = "unknown_flags";
inline constexpr std::string_view unsupported_version = "unsupported_version";
inline constexpr std::string_view unknown_method = "unknown_method";
inline constexpr std::string_view not_implemented = "not_implemented";
inline constexpr std::string_view wrong_direction = "wrong_direction";
inline constexpr std::string_view bad_request_id = "bad_request_id";
inline constexpr std::string_view malformed = "malformed";
inline constexpr std::string_view invalid_utf8 = "invalid_utf8";
inline constexpr std::string_view embedded_nul = "embedded_nul";
inline constexpr std::string_view unknown_operation = "unknown_operation";
inline constexpr std::string_view unknown_enum = "unknown_enum";
inline constexpr std::string_view too_many_unknown = "too_many_unknown";
inline constexpr std::string_view too_deep = "too_deep";
inline constexpr std::string_view decode_budget = "decode_budget";
inline constexpr std::string_view too_many_elements = "too_many_elements";
inline constexpr std::string_view missing_field = "missing_field";
inline constexpr std::string_view bad_id = "bad_id";
inline constexpr std::string_view not_finite = "not_finite";
inline constexpr std::string_view out_of_range = "out_of_range";
inline constexpr std::string_view text_too_long = "text_too_long";
inline constexpr std::string_view not_initialized = "not_initialized";
inline constexpr std::string_view already_initialized = "already_initialized";
inline constexpr std::string_view missing_token = "missing_token";
inline constexpr std::string_view invalid_token = "invalid_token";
inline constexpr std::string_view token_expired = "token_expired";
inline constexpr std::string_view unknown_identity = "unknown_identity";
inline constexpr std::string_view invalid_identity = "invalid_identity";
inline constexpr std::string_view token_not_bound = "token_not_bound";
inline constexpr std::string_view permission_denied = "permission_denied";
inline constexpr std::string_view unknown_server_request = "unknown_server_request";
inline constexpr std::string_view too_many_in_flight = "too_many_in_flight";
inline constexpr std::string_view too_many_connections = "too_many_connections";
inline constexpr std::string_view too_many_subscriptions = "too_many_subscriptions";
inline constexpr std::string_view rate_limited = "rate_limited";
inline constexpr std::string_view enhance_your_calm = "enhance_your_calm";
inline constexpr std::string_view slow_consumer = "slow_consumer";
inline constexpr std::string_view idle_timeout = "idle_timeout";
inline constexpr std::string_view shutting_down = "shutting_down";
inline constexpr std::string_view connection_age = "connection_age";
inline constexpr std::string_view audit_failed = "audit_failed";
inline constexpr std::string_view storage_failed = "storage_failed";
inline constexpr std::string_view read_failed = "read_failed";
inline constexpr std::string_view disk_full = "disk_full";
inline constexpr std::string_view deadline_exceeded = "deadline_exceeded";
inline constexpr std::string_view cancelled = "cancelled";
inline constexpr std::string_view thread = "thread";
inline constexpr std::string_view subscribed = "subscribed";
inline constexpr std::string_view archived = "archived";
inline constexpr std::string_view turn_in_progress = "turn_in_progress";
inline constexpr std::string_view no_turn = "no_turn";
inline constexpr std::string_view turn_mismatch = "turn_mismatch";
inline constexpr std::string_view turn = "turn";
inline constexpr std::string_view queue_full = "queue_full";
inline constexpr std::string_view unknown_model = "unknown_model";
inline constexpr std::string_view unknown_feature = "unknown_feature";
inline constexpr std::string_view empty_input = "empty_input";
inline constexpr std::string_view input_too_large = "input_too_large";
inline constexpr std::string_view empty_change = "empty_change";
inline constexpr std::string_view bad_cursor = "bad_cursor";
inline constexpr std::string_view future_seq = "future_seq";
inline constexpr std::string_view compacted = "compacted";
inline constexpr std::string_view epoch_mismatch = "epoch_mismatch";
inline constexpr std::string_view revision_mismatch = "revision_mismatch";
inline constexpr std::string_view idempotency_mismatch = "idempotency_mismatch";
inline constexpr std::string_view already_answered = "already_answered";
inline constexpr std::string_view action_changed = "action_changed";
inline constexpr std::string_view thread_full = "thread_full";
inline constexpr std::string_view too_many_turns = "too_many_turns";
inline constexpr std::string_view quota = "quota";
inline constexpr std::string_view reserved_name = "reserved_name";
inline constexpr std::string_view nothing_to_compact = "nothing_to_compact";
inline constexpr std::string_view agent_closed = "agent_closed";
inline constexpr std::string_view agent = "agent";
inline constexpr std::string_view data_loss = "data_loss";
inline constexpr std::string_view ephemeral_full = "ephemeral_full";
inline constexpr std::string_view not_ephemeral = "not_ephemeral";
inline constexpr std::string_view client_input_refused = "client_input_refused";
inline constexpr std::string_view capture_off = "capture_off";
inline constexpr std::string_view capture_running = "capture_running";
inline constexpr std::string_view no_capture = "no_capture";
inline constexpr std::string_view capture_space = "capture_space";
inline constexpr std::string_view capture_failed = "capture_failed";
inline constexpr std::string_view not_recorded = "not_recorded";
inline constexpr std::string_view internal = "internal";

}  // namespace heddle::reasons
