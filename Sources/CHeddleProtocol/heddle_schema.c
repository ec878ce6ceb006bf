// Made by `make generate` from proto/; edit that instead.

#include "heddle_schema.h"

static const heddle_field fields_metadata[] = {
  { "traceparent", 1, 4, 0, 0, 0, 0 },
  { "tracestate", 2, 4, 0, 0, 0, 0 },
  { "request_id", 3, 4, 0, 0, 0, 0 },
  { "deadline_ms", 4, 1, HEDDLE_PRESENCE | HEDDLE_SIGNED | HEDDLE_WIDE, 0, 0, 0 },
  { "idempotency_key", 5, 5, HEDDLE_PRESENCE | HEDDLE_ID, 0, 6, 0 },
  { "authority", 6, 4, 0, 0, 0, 0 },
  { "token", 7, 4, HEDDLE_SENSITIVE, 0, 0, 0 },
};
static const uint8_t numbers_metadata[] = { 255, 0, 1, 2, 3, 4, 5, 6 };

static const heddle_field fields_client_hello[] = {
  { "versions", 1, 1, HEDDLE_REPEATED, 0, 0, 0 },
  { "client_name", 2, 4, 0, 0, 0, 0 },
  { "client_version", 3, 4, 0, 0, 0, 0 },
  { "token", 4, 4, HEDDLE_SENSITIVE, 0, 0, 0 },
  { "wanted_limits", 5, 6, HEDDLE_PRESENCE, 3, 0, 0 },
  { "features", 6, 4, HEDDLE_REPEATED, 0, 0, 0 },
  { "unwanted_notifications", 7, 4, HEDDLE_REPEATED, 0, 0, 0 },
};
static const uint8_t numbers_client_hello[] = { 255, 0, 1, 2, 3, 4, 5, 6 };

static const heddle_field fields_server_hello[] = {
  { "version", 1, 1, 0, 0, 0, 0 },
  { "node", 2, 5, HEDDLE_ID, 0, 5, 0 },
  { "connection", 3, 5, HEDDLE_ID, 0, 4, 0 },
  { "server_time", 4, 1, HEDDLE_SIGNED | HEDDLE_WIDE, 0, 0, 0 },
  { "schema_hash", 5, 4, 0, 0, 0, 0 },
  { "durability", 6, 4, 0, 0, 0, 0 },
  { "limits", 7, 6, HEDDLE_PRESENCE, 3, 0, 0 },
  { "server_version", 8, 4, 0, 0, 0, 0 },
};
static const uint8_t numbers_server_hello[] = { 255, 0, 1, 2, 3, 4, 5, 6, 7 };

static const heddle_field fields_connection_limits[] = {
  { "frame_bytes", 1, 1, HEDDLE_PRESENCE, 0, 0, 0 },
  { "requests_in_flight", 2, 1, HEDDLE_PRESENCE, 0, 0, 0 },
  { "subscriptions", 3, 1, HEDDLE_PRESENCE, 0, 0, 0 },
  { "outgoing_bytes", 4, 1, HEDDLE_PRESENCE, 0, 0, 0 },
  { "idle_ms", 5, 1, HEDDLE_PRESENCE, 0, 0, 0 },
  { "frame_ms", 6, 1, HEDDLE_PRESENCE, 0, 0, 0 },
  { "nesting", 7, 1, HEDDLE_PRESENCE, 0, 0, 0 },
  { "repeated_elements", 8, 1, HEDDLE_PRESENCE, 0, 0, 0 },
  { "unknown_fields", 9, 1, HEDDLE_PRESENCE, 0, 0, 0 },
  { "turn_input_bytes", 10, 1, HEDDLE_PRESENCE, 0, 0, 0 },
  { "page_size", 11, 1, HEDDLE_PRESENCE, 0, 0, 0 },
  { "queued_turns", 12, 1, HEDDLE_PRESENCE, 0, 0, 0 },
  { "thread_events", 13, 1, HEDDLE_PRESENCE, 0, 0, 0 },
  { "tenant_requests_per_second", 14, 1, HEDDLE_PRESENCE, 0, 0, 0 },
  { "tenant_running_turns", 15, 1, HEDDLE_PRESENCE, 0, 0, 0 },
  { "glitches", 16, 1, HEDDLE_PRESENCE, 0, 0, 0 },
};
static const uint8_t numbers_connection_limits[] = { 255, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15 };

static const heddle_field fields_error_detail[] = {
  { "name", 1, 4, 0, 0, 0, 0 },
  { "value", 2, 4, 0, 0, 0, 0 },
};
static const uint8_t numbers_error_detail[] = { 255, 0, 1 };

static const heddle_field fields_error[] = {
  { "code", 1, 1, HEDDLE_ENUM, 3, 0, 0 },
  { "reason", 2, 4, 0, 0, 0, 0 },
  { "message", 3, 4, 0, 0, 0, 0 },
  { "retry_after_ms", 4, 1, HEDDLE_PRESENCE | HEDDLE_SIGNED | HEDDLE_WIDE, 0, 0, 0 },
  { "details", 5, 6, HEDDLE_REPEATED | HEDDLE_PRESENCE, 4, 0, 0 },
  { "debug_id", 6, 4, 0, 0, 0, 0 },
};
static const uint8_t numbers_error[] = { 255, 0, 1, 2, 3, 4, 5 };

static const heddle_field fields_credit[] = {
  { "bytes", 1, 1, 0, 0, 0, 0 },
};
static const uint8_t numbers_credit[] = { 255, 0 };

static const heddle_field fields_ping[] = {
  { "opaque", 1, 5, 0, 0, 0, 0 },
};
static const uint8_t numbers_ping[] = { 255, 0 };

static const heddle_field fields_pong[] = {
  { "opaque", 1, 5, 0, 0, 0, 0 },
  { "status", 2, 1, HEDDLE_ENUM, 4, 0, 0 },
};
static const uint8_t numbers_pong[] = { 255, 0, 1 };

static const heddle_field fields_go_away[] = {
  { "last_stream", 1, 1, 0, 0, 0, 0 },
  { "error", 2, 6, HEDDLE_PRESENCE, 5, 0, 0 },
};
static const uint8_t numbers_go_away[] = { 255, 0, 1 };

static const heddle_field fields_image_part[] = {
  { "url", 1, 4, HEDDLE_SENSITIVE, 0, 0, 0 },
  { "detail", 2, 4, 0, 0, 0, 0 },
};
static const uint8_t numbers_image_part[] = { 255, 0, 1 };

static const heddle_field fields_opaque_part[] = {
  { "kind", 1, 4, 0, 0, 0, 0 },
  { "json", 2, 4, HEDDLE_SENSITIVE, 0, 0, 0 },
};
static const uint8_t numbers_opaque_part[] = { 255, 0, 1 };

static const heddle_field fields_content_part[] = {
  { "text", 1, 4, HEDDLE_PRESENCE | HEDDLE_SENSITIVE, 0, 0, 1 },
  { "image", 2, 6, HEDDLE_PRESENCE, 10, 0, 1 },
  { "encrypted", 3, 4, HEDDLE_PRESENCE | HEDDLE_SENSITIVE, 0, 0, 1 },
  { "opaque", 4, 6, HEDDLE_PRESENCE, 11, 0, 1 },
};
static const uint8_t numbers_content_part[] = { 255, 0, 1, 2, 3 };

static const heddle_field fields_message_item[] = {
  { "role", 1, 1, HEDDLE_ENUM, 5, 0, 0 },
  { "content", 2, 6, HEDDLE_REPEATED | HEDDLE_PRESENCE, 12, 0, 0 },
  { "phase", 3, 1, HEDDLE_ENUM, 6, 0, 0 },
};
static const uint8_t numbers_message_item[] = { 255, 0, 1, 2 };

static const heddle_field fields_reasoning_item[] = {
  { "summary", 1, 4, HEDDLE_REPEATED | HEDDLE_SENSITIVE, 0, 0, 0 },
  { "content", 2, 4, HEDDLE_REPEATED | HEDDLE_SENSITIVE, 0, 0, 0 },
  { "encrypted", 3, 4, HEDDLE_PRESENCE | HEDDLE_SENSITIVE, 0, 0, 0 },
  { "provider", 4, 4, 0, 0, 0, 0 },
};
static const uint8_t numbers_reasoning_item[] = { 255, 0, 1, 2, 3 };

static const heddle_field fields_tool_call_item[] = {
  { "call_id", 1, 4, 0, 0, 0, 0 },
  { "name", 2, 4, 0, 0, 0, 0 },
  { "tool_group", 3, 4, 0, 0, 0, 0 },
  { "arguments", 4, 4, HEDDLE_SENSITIVE, 0, 0, 0 },
  { "freeform", 5, 1, HEDDLE_BOOL, 0, 0, 0 },
};
static const uint8_t numbers_tool_call_item[] = { 255, 0, 1, 2, 3, 4 };

static const heddle_field fields_tool_output_item[] = {
  { "call_id", 1, 4, 0, 0, 0, 0 },
  { "content", 2, 6, HEDDLE_REPEATED | HEDDLE_PRESENCE, 12, 0, 0 },
  { "success", 3, 1, HEDDLE_PRESENCE | HEDDLE_BOOL, 0, 0, 0 },
  { "reason", 4, 4, 0, 0, 0, 0 },
};
static const uint8_t numbers_tool_output_item[] = { 255, 0, 1, 2, 3 };

static const heddle_field fields_agent_mail[] = {
  { "id", 1, 5, HEDDLE_ID, 0, 3, 0 },
  { "kind", 2, 1, HEDDLE_ENUM, 8, 0, 0 },
  { "from", 3, 5, HEDDLE_ID, 0, 1, 0 },
  { "author", 4, 4, 0, 0, 0, 0 },
  { "to", 5, 5, HEDDLE_ID, 0, 1, 0 },
  { "recipient", 6, 4, 0, 0, 0, 0 },
  { "content", 7, 6, HEDDLE_REPEATED | HEDDLE_PRESENCE, 12, 0, 0 },
  { "trigger_turn", 8, 1, HEDDLE_BOOL, 0, 0, 0 },
};
static const uint8_t numbers_agent_mail[] = { 255, 0, 1, 2, 3, 4, 5, 6, 7 };

static const heddle_field fields_agent_message_item[] = {
  { "author", 1, 4, 0, 0, 0, 0 },
  { "recipient", 2, 4, 0, 0, 0, 0 },
  { "content", 3, 6, HEDDLE_REPEATED | HEDDLE_PRESENCE, 12, 0, 0 },
  { "trigger_turn", 4, 1, HEDDLE_BOOL, 0, 0, 0 },
  { "kind", 5, 1, HEDDLE_ENUM, 8, 0, 0 },
};
static const uint8_t numbers_agent_message_item[] = { 255, 0, 1, 2, 3, 4 };

static const heddle_field fields_compaction_item[] = {
  { "summary", 1, 4, HEDDLE_SENSITIVE, 0, 0, 0 },
  { "replacement", 2, 6, HEDDLE_REPEATED | HEDDLE_PRESENCE, 13, 0, 0 },
};
static const uint8_t numbers_compaction_item[] = { 255, 0, 1 };

static const heddle_field fields_marker_item[] = {
  { "kind", 1, 1, HEDDLE_ENUM, 9, 0, 0 },
  { "role", 2, 1, HEDDLE_ENUM, 5, 0, 0 },
  { "text", 3, 4, HEDDLE_SENSITIVE, 0, 0, 0 },
};
static const uint8_t numbers_marker_item[] = { 255, 0, 1, 2 };

static const heddle_field fields_item[] = {
  { "id", 1, 5, HEDDLE_ID, 0, 3, 0 },
  { "status", 2, 1, HEDDLE_ENUM, 7, 0, 0 },
  { "provider_id", 3, 4, 0, 0, 0, 0 },
  { "message", 10, 6, HEDDLE_PRESENCE, 13, 0, 1 },
  { "reasoning", 11, 6, HEDDLE_PRESENCE, 14, 0, 1 },
  { "tool_call", 12, 6, HEDDLE_PRESENCE, 15, 0, 1 },
  { "tool_output", 13, 6, HEDDLE_PRESENCE, 16, 0, 1 },
  { "agent_message", 14, 6, HEDDLE_PRESENCE, 18, 0, 1 },
  { "compaction", 15, 6, HEDDLE_PRESENCE, 19, 0, 1 },
  { "marker", 16, 6, HEDDLE_PRESENCE, 20, 0, 1 },
  { "opaque", 17, 6, HEDDLE_PRESENCE, 11, 0, 1 },
};
static const uint8_t numbers_item[] = { 255, 0, 1, 2, 255, 255, 255, 255, 255, 255, 3, 4, 5, 6, 7, 8, 9, 10 };

static const heddle_field fields_call_tool_request[] = {
  { "thread", 1, 5, HEDDLE_ID, 0, 1, 0 },
  { "turn", 2, 5, HEDDLE_ID, 0, 2, 0 },
  { "call_id", 3, 4, 0, 0, 0, 0 },
  { "name", 4, 4, 0, 0, 0, 0 },
  { "arguments", 5, 4, HEDDLE_SENSITIVE, 0, 0, 0 },
  { "deadline", 6, 1, HEDDLE_SIGNED | HEDDLE_WIDE, 0, 0, 0 },
};
static const uint8_t numbers_call_tool_request[] = { 255, 0, 1, 2, 3, 4, 5 };

static const heddle_field fields_call_tool_response[] = {
  { "content", 1, 6, HEDDLE_REPEATED | HEDDLE_PRESENCE, 12, 0, 0 },
  { "success", 2, 1, HEDDLE_BOOL, 0, 0, 0 },
};
static const uint8_t numbers_call_tool_response[] = { 255, 0, 1 };

