// The streams of a connection: the frames that come, and the calls that go.

#include "connection.hpp"
#include "core.hpp"

#include <openssl/rand.h>

namespace heddle::detail {

namespace {

using namespace std::chrono_literals;

constexpr std::uint32_t last_stream = 0xfffffffd;
constexpr std::size_t largest_metadata = 0xffff;
constexpr milliseconds ping_interval = 5s;
// A limit that a server names and that no message of this protocol comes near to.
constexpr std::size_t largest_limit = 1 << 30;

// A call that waits for its answer.
class pending : public handler {
 public:
  maybe_fault came(frame_kind kind, std::string_view payload, std::size_t size) override {
    maybe_fault unreadable;
    got.received = size;
    if (kind == frame_kind::response) {
      got.payload = payload;
    } else if (kind == frame_kind::error) {
      v1::Error said;
      unreadable = read(payload, said);
      got.failed = unreadable ? unreadable : refused(said);
    } else {
      got.failed = fault(error_kind::protocol, "the server sent an event where an answer is due");
    }
    finish();
    return unreadable;
  }

  void ended(const fault& why) override {
    got.failed = why;
    finish();
  }

  bool is_call() const override { return true; }

  answered got;
  bool is_done = false;
  signal changed;

 private:
  void finish() {
    is_done = true;
    changed.notify_all();
  }
};

// A call that its coroutine leaves without an answer is cancelled, however it is left.
struct canceller {
  std::shared_ptr<connection> conn;
  std::shared_ptr<pending> asker;
  std::uint32_t stream;

