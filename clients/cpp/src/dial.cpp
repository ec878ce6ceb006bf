// The connections of a client.

#include "apart.hpp"
#include "core.hpp"

#include <cstdlib>

namespace heddle::detail {

namespace {

fault closed() {
  return fault(error_kind::closed, "the client is closed");
}

}  // namespace

asio::awaitable<result<connection_pointer>> core::current(time_point until) {
  const auto self = shared_from_this();
  if (current_ && current_->is_usable()) {
    co_return current_;
  }
  if (is_closed_) {
    co_return closed();
  }
  if (!dialling_) {
    dialling_ = std::make_shared<dialling>();
    spawn(dial_for(self, dialling_));
  }
  const auto own = dialling_;
  while (!own->is_done) {
    const woken by = co_await wait(executor_, own->changed, until);
    if (!own->is_done && by != woken::notified) {
      co_return by == woken::cancelled ? cancelled() : timed_out();
    }
  }
  if (own->failed) {
    co_return *own->failed;
  }
  co_return own->made;
}

asio::awaitable<void> core::dial_for(core_pointer self, std::shared_ptr<dialling> own) {
  try {
    result<connection_pointer> made = co_await self->dial();
    if (made) {
      own->made = *made;
      self->current_ = *made;
    } else {
      own->failed = made.failure();
    }
  } catch (const std::exception& failed) {
    own->failed = fault(error_kind::cannot_connect, failed.what());
  }
  own->is_done = true;
  self->dialling_ = nullptr;
  own->changed.notify_all();
}

asio::awaitable<result<connection_pointer>> core::current_for(std::string thread) {
  result<connection_pointer> first = co_await current(never);
  if (!first) {
    co_return first;
  }
  std::vector<connection_pointer> usable = all();
  usable.insert(usable.begin(), *first);
  for (const auto& conn : usable) {
    if (conn->is_usable() && conn->begin_to_follow(thread)) {
      co_return conn;
    }
  }
  result<connection_pointer> another = co_await dial();
  if (another) {
    (*another)->begin_to_follow(thread);
  }
  co_return another;
}

asio::awaitable<result<connection_pointer>> core::dial() {
  result<std::string> greeting = co_await hello();
  if (!greeting) {
    co_return greeting.failure();
  }
  std::string failures;
  for (std::size_t number = 0; number < where_.hosts.size(); number++) {
    const host_and_port place = where_.hosts[number];
    result<connection_pointer> made = co_await dial_host(place, *greeting);
    if (made) {
      co_return made;
    }
    // Another server may have room, or not be on its way down; a wrong token is wrong everywhere.
    const fault failed = made.failure();
    const bool is_last = number + 1 == where_.hosts.size();
    const bool is_everywhere = failed.kind == error_kind::refused && (retry_of(failed.reason) != "reconnect" || is_last);
    if (failed.kind == error_kind::protocol || failed.kind == error_kind::too_large || failed.kind == error_kind::closed || is_everywhere) {
      co_return failed;
    }
    failures += (failures.empty() ? "" : "; ") + place.text() + ": " + failed.whole();
  }
  co_return fault(error_kind::cannot_connect, "no server can be reached: " + failures);
}

asio::awaitable<result<connection_pointer>> core::dial_host(host_and_port place, std::string hello) {
  if (is_closed_) {
    co_return closed();
  }
  const auto self = shared_from_this();
  const auto conn = std::make_shared<connection>(self);
  opening_.insert(conn);
  const time_point until = clock::now() + options_.connect_timeout;
  maybe_fault failed = co_await conn->open(self, place, std::move(hello), until);
  opening_.erase(conn);
  if (is_closed_) {
    conn->end(fault(error_kind::lost, "the client is closed"));
    co_return closed();
  }
  if (failed) {
    co_return *failed;
  }
  connections_.insert(conn);
  log(log_level::info, "connected to " + place.text());
  tell(hooks().connected, place.text());
  co_return conn;
}

asio::awaitable<result<std::string>> core::hello() {
  v1::ClientHello hello;
  result<std::string> given = co_await token();
  if (!given) {
    co_return given;
  }
  hello.set_client_name(options_.client_name);
  hello.set_token(*given);
  for (const auto& feature : tools_.features()) {
    hello.add_features(feature);
  }
  hello.add_unwanted_notifications("thread_started");
  std::string out;
  append_frame(out, frame_kind::hello, 0, 0, hello.SerializeAsString(), {});
  co_return out;
}

asio::awaitable<result<std::string>> core::token() {
  if (!options_.token.empty()) {
    co_return options_.token;
  }
  if (!options_.token_source) {
    const char* text = std::getenv("HEDDLE_TOKEN");
    co_return std::string(text == nullptr ? "" : text);
  }
  const auto self = shared_from_this();
  const time_point until = clock::now() + options_.connect_timeout;
  auto work = [](const core_pointer own) -> asio::awaitable<std::string> { co_return co_await own->options_.token_source(); };
  const auto asking = run_apart<std::string>(executor_, work(self), [self] { self->changed_.notify_all(); });
  while (!asking->is_done && !is_closed_ && clock::now() < until) {
    co_await wait(executor_, changed_, until);
  }
  if (!asking->is_done) {
    asking->stop.emit(asio::cancellation_type::terminal);
    co_return is_closed_ ? closed() : fault(error_kind::cannot_connect, "the function for the token gave none in its time");
  }
  if (asking->thrown) {
    co_return fault(error_kind::cannot_connect, "the function for the token failed: " + text_of(asking->thrown));
  }
  co_return std::move(asking->made);
}

}  // namespace heddle::detail
