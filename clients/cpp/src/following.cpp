#include "following.hpp"

#include "attempts.hpp"
#include "heddle/generated/methods.hpp"

namespace heddle::detail {

namespace {

constexpr std::string_view no_thread = "thread";

bool may_pass(const fault& failed) {
  const std::string_view decided = retry_of(failed.reason);
  return failed.kind == error_kind::lost || failed.kind == error_kind::cannot_connect ||
         (failed.kind == error_kind::refused && (decided == "wait" || decided == "reconnect"));
}

}  // namespace

following::following(core_pointer client, v1::SubscribeRequest asked)
    : client_(std::move(client)),
      asked_(std::move(asked)),
      thread_(asked_.thread()),
      credit_(asked_.credit() > 0 ? asked_.credit() : client_->options().credit) {
  if (asked_.has_after()) {
    cursor_ = received_ = asked_.after();
  }
  if (asked_.has_epoch()) {
    epoch_ = asked_.epoch();
  }
}

// The program's side

asio::awaitable<result<following::message>> following::next(std::shared_ptr<following> self) {
  for (;;) {
    if (self->filling_) {
      const auto inner = self->filling_;
      result<message> filled = co_await fill(self, inner);
      if (!filled || filled->has_value()) {
        co_return filled;
      }
      continue;
    }
    if (!self->queue_.empty()) {
      queued first = std::move(self->queue_.front());
      self->queue_.pop_front();
      if (first.missing) {
        self->fill_gap(*first.missing);
        continue;
      }
      self->taken(first);
      co_return message(std::move(first.message));
    }
    if (self->is_closed_ || self->failed_) {
      const maybe_fault failed = std::exchange(self->failed_, std::nullopt);
      self->is_closed_ = true;
      if (failed) {
        co_return *failed;
      }
      co_return message();
    }
    self->begin();
    const woken by = co_await wait(self->client_->executor(), self->changed_, never);
    if (by == woken::cancelled) {
      co_return cancelled();
    }
  }
}

asio::awaitable<maybe_fault> following::opened(std::shared_ptr<following> self) {
  self->begin();
  while (!self->failed_ && !self->has_opened_) {
    if (self->is_closed_) {
      co_return fault(error_kind::closed, "the subscription is closed");
    }
    const woken by = co_await wait(self->client_->executor(), self->changed_, never);
    if (by == woken::cancelled && !self->has_opened_) {
      co_return cancelled();
    }
  }
  co_return self->failed_;
}

void following::close() {
  if (std::exchange(is_closed_, true)) {
    return;
  }
  const auto self = shared_from_this();
  queue_.clear();
  changed_.notify_all();
  client_->remove(this);
  if (const auto inner = std::exchange(filling_, nullptr)) {
    inner->close();
  }
  leave_stream();
}

void following::leave_stream() {
  if (const auto current = std::exchange(stream_, nullptr)) {
    current->leave();
  }
}

void following::taken(const queued& entry) {
  broken_ = 0;
  if (entry.message.has_event()) {
    const std::uint64_t sequence = entry.message.event().sequence();
    if (entry.message.has_thread()) {
      agents_[entry.message.thread()] = sequence;
    } else {
      cursor_ = sequence;
    }
  }
  returned_ += entry.size;
  if (!stream_ || returned_ < credit_ / 2) {
    return;
  }
  v1::Credit credit;
  const std::size_t bytes = std::min<std::size_t>(returned_, 0xffffffff);
  credit.set_bytes(static_cast<std::uint32_t>(bytes));
  stream_->allowed += static_cast<std::int64_t>(bytes);
  stream_->conn->send(frame_kind::credit, methods::threads_subscribe.number, stream_->number, credit.SerializeAsString());
  returned_ = 0;
}

void following::fill_gap(const gap& missing) {
  gap_ = missing;
  v1::SubscribeRequest asked;
  asked.set_thread(missing.agent);
  asked.set_after(missing.after);
  asked.add_kinds(v1::SUBSCRIPTION_KIND_EVENTS);
  filling_ = std::make_shared<following>(client_, std::move(asked));
}

asio::awaitable<result<following::message>> following::fill(std::shared_ptr<following> self, std::shared_ptr<following> inner) {
  const gap missing = self->gap_;
  const auto known = self->agents_.find(missing.agent);
  if ((known == self->agents_.end() ? missing.after : known->second) >= missing.until) {
    self->filling_ = nullptr;
    inner->close();
    co_return message();
  }
  result<message> got = co_await next(inner);
  // An agent that has been deleted has nothing left to read.
  if (!got && got.failure().reason != no_thread) {
    co_return got;
  }
  if (!got || !got->has_value()) {
    self->agents_[missing.agent] = missing.until;
    co_return message();
  }
  if (!(*got)->has_event()) {
    co_return message();
  }
  self->agents_[missing.agent] = (*got)->event().sequence();
  (*got)->set_thread(missing.agent);
  co_return got;
}

// Connections

void following::begin() {
  if (stream_ || is_opening_ || is_closed_ || failed_) {
    return;
  }
  is_opening_ = true;
  if (client_->is_closed()) {
    failed_ = fault(error_kind::closed, "the client is closed");
    changed_.notify_all();
    return;
  }
  client_->add(shared_from_this());
  client_->spawn(keep_opening(shared_from_this()));
}

// Subscribes, as often as it takes.
asio::awaitable<void> following::keep_opening(std::shared_ptr<following> self) {
  const auto& chosen = self->client_->options();
  if (self->broken_ > 1) {
    const milliseconds pause = backoff(chosen, self->broken_ - 2);
    co_await self->rest(pause);
  }
  for (unsigned attempt = 0; !self->is_closed_; attempt++) {
    maybe_fault failed;
    result<connection_pointer> conn = co_await self->client_->current_for(self->thread_);
    if (conn) {
      failed = self->subscribe(*conn);
    } else {
      failed = conn.failure();
    }
    if (!failed) {
      co_return;
    }
    if (!may_pass(*failed)) {
      self->fail(*failed);
      co_return;
    }
    const milliseconds pause = std::max(failed->retry_after, backoff(chosen, attempt));
    co_await self->rest(pause);
  }
}

// Until the time has passed or the subscription is closed.
asio::awaitable<void> following::rest(milliseconds time) {
  const time_point until = clock::now() + time;
  while (!is_closed_ && clock::now() < until) {
    co_await wait(client_->executor(), changed_, until);
  }
}

maybe_fault following::subscribe(const connection_pointer& conn) {
  const auto made = std::make_shared<stream>(shared_from_this(), conn, credit_);
  if (is_closed_) {
    made->finish();
    return std::nullopt;
  }
  v1::SubscribeRequest asked = asked_;
  asked.set_credit(credit_);
  if (cursor_) {
    asked.set_after(*cursor_);
  }
  if (epoch_) {
    asked.set_epoch(*epoch_);
  }
  received_ = cursor_;
  returned_ = 0;
  result<std::uint32_t> number = conn->open_stream(methods::threads_subscribe.number, asked.SerializeAsString(), {}, made);
  if (!number) {
    made->finish();
    return number.failure();
  }
  made->number = *number;
  stream_ = made;
  is_opening_ = false;
  if (has_opened_) {
    tell(client_->hooks().resumed, thread_, cursor_.value_or(0));
  }
  return std::nullopt;
}

void following::broke(const stream* from, const fault& why) {
  if (stream_.get() != from) {
    return;
  }
  const auto ended = std::exchange(stream_, nullptr);
  broken_ = clock::now() - ended->since > client_->options().longest_backoff ? 1 : broken_ + 1;
  if (why.kind == error_kind::protocol || why.kind == error_kind::too_large) {
    fail(why);
    return;
  }
  const fault behind = why.behind();
  if (behind.kind == error_kind::refused) {
    const std::string_view decided = retry_of(behind.reason);
    const bool is_token = decided == "token";
    if ((decided.empty() && why.kind != error_kind::lost) || (is_token && !client_->options().token_source)) {
      fail(behind);
      return;
    }
    if (why.kind == error_kind::refused && (is_token || decided == "reconnect")) {
      ended->conn->leave();
    }
  }
  start_again();
}

void following::leave(const connection_pointer& from) {
  if (!stream_ || stream_->conn != from) {
    return;
  }
  leave_stream();
  start_again();
}

// Behind the events that the program has taken; those that were read ahead come again.
void following::start_again() {
  std::erase_if(queue_, [](const queued& entry) {
    const bool is_first = !entry.missing && entry.message.has_subscribed() && !entry.message.has_thread();
    return !is_first;
  });
  begin();
}

void following::fail(const fault& why) {
  const auto self = shared_from_this();
  if (!failed_ && !is_closed_) {
    failed_ = why;
  }
  changed_.notify_all();
  leave_stream();
  client_->remove(this);
}

}  // namespace heddle::detail