  canceller(std::shared_ptr<connection> of, std::shared_ptr<pending> call, std::uint32_t number)
      : conn(std::move(of)), asker(std::move(call)), stream(number) {}
  canceller(const canceller&) = delete;
  canceller& operator=(const canceller&) = delete;
  ~canceller() {
    if (!asker->is_done) {
      conn->cancel(stream);
    }
  }
};

}  // namespace

maybe_fault connection::take(core& client, const frame& came) {
  const auto kind = came.kind;
  const bool may_come_first =
      kind == frame_kind::hello || kind == frame_kind::ping || kind == frame_kind::pong || kind == frame_kind::goaway;
  if (!hello_ && !may_come_first) {
    return fault(error_kind::protocol, "the server's first frame is no HELLO");
  }
  const bool is_answer = kind == frame_kind::response || kind == frame_kind::event || kind == frame_kind::error;
  if (came.stream % 2 == 1 && is_answer) {
    return answer(came);
  }
  if (kind == frame_kind::ping) {
    v1::Ping ping;
    if (auto wrong = read(came.payload, ping)) {
      return wrong;
    }
    v1::Pong pong;
    pong.set_opaque(ping.opaque());
    send(frame_kind::pong, 0, 0, pong.SerializeAsString());
  } else if (kind == frame_kind::goaway) {
    return go_away(came.payload);
  } else if (kind == frame_kind::hello) {
    return greeted(came.payload);
  } else if (kind == frame_kind::request && came.stream != 0 && came.stream % 2 == 0) {
    client.tools().asked(client, shared_from_this(), came.stream, came.method, came.payload);
  } else if (kind == frame_kind::cancel) {
    client.tools().taken_back(shared_from_this(), came.stream);
  } else if (kind == frame_kind::error) {
    v1::Error said;
    if (auto wrong = read(came.payload, said)) {
      return wrong;
    }
    client.log(log_level::warning, "the server does not take an answer: " + refused(said).whole());
  } else if (kind != frame_kind::pong && kind != frame_kind::event) {
    return fault(error_kind::protocol,
                 "the server sent a frame of kind " + std::to_string(static_cast<int>(kind)) + " on stream " + std::to_string(came.stream));
  }
  return std::nullopt;
}

maybe_fault connection::answer(const frame& came) {
  const auto found = streams_.find(came.stream);
  if (found == streams_.end()) {
    // One that has ended may be answered late; one that was never opened may not.
    if (came.stream < next_) {
      return std::nullopt;
    }
    return fault(error_kind::protocol, "the server answers on stream " + std::to_string(came.stream) + ", which was never opened");
  }
  const auto asker = found->second;
  const bool is_last = came.kind == frame_kind::response && (came.flags & end_of_stream) != 0;
  if (came.kind == frame_kind::error || asker->is_call() || is_last) {
    streams_.erase(found);
  }
  if (asker->is_call()) {
    give_room();
  }
  maybe_fault wrong = asker->came(came.kind, came.payload, came.size);
  end_if_done();
  return wrong;
}

maybe_fault connection::greeted(std::string_view payload) {
  v1::ServerHello hello;
  if (auto wrong = detail::read(payload, hello)) {
    return wrong;
  }
  if (hello_) {
    return fault(error_kind::protocol, "the server said HELLO twice");
  }
  if (hello.version() != 1) {
    return fault(error_kind::protocol, "the server speaks version " + std::to_string(hello.version()) + " of the protocol");
  }
  if (hello.server_time() > 0) {
    const auto now = std::chrono::system_clock::now().time_since_epoch();
    ahead_ = milliseconds(hello.server_time() - std::chrono::duration_cast<milliseconds>(now).count());
  }
  if (hello.limits().requests_in_flight() > 0) {
    limit_ = hello.limits().requests_in_flight();
  }
  const std::size_t frame_bytes = hello.limits().frame_bytes();
  largest_ = std::max(received_bytes, std::min(largest_limit, 2 * frame_bytes));
  hello_ = std::move(hello);
  ready_.notify_all();
  return std::nullopt;
}

maybe_fault connection::go_away(std::string_view payload) {
  v1::GoAway notice;
  if (auto wrong = detail::read(payload, notice)) {
    return wrong;
  }
  const fault said = refused(notice.error());
  if (!fault_) {
    fault_ = said;
  }
  if (!hello_) {
    return said;
  }
  is_leaving_ = true;
  std::vector<std::shared_ptr<handler>> unserved_askers;
  while (!streams_.empty() && streams_.rbegin()->first > notice.last_stream()) {
    const auto last = std::prev(streams_.end());
    if (last->second->is_call()) {
      give_room();
    }
    unserved_askers.push_back(last->second);
    streams_.erase(last);
  }
  room_.notify_all();
  for (const auto& asker : unserved_askers) {
    asker->ended(unserved("the server goes: " + said.message));
  }
  if (const auto client = client_.lock()) {
    client->leaves(shared_from_this());
  }
  end_if_done();
  return std::nullopt;
}

// Out

void connection::send(frame_kind kind, std::uint16_t method, std::uint32_t stream, std::string_view payload) {
  if (has_ended_) {
    return;
  }
  append_frame(out_, kind, method, stream, payload, {});
  wake_.notify_all();
}

result<std::uint32_t> connection::open_stream(std::uint16_t method, const std::string& payload, const std::string& metadata,
                                              std::shared_ptr<handler> asker) {
  if (next_ > last_stream) {
    leave();
  }
  if (!is_usable()) {
    return unserved("the connection takes no more calls");
  }
  const std::size_t most = frame_limit();
  if ((most > 0 && payload.size() + metadata.size() > most) || metadata.size() > largest_metadata) {
    return fault(error_kind::too_large,
                 "the message has " + std::to_string(payload.size()) + " bytes; the server takes " + std::to_string(most));
  }
  const std::uint32_t stream = next_;
  next_ += 2;
  streams_[stream] = std::move(asker);
  append_frame(out_, frame_kind::request, method, stream, payload, metadata);
  wake_.notify_all();
  return stream;
}

void connection::cancel(std::uint32_t stream) {
  if (streams_.contains(stream)) {
    send(frame_kind::cancel, 0, stream, {});
  }
}

void connection::drop(std::uint32_t stream) {
  cancel(stream);
  streams_.erase(stream);
  end_if_done();
}

asio::awaitable<answered> connection::call(std::uint16_t method, const std::string& payload, time_point until,
                                           const std::function<std::string()>& metadata) {
  const auto self = shared_from_this();
  answered none;
  none.failed = co_await wait_for_room(until);
  if (none.failed) {
    co_return none;
  }
  const std::string beside = metadata();
  const auto asker = std::make_shared<pending>();
  result<std::uint32_t> stream = open_stream(method, payload, beside, asker);
  if (!stream) {
    give_room();
    none.failed = stream.failure();
    co_return none;
  }
  const canceller guard(self, asker, *stream);
  const std::size_t sent = head_bytes + beside.size() + payload.size();
  while (!asker->is_done) {
    const woken by = co_await wait(executor_, asker->changed, until);
    if (!asker->is_done && by != woken::notified) {
      none.failed = by == woken::cancelled ? cancelled() : timed_out();
      none.sent = sent;
      co_return none;
    }
  }
  asker->got.sent = sent;
  co_return std::move(asker->got);
}

// Takes a place among the calls in flight.
asio::awaitable<maybe_fault> connection::wait_for_room(time_point until) {
  while (in_flight_ >= limit_ && is_usable()) {
    const woken by = co_await wait(executor_, room_, until);
    if (by != woken::notified) {
      // The place that it may have been given goes to the next one.
      if (in_flight_ < limit_) {
        room_.notify_one();
      }
      co_return by == woken::cancelled ? cancelled() : timed_out();
    }
  }
  in_flight_++;
  co_return std::nullopt;
}

void connection::give_room() {
  in_flight_ -= in_flight_ > 0 ? 1 : 0;
  room_.notify_one();
}

void connection::look_at_silence() {
  const auto now = clock::now();
  const auto silence = now - heard_;
  if (hello_ && silence >= ping_after_ && now - pinged_ >= std::min(ping_interval, ping_after_)) {
    pinged_ = now;
    v1::Ping ping;
    std::string opaque(8, '\0');
    RAND_bytes(reinterpret_cast<unsigned char*>(opaque.data()), static_cast<int>(opaque.size()));
    ping.set_opaque(opaque);
    send(frame_kind::ping, 0, 0, ping.SerializeAsString());
  }
  if (silence >= lost_after_) {
    const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(silence).count();
    end(fault(error_kind::lost, "nothing came from the server for " + std::to_string(seconds) + " s"));
  }
}

}  // namespace heddle::detail
