#pragma once

#include "heddle/v1/event.pb.h"
#include "heddle/v1/thread.pb.h"

#include <asio/awaitable.hpp>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace heddle {

namespace detail {
class following;
}

// The things that a subscription brings.
struct subscribe_options {
  // Events after this one; 0: all of them. Without it only new ones come.
  std::optional<std::uint64_t> after;
  // The epoch that `after` belongs to.
  std::optional<std::uint64_t> epoch;
  // The agents below the thread too; such a message has `thread`.
  bool tree = false;
  // Some kinds of messages; empty: all.
  std::vector<v1::SubscriptionKind> kinds;
  // The bytes that may wait for the program; 0: as the client's options say.
  std::uint32_t credit = 0;
};

// The messages of a thread. A subscription survives connections: it goes on behind the last event that the program has taken.
// Messages that were read ahead of it go with their connection and come again, so nothing is skipped and no event comes twice.
// It ends with `close`, or when it is destroyed.
class subscription {
 public:
  explicit subscription(std::shared_ptr<detail::following> state);
  subscription(subscription&&) noexcept;
  subscription& operator=(subscription&&) noexcept;
  ~subscription();

  // The next message; nothing: the subscription is closed. One `next` at a time.
  asio::awaitable<std::optional<v1::SubscriptionEvent>> next();

  // The moment when the server follows the thread for this subscription.
  asio::awaitable<void> opened();

  void close();

  // The number of messages of kinds that this client does not know.
  std::size_t skipped() const;

 private:
  std::shared_ptr<detail::following> state_;
};

}  // namespace heddle
