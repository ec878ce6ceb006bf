#pragma once

#include "connection.hpp"
#include "tools.hpp"

#include <map>
#include <memory>
#include <set>
#include <vector>

namespace heddle::detail {

class following;

using connection_pointer = std::shared_ptr<connection>;

// A hook or logger of the program: its exceptions do not reach the client's coroutines.
template <class Function, class... Arguments>
void tell(const Function& function, Arguments&&... arguments) {
  if constexpr (std::is_constructible_v<bool, const Function&>) {
    if (!function) {
      return;
    }
  }
  try {
    function(std::forward<Arguments>(arguments)...);
  } catch (...) {
  }
}

// The state of a client, shared by its handle, calls, subscriptions and turns. It lives on one executor.
class core : public std::enable_shared_from_this<core> {
 public:
  core(asio::any_io_executor executor, target where, heddle::options chosen);

  const asio::any_io_executor& executor() const { return executor_; }
  const heddle::options& options() const { return options_; }
  const target& where() const { return where_; }
  detail::tools& tools() { return tools_; }
  bool is_closed() const { return is_closed_; }

  // Runs a coroutine of the client's own, after the current step. `close` waits for its end.
  void spawn(asio::awaitable<void> work);
  // The same, at once: it has done its first step when this returns, if the program is on the client's executor.
  void spawn_at_once(asio::awaitable<void> work);
  void log(log_level level, const std::string& text) const {
    if (!is_silent_) {
      tell(options_.log, level, text);
    }
  }
  // None after the client's handle is destroyed: the things that they refer to may be gone too.
  const heddle::hooks& hooks() const;

  // The connection for new calls. One caller that gives up does not end the dialling for the others.
  asio::awaitable<result<connection_pointer>> current(time_point until);
  // One that does not follow the thread yet; from now on it does.
  asio::awaitable<result<connection_pointer>> current_for(std::string thread);
  void leave_current();
  // HELLO names what has handlers, so a new handler needs a new connection.
  void renew();

  void add(const std::shared_ptr<following>& subscription);
  void remove(const following* subscription);

  // Subscriptions of a connection that takes nothing new move at once.
  void leaves(const connection_pointer& from);
  void ended(const connection_pointer& from, const fault& why);

  asio::awaitable<void> close();
  // The same without waiting for it, when the client's handle is destroyed.
  void close_later();

 private:
  // A connection that is being made, for everybody who waits for one.
  struct dialling {
    bool is_done = false;
    connection_pointer made;
    maybe_fault failed;
    signal changed;
  };

  static asio::awaitable<void> dial_for(core_pointer self, std::shared_ptr<dialling> own);
  asio::awaitable<result<connection_pointer>> dial();
  asio::awaitable<result<connection_pointer>> dial_host(host_and_port place, std::string hello);
  asio::awaitable<result<std::string>> hello();
  asio::awaitable<result<std::string>> token();
  // False: it has happened already.
  bool stop();
  std::vector<connection_pointer> all() const { return {connections_.begin(), connections_.end()}; }
  std::vector<std::shared_ptr<following>> subscriptions() const;

  asio::any_io_executor executor_;
  target where_;
  heddle::options options_;
  detail::tools tools_;
  bool is_closed_ = false;
  bool is_silent_ = false;
  std::size_t running_ = 0;
  // A coroutine of the client's own has ended, a token has come, or the client is closed.
  signal changed_;
  connection_pointer current_;
  std::shared_ptr<dialling> dialling_;
  std::set<connection_pointer> connections_;
  std::set<connection_pointer> opening_;
  std::map<const following*, std::weak_ptr<following>> subscriptions_;
};

}  // namespace heddle::detail