static const heddle_field fields_request_user_input_request[] = {
  { "thread", 1, 5, HEDDLE_ID, 0, 1, 0 },
  { "turn", 2, 5, HEDDLE_ID, 0, 2, 0 },
  { "question", 3, 4, HEDDLE_SENSITIVE, 0, 0, 0 },
  { "choices", 4, 4, HEDDLE_REPEATED | HEDDLE_SENSITIVE, 0, 0, 0 },
  { "action_hash", 5, 5, 0, 0, 0, 0 },
  { "deadline", 6, 1, HEDDLE_SIGNED | HEDDLE_WIDE, 0, 0, 0 },
  { "call_id", 7, 4, 0, 0, 0, 0 },
};
static const uint8_t numbers_request_user_input_request[] = { 255, 0, 1, 2, 3, 4, 5, 6 };

static const heddle_field fields_request_user_input_response[] = {
  { "answer", 1, 4, HEDDLE_SENSITIVE, 0, 0, 0 },
  { "action_hash", 2, 5, 0, 0, 0, 0 },
};
static const uint8_t numbers_request_user_input_response[] = { 255, 0, 1 };

static const heddle_field fields_open_call[] = {
  { "tool", 1, 6, HEDDLE_PRESENCE, 22, 0, 1 },
  { "input", 2, 6, HEDDLE_PRESENCE, 24, 0, 1 },
};
static const uint8_t numbers_open_call[] = { 255, 0, 1 };

static const heddle_field fields_call_ended[] = {
  { "thread", 1, 5, HEDDLE_ID, 0, 1, 0 },
  { "turn", 2, 5, HEDDLE_ID, 0, 2, 0 },
  { "call_id", 3, 4, 0, 0, 0, 0 },
};
static const uint8_t numbers_call_ended[] = { 255, 0, 1, 2 };

static const heddle_field fields_answer_call_request[] = {
  { "thread", 1, 5, HEDDLE_ID, 0, 1, 0 },
  { "turn", 2, 5, HEDDLE_ID, 0, 2, 0 },
  { "call_id", 3, 4, 0, 0, 0, 0 },
  { "tool", 4, 6, HEDDLE_PRESENCE, 23, 0, 1 },
  { "input", 5, 6, HEDDLE_PRESENCE, 25, 0, 1 },
  { "refused", 6, 6, HEDDLE_PRESENCE, 5, 0, 1 },
};
static const uint8_t numbers_answer_call_request[] = { 255, 0, 1, 2, 3, 4, 5 };

static const heddle_field fields_answer_call_response[] = {
  { "sequence", 1, 1, HEDDLE_WIDE, 0, 0, 0 },
  { "counted", 2, 1, HEDDLE_BOOL, 0, 0, 0 },
  { "replayed", 15, 1, HEDDLE_BOOL, 0, 0, 0 },
};
static const uint8_t numbers_answer_call_response[] = { 255, 0, 1, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 2 };

static const heddle_field fields_name_value[] = {
  { "name", 1, 4, 0, 0, 0, 0 },
  { "value", 2, 4, HEDDLE_SENSITIVE, 0, 0, 0 },
};
static const uint8_t numbers_name_value[] = { 255, 0, 1 };

static const heddle_field fields_settings[] = {
  { "model", 1, 4, 0, 0, 0, 0 },
  { "model_provider", 2, 4, 0, 0, 0, 0 },
  { "reasoning_effort", 3, 4, HEDDLE_PRESENCE, 0, 0, 0 },
  { "reasoning_summary", 4, 4, HEDDLE_PRESENCE, 0, 0, 0 },
  { "service_tier", 5, 4, HEDDLE_PRESENCE, 0, 0, 0 },
  { "base_instructions", 6, 4, HEDDLE_PRESENCE | HEDDLE_SENSITIVE, 0, 0, 0 },
  { "developer_instructions", 7, 4, HEDDLE_PRESENCE | HEDDLE_SENSITIVE, 0, 0, 0 },
  { "mode", 8, 1, HEDDLE_PRESENCE | HEDDLE_ENUM, 12, 0, 0 },
  { "working_folder", 9, 4, HEDDLE_PRESENCE | HEDDLE_SENSITIVE, 0, 0, 0 },
  { "metadata", 10, 6, HEDDLE_REPEATED | HEDDLE_PRESENCE, 30, 0, 0 },
  { "temperature", 11, 2, HEDDLE_PRESENCE, 0, 0, 0 },
  { "turn_tokens", 12, 1, HEDDLE_PRESENCE | HEDDLE_WIDE, 0, 0, 0 },
  { "thread_tokens", 13, 1, HEDDLE_PRESENCE | HEDDLE_WIDE, 0, 0, 0 },
  { "tree_tokens", 14, 1, HEDDLE_PRESENCE | HEDDLE_WIDE, 0, 0, 0 },
  { "agent_depth", 15, 1, HEDDLE_PRESENCE, 0, 0, 0 },
  { "agent_total", 16, 1, HEDDLE_PRESENCE, 0, 0, 0 },
  { "wake_parent", 17, 1, HEDDLE_PRESENCE | HEDDLE_BOOL, 0, 0, 0 },
};
static const uint8_t numbers_settings[] = { 255, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16 };

static const heddle_field fields_mode_selection[] = {
  { "set", 1, 1, HEDDLE_PRESENCE | HEDDLE_ENUM, 12, 0, 1 },
  { "clear", 2, 1, HEDDLE_PRESENCE | HEDDLE_BOOL, 0, 0, 1 },
};
static const uint8_t numbers_mode_selection[] = { 255, 0, 1 };

static const heddle_field fields_tool_definition[] = {
  { "name", 1, 4, 0, 0, 0, 0 },
  { "description", 2, 4, HEDDLE_SENSITIVE, 0, 0, 0 },
  { "schema", 3, 4, HEDDLE_SENSITIVE, 0, 0, 0 },
};
static const uint8_t numbers_tool_definition[] = { 255, 0, 1, 2 };

static const heddle_field fields_tool_selection[] = {
  { "set", 1, 6, HEDDLE_REPEATED | HEDDLE_PRESENCE, 33, 0, 0 },
  { "clear", 2, 1, HEDDLE_BOOL, 0, 0, 0 },
};
static const uint8_t numbers_tool_selection[] = { 255, 0, 1 };

static const heddle_field fields_settings_change[] = {
  { "model", 1, 4, HEDDLE_PRESENCE, 0, 0, 0 },
  { "model_provider", 2, 4, HEDDLE_PRESENCE, 0, 0, 0 },
  { "reasoning_effort", 3, 4, HEDDLE_PRESENCE, 0, 0, 0 },
  { "reasoning_summary", 4, 4, HEDDLE_PRESENCE, 0, 0, 0 },
  { "service_tier", 5, 4, HEDDLE_PRESENCE, 0, 0, 0 },
  { "base_instructions", 6, 4, HEDDLE_PRESENCE | HEDDLE_SENSITIVE, 0, 0, 0 },
  { "developer_instructions", 7, 4, HEDDLE_PRESENCE | HEDDLE_SENSITIVE, 0, 0, 0 },
  { "mode", 8, 6, HEDDLE_PRESENCE, 32, 0, 0 },
  { "working_folder", 9, 4, HEDDLE_PRESENCE | HEDDLE_SENSITIVE, 0, 0, 0 },
  { "metadata", 10, 6, HEDDLE_REPEATED | HEDDLE_PRESENCE, 30, 0, 0 },
  { "temperature", 11, 2, HEDDLE_PRESENCE, 0, 0, 0 },
  { "remove_metadata", 12, 4, HEDDLE_REPEATED, 0, 0, 0 },
  { "clear", 13, 1, HEDDLE_REPEATED | HEDDLE_ENUM, 13, 0, 0 },
  { "turn_tokens", 14, 1, HEDDLE_PRESENCE | HEDDLE_WIDE, 0, 0, 0 },
  { "thread_tokens", 15, 1, HEDDLE_PRESENCE | HEDDLE_WIDE, 0, 0, 0 },
  { "tree_tokens", 16, 1, HEDDLE_PRESENCE | HEDDLE_WIDE, 0, 0, 0 },
  { "agent_depth", 17, 1, HEDDLE_PRESENCE, 0, 0, 0 },
  { "agent_total", 18, 1, HEDDLE_PRESENCE, 0, 0, 0 },
  { "wake_parent", 19, 1, HEDDLE_PRESENCE | HEDDLE_BOOL, 0, 0, 0 },
};
static const uint8_t numbers_settings_change[] = { 255, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18 };

static const heddle_field fields_read_settings_request[] = {
  { "thread", 1, 5, HEDDLE_ID, 0, 1, 0 },
};
static const uint8_t numbers_read_settings_request[] = { 255, 0 };

static const heddle_field fields_read_settings_response[] = {
  { "settings", 1, 6, HEDDLE_PRESENCE, 31, 0, 0 },
  { "revision", 2, 1, HEDDLE_WIDE, 0, 0, 0 },
  { "version", 3, 1, HEDDLE_ENUM, 10, 0, 0 },
  { "version_source", 4, 1, HEDDLE_ENUM, 11, 0, 0 },
  { "tools", 5, 4, HEDDLE_REPEATED, 0, 0, 0 },
};
static const uint8_t numbers_read_settings_response[] = { 255, 0, 1, 2, 3, 4 };

static const heddle_field fields_update_settings_request[] = {
  { "thread", 1, 5, HEDDLE_ID, 0, 1, 0 },
  { "change", 2, 6, HEDDLE_PRESENCE, 35, 0, 0 },
  { "expected_revision", 3, 1, HEDDLE_PRESENCE | HEDDLE_WIDE, 0, 0, 0 },
  { "tools", 4, 6, HEDDLE_PRESENCE, 34, 0, 0 },
};
static const uint8_t numbers_update_settings_request[] = { 255, 0, 1, 2, 3 };

static const heddle_field fields_update_settings_response[] = {
  { "sequence", 1, 1, HEDDLE_WIDE, 0, 0, 0 },
  { "revision", 2, 1, HEDDLE_WIDE, 0, 0, 0 },
  { "changed", 3, 1, HEDDLE_BOOL, 0, 0, 0 },
  { "settings", 4, 6, HEDDLE_PRESENCE, 31, 0, 0 },
  { "tools", 5, 4, HEDDLE_REPEATED, 0, 0, 0 },
  { "replayed", 15, 1, HEDDLE_BOOL, 0, 0, 0 },
};
static const uint8_t numbers_update_settings_response[] = { 255, 0, 1, 2, 3, 4, 255, 255, 255, 255, 255, 255, 255, 255, 255, 5 };

static const heddle_field fields_token_usage[] = {
  { "input_tokens", 1, 1, HEDDLE_WIDE, 0, 0, 0 },
  { "cached_input_tokens", 2, 1, HEDDLE_WIDE, 0, 0, 0 },
  { "output_tokens", 3, 1, HEDDLE_WIDE, 0, 0, 0 },
  { "reasoning_output_tokens", 4, 1, HEDDLE_WIDE, 0, 0, 0 },
};
static const uint8_t numbers_token_usage[] = { 255, 0, 1, 2, 3 };

static const heddle_field fields_turn_error[] = {
  { "reason", 1, 4, 0, 0, 0, 0 },
  { "message", 2, 4, HEDDLE_SENSITIVE, 0, 0, 0 },
};
static const uint8_t numbers_turn_error[] = { 255, 0, 1 };

static const heddle_field fields_turn_context[] = {
  { "settings", 1, 6, HEDDLE_PRESENCE, 31, 0, 0 },
  { "revision", 2, 1, HEDDLE_WIDE, 0, 0, 0 },
  { "version", 3, 1, HEDDLE_ENUM, 10, 0, 0 },
  { "effective_mode", 4, 1, HEDDLE_PRESENCE | HEDDLE_ENUM, 12, 0, 0 },
  { "output_schema", 5, 4, HEDDLE_PRESENCE, 0, 0, 0 },
  { "tool_changes", 6, 1, HEDDLE_WIDE, 0, 0, 0 },
};
static const uint8_t numbers_turn_context[] = { 255, 0, 1, 2, 3, 4, 5 };

static const heddle_field fields_turn_input[] = {
  { "content", 1, 6, HEDDLE_REPEATED | HEDDLE_PRESENCE, 12, 0, 0 },
  { "client_id", 2, 4, 0, 0, 0, 0 },
};
static const uint8_t numbers_turn_input[] = { 255, 0, 1 };

static const heddle_field fields_turn[] = {
  { "id", 1, 5, HEDDLE_ID, 0, 2, 0 },
  { "status", 2, 1, HEDDLE_ENUM, 14, 0, 0 },
  { "ordinal", 3, 1, HEDDLE_WIDE, 0, 0, 0 },
  { "started_at", 4, 1, HEDDLE_SIGNED | HEDDLE_WIDE, 0, 0, 0 },
  { "ended_at", 5, 1, HEDDLE_PRESENCE | HEDDLE_SIGNED | HEDDLE_WIDE, 0, 0, 0 },
  { "usage", 6, 6, HEDDLE_PRESENCE, 40, 0, 0 },
  { "error", 7, 6, HEDDLE_PRESENCE, 41, 0, 0 },
  { "context", 8, 6, HEDDLE_PRESENCE, 42, 0, 0 },
  { "first_sequence", 9, 1, HEDDLE_WIDE, 0, 0, 0 },
  { "last_sequence", 10, 1, HEDDLE_WIDE, 0, 0, 0 },
  { "cause", 11, 1, HEDDLE_ENUM, 15, 0, 0 },
};
static const uint8_t numbers_turn[] = { 255, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10 };

static const heddle_field fields_queued_turn[] = {
  { "id", 1, 5, HEDDLE_ID, 0, 2, 0 },
  { "input", 2, 6, HEDDLE_PRESENCE, 43, 0, 0 },
  { "settings", 3, 6, HEDDLE_PRESENCE, 35, 0, 0 },
  { "queued_at", 4, 1, HEDDLE_SIGNED | HEDDLE_WIDE, 0, 0, 0 },
  { "output_schema", 5, 4, HEDDLE_PRESENCE, 0, 0, 0 },
};
static const uint8_t numbers_queued_turn[] = { 255, 0, 1, 2, 3, 4 };

