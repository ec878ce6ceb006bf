#include "fault.hpp"

#include "generated/tables.hpp"

#include <climits>

namespace heddle {

std::string_view name_of(error_kind kind) {
  switch (kind) {
    case error_kind::refused:
      return "Refused";
    case error_kind::cannot_connect:
      return "CannotConnect";
    case error_kind::lost:
      return "Lost";
    case error_kind::timed_out:
      return "TimedOut";
    case error_kind::protocol:
      return "Protocol";
    case error_kind::too_large:
      return "TooLarge";
    case error_kind::closed:
      return "Closed";
    case error_kind::cancelled:
      return "Cancelled";
    case error_kind::turn_failed:
      return "TurnFailed";
  }
  return "Lost";
}

namespace {

std::string text_of(const error_info& info) {
  std::string text = info.message;
  if (info.kind == error_kind::refused) {
    text = info.code + " " + info.reason + ": " + info.message;
  }
  for (const auto& [name, value] : info.details) {
    text += " (" + name + ": " + value + ")";
  }
  return text;
}

}  // namespace

error::error(error_info info) {
  std::string text = "heddle: " + text_of(info);
  made_ = std::make_shared<const whole>(whole{std::move(info), std::move(text)});
}

namespace detail {

std::string fault::whole() const {
  return text_of(*this);
}

const fault& fault::behind() const {
  const fault* found = this;
  while (found->kind == error_kind::lost && found->cause) {
    found = found->cause.get();
  }
  return found->kind == error_kind::refused ? *found : *this;
}

std::string_view fault::label() const {
  return reason.empty() ? name_of(kind) : std::string_view(reason);
}

fault refused(const v1::Error& from) {
  fault made(error_kind::refused, from.message());
  made.code = std::to_string(static_cast<int>(from.code()));
  for (const auto& row : code_rows) {
    if (row.number == static_cast<int>(from.code())) {
      made.code = row.name;
    }
  }
  made.reason = from.reason();
  made.debug_id = from.debug_id();
  // A day is longer than any call; a larger number would not fit into times.
  constexpr std::int64_t day = 86'400'000;
  made.retry_after = std::chrono::milliseconds(std::min(day, std::max<std::int64_t>(0, from.retry_after_ms())));
  for (const auto& detail : from.details()) {
    made.details[detail.name()] = detail.value();
  }
  return made;
}

fault lost_by(const fault& cause) {
  fault made(error_kind::lost, cause.whole());
  made.cause = std::make_shared<const fault>(cause);
  return made;
}

fault unserved(std::string text) {
  fault made(error_kind::lost, std::move(text));
  made.unserved = true;
  return made;
}

fault cancelled() {
  return fault(error_kind::cancelled, "the program cancelled the call");
}

fault timed_out() {
  return fault(error_kind::timed_out, "the call's time is over");
}

std::string_view retry_of(std::string_view reason) {
  for (const auto& row : retry_rows) {
    if (row.reason == reason) {
      return row.retry;
    }
  }
  return {};
}

void raise(const fault& made) {
  throw error(made);
}

maybe_fault read(std::string_view payload, google::protobuf::Message& into) {
  if (payload.size() > INT_MAX || !into.ParseFromArray(payload.data(), static_cast<int>(payload.size()))) {
    return fault(error_kind::protocol, "the server sent a " + into.GetDescriptor()->name() + " that cannot be read");
  }
  return std::nullopt;
}

}  // namespace detail

}  // namespace heddle
