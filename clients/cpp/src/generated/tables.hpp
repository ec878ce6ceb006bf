// Made by `make generate` from proto/; edit that instead.
// codegen/clients/cpp.py writes this file.
#pragma once

#include <string_view>

namespace heddle::detail {

struct retry_row {
  std::string_view reason;
  std::string_view retry;
};

// The reasons after which a client repeats a call by itself: docs/errors.md.
inline constexpr retry_row retry_rows[] = {
    {"invalid_token", "token"},
    {"token_expired", "token"},
    {"too_many_in_flight", "wait"},
    {"too_many_connections", "reconnect"},
    {"rate_limited", "wait"},
    {"enhance_your_calm", "wait"},
    {"slow_consumer", "reconnect"},
    {"idle_timeout", "reconnect"},
    {"shutting_down", "reconnect"},
    {"connection_age", "reconnect"},
    {"storage_failed", "reconnect"},
    {"read_failed", "wait"},
    {"disk_full", "wait"},
};

struct code_row {
  int number;
  std::string_view name;
};

inline constexpr code_row code_rows[] = {
    {0, "UNSPECIFIED"},
    {1, "CANCELLED"},
    {2, "UNKNOWN"},
    {3, "INVALID_ARGUMENT"},
    {4, "DEADLINE_EXCEEDED"},
    {5, "NOT_FOUND"},
    {6, "ALREADY_EXISTS"},
    {7, "PERMISSION_DENIED"},
    {8, "RESOURCE_EXHAUSTED"},
    {9, "FAILED_PRECONDITION"},
    {10, "ABORTED"},
    {11, "OUT_OF_RANGE"},
    {12, "UNIMPLEMENTED"},
    {13, "INTERNAL"},
    {14, "UNAVAILABLE"},
    {15, "DATA_LOSS"},
    {16, "UNAUTHENTICATED"},
};

}  // namespace heddle::detail