static const heddle_field fields_start_turn_request[] = {
  { "thread", 1, 5, HEDDLE_ID, 0, 1, 0 },
  { "input", 2, 6, HEDDLE_PRESENCE, 43, 0, 0 },
  { "settings", 3, 6, HEDDLE_PRESENCE, 35, 0, 0 },
  { "when_busy", 4, 1, HEDDLE_ENUM, 16, 0, 0 },
  { "output_schema", 5, 4, HEDDLE_PRESENCE, 0, 0, 0 },
};
static const uint8_t numbers_start_turn_request[] = { 255, 0, 1, 2, 3, 4 };

static const heddle_field fields_start_turn_response[] = {
  { "sequence", 1, 1, HEDDLE_WIDE, 0, 0, 0 },
  { "turn", 2, 5, HEDDLE_ID, 0, 2, 0 },
  { "status", 3, 1, HEDDLE_ENUM, 14, 0, 0 },
  { "place", 4, 1, 0, 0, 0, 0 },
  { "steered", 5, 1, HEDDLE_BOOL, 0, 0, 0 },
  { "replayed", 15, 1, HEDDLE_BOOL, 0, 0, 0 },
};
static const uint8_t numbers_start_turn_response[] = { 255, 0, 1, 2, 3, 4, 255, 255, 255, 255, 255, 255, 255, 255, 255, 5 };

static const heddle_field fields_steer_turn_request[] = {
  { "thread", 1, 5, HEDDLE_ID, 0, 1, 0 },
  { "turn", 2, 5, HEDDLE_ID, 0, 2, 0 },
  { "input", 3, 6, HEDDLE_PRESENCE, 43, 0, 0 },
};
static const uint8_t numbers_steer_turn_request[] = { 255, 0, 1, 2 };

static const heddle_field fields_steer_turn_response[] = {
  { "sequence", 1, 1, HEDDLE_WIDE, 0, 0, 0 },
  { "turn", 2, 5, HEDDLE_ID, 0, 2, 0 },
  { "replayed", 15, 1, HEDDLE_BOOL, 0, 0, 0 },
};
static const uint8_t numbers_steer_turn_response[] = { 255, 0, 1, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 2 };

static const heddle_field fields_interrupt_turn_request[] = {
  { "thread", 1, 5, HEDDLE_ID, 0, 1, 0 },
  { "turn", 2, 5, HEDDLE_ID, 0, 2, 0 },
};
static const uint8_t numbers_interrupt_turn_request[] = { 255, 0, 1 };

static const heddle_field fields_interrupt_turn_response[] = {
  { "sequence", 1, 1, HEDDLE_WIDE, 0, 0, 0 },
  { "already", 2, 1, HEDDLE_BOOL, 0, 0, 0 },
  { "replayed", 15, 1, HEDDLE_BOOL, 0, 0, 0 },
};
static const uint8_t numbers_interrupt_turn_response[] = { 255, 0, 1, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 2 };

static const heddle_field fields_list_queue_request[] = {
  { "thread", 1, 5, HEDDLE_ID, 0, 1, 0 },
};
static const uint8_t numbers_list_queue_request[] = { 255, 0 };

static const heddle_field fields_list_queue_response[] = {
  { "turns", 1, 6, HEDDLE_REPEATED | HEDDLE_PRESENCE, 45, 0, 0 },
  { "running", 2, 5, HEDDLE_PRESENCE | HEDDLE_ID, 0, 2, 0 },
};
static const uint8_t numbers_list_queue_response[] = { 255, 0, 1 };

static const heddle_field fields_cancel_queued_turn_request[] = {
  { "thread", 1, 5, HEDDLE_ID, 0, 1, 0 },
  { "turn", 2, 5, HEDDLE_ID, 0, 2, 0 },
};
static const uint8_t numbers_cancel_queued_turn_request[] = { 255, 0, 1 };

static const heddle_field fields_cancel_queued_turn_response[] = {
  { "sequence", 1, 1, HEDDLE_WIDE, 0, 0, 0 },
  { "already", 2, 1, HEDDLE_BOOL, 0, 0, 0 },
  { "replayed", 15, 1, HEDDLE_BOOL, 0, 0, 0 },
};
static const uint8_t numbers_cancel_queued_turn_response[] = { 255, 0, 1, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 2 };

static const heddle_field fields_lineage[] = {
  { "source", 1, 1, HEDDLE_ENUM, 17, 0, 0 },
  { "root", 2, 5, HEDDLE_ID, 0, 1, 0 },
  { "parent", 3, 5, HEDDLE_PRESENCE | HEDDLE_ID, 0, 1, 0 },
  { "forked_from", 4, 5, HEDDLE_PRESENCE | HEDDLE_ID, 0, 1, 0 },
  { "forked_at", 5, 1, HEDDLE_PRESENCE | HEDDLE_WIDE, 0, 0, 0 },
  { "depth", 6, 1, 0, 0, 0, 0 },
  { "agent_path", 7, 4, 0, 0, 0, 0 },
  { "agent_nickname", 8, 4, 0, 0, 0, 0 },
  { "agent_role", 9, 4, 0, 0, 0, 0 },
  { "origin", 10, 4, 0, 0, 0, 0 },
};
static const uint8_t numbers_lineage[] = { 255, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9 };

static const heddle_field fields_thread_created[] = {
  { "thread", 1, 5, HEDDLE_ID, 0, 1, 0 },
  { "lineage", 2, 6, HEDDLE_PRESENCE, 56, 0, 0 },
  { "settings", 3, 6, HEDDLE_PRESENCE, 31, 0, 0 },
  { "created_at", 4, 1, HEDDLE_SIGNED | HEDDLE_WIDE, 0, 0, 0 },
  { "name", 5, 4, HEDDLE_SENSITIVE, 0, 0, 0 },
  { "tools", 6, 6, HEDDLE_REPEATED | HEDDLE_PRESENCE, 33, 0, 0 },
  { "has_history", 7, 1, HEDDLE_BOOL, 0, 0, 0 },
  { "asks_user", 8, 1, HEDDLE_BOOL, 0, 0, 0 },
  { "baseline", 9, 6, HEDDLE_PRESENCE, 42, 0, 0 },
};
static const uint8_t numbers_thread_created[] = { 255, 0, 1, 2, 3, 4, 5, 6, 7, 8 };

static const heddle_field fields_settings_updated[] = {
  { "revision", 1, 1, HEDDLE_WIDE, 0, 0, 0 },
  { "settings", 2, 6, HEDDLE_PRESENCE, 31, 0, 0 },
  { "tools", 3, 6, HEDDLE_PRESENCE, 34, 0, 0 },
};
static const uint8_t numbers_settings_updated[] = { 255, 0, 1, 2 };

static const heddle_field fields_version_pinned[] = {
  { "version", 1, 1, HEDDLE_ENUM, 10, 0, 0 },
  { "source", 2, 1, HEDDLE_ENUM, 11, 0, 0 },
};
static const uint8_t numbers_version_pinned[] = { 255, 0, 1 };

static const heddle_field fields_name_changed[] = {
  { "name", 1, 4, HEDDLE_SENSITIVE, 0, 0, 0 },
};
static const uint8_t numbers_name_changed[] = { 255, 0 };

static const heddle_field fields_thread_archived[] = {
  { "root", 1, 5, HEDDLE_ID, 0, 1, 0 },
};
static const uint8_t numbers_thread_archived[] = { 255, 0 };

static const heddle_field fields_thread_unarchived[] = {
  { "root", 1, 5, HEDDLE_ID, 0, 1, 0 },
};
static const uint8_t numbers_thread_unarchived[] = { 255, 0 };

static const heddle_field fields_turn_queued[] = {
  { "turn", 1, 6, HEDDLE_PRESENCE, 45, 0, 0 },
};
static const uint8_t numbers_turn_queued[] = { 255, 0 };

static const heddle_field fields_queued_turn_cancelled[] = {
  { "turn", 1, 5, HEDDLE_ID, 0, 2, 0 },
};
static const uint8_t numbers_queued_turn_cancelled[] = { 255, 0 };

static const heddle_field fields_turn_started[] = {
  { "turn", 1, 5, HEDDLE_ID, 0, 2, 0 },
  { "ordinal", 2, 1, HEDDLE_WIDE, 0, 0, 0 },
  { "context", 3, 6, HEDDLE_PRESENCE, 42, 0, 0 },
  { "cause", 4, 1, HEDDLE_ENUM, 15, 0, 0 },
};
static const uint8_t numbers_turn_started[] = { 255, 0, 1, 2, 3 };

static const heddle_field fields_input_steered[] = {
  { "input", 1, 6, HEDDLE_PRESENCE, 43, 0, 0 },
  { "item", 2, 5, HEDDLE_ID, 0, 3, 0 },
};
static const uint8_t numbers_input_steered[] = { 255, 0, 1 };

static const heddle_field fields_item_started[] = {
  { "item", 1, 6, HEDDLE_PRESENCE, 21, 0, 0 },
};
static const uint8_t numbers_item_started[] = { 255, 0 };

static const heddle_field fields_item_checkpoint[] = {
  { "item", 1, 5, HEDDLE_ID, 0, 3, 0 },
  { "offset", 2, 1, HEDDLE_WIDE, 0, 0, 0 },
  { "text", 3, 4, HEDDLE_SENSITIVE, 0, 0, 0 },
};
static const uint8_t numbers_item_checkpoint[] = { 255, 0, 1, 2 };

static const heddle_field fields_item_completed[] = {
  { "item", 1, 6, HEDDLE_PRESENCE, 21, 0, 0 },
};
static const uint8_t numbers_item_completed[] = { 255, 0 };

static const heddle_field fields_model_retried[] = {
  { "attempt", 1, 1, 0, 0, 0, 0 },
  { "error", 2, 6, HEDDLE_PRESENCE, 41, 0, 0 },
  { "wait_ms", 3, 1, 0, 0, 0, 0 },
};
static const uint8_t numbers_model_retried[] = { 255, 0, 1, 2 };

static const heddle_field fields_usage_reported[] = {
  { "usage", 1, 6, HEDDLE_PRESENCE, 40, 0, 0 },
  { "turn_usage", 2, 6, HEDDLE_PRESENCE, 40, 0, 0 },
  { "thread_usage", 3, 6, HEDDLE_PRESENCE, 40, 0, 0 },
};
static const uint8_t numbers_usage_reported[] = { 255, 0, 1, 2 };

static const heddle_field fields_turn_ended[] = {
  { "turn", 1, 5, HEDDLE_ID, 0, 2, 0 },
  { "status", 2, 1, HEDDLE_ENUM, 14, 0, 0 },
  { "error", 3, 6, HEDDLE_PRESENCE, 41, 0, 0 },
  { "usage", 4, 6, HEDDLE_PRESENCE, 40, 0, 0 },
};
static const uint8_t numbers_turn_ended[] = { 255, 0, 1, 2, 3 };

static const heddle_field fields_turns_rolled_back[] = {
  { "count", 1, 1, 0, 0, 0, 0 },
  { "first_ordinal", 2, 1, HEDDLE_WIDE, 0, 0, 0 },
  { "last_ordinal", 3, 1, HEDDLE_WIDE, 0, 0, 0 },
  { "baseline", 4, 6, HEDDLE_PRESENCE, 42, 0, 0 },
  { "context_start", 5, 1, HEDDLE_WIDE, 0, 0, 0 },
};
static const uint8_t numbers_turns_rolled_back[] = { 255, 0, 1, 2, 3, 4 };

static const heddle_field fields_context_compacted[] = {
  { "compaction", 1, 6, HEDDLE_PRESENCE, 19, 0, 0 },
  { "baseline", 2, 6, HEDDLE_PRESENCE, 42, 0, 0 },
};
static const uint8_t numbers_context_compacted[] = { 255, 0, 1 };

static const heddle_field fields_mail_received[] = {
  { "mail", 1, 6, HEDDLE_PRESENCE, 17, 0, 0 },
  { "replaces", 2, 5, HEDDLE_PRESENCE | HEDDLE_ID, 0, 3, 0 },
};
static const uint8_t numbers_mail_received[] = { 255, 0, 1 };

static const heddle_field fields_mail_queued[] = {
  { "mail", 1, 6, HEDDLE_PRESENCE, 17, 0, 0 },
};
static const uint8_t numbers_mail_queued[] = { 255, 0 };

static const heddle_field fields_mail_delivered[] = {
  { "mail", 1, 5, HEDDLE_ID, 0, 3, 0 },
};
static const uint8_t numbers_mail_delivered[] = { 255, 0 };

static const heddle_field fields_agent_activity[] = {
  { "kind", 1, 1, HEDDLE_ENUM, 18, 0, 0 },
  { "agent", 2, 5, HEDDLE_ID, 0, 1, 0 },
  { "path", 3, 4, 0, 0, 0, 0 },
  { "call_id", 4, 4, 0, 0, 0, 0 },
};
static const uint8_t numbers_agent_activity[] = { 255, 0, 1, 2, 3 };

static const heddle_field fields_agent_closed[] = {
  { "with", 1, 5, HEDDLE_PRESENCE | HEDDLE_ID, 0, 1, 0 },
};
static const uint8_t numbers_agent_closed[] = { 255, 0 };

static const heddle_field fields_foreign_record[] = {
  { "record", 1, 6, HEDDLE_PRESENCE, 11, 0, 0 },
};
static const uint8_t numbers_foreign_record[] = { 255, 0 };

