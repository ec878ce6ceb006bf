#pragma once

#include "heddle/v1/turn.pb.h"

#include <asio/awaitable.hpp>

#include <memory>
#include <optional>
#include <string>

namespace heddle {

namespace detail {
class running_turn;
}

// A turn that runs: `while (auto text = co_await turn.next())`. It starts with the first `next` or `result`. A turn that is
// cancelled, or destroyed before its end, is interrupted on the server; `leave` lets it go on there.
class turn {
 public:
  explicit turn(std::shared_ptr<detail::running_turn> state);
  turn(turn&&) noexcept;
  turn& operator=(turn&&) noexcept;
  ~turn();

  // The model's next words, each byte once; nothing at the end.
  asio::awaitable<std::optional<std::string>> next();

  // The whole text, at the end of the turn.
  asio::awaitable<std::string> result();

  // The id of the turn, as soon as it has started.
  const std::string& id() const;

  // The tokens used, after the end.
  const v1::TokenUsage& usage() const;

  // The turn goes on without this program.
  void leave();

 private:
  std::shared_ptr<detail::running_turn> state_;
};

}  // namespace heddle
