#pragma once

#include "core.hpp"
#include "heddle/v1/event.pb.h"
#include "heddle/v1/turn.pb.h"

#include <map>
#include <memory>
#include <optional>
#include <string>

namespace heddle::detail {

// The state of a turn.
class running_turn {
 public:
  running_turn(core_pointer client, v1::StartTurnRequest request);

  static asio::awaitable<std::optional<std::string>> next(std::shared_ptr<running_turn> self);
  static asio::awaitable<std::string> whole(std::shared_ptr<running_turn> self);
  // Ends the following. A turn that is given up is interrupted, if it runs.
  void finish(bool is_given_up);

  const std::string& id() const { return id_; }
  const v1::TokenUsage& usage() const { return usage_; }

 private:
  static asio::awaitable<result<std::optional<std::string>>> step(std::shared_ptr<running_turn> self);
  static asio::awaitable<maybe_fault> begin(std::shared_ptr<running_turn> self);
  std::string piece(const v1::SubscriptionEvent& message);
  std::string unseen(const std::string& item, std::uint64_t offset, const std::string& text);
  maybe_fault look_for_end(const v1::SubscriptionEvent& message);

  core_pointer client_;
  v1::StartTurnRequest request_;
  std::shared_ptr<following> events_;
  std::string id_;
  v1::TokenUsage usage_;
  std::string whole_;
  // Bytes of each of the model's messages that have come: each byte comes once, from anywhere.
  std::map<std::string, std::uint64_t> seen_;
  bool has_ended_ = false;
};

}  // namespace heddle::detail