static const heddle_field fields_event[] = {
  { "sequence", 1, 1, HEDDLE_WIDE, 0, 0, 0 },
  { "at", 2, 1, HEDDLE_SIGNED | HEDDLE_WIDE, 0, 0, 0 },
  { "more", 3, 1, HEDDLE_BOOL, 0, 0, 0 },
  { "turn", 4, 5, HEDDLE_PRESENCE | HEDDLE_ID, 0, 2, 0 },
  { "thread_created", 10, 6, HEDDLE_PRESENCE, 57, 0, 1 },
  { "settings_updated", 11, 6, HEDDLE_PRESENCE, 58, 0, 1 },
  { "version_pinned", 12, 6, HEDDLE_PRESENCE, 59, 0, 1 },
  { "name_changed", 13, 6, HEDDLE_PRESENCE, 60, 0, 1 },
  { "thread_archived", 14, 6, HEDDLE_PRESENCE, 61, 0, 1 },
  { "thread_unarchived", 15, 6, HEDDLE_PRESENCE, 62, 0, 1 },
  { "turn_queued", 16, 6, HEDDLE_PRESENCE, 63, 0, 1 },
  { "queued_turn_cancelled", 17, 6, HEDDLE_PRESENCE, 64, 0, 1 },
  { "turn_started", 18, 6, HEDDLE_PRESENCE, 65, 0, 1 },
  { "input_steered", 19, 6, HEDDLE_PRESENCE, 66, 0, 1 },
  { "item_started", 20, 6, HEDDLE_PRESENCE, 67, 0, 1 },
  { "item_checkpoint", 21, 6, HEDDLE_PRESENCE, 68, 0, 1 },
  { "item_completed", 22, 6, HEDDLE_PRESENCE, 69, 0, 1 },
  { "model_retried", 23, 6, HEDDLE_PRESENCE, 70, 0, 1 },
  { "usage_reported", 24, 6, HEDDLE_PRESENCE, 71, 0, 1 },
  { "turn_ended", 25, 6, HEDDLE_PRESENCE, 72, 0, 1 },
  { "turns_rolled_back", 26, 6, HEDDLE_PRESENCE, 73, 0, 1 },
  { "context_compacted", 27, 6, HEDDLE_PRESENCE, 74, 0, 1 },
  { "foreign_record", 28, 6, HEDDLE_PRESENCE, 81, 0, 1 },
  { "mail_received", 29, 6, HEDDLE_PRESENCE, 75, 0, 1 },
  { "mail_queued", 30, 6, HEDDLE_PRESENCE, 76, 0, 1 },
  { "mail_delivered", 31, 6, HEDDLE_PRESENCE, 77, 0, 1 },
  { "agent_activity", 32, 6, HEDDLE_PRESENCE, 78, 0, 1 },
  { "agent_closed", 33, 6, HEDDLE_PRESENCE, 79, 0, 1 },
  { "agent_reopened", 34, 6, HEDDLE_PRESENCE, 80, 0, 1 },
};
static const uint8_t numbers_event[] = { 255, 0, 1, 2, 3, 255, 255, 255, 255, 255, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28 };

static const heddle_field fields_thread_status[] = {
  { "state", 1, 1, HEDDLE_ENUM, 19, 0, 0 },
  { "waiting_on_tool", 2, 1, HEDDLE_BOOL, 0, 0, 0 },
  { "waiting_on_user", 3, 1, HEDDLE_BOOL, 0, 0, 0 },
};
static const uint8_t numbers_thread_status[] = { 255, 0, 1, 2 };

static const heddle_field fields_item_delta[] = {
  { "turn", 1, 5, HEDDLE_ID, 0, 2, 0 },
  { "item", 2, 5, HEDDLE_ID, 0, 3, 0 },
  { "offset", 3, 1, HEDDLE_WIDE, 0, 0, 0 },
  { "text", 4, 4, HEDDLE_SENSITIVE, 0, 0, 0 },
};
static const uint8_t numbers_item_delta[] = { 255, 0, 1, 2, 3 };

static const heddle_field fields_item_snapshot[] = {
  { "turn", 1, 5, HEDDLE_ID, 0, 2, 0 },
  { "item", 2, 5, HEDDLE_ID, 0, 3, 0 },
  { "text", 3, 4, HEDDLE_SENSITIVE, 0, 0, 0 },
};
static const uint8_t numbers_item_snapshot[] = { 255, 0, 1, 2 };

static const heddle_field fields_subscribed[] = {
  { "head", 1, 1, HEDDLE_WIDE, 0, 0, 0 },
  { "oldest", 2, 1, HEDDLE_WIDE, 0, 0, 0 },
  { "epoch", 3, 1, HEDDLE_WIDE, 0, 0, 0 },
};
static const uint8_t numbers_subscribed[] = { 255, 0, 1, 2 };

static const heddle_field fields_live[] = {
  { "sequence", 1, 1, HEDDLE_WIDE, 0, 0, 0 },
};
static const uint8_t numbers_live[] = { 255, 0 };

static const heddle_field fields_progress[] = {
  { "sequence", 1, 1, HEDDLE_WIDE, 0, 0, 0 },
};
static const uint8_t numbers_progress[] = { 255, 0 };

static const heddle_field fields_status_changed[] = {
  { "thread", 1, 5, HEDDLE_ID, 0, 1, 0 },
  { "status", 2, 6, HEDDLE_PRESENCE, 83, 0, 0 },
};
static const uint8_t numbers_status_changed[] = { 255, 0, 1 };

static const heddle_field fields_thread_started_notice[] = {
  { "thread", 1, 5, HEDDLE_ID, 0, 1, 0 },
  { "lineage", 2, 6, HEDDLE_PRESENCE, 56, 0, 0 },
};
static const uint8_t numbers_thread_started_notice[] = { 255, 0, 1 };

static const heddle_field fields_thread_deleted_notice[] = {
  { "thread", 1, 5, HEDDLE_ID, 0, 1, 0 },
};
static const uint8_t numbers_thread_deleted_notice[] = { 255, 0 };

static const heddle_field fields_thread_archive_notice[] = {
  { "thread", 1, 5, HEDDLE_ID, 0, 1, 0 },
  { "archived", 2, 1, HEDDLE_BOOL, 0, 0, 0 },
};
static const uint8_t numbers_thread_archive_notice[] = { 255, 0, 1 };

static const heddle_field fields_thread_name_notice[] = {
  { "thread", 1, 5, HEDDLE_ID, 0, 1, 0 },
  { "name", 2, 4, HEDDLE_SENSITIVE, 0, 0, 0 },
};
static const uint8_t numbers_thread_name_notice[] = { 255, 0, 1 };

static const heddle_field fields_subscription_event[] = {
  { "subscribed", 1, 6, HEDDLE_PRESENCE, 86, 0, 1 },
  { "event", 2, 6, HEDDLE_PRESENCE, 82, 0, 1 },
  { "delta", 3, 6, HEDDLE_PRESENCE, 84, 0, 1 },
  { "snapshot", 4, 6, HEDDLE_PRESENCE, 85, 0, 1 },
  { "live", 5, 6, HEDDLE_PRESENCE, 87, 0, 1 },
  { "progress", 6, 6, HEDDLE_PRESENCE, 88, 0, 1 },
  { "status", 7, 6, HEDDLE_PRESENCE, 89, 0, 1 },
  { "thread_started", 8, 6, HEDDLE_PRESENCE, 90, 0, 1 },
  { "thread_deleted", 9, 6, HEDDLE_PRESENCE, 91, 0, 1 },
  { "thread_archive", 10, 6, HEDDLE_PRESENCE, 92, 0, 1 },
  { "thread_name", 11, 6, HEDDLE_PRESENCE, 93, 0, 1 },
  { "call", 13, 6, HEDDLE_PRESENCE, 26, 0, 1 },
  { "call_ended", 14, 6, HEDDLE_PRESENCE, 27, 0, 1 },
  { "thread", 12, 5, HEDDLE_PRESENCE | HEDDLE_ID, 0, 1, 0 },
};
static const uint8_t numbers_subscription_event[] = { 255, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 13, 11, 12 };

static const heddle_field fields_agent[] = {
  { "thread", 1, 5, HEDDLE_ID, 0, 1, 0 },
  { "parent", 2, 5, HEDDLE_PRESENCE | HEDDLE_ID, 0, 1, 0 },
  { "path", 3, 4, 0, 0, 0, 0 },
  { "nickname", 4, 4, 0, 0, 0, 0 },
  { "status", 5, 6, HEDDLE_PRESENCE, 83, 0, 0 },
  { "version", 6, 1, HEDDLE_ENUM, 10, 0, 0 },
  { "last_task", 7, 4, HEDDLE_SENSITIVE, 0, 0, 0 },
  { "usage", 8, 6, HEDDLE_PRESENCE, 40, 0, 0 },
  { "depth", 9, 1, 0, 0, 0, 0 },
  { "role", 10, 4, 0, 0, 0, 0 },
  { "closed", 11, 1, HEDDLE_BOOL, 0, 0, 0 },
  { "last_turn", 12, 1, HEDDLE_ENUM, 14, 0, 0 },
  { "waiting_messages", 13, 1, 0, 0, 0, 0 },
};
static const uint8_t numbers_agent[] = { 255, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12 };

static const heddle_field fields_list_tree_request[] = {
  { "thread", 1, 5, HEDDLE_ID, 0, 1, 0 },
};
static const uint8_t numbers_list_tree_request[] = { 255, 0 };

static const heddle_field fields_list_tree_response[] = {
  { "agents", 1, 6, HEDDLE_REPEATED | HEDDLE_PRESENCE, 95, 0, 0 },
  { "free_slots", 2, 1, 0, 0, 0, 0 },
  { "usage", 3, 6, HEDDLE_PRESENCE, 40, 0, 0 },
};
static const uint8_t numbers_list_tree_response[] = { 255, 0, 1, 2 };

static const heddle_field fields_interrupt_agent_request[] = {
  { "thread", 1, 5, HEDDLE_ID, 0, 1, 0 },
};
static const uint8_t numbers_interrupt_agent_request[] = { 255, 0 };

static const heddle_field fields_interrupt_agent_response[] = {
  { "sequence", 1, 1, HEDDLE_WIDE, 0, 0, 0 },
  { "already", 2, 1, HEDDLE_BOOL, 0, 0, 0 },
  { "replayed", 15, 1, HEDDLE_BOOL, 0, 0, 0 },
};
static const uint8_t numbers_interrupt_agent_response[] = { 255, 0, 1, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 2 };

static const heddle_field fields_close_agent_request[] = {
  { "thread", 1, 5, HEDDLE_ID, 0, 1, 0 },
};
static const uint8_t numbers_close_agent_request[] = { 255, 0 };

static const heddle_field fields_close_agent_response[] = {
  { "closed", 1, 1, 0, 0, 0, 0 },
  { "replayed", 15, 1, HEDDLE_BOOL, 0, 0, 0 },
};
static const uint8_t numbers_close_agent_response[] = { 255, 0, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 1 };

static const heddle_field fields_catalog_model[] = {
  { "id", 1, 4, 0, 0, 0, 0 },
  { "provider", 2, 4, 0, 0, 0, 0 },
  { "display_name", 3, 4, 0, 0, 0, 0 },
  { "description", 4, 4, 0, 0, 0, 0 },
  { "version", 5, 1, HEDDLE_ENUM, 10, 0, 0 },
  { "reasoning_efforts", 6, 4, HEDDLE_REPEATED, 0, 0, 0 },
  { "default_reasoning_effort", 7, 4, 0, 0, 0, 0 },
  { "context_window", 8, 1, HEDDLE_WIDE, 0, 0, 0 },
  { "is_default", 9, 1, HEDDLE_BOOL, 0, 0, 0 },
  { "hidden", 10, 1, HEDDLE_BOOL, 0, 0, 0 },
};
static const uint8_t numbers_catalog_model[] = { 255, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9 };

static const heddle_field fields_list_models_request[] = {
  { "include_hidden", 1, 1, HEDDLE_BOOL, 0, 0, 0 },
};
static const uint8_t numbers_list_models_request[] = { 255, 0 };

static const heddle_field fields_list_models_response[] = {
  { "models", 1, 6, HEDDLE_REPEATED | HEDDLE_PRESENCE, 102, 0, 0 },
};
static const uint8_t numbers_list_models_response[] = { 255, 0 };

static const heddle_field fields_feature[] = {
  { "name", 1, 4, 0, 0, 0, 0 },
  { "stage", 2, 1, HEDDLE_ENUM, 20, 0, 0 },
  { "description", 3, 4, 0, 0, 0, 0 },
  { "default_enabled", 4, 1, HEDDLE_BOOL, 0, 0, 0 },
  { "enabled", 5, 1, HEDDLE_BOOL, 0, 0, 0 },
};
static const uint8_t numbers_feature[] = { 255, 0, 1, 2, 3, 4 };

static const heddle_field fields_list_features_response[] = {
  { "features", 1, 6, HEDDLE_REPEATED | HEDDLE_PRESENCE, 105, 0, 0 },
};
static const uint8_t numbers_list_features_response[] = { 255, 0 };

static const heddle_field fields_set_feature_request[] = {
  { "name", 1, 4, 0, 0, 0, 0 },
  { "enabled", 2, 1, HEDDLE_PRESENCE | HEDDLE_BOOL, 0, 0, 0 },
};
static const uint8_t numbers_set_feature_request[] = { 255, 0, 1 };

static const heddle_field fields_set_feature_response[] = {
  { "feature", 1, 6, HEDDLE_PRESENCE, 105, 0, 0 },
  { "replayed", 15, 1, HEDDLE_BOOL, 0, 0, 0 },
};
static const uint8_t numbers_set_feature_response[] = { 255, 0, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 1 };

static const heddle_field fields_provider_status[] = {
  { "name", 1, 4, 0, 0, 0, 0 },
  { "running", 2, 1, 0, 0, 0, 0 },
  { "waiting", 3, 1, 0, 0, 0, 0 },
  { "limit", 4, 1, 0, 0, 0, 0 },
};
static const uint8_t numbers_provider_status[] = { 255, 0, 1, 2, 3 };

