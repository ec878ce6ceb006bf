#pragma once

#include "frames.hpp"
#include "heddle/options.hpp"
#include "signal.hpp"
#include "url.hpp"

#include <asio/ip/tcp.hpp>
#include <asio/ssl/stream.hpp>

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>

namespace heddle::detail {

class core;
using core_pointer = std::shared_ptr<core>;

// Everything that is asked for on a stream: a call or a subscription.
class handler {
 public:
  virtual ~handler() = default;
  // A frame has come on the stream; a fault ends the connection.
  virtual maybe_fault came(frame_kind kind, std::string_view payload, std::size_t size) = 0;
  virtual void ended(const fault& why) = 0;
  // A call has one answer, and a place among those in flight.
  virtual bool is_call() const { return false; }
};

struct answered {
  std::string payload;
  std::size_t received = 0;
  std::size_t sent = 0;
  maybe_fault failed;
};

// A connection to one server:
//
//   opening   HELLO is on its way.                                                     → open, ended
//   open      calls go.                                                                → leaving, ended
//   leaving   the server has sent GOAWAY, or the client replaces it: nothing new; what it covers goes on. → ended
//   ended     everybody who waited has been told.
class connection : public std::enable_shared_from_this<connection> {
 public:
  explicit connection(const core_pointer& client);

  // Connects and says HELLO. One that fails has ended.
  asio::awaitable<maybe_fault> open(core_pointer client, host_and_port place, std::string hello, time_point until);
  // Ends the attempt to open it.
  void give_up(const fault& why);

  bool is_usable() const { return hello_ && !is_leaving_ && !has_ended_; }
  bool has_ended() const { return has_ended_; }
  // The end has come, or more than it.
  signal& gone() { return gone_; }

  // The server's time minus this machine's.
  std::chrono::milliseconds ahead() const { return ahead_; }
  // The largest message that the server takes; 0: not known.
  std::size_t frame_limit() const { return hello_ ? hello_->limits().frame_bytes() : 0; }

  asio::awaitable<answered> call(std::uint16_t method, const std::string& payload, time_point until,
                                 const std::function<std::string()>& metadata);
  result<std::uint32_t> open_stream(std::uint16_t method, const std::string& payload, const std::string& metadata,
                                    std::shared_ptr<handler> asker);
  void send(frame_kind kind, std::uint16_t method, std::uint32_t stream, std::string_view payload);
  // Asks for the end of a call, whose answer still comes.
  void cancel(std::uint32_t stream);
  // Ends a subscription's stream: nothing of it is heard any more.
  void drop(std::uint32_t stream);

  // True: the connection did not follow the thread, and does from now on.
  bool begin_to_follow(const std::string& thread) { return follows_.insert(thread).second; }
  void follow_no_more(const std::string& thread) { follows_.erase(thread); }

  // Nothing new goes out; it closes when everything is answered.
  void leave();
  void end(const fault& why);

 private:
  using socket = asio::ip::tcp::socket;

  asio::awaitable<maybe_fault> reach(host_and_port place);
  asio::awaitable<maybe_fault> secure(core_pointer client, std::string host);
  void close_socket();

  static asio::awaitable<void> read_loop(std::shared_ptr<connection> self, core_pointer client);
  asio::awaitable<fault> read_frames(core& client);
  static asio::awaitable<void> write_loop(std::shared_ptr<connection> self, core_pointer client);
  asio::awaitable<maybe_fault> write_frames();
  static asio::awaitable<void> watch_loop(std::shared_ptr<connection> self, core_pointer client);
  void look_at_silence();

  maybe_fault take(core& client, const frame& came);
  maybe_fault answer(const frame& came);
  maybe_fault greeted(std::string_view payload);
  maybe_fault go_away(std::string_view payload);
  asio::awaitable<maybe_fault> wait_for_room(time_point until);
  void give_room();
  void end_if_done();

  std::weak_ptr<core> client_;
  asio::any_io_executor executor_;
  milliseconds ping_after_;
  milliseconds lost_after_;
  asio::ip::tcp::resolver resolver_;
  socket socket_;
  std::shared_ptr<asio::ssl::context> context_;
  std::optional<asio::ssl::stream<socket&>> tls_;

  std::optional<v1::ServerHello> hello_;
  std::chrono::milliseconds ahead_{0};
  bool is_leaving_ = false;
  bool has_ended_ = false;
  bool is_written_ = false;
  maybe_fault fault_;
  signal ready_;
  signal gone_;

  std::map<std::uint32_t, std::shared_ptr<handler>> streams_;
  std::set<std::string> follows_;
  std::uint32_t next_ = 1;
  std::size_t limit_ = 256;
  std::size_t in_flight_ = 0;
  signal room_;

  std::size_t largest_ = received_bytes;
  std::string out_;
  signal wake_;
  time_point heard_;
  time_point pinged_{};
};

}  // namespace heddle::detail
