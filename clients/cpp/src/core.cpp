#include "core.hpp"

#include "following.hpp"

#include <asio/co_spawn.hpp>
#include <asio/detached.hpp>
#include <asio/post.hpp>

namespace heddle::detail {

core::core(asio::any_io_executor executor, target where, heddle::options chosen)
    : executor_(std::move(executor)), where_(std::move(where)), options_(std::move(chosen)), tools_(options_, executor_) {
  where_.tls = where_.tls || options_.tls != nullptr;
}

void core::spawn(asio::awaitable<void> work) {
  running_++;
  asio::post(executor_, [self = shared_from_this(), work = std::move(work)]() mutable {
    self->running_--;
    self->spawn_at_once(std::move(work));
  });
}

void core::spawn_at_once(asio::awaitable<void> work) {
  running_++;
  asio::co_spawn(executor_, std::move(work), [self = shared_from_this()](std::exception_ptr) {
    self->running_--;
    self->changed_.notify_all();
  });
}

void core::leave_current() {
  if (const auto current = current_) {
    current->leave();
  }
}

void core::renew() {
  for (const auto& conn : all()) {
    conn->leave();
  }
}

void core::add(const std::shared_ptr<following>& subscription) {
  subscriptions_[subscription.get()] = subscription;
}

void core::remove(const following* subscription) {
  subscriptions_.erase(subscription);
}

std::vector<std::shared_ptr<following>> core::subscriptions() const {
  std::vector<std::shared_ptr<following>> found;
  for (const auto& [key, held] : subscriptions_) {
    if (auto one = held.lock()) {
      found.push_back(std::move(one));
    }
  }
  return found;
}

void core::leaves(const connection_pointer& from) {
  for (const auto& subscription : subscriptions()) {
    subscription->leave(from);
  }
}

void core::ended(const connection_pointer& from, const fault& why) {
  if (current_ == from) {
    current_ = nullptr;
  }
  if (connections_.erase(from) == 0) {
    return;
  }
  const std::string text = why.whole();
  log(log_level::info, "a connection ended: " + text);
  tell(hooks().lost, text);
}

bool core::stop() {
  if (std::exchange(is_closed_, true)) {
    return false;
  }
  for (const auto& subscription : subscriptions()) {
    subscription->close();
  }
  tools_.stop();
  const auto opening = opening_;
  for (const auto& conn : opening) {
    conn->give_up(fault(error_kind::lost, "the client is closed"));
  }
  changed_.notify_all();
  return true;
}

asio::awaitable<void> core::close() {
  const auto self = shared_from_this();
  if (!stop()) {
    co_return;
  }
  const time_point until = clock::now() + options_.close_timeout;
  const auto connections = all();
  for (const auto& conn : connections) {
    conn->leave();
  }
  bool is_waiting = true;
  for (const auto& conn : connections) {
    while (is_waiting && !conn->has_ended()) {
      is_waiting = co_await wait(executor_, conn->gone(), until) == woken::notified;
    }
  }
  for (const auto& conn : all()) {
    conn->end(fault(error_kind::lost, "the client is closed"));
  }
  while (is_waiting && running_ > 0) {
    is_waiting = co_await wait(executor_, changed_, never) == woken::notified;
  }
}

const heddle::hooks& core::hooks() const {
  static const heddle::hooks none;
  return is_silent_ ? none : options_.hooks;
}

void core::close_later() {
  is_silent_ = true;
  if (!is_closed_) {
    auto work = [](core_pointer self) -> asio::awaitable<void> { co_await self->close(); };
    asio::co_spawn(executor_, work(shared_from_this()), asio::detached);
  }
}

}  // namespace heddle::detail