static const heddle_field fields_server_status_response[] = {
  { "serving", 1, 1, HEDDLE_ENUM, 4, 0, 0 },
  { "version", 2, 4, 0, 0, 0, 0 },
  { "node", 3, 5, HEDDLE_ID, 0, 5, 0 },
  { "uptime_ms", 4, 1, HEDDLE_WIDE, 0, 0, 0 },
  { "connections", 5, 1, 0, 0, 0, 0 },
  { "loaded_threads", 6, 1, 0, 0, 0, 0 },
  { "running_turns", 7, 1, 0, 0, 0, 0 },
  { "events_written", 8, 1, HEDDLE_WIDE, 0, 0, 0 },
  { "groups_synced", 9, 1, HEDDLE_WIDE, 0, 0, 0 },
  { "durability", 10, 4, 0, 0, 0, 0 },
  { "usage", 11, 6, HEDDLE_PRESENCE, 40, 0, 0 },
  { "providers", 12, 6, HEDDLE_REPEATED | HEDDLE_PRESENCE, 111, 0, 0 },
};
static const uint8_t numbers_server_status_response[] = { 255, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11 };

static const heddle_field fields_start_capture_request[] = {
  { "thread", 1, 5, HEDDLE_PRESENCE | HEDDLE_ID, 0, 1, 0 },
  { "tenant", 2, 4, HEDDLE_PRESENCE, 0, 0, 0 },
  { "share", 3, 1, HEDDLE_PRESENCE, 0, 0, 0 },
  { "max_bytes", 4, 1, HEDDLE_PRESENCE | HEDDLE_WIDE, 0, 0, 0 },
  { "max_ms", 5, 1, HEDDLE_PRESENCE | HEDDLE_WIDE, 0, 0, 0 },
};
static const uint8_t numbers_start_capture_request[] = { 255, 0, 1, 2, 3, 4 };

static const heddle_field fields_capture_state[] = {
  { "file", 1, 4, 0, 0, 0, 0 },
  { "running", 2, 1, HEDDLE_BOOL, 0, 0, 0 },
  { "frames", 3, 1, HEDDLE_WIDE, 0, 0, 0 },
  { "bytes", 4, 1, HEDDLE_WIDE, 0, 0, 0 },
  { "dropped_frames", 5, 1, HEDDLE_WIDE, 0, 0, 0 },
  { "dropped_bytes", 6, 1, HEDDLE_WIDE, 0, 0, 0 },
  { "elapsed_ms", 7, 1, HEDDLE_WIDE, 0, 0, 0 },
  { "end", 8, 1, HEDDLE_ENUM, 21, 0, 0 },
};
static const uint8_t numbers_capture_state[] = { 255, 0, 1, 2, 3, 4, 5, 6, 7 };

static const heddle_field fields_start_capture_response[] = {
  { "capture", 1, 6, HEDDLE_PRESENCE, 114, 0, 0 },
};
static const uint8_t numbers_start_capture_response[] = { 255, 0 };

static const heddle_field fields_stop_capture_response[] = {
  { "capture", 1, 6, HEDDLE_PRESENCE, 114, 0, 0 },
};
static const uint8_t numbers_stop_capture_response[] = { 255, 0 };

static const heddle_field fields_read_capture_response[] = {
  { "capture", 1, 6, HEDDLE_PRESENCE, 114, 0, 0 },
};
static const uint8_t numbers_read_capture_response[] = { 255, 0 };

static const heddle_field fields_turn_range[] = {
  { "first", 1, 1, HEDDLE_WIDE, 0, 0, 0 },
  { "last", 2, 1, HEDDLE_WIDE, 0, 0, 0 },
};
static const uint8_t numbers_turn_range[] = { 255, 0, 1 };

static const heddle_field fields_history_segment[] = {
  { "thread", 1, 5, HEDDLE_ID, 0, 1, 0 },
  { "last_sequence", 2, 1, HEDDLE_WIDE, 0, 0, 0 },
  { "last_ordinal", 3, 1, HEDDLE_WIDE, 0, 0, 0 },
};
static const uint8_t numbers_history_segment[] = { 255, 0, 1, 2 };

static const heddle_field fields_open_item[] = {
  { "item", 1, 6, HEDDLE_PRESENCE, 21, 0, 0 },
  { "text", 2, 4, HEDDLE_SENSITIVE, 0, 0, 0 },
};
static const uint8_t numbers_open_item[] = { 255, 0, 1 };

static const heddle_field fields_pending_input[] = {
  { "input", 1, 6, HEDDLE_PRESENCE, 43, 0, 0 },
  { "item", 2, 5, HEDDLE_ID, 0, 3, 0 },
};
static const uint8_t numbers_pending_input[] = { 255, 0, 1 };

static const heddle_field fields_running_turn[] = {
  { "id", 1, 5, HEDDLE_ID, 0, 2, 0 },
  { "ordinal", 2, 1, HEDDLE_WIDE, 0, 0, 0 },
  { "started_at", 3, 1, HEDDLE_SIGNED | HEDDLE_WIDE, 0, 0, 0 },
  { "context", 4, 6, HEDDLE_PRESENCE, 42, 0, 0 },
  { "open_items", 5, 6, HEDDLE_REPEATED | HEDDLE_PRESENCE, 122, 0, 0 },
  { "pending", 6, 6, HEDDLE_REPEATED | HEDDLE_PRESENCE, 123, 0, 0 },
  { "usage", 7, 6, HEDDLE_PRESENCE, 40, 0, 0 },
  { "first_sequence", 8, 1, HEDDLE_WIDE, 0, 0, 0 },
  { "open_calls", 9, 6, HEDDLE_REPEATED | HEDDLE_PRESENCE, 15, 0, 0 },
  { "answer", 10, 4, HEDDLE_SENSITIVE, 0, 0, 0 },
  { "cause", 11, 1, HEDDLE_ENUM, 15, 0, 0 },
  { "tools", 12, 6, HEDDLE_PRESENCE, 34, 0, 0 },
};
static const uint8_t numbers_running_turn[] = { 255, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11 };

static const heddle_field fields_agent_state[] = {
  { "closed", 1, 1, HEDDLE_BOOL, 0, 0, 0 },
  { "last_task", 2, 4, HEDDLE_SENSITIVE, 0, 0, 0 },
  { "last_status", 3, 1, HEDDLE_ENUM, 14, 0, 0 },
  { "last_answer", 4, 4, HEDDLE_SENSITIVE, 0, 0, 0 },
  { "last_error", 5, 4, HEDDLE_SENSITIVE, 0, 0, 0 },
  { "reported", 6, 1, HEDDLE_BOOL, 0, 0, 0 },
  { "closed_with", 7, 5, HEDDLE_PRESENCE | HEDDLE_ID, 0, 1, 0 },
};
static const uint8_t numbers_agent_state[] = { 255, 0, 1, 2, 3, 4, 5, 6 };

static const heddle_field fields_ended_turn[] = {
  { "id", 1, 5, HEDDLE_ID, 0, 2, 0 },
};
static const uint8_t numbers_ended_turn[] = { 255, 0 };

static const heddle_field fields_thread_record[] = {
  { "id", 1, 5, HEDDLE_ID, 0, 1, 0 },
  { "lineage", 2, 6, HEDDLE_PRESENCE, 56, 0, 0 },
  { "name", 3, 4, HEDDLE_SENSITIVE, 0, 0, 0 },
  { "preview", 4, 4, HEDDLE_SENSITIVE, 0, 0, 0 },
  { "archived", 5, 1, HEDDLE_BOOL, 0, 0, 0 },
  { "created_at", 6, 1, HEDDLE_SIGNED | HEDDLE_WIDE, 0, 0, 0 },
  { "updated_at", 7, 1, HEDDLE_SIGNED | HEDDLE_WIDE, 0, 0, 0 },
  { "settings", 8, 6, HEDDLE_PRESENCE, 31, 0, 0 },
  { "revision", 9, 1, HEDDLE_WIDE, 0, 0, 0 },
  { "version", 10, 1, HEDDLE_ENUM, 10, 0, 0 },
  { "version_source", 11, 1, HEDDLE_ENUM, 11, 0, 0 },
  { "sequence", 12, 1, HEDDLE_WIDE, 0, 0, 0 },
  { "last_ordinal", 13, 1, HEDDLE_WIDE, 0, 0, 0 },
  { "hidden_turns", 14, 6, HEDDLE_REPEATED | HEDDLE_PRESENCE, 120, 0, 0 },
  { "baseline", 15, 6, HEDDLE_PRESENCE, 42, 0, 0 },
  { "running", 16, 6, HEDDLE_PRESENCE, 124, 0, 0 },
  { "queue", 17, 6, HEDDLE_REPEATED | HEDDLE_PRESENCE, 45, 0, 0 },
  { "context_start", 18, 1, HEDDLE_WIDE, 0, 0, 0 },
  { "usage", 19, 6, HEDDLE_PRESENCE, 40, 0, 0 },
  { "segments", 20, 6, HEDDLE_REPEATED | HEDDLE_PRESENCE, 121, 0, 0 },
  { "recent_turns", 21, 6, HEDDLE_REPEATED | HEDDLE_PRESENCE, 126, 0, 0 },
  { "has_history", 22, 1, HEDDLE_BOOL, 0, 0, 0 },
  { "tools", 23, 6, HEDDLE_REPEATED | HEDDLE_PRESENCE, 33, 0, 0 },
  { "event_bytes", 24, 1, HEDDLE_WIDE, 0, 0, 0 },
  { "system_error", 25, 1, HEDDLE_BOOL, 0, 0, 0 },
  { "version_sequence", 26, 1, HEDDLE_WIDE, 0, 0, 0 },
  { "mailbox", 27, 6, HEDDLE_REPEATED | HEDDLE_PRESENCE, 17, 0, 0 },
  { "outbox", 28, 6, HEDDLE_REPEATED | HEDDLE_PRESENCE, 17, 0, 0 },
  { "agent", 29, 6, HEDDLE_PRESENCE, 125, 0, 0 },
  { "asks_user", 30, 1, HEDDLE_BOOL, 0, 0, 0 },
  { "context_tokens", 31, 1, HEDDLE_WIDE, 0, 0, 0 },
  { "last_status", 32, 1, HEDDLE_ENUM, 14, 0, 0 },
  { "tool_changes", 33, 1, HEDDLE_WIDE, 0, 0, 0 },
};
static const uint8_t numbers_thread_record[] = { 255, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32 };

static const heddle_field fields_agent_thread[] = {
  { "id", 1, 5, HEDDLE_ID, 0, 1, 0 },
  { "lineage", 2, 6, HEDDLE_PRESENCE, 56, 0, 0 },
  { "name", 3, 4, HEDDLE_SENSITIVE, 0, 0, 0 },
  { "preview", 4, 4, HEDDLE_SENSITIVE, 0, 0, 0 },
  { "status", 5, 6, HEDDLE_PRESENCE, 83, 0, 0 },
  { "ephemeral", 6, 1, HEDDLE_BOOL, 0, 0, 0 },
  { "archived", 7, 1, HEDDLE_BOOL, 0, 0, 0 },
  { "created_at", 8, 1, HEDDLE_SIGNED | HEDDLE_WIDE, 0, 0, 0 },
  { "updated_at", 9, 1, HEDDLE_SIGNED | HEDDLE_WIDE, 0, 0, 0 },
  { "settings", 10, 6, HEDDLE_PRESENCE, 31, 0, 0 },
  { "revision", 11, 1, HEDDLE_WIDE, 0, 0, 0 },
  { "version", 12, 1, HEDDLE_ENUM, 10, 0, 0 },
  { "version_source", 13, 1, HEDDLE_ENUM, 11, 0, 0 },
  { "sequence", 14, 1, HEDDLE_WIDE, 0, 0, 0 },
  { "epoch", 15, 1, HEDDLE_WIDE, 0, 0, 0 },
  { "turn_count", 16, 1, HEDDLE_WIDE, 0, 0, 0 },
  { "usage", 17, 6, HEDDLE_PRESENCE, 40, 0, 0 },
  { "running_turn", 18, 5, HEDDLE_PRESENCE | HEDDLE_ID, 0, 2, 0 },
  { "queued_turns", 19, 1, 0, 0, 0, 0 },
  { "asks_user", 20, 1, HEDDLE_BOOL, 0, 0, 0 },
  { "closed", 21, 1, HEDDLE_BOOL, 0, 0, 0 },
  { "tools", 22, 4, HEDDLE_REPEATED, 0, 0, 0 },
};
static const uint8_t numbers_agent_thread[] = { 255, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21 };

static const heddle_field fields_start_thread_request[] = {
  { "settings", 1, 6, HEDDLE_PRESENCE, 35, 0, 0 },
  { "name", 2, 4, HEDDLE_SENSITIVE, 0, 0, 0 },
  { "ephemeral", 3, 1, HEDDLE_BOOL, 0, 0, 0 },
  { "subscribe", 4, 1, HEDDLE_PRESENCE | HEDDLE_BOOL, 0, 0, 0 },
  { "tools", 5, 6, HEDDLE_REPEATED | HEDDLE_PRESENCE, 33, 0, 0 },
  { "asks_user", 6, 1, HEDDLE_BOOL, 0, 0, 0 },
  { "tree", 7, 1, HEDDLE_BOOL, 0, 0, 0 },
};
static const uint8_t numbers_start_thread_request[] = { 255, 0, 1, 2, 3, 4, 5, 6 };

static const heddle_field fields_start_thread_response[] = {
  { "sequence", 1, 1, HEDDLE_WIDE, 0, 0, 0 },
  { "thread", 2, 6, HEDDLE_PRESENCE, 128, 0, 0 },
  { "replayed", 15, 1, HEDDLE_BOOL, 0, 0, 0 },
};
static const uint8_t numbers_start_thread_response[] = { 255, 0, 1, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 2 };

static const heddle_field fields_resume_thread_request[] = {
  { "thread", 1, 5, HEDDLE_ID, 0, 1, 0 },
  { "subscribe", 2, 1, HEDDLE_PRESENCE | HEDDLE_BOOL, 0, 0, 0 },
  { "tree", 3, 1, HEDDLE_BOOL, 0, 0, 0 },
  { "tools", 4, 6, HEDDLE_PRESENCE, 34, 0, 0 },
};
static const uint8_t numbers_resume_thread_request[] = { 255, 0, 1, 2, 3 };

