#include "following.hpp"

namespace heddle::detail {

namespace {

// A server sends the message that uses up the credit in full; one that goes far beyond does not count.
constexpr std::int64_t overdraft = 8 << 20;

fault protocol(std::string text) {
  return fault(error_kind::protocol, std::move(text));
}

}  // namespace

stream::stream(std::shared_ptr<following> owner, connection_pointer on, std::int64_t credit)
    : conn(std::move(on)), allowed(credit), since(clock::now()), owner_(std::move(owner)) {}

maybe_fault stream::came(frame_kind kind, std::string_view payload, std::size_t size) {
  if (kind == frame_kind::error) {
    v1::Error said;
    if (auto wrong = read(payload, said)) {
      return wrong;
    }
    finish();
    owner_->broke(this, refused(said));
    return std::nullopt;
  }
  v1::SubscriptionEvent message;
  if (auto wrong = read(payload, message)) {
    return wrong;
  }
  if (owner_->stream_.get() != this) {
    return std::nullopt;
  }
  if (kind == frame_kind::response) {
    return owner_->subscribed(std::move(message));
  }
  allowed -= static_cast<std::int64_t>(size);
  if (allowed < -overdraft) {
    return protocol("the server sends more than the subscription's credit allows");
  }
  result<bool> starts_again = owner_->came(std::move(message), size);
  if (!starts_again) {
    return starts_again.failure();
  }
  if (*starts_again) {
    const auto owner = owner_;
    owner->leave_stream();
    owner->start_again();
  }
  return std::nullopt;
}

void stream::ended(const fault& why) {
  finish();
  owner_->broke(this, why);
}

void stream::finish() {
  if (!std::exchange(is_done_, true)) {
    conn->follow_no_more(owner_->thread_);
  }
}

void stream::leave() {
  finish();
  const auto on = conn;
  on->drop(number);
}

// The answer to Subscribe.
maybe_fault following::subscribed(v1::SubscriptionEvent message) {
  if (asked_.has_thread()) {
    const auto& subscribed = message.subscribed();
    if (!message.has_subscribed()) {
      return protocol("the answer to Subscribe is not `subscribed`");
    }
    if (epoch_ && *epoch_ != subscribed.epoch()) {
      return protocol("the thread's epoch was " + std::to_string(*epoch_) + " and is " + std::to_string(subscribed.epoch()) +
                      ": its events are other ones");
    }
    if (cursor_ && subscribed.head() < *cursor_) {
      return protocol("the thread ends at event " + std::to_string(subscribed.head()) + ", and " + std::to_string(*cursor_) + " was seen");
    }
    epoch_ = subscribed.epoch();
    if (!cursor_) {
      cursor_ = received_ = subscribed.head();
    }
  }
  if (!std::exchange(has_opened_, true)) {
    queue_.push_back({std::move(message), 0, std::nullopt});
    changed_.notify_all();
  }
  return std::nullopt;
}

result<bool> following::came(v1::SubscriptionEvent message, std::size_t size) {
  if (message.kind_case() == v1::SubscriptionEvent::KIND_NOT_SET) {
    skipped_++;
    returned_ += size;
    return false;
  }
  if (message.has_subscribed()) {
    if (!message.has_thread()) {
      return protocol("the server sent `subscribed` twice");
    }
    came_from_agent(message);
  } else if (message.has_event() && !message.has_thread()) {
    const std::uint64_t sequence = message.event().sequence();
    if (received_ && sequence <= *received_) {
      returned_ += size;
      return false;
    }
    if (received_ && sequence != *received_ + 1) {
      if (++gaps_in_a_row_ > 1) {
        return protocol("the server leaves out events: " + std::to_string(sequence) + " comes after " + std::to_string(*received_));
      }
      return true;
    }
    received_ = sequence;
    gaps_in_a_row_ = 0;
  }
  queue_.push_back({std::move(message), size, std::nullopt});
  changed_.notify_all();
  return false;
}

void following::came_from_agent(const v1::SubscriptionEvent& message) {
  const std::uint64_t head = message.subscribed().head();
  const auto [known, is_new] = agents_.emplace(message.thread(), head);
  if (!is_new && head > known->second) {
    queue_.push_back({v1::SubscriptionEvent(), 0, gap{message.thread(), known->second, head}});
  }
}

}  // namespace heddle::detail
