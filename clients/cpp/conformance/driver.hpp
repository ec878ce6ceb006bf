#pragma once

#include "conformance.pb.h"
#include "heddle/client.hpp"

#include <asio/any_io_executor.hpp>
#include <asio/cancellation_signal.hpp>
#include <asio/steady_timer.hpp>

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace driver {

namespace pb = heddle::conformance::v1;

// A step that runs in the background.
struct work {
  explicit work(const asio::any_io_executor& executor) : done(executor, asio::steady_timer::time_point::max()) {}
  asio::cancellation_signal stop;
  asio::steady_timer done;
  std::optional<pb::Report> report;
};

// One client at a time, driven by steps.
class driver {
 public:
  explicit driver(asio::any_io_executor executor) : executor_(std::move(executor)) {}

  asio::awaitable<pb::Report> step(pb::Step step);

 private:
  using task = asio::awaitable<pb::Report>;

  task run(pb::Step step);
  task others(pb::Step step);
  static task guarded(task inner);
  task begin();
  task connect(pb::Connect asked);
  static asio::awaitable<std::string> token(pb::Connect asked, int number);
  task call(pb::Call asked);
  task turn(pb::Turn asked);
  task in_background(std::uint32_t id, task inner);
  task await(std::uint32_t id);
  task subscribe(pb::Subscribe asked);
  task next(pb::Next asked);
  task take(std::string name);
  task pages(pb::Pages asked);
  task vector(pb::Vector asked);
  void add_tool(const pb::Tool& tool);
  asio::awaitable<std::string> run_tool(pb::Tool tool);
  asio::awaitable<void> sleep(unsigned milliseconds);

  asio::any_io_executor executor_;
  std::map<std::uint32_t, std::shared_ptr<work>> background_;
  std::vector<pb::Tool> tools_;
  std::vector<std::string> heard_;
  std::map<std::string, std::uint32_t> begun_;
  std::map<std::string, std::uint32_t> cancelled_;
  std::string logged_;
  std::optional<heddle::client> client_;
  std::map<std::string, heddle::subscription> subscriptions_;
};

}  // namespace driver