static const heddle_field fields_resume_thread_response[] = {
  { "sequence", 1, 1, HEDDLE_WIDE, 0, 0, 0 },
  { "thread", 2, 6, HEDDLE_PRESENCE, 128, 0, 0 },
  { "replayed", 15, 1, HEDDLE_BOOL, 0, 0, 0 },
};
static const uint8_t numbers_resume_thread_response[] = { 255, 0, 1, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 2 };

static const heddle_field fields_fork_thread_request[] = {
  { "thread", 1, 5, HEDDLE_ID, 0, 1, 0 },
  { "last_turn", 2, 5, HEDDLE_PRESENCE | HEDDLE_ID, 0, 2, 0 },
  { "settings", 3, 6, HEDDLE_PRESENCE, 35, 0, 0 },
  { "name", 4, 4, HEDDLE_SENSITIVE, 0, 0, 0 },
  { "subscribe", 5, 1, HEDDLE_PRESENCE | HEDDLE_BOOL, 0, 0, 0 },
  { "tree", 6, 1, HEDDLE_BOOL, 0, 0, 0 },
  { "tools", 7, 6, HEDDLE_PRESENCE, 34, 0, 0 },
};
static const uint8_t numbers_fork_thread_request[] = { 255, 0, 1, 2, 3, 4, 5, 6 };

static const heddle_field fields_fork_thread_response[] = {
  { "sequence", 1, 1, HEDDLE_WIDE, 0, 0, 0 },
  { "thread", 2, 6, HEDDLE_PRESENCE, 128, 0, 0 },
  { "replayed", 15, 1, HEDDLE_BOOL, 0, 0, 0 },
};
static const uint8_t numbers_fork_thread_response[] = { 255, 0, 1, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 2 };

static const heddle_field fields_read_thread_request[] = {
  { "thread", 1, 5, HEDDLE_ID, 0, 1, 0 },
};
static const uint8_t numbers_read_thread_request[] = { 255, 0 };

static const heddle_field fields_read_thread_response[] = {
  { "thread", 1, 6, HEDDLE_PRESENCE, 128, 0, 0 },
};
static const uint8_t numbers_read_thread_response[] = { 255, 0 };

static const heddle_field fields_list_threads_request[] = {
  { "cursor", 1, 4, 0, 0, 0, 0 },
  { "page_size", 2, 1, HEDDLE_PRESENCE | HEDDLE_SIGNED, 0, 0, 0 },
  { "order", 3, 1, HEDDLE_ENUM, 22, 0, 0 },
  { "archived", 4, 1, HEDDLE_PRESENCE | HEDDLE_BOOL, 0, 0, 0 },
  { "source", 5, 1, HEDDLE_PRESENCE | HEDDLE_ENUM, 17, 0, 0 },
  { "parent", 6, 5, HEDDLE_PRESENCE | HEDDLE_ID, 0, 1, 0 },
  { "forked_from", 7, 5, HEDDLE_PRESENCE | HEDDLE_ID, 0, 1, 0 },
  { "model_provider", 8, 4, HEDDLE_PRESENCE, 0, 0, 0 },
  { "text", 9, 4, HEDDLE_PRESENCE | HEDDLE_SENSITIVE, 0, 0, 0 },
  { "working_folder", 10, 4, HEDDLE_PRESENCE | HEDDLE_SENSITIVE, 0, 0, 0 },
  { "created_after", 11, 1, HEDDLE_PRESENCE | HEDDLE_SIGNED | HEDDLE_WIDE, 0, 0, 0 },
  { "created_before", 12, 1, HEDDLE_PRESENCE | HEDDLE_SIGNED | HEDDLE_WIDE, 0, 0, 0 },
};
static const uint8_t numbers_list_threads_request[] = { 255, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11 };

static const heddle_field fields_list_threads_response[] = {
  { "threads", 1, 6, HEDDLE_REPEATED | HEDDLE_PRESENCE, 128, 0, 0 },
  { "next_cursor", 2, 4, 0, 0, 0, 0 },
};
static const uint8_t numbers_list_threads_response[] = { 255, 0, 1 };

static const heddle_field fields_list_loaded_threads_request[] = {
  { "cursor", 1, 4, 0, 0, 0, 0 },
  { "page_size", 2, 1, HEDDLE_PRESENCE | HEDDLE_SIGNED, 0, 0, 0 },
};
static const uint8_t numbers_list_loaded_threads_request[] = { 255, 0, 1 };

static const heddle_field fields_list_loaded_threads_response[] = {
  { "threads", 1, 5, HEDDLE_REPEATED | HEDDLE_ID, 0, 1, 0 },
  { "next_cursor", 2, 4, 0, 0, 0, 0 },
};
static const uint8_t numbers_list_loaded_threads_response[] = { 255, 0, 1 };

static const heddle_field fields_search_threads_request[] = {
  { "text", 1, 4, HEDDLE_SENSITIVE, 0, 0, 0 },
  { "cursor", 2, 4, 0, 0, 0, 0 },
  { "page_size", 3, 1, HEDDLE_PRESENCE | HEDDLE_SIGNED, 0, 0, 0 },
};
static const uint8_t numbers_search_threads_request[] = { 255, 0, 1, 2 };

static const heddle_field fields_search_hit[] = {
  { "thread", 1, 5, HEDDLE_ID, 0, 1, 0 },
  { "sequence", 2, 1, HEDDLE_WIDE, 0, 0, 0 },
  { "snippet", 3, 4, HEDDLE_SENSITIVE, 0, 0, 0 },
};
static const uint8_t numbers_search_hit[] = { 255, 0, 1, 2 };

static const heddle_field fields_search_threads_response[] = {
  { "hits", 1, 6, HEDDLE_REPEATED | HEDDLE_PRESENCE, 142, 0, 0 },
  { "next_cursor", 2, 4, 0, 0, 0, 0 },
};
static const uint8_t numbers_search_threads_response[] = { 255, 0, 1 };

static const heddle_field fields_list_turns_request[] = {
  { "thread", 1, 5, HEDDLE_ID, 0, 1, 0 },
  { "cursor", 2, 4, 0, 0, 0, 0 },
  { "page_size", 3, 1, HEDDLE_PRESENCE | HEDDLE_SIGNED, 0, 0, 0 },
  { "order", 4, 1, HEDDLE_ENUM, 22, 0, 0 },
};
static const uint8_t numbers_list_turns_request[] = { 255, 0, 1, 2, 3 };

static const heddle_field fields_list_turns_response[] = {
  { "turns", 1, 6, HEDDLE_REPEATED | HEDDLE_PRESENCE, 44, 0, 0 },
  { "next_cursor", 2, 4, 0, 0, 0, 0 },
};
static const uint8_t numbers_list_turns_response[] = { 255, 0, 1 };

static const heddle_field fields_listed_item[] = {
  { "item", 1, 6, HEDDLE_PRESENCE, 21, 0, 0 },
  { "turn", 2, 5, HEDDLE_PRESENCE | HEDDLE_ID, 0, 2, 0 },
  { "sequence", 3, 1, HEDDLE_WIDE, 0, 0, 0 },
  { "at", 4, 1, HEDDLE_SIGNED | HEDDLE_WIDE, 0, 0, 0 },
};
static const uint8_t numbers_listed_item[] = { 255, 0, 1, 2, 3 };

static const heddle_field fields_list_items_request[] = {
  { "thread", 1, 5, HEDDLE_ID, 0, 1, 0 },
  { "turn", 2, 5, HEDDLE_PRESENCE | HEDDLE_ID, 0, 2, 0 },
  { "cursor", 3, 4, 0, 0, 0, 0 },
  { "page_size", 4, 1, HEDDLE_PRESENCE | HEDDLE_SIGNED, 0, 0, 0 },
  { "order", 5, 1, HEDDLE_ENUM, 22, 0, 0 },
};
static const uint8_t numbers_list_items_request[] = { 255, 0, 1, 2, 3, 4 };

static const heddle_field fields_list_items_response[] = {
  { "items", 1, 6, HEDDLE_REPEATED | HEDDLE_PRESENCE, 146, 0, 0 },
  { "next_cursor", 2, 4, 0, 0, 0, 0 },
};
static const uint8_t numbers_list_items_response[] = { 255, 0, 1 };

static const heddle_field fields_set_thread_name_request[] = {
  { "thread", 1, 5, HEDDLE_ID, 0, 1, 0 },
  { "name", 2, 4, HEDDLE_SENSITIVE, 0, 0, 0 },
};
static const uint8_t numbers_set_thread_name_request[] = { 255, 0, 1 };

static const heddle_field fields_set_thread_name_response[] = {
  { "sequence", 1, 1, HEDDLE_WIDE, 0, 0, 0 },
  { "replayed", 15, 1, HEDDLE_BOOL, 0, 0, 0 },
};
static const uint8_t numbers_set_thread_name_response[] = { 255, 0, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 1 };

static const heddle_field fields_archive_thread_request[] = {
  { "thread", 1, 5, HEDDLE_ID, 0, 1, 0 },
};
static const uint8_t numbers_archive_thread_request[] = { 255, 0 };

static const heddle_field fields_archive_thread_response[] = {
  { "sequence", 1, 1, HEDDLE_WIDE, 0, 0, 0 },
  { "replayed", 15, 1, HEDDLE_BOOL, 0, 0, 0 },
};
static const uint8_t numbers_archive_thread_response[] = { 255, 0, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 1 };

static const heddle_field fields_unarchive_thread_request[] = {
  { "thread", 1, 5, HEDDLE_ID, 0, 1, 0 },
};
static const uint8_t numbers_unarchive_thread_request[] = { 255, 0 };

static const heddle_field fields_unarchive_thread_response[] = {
  { "sequence", 1, 1, HEDDLE_WIDE, 0, 0, 0 },
  { "replayed", 15, 1, HEDDLE_BOOL, 0, 0, 0 },
};
static const uint8_t numbers_unarchive_thread_response[] = { 255, 0, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 1 };

static const heddle_field fields_delete_thread_request[] = {
  { "thread", 1, 5, HEDDLE_ID, 0, 1, 0 },
};
static const uint8_t numbers_delete_thread_request[] = { 255, 0 };

static const heddle_field fields_delete_thread_response[] = {
  { "deleted", 1, 1, 0, 0, 0, 0 },
  { "replayed", 15, 1, HEDDLE_BOOL, 0, 0, 0 },
};
static const uint8_t numbers_delete_thread_response[] = { 255, 0, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 1 };

static const heddle_field fields_rollback_thread_request[] = {
  { "thread", 1, 5, HEDDLE_ID, 0, 1, 0 },
  { "turns", 2, 1, HEDDLE_SIGNED, 0, 0, 0 },
};
static const uint8_t numbers_rollback_thread_request[] = { 255, 0, 1 };

static const heddle_field fields_rollback_thread_response[] = {
  { "sequence", 1, 1, HEDDLE_WIDE, 0, 0, 0 },
  { "rolled_back", 2, 1, 0, 0, 0, 0 },
  { "replayed", 15, 1, HEDDLE_BOOL, 0, 0, 0 },
};
static const uint8_t numbers_rollback_thread_response[] = { 255, 0, 1, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 2 };

static const heddle_field fields_compact_thread_request[] = {
  { "thread", 1, 5, HEDDLE_ID, 0, 1, 0 },
};
static const uint8_t numbers_compact_thread_request[] = { 255, 0 };

static const heddle_field fields_compact_thread_response[] = {
  { "sequence", 1, 1, HEDDLE_WIDE, 0, 0, 0 },
  { "turn", 2, 5, HEDDLE_ID, 0, 2, 0 },
  { "replayed", 15, 1, HEDDLE_BOOL, 0, 0, 0 },
};
static const uint8_t numbers_compact_thread_response[] = { 255, 0, 1, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 2 };

static const heddle_field fields_inject_items_request[] = {
  { "thread", 1, 5, HEDDLE_ID, 0, 1, 0 },
  { "items", 2, 6, HEDDLE_REPEATED | HEDDLE_PRESENCE, 21, 0, 0 },
};
static const uint8_t numbers_inject_items_request[] = { 255, 0, 1 };

static const heddle_field fields_inject_items_response[] = {
  { "sequence", 1, 1, HEDDLE_WIDE, 0, 0, 0 },
  { "replayed", 15, 1, HEDDLE_BOOL, 0, 0, 0 },
};
static const uint8_t numbers_inject_items_response[] = { 255, 0, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 1 };

static const heddle_field fields_export_thread_request[] = {
  { "thread", 1, 5, HEDDLE_ID, 0, 1, 0 },
  { "after", 2, 1, HEDDLE_WIDE, 0, 0, 0 },
  { "page_size", 3, 1, HEDDLE_PRESENCE | HEDDLE_SIGNED, 0, 0, 0 },
};
static const uint8_t numbers_export_thread_request[] = { 255, 0, 1, 2 };

static const heddle_field fields_export_thread_response[] = {
  { "events", 1, 6, HEDDLE_REPEATED | HEDDLE_PRESENCE, 82, 0, 0 },
  { "more", 2, 1, HEDDLE_BOOL, 0, 0, 0 },
};
static const uint8_t numbers_export_thread_response[] = { 255, 0, 1 };

static const heddle_field fields_subscribe_request[] = {
  { "thread", 1, 5, HEDDLE_PRESENCE | HEDDLE_ID, 0, 1, 0 },
  { "epoch", 2, 1, HEDDLE_PRESENCE | HEDDLE_WIDE, 0, 0, 0 },
  { "after", 3, 1, HEDDLE_PRESENCE | HEDDLE_WIDE, 0, 0, 0 },
  { "kinds", 4, 1, HEDDLE_REPEATED | HEDDLE_ENUM, 23, 0, 0 },
  { "credit", 5, 1, HEDDLE_PRESENCE, 0, 0, 0 },
  { "tree", 6, 1, HEDDLE_BOOL, 0, 0, 0 },
  { "answers", 7, 1, HEDDLE_REPEATED | HEDDLE_ENUM, 24, 0, 0 },
};
static const uint8_t numbers_subscribe_request[] = { 255, 0, 1, 2, 3, 4, 5, 6 };

