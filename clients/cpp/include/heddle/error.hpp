#pragma once

#include <chrono>
#include <exception>
#include <map>
#include <memory>
#include <string>
#include <string_view>

namespace heddle {

enum class error_kind {
  // The server answered with an error.
  refused,
  // No server could be reached, and nothing was sent.
  cannot_connect,
  // The connection ended before the answer came.
  lost,
  // The call's time was over.
  timed_out,
  // The server sent something that no server of this protocol sends.
  protocol,
  // A message is larger than a frame may be.
  too_large,
  // The client is closed.
  closed,
  // The program cancelled the call.
  cancelled,
  // A turn ended without a result.
  turn_failed,
};

// `Refused`, `CannotConnect` and so on.
std::string_view name_of(error_kind kind);

// The facts about an error.
struct error_info {
  error_kind kind = error_kind::lost;
  std::string code;
  std::string reason;
  std::string message;
  std::map<std::string, std::string> details;
  std::chrono::milliseconds retry_after{0};
  std::string debug_id;
  unsigned attempts = 1;
  bool may_have_happened = false;
  std::string status;
  std::string text;
};

// The exception of all calls. A copy is cheap and does not throw.
class error : public std::exception {
 public:
  explicit error(error_info info);

  const char* what() const noexcept override { return made_->text.c_str(); }

  error_kind kind() const noexcept { return made_->info.kind; }
  // The code of a refusal, such as NOT_FOUND.
  const std::string& code() const noexcept { return made_->info.code; }
  // A stable name to switch on (heddle/generated/reasons.hpp), of a refusal or a turn that failed.
  const std::string& reason() const noexcept { return made_->info.reason; }
  const std::string& message() const noexcept { return made_->info.message; }
  // Facts about the error, as text by name.
  const std::map<std::string, std::string>& details() const noexcept { return made_->info.details; }
  // The time to wait before the next attempt, or 0.
  std::chrono::milliseconds retry_after() const noexcept { return made_->info.retry_after; }
  // The name of the line in the server's log, or empty.
  const std::string& debug_id() const noexcept { return made_->info.debug_id; }
  // The number of times that the call was sent, or was tried to be sent.
  unsigned attempts() const noexcept { return made_->info.attempts; }
  // True: a change may have been made although no answer came. The same call with the same key tells.
  bool may_have_happened() const noexcept { return made_->info.may_have_happened; }
  // FAILED or INTERRUPTED, of a turn.
  const std::string& status() const noexcept { return made_->info.status; }
  // The text that came until then, of a turn.
  const std::string& text() const noexcept { return made_->info.text; }

 private:
  struct whole {
    error_info info;
    std::string text;
  };
  std::shared_ptr<const whole> made_;
};

}  // namespace heddle
