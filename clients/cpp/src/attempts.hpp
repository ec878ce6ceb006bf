#pragma once

#include "core.hpp"
#include "heddle/detail/method.hpp"

#include <string>

namespace heddle::detail {

// The first wait doubles up to the longest one, and clients do not come back together.
milliseconds backoff(const heddle::options& chosen, unsigned attempt);

// One call, as often as it takes.
class attempts {
 public:
  attempts(core_pointer client, const method& called, std::string key, time_point until);

  asio::awaitable<result<std::string>> run(std::string payload);
  // The end of the call, for the hook.
  void note(const maybe_fault& failed) const;
  // The fault of a call that its coroutine was thrown out of.
  fault thrown_out();

 private:
  asio::awaitable<result<std::string>> once(const std::string& payload);
  std::string metadata() const;
  // The wait until the next attempt; nothing: this fault is the call's.
  std::optional<milliseconds> wait_before_another(fault& failed);
  bool may_repeat(const fault& failed, std::string_view reason, bool is_open);

  core_pointer client_;
  const method& called_;
  std::string key_;
  time_point until_;
  time_point began_;
  unsigned count_ = 0;
  std::size_t sent_ = 0;
  std::size_t received_ = 0;
  bool is_sent_ = false;
  // A change may have been made, and no answer has said whether.
  bool outcome_is_open_ = false;
  bool has_new_token_ = false;
};

}  // namespace heddle::detail
