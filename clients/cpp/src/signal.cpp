#include "signal.hpp"

#include <asio/redirect_error.hpp>
#include <asio/this_coro.hpp>
#include <asio/use_awaitable.hpp>

namespace heddle::detail {

class waiter {
 public:
  waiter(signal& changed, const asio::any_io_executor& executor, time_point until)
      : timer(executor, until), changed_(changed), place_(changed.waiting_.insert(changed.waiting_.end(), this)) {}
  waiter(const waiter&) = delete;
  waiter& operator=(const waiter&) = delete;
  ~waiter() {
    if (!is_notified) {
      changed_.waiting_.erase(place_);
    }
  }

  void notify() {
    is_notified = true;
    timer.cancel();
  }

  asio::steady_timer timer;
  bool is_notified = false;

 private:
  signal& changed_;
  std::list<waiter*>::iterator place_;
};

void signal::notify_one() {
  if (!waiting_.empty()) {
    waiter* first = waiting_.front();
    waiting_.pop_front();
    first->notify();
  }
}

void signal::notify_all() {
  while (!waiting_.empty()) {
    notify_one();
  }
}

asio::awaitable<woken> wait(asio::any_io_executor executor, signal& changed, time_point until) {
  waiter own(changed, executor, until);
  asio::error_code failed;
  auto token = asio::redirect_error(asio::use_awaitable, failed);
  co_await own.timer.async_wait(token);
  const auto state = co_await asio::this_coro::cancellation_state;
  if (state.cancelled() != asio::cancellation_type::none) {
    co_return woken::cancelled;
  }
  co_return own.is_notified ? woken::notified : woken::timed_out;
}

}  // namespace heddle::detail