static const heddle_field fields_unsubscribe_request[] = {
  { "thread", 1, 5, HEDDLE_PRESENCE | HEDDLE_ID, 0, 1, 0 },
};
static const uint8_t numbers_unsubscribe_request[] = { 255, 0 };

static const heddle_field fields_unsubscribe_response[] = {
  { "was_subscribed", 1, 1, HEDDLE_BOOL, 0, 0, 0 },
};
static const uint8_t numbers_unsubscribe_response[] = { 255, 0 };

static const heddle_message messages[] = {
  { "Metadata", fields_metadata, numbers_metadata, 7, 8 },
  { "ClientHello", fields_client_hello, numbers_client_hello, 7, 8 },
  { "ServerHello", fields_server_hello, numbers_server_hello, 8, 9 },
  { "ConnectionLimits", fields_connection_limits, numbers_connection_limits, 16, 17 },
  { "ErrorDetail", fields_error_detail, numbers_error_detail, 2, 3 },
  { "Error", fields_error, numbers_error, 6, 7 },
  { "Credit", fields_credit, numbers_credit, 1, 2 },
  { "Ping", fields_ping, numbers_ping, 1, 2 },
  { "Pong", fields_pong, numbers_pong, 2, 3 },
  { "GoAway", fields_go_away, numbers_go_away, 2, 3 },
  { "ImagePart", fields_image_part, numbers_image_part, 2, 3 },
  { "OpaquePart", fields_opaque_part, numbers_opaque_part, 2, 3 },
  { "ContentPart", fields_content_part, numbers_content_part, 4, 5 },
  { "MessageItem", fields_message_item, numbers_message_item, 3, 4 },
  { "ReasoningItem", fields_reasoning_item, numbers_reasoning_item, 4, 5 },
  { "ToolCallItem", fields_tool_call_item, numbers_tool_call_item, 5, 6 },
  { "ToolOutputItem", fields_tool_output_item, numbers_tool_output_item, 4, 5 },
  { "AgentMail", fields_agent_mail, numbers_agent_mail, 8, 9 },
  { "AgentMessageItem", fields_agent_message_item, numbers_agent_message_item, 5, 6 },
  { "CompactionItem", fields_compaction_item, numbers_compaction_item, 2, 3 },
  { "MarkerItem", fields_marker_item, numbers_marker_item, 3, 4 },
  { "Item", fields_item, numbers_item, 11, 18 },
  { "CallToolRequest", fields_call_tool_request, numbers_call_tool_request, 6, 7 },
  { "CallToolResponse", fields_call_tool_response, numbers_call_tool_response, 2, 3 },
  { "RequestUserInputRequest", fields_request_user_input_request, numbers_request_user_input_request, 7, 8 },
  { "RequestUserInputResponse", fields_request_user_input_response, numbers_request_user_input_response, 2, 3 },
  { "OpenCall", fields_open_call, numbers_open_call, 2, 3 },
  { "CallEnded", fields_call_ended, numbers_call_ended, 3, 4 },
  { "AnswerCallRequest", fields_answer_call_request, numbers_answer_call_request, 6, 7 },
  { "AnswerCallResponse", fields_answer_call_response, numbers_answer_call_response, 3, 16 },
  { "NameValue", fields_name_value, numbers_name_value, 2, 3 },
  { "Settings", fields_settings, numbers_settings, 17, 18 },
  { "ModeSelection", fields_mode_selection, numbers_mode_selection, 2, 3 },
  { "ToolDefinition", fields_tool_definition, numbers_tool_definition, 3, 4 },
  { "ToolSelection", fields_tool_selection, numbers_tool_selection, 2, 3 },
  { "SettingsChange", fields_settings_change, numbers_settings_change, 19, 20 },
  { "ReadSettingsRequest", fields_read_settings_request, numbers_read_settings_request, 1, 2 },
  { "ReadSettingsResponse", fields_read_settings_response, numbers_read_settings_response, 5, 6 },
  { "UpdateSettingsRequest", fields_update_settings_request, numbers_update_settings_request, 4, 5 },
  { "UpdateSettingsResponse", fields_update_settings_response, numbers_update_settings_response, 6, 16 },
  { "TokenUsage", fields_token_usage, numbers_token_usage, 4, 5 },
  { "TurnError", fields_turn_error, numbers_turn_error, 2, 3 },
  { "TurnContext", fields_turn_context, numbers_turn_context, 6, 7 },
  { "TurnInput", fields_turn_input, numbers_turn_input, 2, 3 },
  { "Turn", fields_turn, numbers_turn, 11, 12 },
  { "QueuedTurn", fields_queued_turn, numbers_queued_turn, 5, 6 },
  { "StartTurnRequest", fields_start_turn_request, numbers_start_turn_request, 5, 6 },
  { "StartTurnResponse", fields_start_turn_response, numbers_start_turn_response, 6, 16 },
  { "SteerTurnRequest", fields_steer_turn_request, numbers_steer_turn_request, 3, 4 },
  { "SteerTurnResponse", fields_steer_turn_response, numbers_steer_turn_response, 3, 16 },
  { "InterruptTurnRequest", fields_interrupt_turn_request, numbers_interrupt_turn_request, 2, 3 },
  { "InterruptTurnResponse", fields_interrupt_turn_response, numbers_interrupt_turn_response, 3, 16 },
  { "ListQueueRequest", fields_list_queue_request, numbers_list_queue_request, 1, 2 },
  { "ListQueueResponse", fields_list_queue_response, numbers_list_queue_response, 2, 3 },
  { "CancelQueuedTurnRequest", fields_cancel_queued_turn_request, numbers_cancel_queued_turn_request, 2, 3 },
  { "CancelQueuedTurnResponse", fields_cancel_queued_turn_response, numbers_cancel_queued_turn_response, 3, 16 },
  { "Lineage", fields_lineage, numbers_lineage, 10, 11 },
  { "ThreadCreated", fields_thread_created, numbers_thread_created, 9, 10 },
  { "SettingsUpdated", fields_settings_updated, numbers_settings_updated, 3, 4 },
  { "VersionPinned", fields_version_pinned, numbers_version_pinned, 2, 3 },
  { "NameChanged", fields_name_changed, numbers_name_changed, 1, 2 },
  { "ThreadArchived", fields_thread_archived, numbers_thread_archived, 1, 2 },
  { "ThreadUnarchived", fields_thread_unarchived, numbers_thread_unarchived, 1, 2 },
  { "TurnQueued", fields_turn_queued, numbers_turn_queued, 1, 2 },
  { "QueuedTurnCancelled", fields_queued_turn_cancelled, numbers_queued_turn_cancelled, 1, 2 },
  { "TurnStarted", fields_turn_started, numbers_turn_started, 4, 5 },
  { "InputSteered", fields_input_steered, numbers_input_steered, 2, 3 },
  { "ItemStarted", fields_item_started, numbers_item_started, 1, 2 },
  { "ItemCheckpoint", fields_item_checkpoint, numbers_item_checkpoint, 3, 4 },
  { "ItemCompleted", fields_item_completed, numbers_item_completed, 1, 2 },
  { "ModelRetried", fields_model_retried, numbers_model_retried, 3, 4 },
  { "UsageReported", fields_usage_reported, numbers_usage_reported, 3, 4 },
  { "TurnEnded", fields_turn_ended, numbers_turn_ended, 4, 5 },
  { "TurnsRolledBack", fields_turns_rolled_back, numbers_turns_rolled_back, 5, 6 },
  { "ContextCompacted", fields_context_compacted, numbers_context_compacted, 2, 3 },
  { "MailReceived", fields_mail_received, numbers_mail_received, 2, 3 },
  { "MailQueued", fields_mail_queued, numbers_mail_queued, 1, 2 },
  { "MailDelivered", fields_mail_delivered, numbers_mail_delivered, 1, 2 },
  { "AgentActivity", fields_agent_activity, numbers_agent_activity, 4, 5 },
  { "AgentClosed", fields_agent_closed, numbers_agent_closed, 1, 2 },
  { "AgentReopened", 0, 0, 0, 0 },
  { "ForeignRecord", fields_foreign_record, numbers_foreign_record, 1, 2 },
  { "Event", fields_event, numbers_event, 29, 35 },
  { "ThreadStatus", fields_thread_status, numbers_thread_status, 3, 4 },
  { "ItemDelta", fields_item_delta, numbers_item_delta, 4, 5 },
  { "ItemSnapshot", fields_item_snapshot, numbers_item_snapshot, 3, 4 },
  { "Subscribed", fields_subscribed, numbers_subscribed, 3, 4 },
  { "Live", fields_live, numbers_live, 1, 2 },
  { "Progress", fields_progress, numbers_progress, 1, 2 },
  { "StatusChanged", fields_status_changed, numbers_status_changed, 2, 3 },
  { "ThreadStartedNotice", fields_thread_started_notice, numbers_thread_started_notice, 2, 3 },
  { "ThreadDeletedNotice", fields_thread_deleted_notice, numbers_thread_deleted_notice, 1, 2 },
  { "ThreadArchiveNotice", fields_thread_archive_notice, numbers_thread_archive_notice, 2, 3 },
  { "ThreadNameNotice", fields_thread_name_notice, numbers_thread_name_notice, 2, 3 },
  { "SubscriptionEvent", fields_subscription_event, numbers_subscription_event, 14, 15 },
  { "Agent", fields_agent, numbers_agent, 13, 14 },
  { "ListTreeRequest", fields_list_tree_request, numbers_list_tree_request, 1, 2 },
  { "ListTreeResponse", fields_list_tree_response, numbers_list_tree_response, 3, 4 },
  { "InterruptAgentRequest", fields_interrupt_agent_request, numbers_interrupt_agent_request, 1, 2 },
  { "InterruptAgentResponse", fields_interrupt_agent_response, numbers_interrupt_agent_response, 3, 16 },
  { "CloseAgentRequest", fields_close_agent_request, numbers_close_agent_request, 1, 2 },
  { "CloseAgentResponse", fields_close_agent_response, numbers_close_agent_response, 2, 16 },
  { "CatalogModel", fields_catalog_model, numbers_catalog_model, 10, 11 },
  { "ListModelsRequest", fields_list_models_request, numbers_list_models_request, 1, 2 },
  { "ListModelsResponse", fields_list_models_response, numbers_list_models_response, 1, 2 },
  { "Feature", fields_feature, numbers_feature, 5, 6 },
  { "ListFeaturesRequest", 0, 0, 0, 0 },
  { "ListFeaturesResponse", fields_list_features_response, numbers_list_features_response, 1, 2 },
  { "SetFeatureRequest", fields_set_feature_request, numbers_set_feature_request, 2, 3 },
  { "SetFeatureResponse", fields_set_feature_response, numbers_set_feature_response, 2, 16 },
  { "ServerStatusRequest", 0, 0, 0, 0 },
  { "ProviderStatus", fields_provider_status, numbers_provider_status, 4, 5 },
  { "ServerStatusResponse", fields_server_status_response, numbers_server_status_response, 12, 13 },
  { "StartCaptureRequest", fields_start_capture_request, numbers_start_capture_request, 5, 6 },
  { "CaptureState", fields_capture_state, numbers_capture_state, 8, 9 },
  { "StartCaptureResponse", fields_start_capture_response, numbers_start_capture_response, 1, 2 },
  { "StopCaptureRequest", 0, 0, 0, 0 },
  { "StopCaptureResponse", fields_stop_capture_response, numbers_stop_capture_response, 1, 2 },
  { "ReadCaptureRequest", 0, 0, 0, 0 },
  { "ReadCaptureResponse", fields_read_capture_response, numbers_read_capture_response, 1, 2 },
  { "TurnRange", fields_turn_range, numbers_turn_range, 2, 3 },
  { "HistorySegment", fields_history_segment, numbers_history_segment, 3, 4 },
  { "OpenItem", fields_open_item, numbers_open_item, 2, 3 },
  { "PendingInput", fields_pending_input, numbers_pending_input, 2, 3 },
  { "RunningTurn", fields_running_turn, numbers_running_turn, 12, 13 },
  { "AgentState", fields_agent_state, numbers_agent_state, 7, 8 },
  { "EndedTurn", fields_ended_turn, numbers_ended_turn, 1, 2 },
  { "ThreadRecord", fields_thread_record, numbers_thread_record, 33, 34 },
  { "AgentThread", fields_agent_thread, numbers_agent_thread, 22, 23 },
  { "StartThreadRequest", fields_start_thread_request, numbers_start_thread_request, 7, 8 },
  { "StartThreadResponse", fields_start_thread_response, numbers_start_thread_response, 3, 16 },
  { "ResumeThreadRequest", fields_resume_thread_request, numbers_resume_thread_request, 4, 5 },
  { "ResumeThreadResponse", fields_resume_thread_response, numbers_resume_thread_response, 3, 16 },
  { "ForkThreadRequest", fields_fork_thread_request, numbers_fork_thread_request, 7, 8 },
  { "ForkThreadResponse", fields_fork_thread_response, numbers_fork_thread_response, 3, 16 },
  { "ReadThreadRequest", fields_read_thread_request, numbers_read_thread_request, 1, 2 },
  { "ReadThreadResponse", fields_read_thread_response, numbers_read_thread_response, 1, 2 },
  { "ListThreadsRequest", fields_list_threads_request, numbers_list_threads_request, 12, 13 },
  { "ListThreadsResponse", fields_list_threads_response, numbers_list_threads_response, 2, 3 },
  { "ListLoadedThreadsRequest", fields_list_loaded_threads_request, numbers_list_loaded_threads_request, 2, 3 },
  { "ListLoadedThreadsResponse", fields_list_loaded_threads_response, numbers_list_loaded_threads_response, 2, 3 },
  { "SearchThreadsRequest", fields_search_threads_request, numbers_search_threads_request, 3, 4 },
  { "SearchHit", fields_search_hit, numbers_search_hit, 3, 4 },
  { "SearchThreadsResponse", fields_search_threads_response, numbers_search_threads_response, 2, 3 },
  { "ListTurnsRequest", fields_list_turns_request, numbers_list_turns_request, 4, 5 },
  { "ListTurnsResponse", fields_list_turns_response, numbers_list_turns_response, 2, 3 },
  { "ListedItem", fields_listed_item, numbers_listed_item, 4, 5 },
  { "ListItemsRequest", fields_list_items_request, numbers_list_items_request, 5, 6 },
  { "ListItemsResponse", fields_list_items_response, numbers_list_items_response, 2, 3 },
  { "SetThreadNameRequest", fields_set_thread_name_request, numbers_set_thread_name_request, 2, 3 },
  { "SetThreadNameResponse", fields_set_thread_name_response, numbers_set_thread_name_response, 2, 16 },
  { "ArchiveThreadRequest", fields_archive_thread_request, numbers_archive_thread_request, 1, 2 },
  { "ArchiveThreadResponse", fields_archive_thread_response, numbers_archive_thread_response, 2, 16 },
  { "UnarchiveThreadRequest", fields_unarchive_thread_request, numbers_unarchive_thread_request, 1, 2 },
  { "UnarchiveThreadResponse", fields_unarchive_thread_response, numbers_unarchive_thread_response, 2, 16 },
  { "DeleteThreadRequest", fields_delete_thread_request, numbers_delete_thread_request, 1, 2 },
  { "DeleteThreadResponse", fields_delete_thread_response, numbers_delete_thread_response, 2, 16 },
  { "RollbackThreadRequest", fields_rollback_thread_request, numbers_rollback_thread_request, 2, 3 },
  { "RollbackThreadResponse", fields_rollback_thread_response, numbers_rollback_thread_response, 3, 16 },
  { "CompactThreadRequest", fields_compact_thread_request, numbers_compact_thread_request, 1, 2 },
  { "CompactThreadResponse", fields_compact_thread_response, numbers_compact_thread_response, 3, 16 },
  { "InjectItemsRequest", fields_inject_items_request, numbers_inject_items_request, 2, 3 },
  { "InjectItemsResponse", fields_inject_items_response, numbers_inject_items_response, 2, 16 },
  { "ExportThreadRequest", fields_export_thread_request, numbers_export_thread_request, 3, 4 },
  { "ExportThreadResponse", fields_export_thread_response, numbers_export_thread_response, 2, 3 },
  { "SubscribeRequest", fields_subscribe_request, numbers_subscribe_request, 7, 8 },
  { "UnsubscribeRequest", fields_unsubscribe_request, numbers_unsubscribe_request, 1, 2 },
  { "UnsubscribeResponse", fields_unsubscribe_response, numbers_unsubscribe_response, 1, 2 },
};

