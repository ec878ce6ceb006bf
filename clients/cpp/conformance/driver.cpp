#include "driver.hpp"

#include <google/protobuf/descriptor.h>
#include <asio/bind_cancellation_slot.hpp>
#include <asio/co_spawn.hpp>
#include <asio/detached.hpp>
#include <asio/redirect_error.hpp>
#include <asio/use_awaitable.hpp>

namespace driver {

namespace {

using heddle::milliseconds;

pb::Report done() {
  pb::Report made;
  made.mutable_done();
  return made;
}

void set(milliseconds& place, std::uint32_t value) {
  if (value > 0) {
    place = milliseconds(value);
  }
}

pb::Report failed(const heddle::error& error) {
  pb::Report made;
  auto* to = made.mutable_failed();
  to->set_kind(std::string(heddle::name_of(error.kind())));
  to->set_code(error.code());
  to->set_reason(error.reason());
  to->set_message(error.what());
  to->mutable_details()->insert(error.details().begin(), error.details().end());
  to->set_debug_id(error.debug_id());
  to->set_attempts(error.attempts());
  to->set_may_have_happened(error.may_have_happened());
  return made;
}

std::unique_ptr<google::protobuf::Message> message(const google::protobuf::Descriptor* type) {
  return std::unique_ptr<google::protobuf::Message>(google::protobuf::MessageFactory::generated_factory()->GetPrototype(type)->New());
}

const google::protobuf::DescriptorPool& pool() {
  return *google::protobuf::DescriptorPool::generated_pool();
}

}  // namespace

asio::awaitable<pb::Report> driver::step(pb::Step step) {
  const std::uint32_t id = step.id();
  pb::Report made = co_await guarded(run(std::move(step)));
  made.set_id(id);
  co_return made;
}

driver::task driver::guarded(task inner) {
  try {
    co_return co_await std::move(inner);
  } catch (const heddle::error& error) {
    co_return failed(error);
  }
}

driver::task driver::run(pb::Step step) {
  switch (step.what_case()) {
    case pb::Step::kBegin:
      return begin();
    case pb::Step::kConnect:
      return connect(step.connect());
    case pb::Step::kCall:
      return step.call().background() ? in_background(step.id(), call(step.call())) : call(step.call());
    case pb::Step::kAwait:
      return await(step.await().step());
    case pb::Step::kSubscribe:
      return subscribe(step.subscribe());
    case pb::Step::kNext:
      return next(step.next());
    case pb::Step::kTurn:
      return step.turn().background() ? in_background(step.id(), turn(step.turn())) : turn(step.turn());
    case pb::Step::kPages:
      return pages(step.pages());
    case pb::Step::kVector:
      return vector(step.vector());
    default:
      return others(std::move(step));
  }
}

driver::task driver::others(pb::Step step) {
  pb::Report made = done();
  if (step.has_cancel()) {
    background_.at(step.cancel().step())->stop.emit(asio::cancellation_type::terminal);
  } else if (step.has_unsubscribe()) {
    subscriptions_.at(step.unsubscribe().name()).close();
  } else if (step.has_tool()) {
    tools_.push_back(step.tool());
    if (client_) {
      add_tool(step.tool());
    }
  } else if (step.has_tool_runs()) {
    auto* counts = made.mutable_counts();
    counts->mutable_begun()->insert(begun_.begin(), begun_.end());
    counts->mutable_cancelled()->insert(cancelled_.begin(), cancelled_.end());
  } else if (step.has_hooks()) {
    auto* heard = made.mutable_heard();
    heard->mutable_hooks()->Assign(heard_.begin(), heard_.end());
    heard->set_text(logged_ + (client_ ? client_->description() : ""));
    heard_.clear();
  } else if (step.has_close()) {
    co_await client_->close();
  }
  co_return made;
}

driver::task driver::begin() {
  for (const auto& [id, running] : background_) {
    running->stop.emit(asio::cancellation_type::terminal);
  }
  background_.clear();
  subscriptions_.clear();
  if (client_) {
    co_await client_->close();
  }
  client_.reset();
  tools_.clear();
  heard_.clear();
  begun_.clear();
  cancelled_.clear();
  co_return done();
}

driver::task driver::connect(pb::Connect asked) {
  heddle::options chosen;
  set(chosen.timeout, asked.timeout_ms());
  set(chosen.backoff, asked.backoff_ms());
  set(chosen.longest_backoff, asked.longest_backoff_ms());
  set(chosen.connect_timeout, asked.connect_timeout_ms());
  set(chosen.close_timeout, asked.close_timeout_ms());
  set(chosen.ping_after, asked.ping_after_ms());
  set(chosen.lost_after, asked.lost_after_ms());
  chosen.retries = asked.has_retries() ? asked.retries() : chosen.retries;
  chosen.credit = asked.credit() > 0 ? asked.credit() : chosen.credit;
  chosen.token = asked.token();
  if (asked.token().empty() && (asked.tokens_size() > 0 || asked.token_fails())) {
    chosen.token_source = [asked, given = 0]() mutable { return token(asked, given++); };
  }
  chosen.log = [this](heddle::log_level, std::string_view line) { logged_ += std::string(line) + "\n"; };
  chosen.hooks.connected = [this](std::string_view) { heard_.push_back("connected"); };
  chosen.hooks.lost = [this](std::string_view) { heard_.push_back("lost"); };
  chosen.hooks.resumed = [this](std::string_view, std::uint64_t) { heard_.push_back("resumed"); };
  chosen.hooks.retry = [this](std::string_view method, unsigned, milliseconds, std::string_view reason) {
    heard_.push_back("retry " + std::string(method) + " " + std::string(reason));
  };
  chosen.hooks.call = [this](const heddle::call_ended& call) {
    heard_.push_back("call " + std::string(call.method) + " " + std::string(call.reason));
  };
  client_.emplace(executor_, asked.url(), chosen);
  for (const auto& tool : tools_) {
    add_tool(tool);
  }
  co_await client_->ready();
  co_return done();
}

asio::awaitable<std::string> driver::token(pb::Connect asked, int number) {
  if (number + 1 >= asked.tokens_size() && asked.token_fails()) {
    throw std::runtime_error("no token today");
  }
  co_return asked.tokens(std::min(number, asked.tokens_size() - 1));
}

void driver::add_tool(const pb::Tool& tool) {
  if (tool.question()) {
    client_->on_question([this, tool](heddle::v1::RequestUserInputRequest) { return run_tool(tool); });
  } else {
    client_->tool(tool.name(), [this, tool](std::string) { return run_tool(tool); });
  }
}

asio::awaitable<std::string> driver::run_tool(pb::Tool tool) {
  begun_[tool.name()]++;
  if (tool.has_fail()) {
    throw std::runtime_error(tool.fail());
  }
  if (tool.has_large()) {
    co_return std::string(tool.large(), 'x');
  }
  if (!tool.has_wait_ms()) {
    co_return tool.answer();
  }
  asio::steady_timer timer(executor_, milliseconds(tool.wait_ms()));
  asio::error_code stopped;
  auto token = asio::redirect_error(asio::use_awaitable, stopped);
  co_await timer.async_wait(token);
  if (stopped) {
    cancelled_[tool.name()]++;
  }
  co_return "waited";
}

driver::task driver::call(pb::Call asked) {
  const std::string service = asked.method().substr(0, asked.method().find('/'));
  const std::string name = asked.method().substr(service.size() + 1);
  const auto* method = pool().FindServiceByName("heddle.v1." + service)->FindMethodByName(name);
  const auto request = message(method->input_type());
  const auto answer = message(method->output_type());
  request->ParseFromString(asked.request());
  heddle::call_options chosen;
  if (!asked.key().empty()) {
    chosen.key(asked.key());
  }
  if (asked.timeout_ms() > 0) {
    chosen.within(milliseconds(asked.timeout_ms()));
  }
  co_await client_->invoke(asked.method(), *request, *answer, chosen);
  pb::Report made;
  made.mutable_answer()->set_message(answer->SerializeAsString());
  co_return made;
}

driver::task driver::turn(pb::Turn asked) {
  heddle::turn turn = client_->turn(asked.thread(), asked.text());
  pb::Report made;
  auto* end = made.mutable_turn();
  while (const auto piece = co_await turn.next()) {
    end->mutable_text()->append(*piece);
    end->set_pieces(end->pieces() + 1);
  }
  end->set_turn(turn.id());
  end->set_output_tokens(turn.usage().output_tokens());
  co_return made;
}

driver::task driver::in_background(std::uint32_t id, task inner) {
  const auto running = std::make_shared<work>(executor_);
  background_[id] = running;
  auto handler = [running](std::exception_ptr, pb::Report made) {
    running->report = std::move(made);
    running->done.cancel();
  };
  asio::co_spawn(executor_, guarded(std::move(inner)), asio::bind_cancellation_slot(running->stop.slot(), handler));
  // The next step begins behind this one, as cases expect.
  co_await sleep(10);
  co_return done();
}

driver::task driver::await(std::uint32_t id) {
  const auto running = background_.at(id);
  if (!running->report) {
    asio::error_code ignored;
    auto token = asio::redirect_error(asio::use_awaitable, ignored);
    co_await running->done.async_wait(token);
  }
  co_return *running->report;
}

driver::task driver::subscribe(pb::Subscribe asked) {
  heddle::subscribe_options chosen;
  if (asked.has_after()) {
    chosen.after = asked.after();
  }
  if (asked.has_epoch()) {
    chosen.epoch = asked.epoch();
  }
  chosen.tree = asked.tree();
  chosen.credit = asked.credit();
  auto made = asked.has_thread() ? client_->subscribe(asked.thread(), chosen) : client_->subscribe_all(chosen);
  asio::co_spawn(executor_, made.opened(), [](std::exception_ptr) {});
  subscriptions_.insert_or_assign(asked.name(), std::move(made));
  co_await sleep(10);
  co_return done();
}

driver::task driver::next(pb::Next asked) {
  // A message that is taken while the time ends would be lost, so the one that waits is cancelled.
  const auto running = std::make_shared<work>(executor_);
  const unsigned time = asked.timeout_ms() > 0 ? asked.timeout_ms() : 5'000;
  running->done.expires_after(milliseconds(time));
  auto handler = [running](std::exception_ptr, pb::Report made) {
    running->report = std::move(made);
    running->done.cancel();
  };
  asio::co_spawn(executor_, guarded(take(asked.name())), asio::bind_cancellation_slot(running->stop.slot(), handler));
  asio::error_code ignored;
  auto token = asio::redirect_error(asio::use_awaitable, ignored);
  co_await running->done.async_wait(token);
  if (!running->report) {
    running->stop.emit(asio::cancellation_type::terminal);
    running->done.expires_at(asio::steady_timer::time_point::max());
    co_await running->done.async_wait(token);
  }
  if (running->report->failed().kind() == "Cancelled") {
    running->report->mutable_nothing();
  }
  co_return *running->report;
}

driver::task driver::take(std::string name) {
  const auto event = co_await subscriptions_.at(name).next();
  pb::Report made;
  if (event) {
    made.mutable_event()->set_message(event->SerializeAsString());
  } else {
    made.mutable_ended();
  }
  co_return made;
}

driver::task driver::pages(pb::Pages asked) {
  pb::Report made;
  if (asked.method() != "ThreadService/List") {
    made.mutable_left_out()->set_why("pages of " + asked.method());
    co_return made;
  }
  heddle::v1::ListThreadsRequest request;
  request.ParseFromString(asked.request());
  auto* items = made.mutable_items();
  auto pages = client_->threads().each_list(request);
  while (const auto item = co_await pages.next()) {
    items->add_items(item->SerializeAsString());
    if (items->items_size() == static_cast<int>(asked.most())) {
      break;
    }
  }
  co_return made;
}

driver::task driver::vector(pb::Vector asked) {
  const auto made = message(pool().FindMessageTypeByName(asked.message()));
  made->ParseFromString(asked.bytes());
  pb::Report report;
  report.mutable_answer()->set_message(made->SerializeAsString());
  co_return report;
}

asio::awaitable<void> driver::sleep(unsigned time) {
  asio::steady_timer timer(executor_, milliseconds(time));
  co_await timer.async_wait(asio::use_awaitable);
}

}  // namespace driver
