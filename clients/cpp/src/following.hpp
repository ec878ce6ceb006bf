#pragma once

#include "core.hpp"
#include "heddle/subscription.hpp"

#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>

namespace heddle::detail {

class stream;

// The state of a subscription.
class following : public std::enable_shared_from_this<following> {
 public:
  using message = std::optional<v1::SubscriptionEvent>;

  following(core_pointer client, v1::SubscribeRequest asked);

  static asio::awaitable<result<message>> next(std::shared_ptr<following> self);
  static asio::awaitable<maybe_fault> opened(std::shared_ptr<following> self);
  void close();
  std::size_t skipped() const { return skipped_; }
  // The connection takes nothing new: the subscription moves to another one.
  void leave(const connection_pointer& from);

 private:
  friend class stream;

  // Events of an agent that came while there was no connection: they are read before the stream goes on.
  struct gap {
    std::string agent;
    std::uint64_t after = 0;
    std::uint64_t until = 0;
  };

  struct queued {
    v1::SubscriptionEvent message;
    std::size_t size = 0;
    std::optional<gap> missing;
  };

  // The program's side
  void taken(const queued& entry);
  void fill_gap(const gap& missing);
  static asio::awaitable<result<message>> fill(std::shared_ptr<following> self, std::shared_ptr<following> inner);

  // The connection's side
  void begin();
  static asio::awaitable<void> keep_opening(std::shared_ptr<following> self);
  asio::awaitable<void> rest(milliseconds time);
  maybe_fault subscribe(const connection_pointer& conn);
  maybe_fault subscribed(v1::SubscriptionEvent message);
  // True: events are missing, and are asked for once more.
  result<bool> came(v1::SubscriptionEvent message, std::size_t size);
  void came_from_agent(const v1::SubscriptionEvent& message);
  void broke(const stream* from, const fault& why);
  void start_again();
  void fail(const fault& why);
  void leave_stream();

  core_pointer client_;
  v1::SubscribeRequest asked_;
  std::string thread_;
  std::uint32_t credit_;

  signal changed_;
  std::shared_ptr<stream> stream_;
  bool is_opening_ = false;
  bool has_opened_ = false;
  bool is_closed_ = false;
  maybe_fault failed_;
  std::deque<queued> queue_;
  // The last event that the program has taken, and the last one that has come.
  std::optional<std::uint64_t> cursor_;
  std::optional<std::uint64_t> received_;
  std::optional<std::uint64_t> epoch_;
  std::map<std::string, std::uint64_t> agents_;
  std::size_t returned_ = 0;
  // Streams that ended soon, without a message taken since: such a subscription comes again ever more slowly.
  unsigned broken_ = 0;
  unsigned gaps_in_a_row_ = 0;
  std::shared_ptr<following> filling_;
  gap gap_;
  std::size_t skipped_ = 0;
};

// A subscription on one connection.
class stream : public handler {
 public:
  stream(std::shared_ptr<following> owner, connection_pointer on, std::int64_t credit);

  maybe_fault came(frame_kind kind, std::string_view payload, std::size_t size) override;
  void ended(const fault& why) override;

  // Once: afterwards another stream of this connection may follow the thread.
  void finish();
  // The rest of it is not wanted any more.
  void leave();

  connection_pointer conn;
  std::uint32_t number = 0;
  std::int64_t allowed;
  time_point since;

 private:
  std::shared_ptr<following> owner_;
  bool is_done_ = false;
};

}  // namespace heddle::detail
