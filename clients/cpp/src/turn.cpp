#include "heddle/turn.hpp"

#include "following.hpp"
#include "heddle/detail/call.hpp"
#include "heddle/generated/methods.hpp"
#include "running_turn.hpp"

namespace heddle {

namespace detail {

namespace {

using namespace std::chrono_literals;

constexpr milliseconds time_to_interrupt = 5s;

// The program has given the turn up: the server need not go on with it.
asio::awaitable<void> interrupt(core_pointer client, v1::InterruptTurnRequest request) {
  call_options chosen;
  chosen.within(time_to_interrupt);
  try {
    co_await call<v1::InterruptTurnResponse>(client, methods::turns_interrupt, std::move(request), std::move(chosen));
  } catch (const error& failed) {
    client->log(log_level::debug, "a turn could not be interrupted: " + failed.message());
  }
}

std::string_view status_of(v1::TurnStatus status) {
  return status == v1::TURN_STATUS_INTERRUPTED ? "INTERRUPTED" : status == v1::TURN_STATUS_FAILED ? "FAILED" : "UNKNOWN";
}

}  // namespace

running_turn::running_turn(core_pointer client, v1::StartTurnRequest request) : client_(std::move(client)), request_(std::move(request)) {}

asio::awaitable<std::optional<std::string>> running_turn::next(std::shared_ptr<running_turn> self) {
  maybe_fault failed;
  try {
    result<std::optional<std::string>> made = co_await step(self);
    if (made) {
      co_return std::move(*made);
    }
    failed = made.failure();
  } catch (const asio::system_error& thrown) {
    // A coroutine that is cancelled is thrown out of its next wait.
    self->finish(thrown.code() == asio::error::operation_aborted);
    if (thrown.code() != asio::error::operation_aborted) {
      throw;
    }
    failed = cancelled();
  } catch (const error& thrown) {
    self->finish(thrown.kind() == error_kind::cancelled);
    throw;
  }
  self->finish(failed->kind == error_kind::cancelled);
  raise(*failed);
}

asio::awaitable<std::string> running_turn::whole(std::shared_ptr<running_turn> self) {
  for (;;) {
    const std::optional<std::string> piece = co_await next(self);
    if (!piece) {
      co_return self->whole_;
    }
  }
}

asio::awaitable<result<std::optional<std::string>>> running_turn::step(std::shared_ptr<running_turn> self) {
  if (!self->events_ && !self->has_ended_) {
    const maybe_fault failed = co_await begin(self);
    if (failed) {
      co_return *failed;
    }
  }
  while (!self->has_ended_) {
    result<following::message> got = co_await following::next(self->events_);
    if (!got) {
      co_return got.failure();
    }
    if (!got->has_value()) {
      co_return fault(error_kind::closed, "the client is closed");
    }
    const v1::SubscriptionEvent& message = **got;
    std::string piece = self->piece(message);
    if (!piece.empty()) {
      self->whole_ += piece;
      co_return std::optional<std::string>(std::move(piece));
    }
    if (const maybe_fault failed = self->look_for_end(message)) {
      co_return *failed;
    }
  }
  co_return std::optional<std::string>();
}

asio::awaitable<maybe_fault> running_turn::begin(std::shared_ptr<running_turn> self) {
  v1::SubscribeRequest asked;
  asked.set_thread(self->request_.thread());
  self->events_ = std::make_shared<following>(self->client_, std::move(asked));
  const maybe_fault failed = co_await following::opened(self->events_);
  if (failed) {
    co_return failed;
  }
  call_options chosen;
  const v1::StartTurnResponse started =
      co_await call<v1::StartTurnResponse>(self->client_, methods::turns_start, self->request_, std::move(chosen));
  self->id_ = started.turn();
  co_return std::nullopt;
}

void running_turn::finish(bool is_given_up) {
  if (std::exchange(has_ended_, true)) {
    return;
  }
  if (is_given_up && !id_.empty() && !client_->is_closed()) {
    v1::InterruptTurnRequest request;
    request.set_thread(request_.thread());
    request.set_turn(id_);
    client_->spawn_at_once(interrupt(client_, std::move(request)));
  }
  if (events_) {
    events_->close();
  }
}

std::string running_turn::piece(const v1::SubscriptionEvent& message) {
  if (message.has_delta() && message.delta().turn() == id_) {
    return unseen(message.delta().item(), message.delta().offset(), message.delta().text());
  }
  if (message.has_snapshot() && message.snapshot().turn() == id_) {
    return unseen(message.snapshot().item(), 0, message.snapshot().text());
  }
  if (!message.has_event() || message.event().turn() != id_) {
    return {};
  }
  const v1::Event& event = message.event();
  if (event.item_started().item().has_message()) {
    seen_.emplace(event.item_started().item().id(), 0);
  }
  const v1::Item& item = event.item_completed().item();
  if (!item.has_message() || item.message().role() != v1::ROLE_ASSISTANT) {
    return {};
  }
  seen_.emplace(item.id(), 0);
  std::string text;
  for (const auto& part : item.message().content()) {
    text += part.text();
  }
  return unseen(item.id(), 0, text);
}

// The new bytes of a piece; one beyond a gap waits for the item's end.
std::string running_turn::unseen(const std::string& item, std::uint64_t offset, const std::string& text) {
  const auto found = seen_.find(item);
  if (found == seen_.end() || offset > found->second || offset + text.size() <= found->second) {
    return {};
  }
  const std::uint64_t seen = std::exchange(found->second, offset + text.size());
  return text.substr(seen - offset);
}

maybe_fault running_turn::look_for_end(const v1::SubscriptionEvent& message) {
  if (!message.event().has_turn_ended() || message.event().turn_ended().turn() != id_) {
    return std::nullopt;
  }
  const v1::TurnEnded& ended = message.event().turn_ended();
  usage_ = ended.usage();
  finish(false);
  if (ended.status() == v1::TURN_STATUS_COMPLETED) {
    return std::nullopt;
  }
  const std::string status(status_of(ended.status()));
  fault failed(error_kind::turn_failed, ended.error().message());
  if (failed.message.empty()) {
    failed.message = "the turn ended as " + status;
  }
  failed.reason = ended.error().reason();
  failed.status = status;
  failed.text = whole_;
  return failed;
}

}  // namespace detail

turn::turn(std::shared_ptr<detail::running_turn> state) : state_(std::move(state)) {}
turn::turn(turn&&) noexcept = default;

turn& turn::operator=(turn&& other) noexcept {
  std::swap(state_, other.state_);
  return *this;
}

turn::~turn() {
  if (state_) {
    state_->finish(true);
  }
}

asio::awaitable<std::optional<std::string>> turn::next() {
  return detail::running_turn::next(state_);
}

asio::awaitable<std::string> turn::result() {
  return detail::running_turn::whole(state_);
}

const std::string& turn::id() const {
  return state_->id();
}

const v1::TokenUsage& turn::usage() const {
  return state_->usage();
}

void turn::leave() {
  state_->finish(false);
}

}  // namespace heddle
