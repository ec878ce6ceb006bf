#include "attempts.hpp"

#include "heddle/detail/call.hpp"

#include <openssl/rand.h>

#include <algorithm>
#include <random>

namespace heddle::detail {

namespace {

constexpr milliseconds longest_deadline{86'400'000};
constexpr std::size_t key_bytes = 16;
// After these the outcome of a change is open although the server answered.
constexpr std::string_view open_outcomes[] = {"storage_failed", "deadline_exceeded", "cancelled", "internal"};

std::string new_key() {
  std::string made(key_bytes, '\0');
  if (RAND_bytes(reinterpret_cast<unsigned char*>(made.data()), static_cast<int>(made.size())) != 1) {
    raise(fault(error_kind::cannot_connect, "this machine gives no random bytes"));
  }
  return made;
}

}  // namespace

milliseconds backoff(const heddle::options& chosen, unsigned attempt) {
  thread_local std::minstd_rand chance{std::random_device{}()};
  const auto doubled = chosen.backoff * (std::int64_t{1} << std::min(attempt, 20U));
  const auto wait = std::min(chosen.longest_backoff, doubled);
  std::uniform_real_distribution<double> part(0.5, 1.0);
  return milliseconds(static_cast<std::int64_t>(static_cast<double>(wait.count()) * part(chance)));
}

attempts::attempts(core_pointer client, const method& called, std::string key, time_point until)
    : client_(std::move(client)), called_(called), key_(std::move(key)), until_(until), began_(clock::now()) {}

asio::awaitable<result<std::string>> attempts::run(std::string payload) {
  for (;;) {
    count_++;
    result<std::string> made = co_await once(payload);
    if (made) {
      co_return made;
    }
    const auto pause = wait_before_another(made.failure());
    if (!pause) {
      co_return made;
    }
    const std::string reason(made.failure().label());
    tell(client_->hooks().retry, called_.path, count_, *pause, reason);
    client_->log(log_level::debug,
                 "a call is sent again: " + std::string(called_.path) + ", attempt " + std::to_string(count_) + ", " + reason);
    if (pause->count() > 0) {
      signal nothing;
      const woken by = co_await wait(client_->executor(), nothing, clock::now() + *pause);
      if (by == woken::cancelled) {
        co_return thrown_out();
      }
    }
  }
}

asio::awaitable<result<std::string>> attempts::once(const std::string& payload) {
  if (clock::now() >= until_) {
    co_return timed_out();
  }
  result<connection_pointer> found = co_await client_->current(until_);
  if (!found) {
    co_return found.failure();
  }
  const connection_pointer conn = *found;
  // From here on the call counts as sent if its coroutine is thrown out.
  const std::function<std::string()> beside = [this] {
    is_sent_ = true;
    return metadata();
  };
  const bool was_sent = is_sent_;
  answered got = co_await conn->call(called_.number, payload, until_, beside);
  sent_ += got.sent;
  received_ += got.received;
  is_sent_ = was_sent;
  if (!got.failed) {
    co_return std::move(got.payload);
  }
  is_sent_ = is_sent_ || (got.sent > 0 && !got.failed->unserved);
  if (got.failed->kind == error_kind::refused && retry_of(got.failed->reason) == "reconnect") {
    conn->leave();
  }
  co_return *got.failed;
}

std::string attempts::metadata() const {
  v1::Metadata made;
  if (!key_.empty()) {
    made.set_idempotency_key(key_);
  }
  if (until_ != never) {
    const auto left = std::chrono::duration_cast<milliseconds>(until_ - clock::now());
    made.set_deadline_ms(std::clamp(left, milliseconds(1), longest_deadline).count());
  }
  const auto set_trace = [&] {
    const trace_context trace = client_->options().trace();
    made.set_traceparent(trace.traceparent);
    made.set_tracestate(trace.tracestate);
  };
  if (client_->options().trace) {
    tell(set_trace);
  }
  return made.SerializeAsString();
}

fault attempts::thrown_out() {
  fault failed = cancelled();
  wait_before_another(failed);
  return failed;
}

std::optional<milliseconds> attempts::wait_before_another(fault& failed) {
  const fault behind = failed.behind();
  const std::string reason = behind.kind == error_kind::refused ? behind.reason : std::string();
  const bool is_given_up = failed.kind == error_kind::timed_out || failed.kind == error_kind::cancelled;
  const bool is_unclear = failed.kind == error_kind::refused && std::ranges::find(open_outcomes, reason) != std::end(open_outcomes);
  const bool is_open = (is_given_up && is_sent_) || (failed.kind == error_kind::lost && !failed.unserved) || is_unclear;
  outcome_is_open_ = outcome_is_open_ || (is_open && (called_.keyed || !called_.repeatable));
  failed.attempts = count_;
  failed.may_have_happened = outcome_is_open_;
  if (count_ > client_->options().retries || client_->is_closed() || !may_repeat(failed, reason, is_open)) {
    return std::nullopt;
  }
  milliseconds pause = backoff(client_->options(), count_ - 1);
  if (count_ == 1 && !is_open && retry_of(reason) != "wait" && failed.kind != error_kind::cannot_connect) {
    // The server has said that it did not serve the call, and another connection may.
    pause = milliseconds(0);
  }
  pause = std::max(pause, behind.retry_after);
  if (until_ != never && until_ - clock::now() <= pause) {
    return std::nullopt;
  }
  return pause;
}

bool attempts::may_repeat(const fault& failed, std::string_view reason, bool is_open) {
  if (is_open && !called_.repeatable) {
    return false;
  }
  const std::string_view decided = retry_of(reason);
  if (decided == "token") {
    if (has_new_token_ || !client_->options().token_source) {
      return false;
    }
    has_new_token_ = true;
    client_->leave_current();
    return true;
  }
  if (failed.kind == error_kind::refused) {
    return decided == "wait" || decided == "reconnect";
  }
  return failed.kind == error_kind::cannot_connect || (failed.kind == error_kind::lost && (reason.empty() || !decided.empty()));
}

void attempts::note(const maybe_fault& failed) const {
  const auto took = std::chrono::duration_cast<std::chrono::microseconds>(clock::now() - began_);
  const std::string reason(failed ? failed->label() : std::string_view());
  tell(client_->hooks().call, call_ended{called_.path, count_, took, sent_, received_, reason});
}

asio::awaitable<std::string> invoke(core_pointer client, const method& called, std::string payload, call_options chosen) {
  std::string key;
  if (called.keyed) {
    key = chosen.key() ? *chosen.key() : new_key();
    if (key.size() != key_bytes) {
      raise(fault(error_kind::refused, "a key has 16 bytes, not " + std::to_string(key.size())));
    }
  }
  const time_point until = after(chosen.timeout() ? *chosen.timeout() : client->options().timeout);
  attempts made(client, called, std::move(key), until);
  maybe_fault failed;
  try {
    result<std::string> got = co_await made.run(std::move(payload));
    if (got) {
      made.note(std::nullopt);
      co_return std::move(*got);
    }
    failed = got.failure();
  } catch (const asio::system_error& thrown) {
    // A coroutine that is cancelled is thrown out of its next wait.
    if (thrown.code() != asio::error::operation_aborted) {
      throw;
    }
    failed = made.thrown_out();
  }
  made.note(failed);
  raise(*failed);
}

void read_answer(const std::string& bytes, google::protobuf::Message& into) {
  if (const maybe_fault unreadable = read(bytes, into)) {
    raise(*unreadable);
  }
}

}  // namespace heddle::detail
