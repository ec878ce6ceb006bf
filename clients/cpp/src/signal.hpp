#pragma once

#include <asio/any_io_executor.hpp>
#include <asio/awaitable.hpp>
#include <asio/steady_timer.hpp>

#include <chrono>
#include <list>

namespace heddle::detail {

using clock = std::chrono::steady_clock;
using time_point = clock::time_point;

inline constexpr time_point never = time_point::max();

// The end of a time that begins now; no time at all, and one longer than clocks can add, have no end.
inline time_point after(std::chrono::milliseconds time) {
  constexpr std::chrono::hours longest{24 * 365 * 10};
  return time.count() > 0 && time < longest ? clock::now() + time : never;
}

enum class woken { notified, timed_out, cancelled };

class waiter;

// Coroutines that wait for something to change. They look at what has changed when they are woken, and may wait again.
class signal {
 public:
  signal() = default;
  signal(const signal&) = delete;
  signal& operator=(const signal&) = delete;

  void notify_one();
  void notify_all();

 private:
  friend class waiter;
  std::list<waiter*> waiting_;
};

// Waits in the program's coroutine: its cancellation slot counts. The signal outlives the wait.
asio::awaitable<woken> wait(asio::any_io_executor executor, signal& changed, time_point until);

}  // namespace heddle::detail