static const heddle_enum_value values_id_kind[] = {
  { "UNSPECIFIED", 0 },
  { "THREAD", 1 },
  { "TURN", 2 },
  { "ITEM", 3 },
  { "CONNECTION", 4 },
  { "NODE", 5 },
  { "KEY", 6 },
};
static const heddle_enum_value values_frame_kind[] = {
  { "UNSPECIFIED", 0 },
  { "REQUEST", 1 },
  { "RESPONSE", 2 },
  { "EVENT", 3 },
  { "ERROR", 4 },
  { "CANCEL", 5 },
  { "CREDIT", 6 },
  { "PING", 7 },
  { "PONG", 8 },
  { "GOAWAY", 9 },
  { "HELLO", 10 },
};
static const heddle_enum_value values_method[] = {
  { "UNSPECIFIED", 0 },
  { "THREAD_START", 101 },
  { "THREAD_RESUME", 102 },
  { "THREAD_FORK", 103 },
  { "THREAD_READ", 104 },
  { "THREAD_LIST", 105 },
  { "THREAD_LIST_LOADED", 106 },
  { "THREAD_SEARCH", 107 },
  { "THREAD_LIST_TURNS", 108 },
  { "THREAD_LIST_ITEMS", 109 },
  { "THREAD_SET_NAME", 110 },
  { "THREAD_ARCHIVE", 111 },
  { "THREAD_UNARCHIVE", 112 },
  { "THREAD_DELETE", 113 },
  { "THREAD_ROLLBACK", 114 },
  { "THREAD_COMPACT", 115 },
  { "THREAD_INJECT_ITEMS", 116 },
  { "THREAD_EXPORT", 117 },
  { "THREAD_SUBSCRIBE", 118 },
  { "THREAD_UNSUBSCRIBE", 119 },
  { "TURN_START", 201 },
  { "TURN_STEER", 202 },
  { "TURN_INTERRUPT", 203 },
  { "TURN_LIST_QUEUE", 204 },
  { "TURN_CANCEL_QUEUED", 205 },
  { "SETTINGS_READ", 301 },
  { "SETTINGS_UPDATE", 302 },
  { "AGENT_LIST_TREE", 401 },
  { "AGENT_INTERRUPT", 402 },
  { "AGENT_CLOSE", 403 },
  { "CATALOG_LIST_MODELS", 501 },
  { "CATALOG_LIST_FEATURES", 502 },
  { "CATALOG_SET_FEATURE", 503 },
  { "SERVER_STATUS", 601 },
  { "SERVER_START_CAPTURE", 602 },
  { "SERVER_STOP_CAPTURE", 603 },
  { "SERVER_READ_CAPTURE", 604 },
  { "CLIENT_CALL_TOOL", 701 },
  { "CLIENT_REQUEST_USER_INPUT", 702 },
  { "CALL_ANSWER", 801 },
};
static const heddle_enum_value values_code[] = {
  { "UNSPECIFIED", 0 },
  { "CANCELLED", 1 },
  { "UNKNOWN", 2 },
  { "INVALID_ARGUMENT", 3 },
  { "DEADLINE_EXCEEDED", 4 },
  { "NOT_FOUND", 5 },
  { "ALREADY_EXISTS", 6 },
  { "PERMISSION_DENIED", 7 },
  { "RESOURCE_EXHAUSTED", 8 },
  { "FAILED_PRECONDITION", 9 },
  { "ABORTED", 10 },
  { "OUT_OF_RANGE", 11 },
  { "UNIMPLEMENTED", 12 },
  { "INTERNAL", 13 },
  { "UNAVAILABLE", 14 },
  { "DATA_LOSS", 15 },
  { "UNAUTHENTICATED", 16 },
};
static const heddle_enum_value values_serving_status[] = {
  { "UNSPECIFIED", 0 },
  { "SERVING", 1 },
  { "READ_ONLY", 2 },
  { "DRAINING", 3 },
};
static const heddle_enum_value values_role[] = {
  { "UNSPECIFIED", 0 },
  { "USER", 1 },
  { "DEVELOPER", 2 },
  { "SYSTEM", 3 },
  { "ASSISTANT", 4 },
};
static const heddle_enum_value values_phase[] = {
  { "UNSPECIFIED", 0 },
  { "COMMENTARY", 1 },
  { "FINAL_ANSWER", 2 },
};
static const heddle_enum_value values_item_status[] = {
  { "UNSPECIFIED", 0 },
  { "COMPLETED", 1 },
  { "INTERRUPTED", 2 },
  { "FAILED", 3 },
};
static const heddle_enum_value values_agent_message_kind[] = {
  { "UNSPECIFIED", 0 },
  { "NEW_TASK", 1 },
  { "MESSAGE", 2 },
  { "FINAL_ANSWER", 3 },
  { "NOTIFICATION", 4 },
};
static const heddle_enum_value values_marker_kind[] = {
  { "UNSPECIFIED", 0 },
  { "INTERRUPTION", 1 },
};
static const heddle_enum_value values_multi_agent_version[] = {
  { "UNSPECIFIED", 0 },
  { "V1", 1 },
  { "V2", 2 },
  { "DISABLED", 3 },
};
static const heddle_enum_value values_version_source[] = {
  { "UNSPECIFIED", 0 },
  { "STORED", 1 },
  { "INHERITED", 2 },
  { "LEGACY", 3 },
  { "CATALOG", 4 },
  { "FLAGS", 5 },
};
static const heddle_enum_value values_multi_agent_mode[] = {
  { "UNSPECIFIED", 0 },
  { "EXPLICIT_REQUEST_ONLY", 1 },
  { "PROACTIVE", 2 },
};
static const heddle_enum_value values_settings_field[] = {
  { "UNSPECIFIED", 0 },
  { "REASONING_EFFORT", 1 },
  { "REASONING_SUMMARY", 2 },
  { "SERVICE_TIER", 3 },
  { "BASE_INSTRUCTIONS", 4 },
  { "DEVELOPER_INSTRUCTIONS", 5 },
  { "WORKING_FOLDER", 6 },
  { "TEMPERATURE", 7 },
  { "TURN_TOKENS", 8 },
  { "THREAD_TOKENS", 9 },
  { "TREE_TOKENS", 10 },
  { "AGENT_DEPTH", 11 },
  { "AGENT_TOTAL", 12 },
  { "WAKE_PARENT", 13 },
};
static const heddle_enum_value values_turn_status[] = {
  { "UNSPECIFIED", 0 },
  { "QUEUED", 1 },
  { "RUNNING", 2 },
  { "COMPLETED", 3 },
  { "INTERRUPTED", 4 },
  { "FAILED", 5 },
};
static const heddle_enum_value values_turn_cause[] = {
  { "UNSPECIFIED", 0 },
  { "MAIL", 1 },
  { "COMPACTION", 2 },
};
static const heddle_enum_value values_when_busy[] = {
  { "UNSPECIFIED", 0 },
  { "QUEUE", 1 },
  { "REFUSE", 2 },
  { "STEER", 3 },
};
static const heddle_enum_value values_thread_source[] = {
  { "UNSPECIFIED", 0 },
  { "CLIENT", 1 },
  { "FORK", 2 },
  { "AGENT", 3 },
  { "IMPORT", 4 },
};
static const heddle_enum_value values_agent_activity_kind[] = {
  { "UNSPECIFIED", 0 },
  { "SPAWNED", 1 },
  { "MESSAGED", 2 },
  { "INTERRUPTED", 3 },
  { "CLOSED", 4 },
  { "RESUMED", 5 },
};
static const heddle_enum_value values_thread_state[] = {
  { "UNSPECIFIED", 0 },
  { "NOT_LOADED", 1 },
  { "IDLE", 2 },
  { "ACTIVE", 3 },
  { "SYSTEM_ERROR", 4 },
};
static const heddle_enum_value values_feature_stage[] = {
  { "UNSPECIFIED", 0 },
  { "UNDER_DEVELOPMENT", 1 },
  { "BETA", 2 },
  { "STABLE", 3 },
  { "DEPRECATED", 4 },
};
static const heddle_enum_value values_capture_end[] = {
  { "UNSPECIFIED", 0 },
  { "STOPPED", 1 },
  { "BYTES", 2 },
  { "TIME", 3 },
  { "DISK", 4 },
  { "SHUTDOWN", 5 },
};
static const heddle_enum_value values_list_order[] = {
  { "UNSPECIFIED", 0 },
  { "NEWEST_FIRST", 1 },
  { "OLDEST_FIRST", 2 },
};
static const heddle_enum_value values_subscription_kind[] = {
  { "UNSPECIFIED", 0 },
  { "EVENTS", 1 },
  { "DELTAS", 2 },
  { "STATUS", 3 },
};
static const heddle_enum_value values_call_kind[] = {
  { "UNSPECIFIED", 0 },
  { "CALL_TOOL", 1 },
  { "REQUEST_USER_INPUT", 2 },
};

static const heddle_enum enums[] = {
  { "IdKind", "ID_KIND_", values_id_kind, 7 },
  { "FrameKind", "FRAME_KIND_", values_frame_kind, 11 },
  { "Method", "METHOD_", values_method, 40 },
  { "Code", "CODE_", values_code, 17 },
  { "ServingStatus", "SERVING_STATUS_", values_serving_status, 4 },
  { "Role", "ROLE_", values_role, 5 },
  { "Phase", "PHASE_", values_phase, 3 },
  { "ItemStatus", "ITEM_STATUS_", values_item_status, 4 },
  { "AgentMessageKind", "AGENT_MESSAGE_KIND_", values_agent_message_kind, 5 },
  { "MarkerKind", "MARKER_KIND_", values_marker_kind, 2 },
  { "MultiAgentVersion", "MULTI_AGENT_VERSION_", values_multi_agent_version, 4 },
  { "VersionSource", "VERSION_SOURCE_", values_version_source, 6 },
  { "MultiAgentMode", "MULTI_AGENT_MODE_", values_multi_agent_mode, 3 },
  { "SettingsField", "SETTINGS_FIELD_", values_settings_field, 14 },
  { "TurnStatus", "TURN_STATUS_", values_turn_status, 6 },
  { "TurnCause", "TURN_CAUSE_", values_turn_cause, 3 },
  { "WhenBusy", "WHEN_BUSY_", values_when_busy, 4 },
  { "ThreadSource", "THREAD_SOURCE_", values_thread_source, 5 },
  { "AgentActivityKind", "AGENT_ACTIVITY_KIND_", values_agent_activity_kind, 6 },
  { "ThreadState", "THREAD_STATE_", values_thread_state, 5 },
  { "FeatureStage", "FEATURE_STAGE_", values_feature_stage, 5 },
  { "CaptureEnd", "CAPTURE_END_", values_capture_end, 6 },
  { "ListOrder", "LIST_ORDER_", values_list_order, 3 },
  { "SubscriptionKind", "SUBSCRIPTION_KIND_", values_subscription_kind, 4 },
  { "CallKind", "CALL_KIND_", values_call_kind, 3 },
};

const uint16_t heddle_schema_message_count = 168;
const uint16_t heddle_schema_enum_count = 25;
const heddle_message *heddle_schema_message(uint16_t index) { return &messages[index]; }
const heddle_enum *heddle_schema_enum(uint16_t index) { return &enums[index]; }
const char *heddle_schema_hash(void) { return "7a5afdadcf3c350e"; }
