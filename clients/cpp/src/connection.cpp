#include "connection.hpp"

#include "core.hpp"

#include <asio/connect.hpp>
#include <asio/redirect_error.hpp>
#include <asio/ssl.hpp>
#include <asio/use_awaitable.hpp>
#include <asio/write.hpp>

namespace heddle::detail {

namespace {

using namespace std::chrono_literals;

constexpr std::size_t read_at_once = 64 << 10;
constexpr std::size_t kept_for_writing = 1 << 20;
// The time that the last bytes of a connection have to go out.
constexpr auto time_to_part = 2s;

maybe_fault lost_if(const asio::error_code& failed) {
  return failed ? maybe_fault(fault(error_kind::lost, "the connection ended: " + failed.message())) : std::nullopt;
}

}  // namespace

connection::connection(const core_pointer& client)
    : client_(client),
      executor_(client->executor()),
      ping_after_(client->options().ping_after),
      lost_after_(client->options().lost_after),
      resolver_(executor_),
      socket_(executor_),
      heard_(clock::now()) {}

// The beginning

asio::awaitable<maybe_fault> connection::open(core_pointer client, host_and_port place, std::string hello, time_point until) {
  asio::steady_timer patience(executor_, until);
  patience.async_wait([self = weak_from_this()](asio::error_code failed) {
    if (auto own = self.lock(); own && !failed) {
      own->give_up(fault(error_kind::lost, "it did not answer in the time for a connection"));
    }
  });
  maybe_fault wrong = co_await reach(place);
  if (!wrong && client->where().tls) {
    wrong = co_await secure(client, place.host);
  }
  if (!wrong && fault_) {
    wrong = fault_;
  }
  if (wrong) {
    end(*wrong);
    co_return fault_;
  }
  out_.insert(0, hello);
  heard_ = clock::now();
  client->spawn(read_loop(shared_from_this(), client));
  client->spawn(write_loop(shared_from_this(), client));
  client->spawn(watch_loop(shared_from_this(), client));
  while (!hello_ && !has_ended_) {
    co_await wait(executor_, ready_, never);
  }
  if (has_ended_) {
    co_return fault_;
  }
  co_return std::nullopt;
}

void connection::give_up(const fault& why) {
  if (hello_) {
    return;
  }
  if (!fault_) {
    fault_ = why;
  }
  resolver_.cancel();
  end(why);
}

asio::awaitable<maybe_fault> connection::reach(host_and_port place) {
  asio::error_code failed;
  auto token = asio::redirect_error(asio::use_awaitable, failed);
  asio::ip::tcp::resolver::results_type found;
  const auto address = asio::ip::make_address(place.host, failed);
  if (!failed) {
    const auto port = static_cast<std::uint16_t>(std::stoul(place.port));
    found = found.create(asio::ip::tcp::endpoint(address, port), place.host, place.port);
  } else {
    found = co_await resolver_.async_resolve(place.host, place.port, token);
  }
  if (!failed && !has_ended_) {
    co_await asio::async_connect(socket_, found, token);
  }
  if (failed || has_ended_) {
    co_return fault(error_kind::lost, failed.message());
  }
  socket_.set_option(asio::ip::tcp::no_delay(true), failed);
  co_return std::nullopt;
}

asio::awaitable<maybe_fault> connection::secure(core_pointer client, std::string host) {
  try {
    context_ = client->options().tls ? client->options().tls : tls_context(client->where());
    tls_.emplace(socket_, *context_);
  } catch (const std::exception& wrong) {
    co_return fault(error_kind::lost, wrong.what());
  }
  const std::string name = client->where().name.empty() ? host : client->where().name;
  asio::error_code failed;
  asio::ip::make_address(name, failed);
  if (failed) {
    SSL_set_tlsext_host_name(tls_->native_handle(), name.c_str());
  }
  constexpr unsigned char protocols[] = "\x08heddle/1";
  SSL_set_alpn_protos(tls_->native_handle(), protocols, sizeof protocols - 1);
  tls_->set_verify_mode(asio::ssl::verify_peer, failed);
  tls_->set_verify_callback(asio::ssl::host_name_verification(name), failed);
  auto token = asio::redirect_error(asio::use_awaitable, failed);
  co_await tls_->async_handshake(asio::ssl::stream_base::client, token);
  if (failed || has_ended_) {
    co_return fault(error_kind::lost, failed.message());
  }
  co_return std::nullopt;
}

// In

asio::awaitable<void> connection::read_loop(std::shared_ptr<connection> self, core_pointer client) {
  fault why;
  try {
    why = co_await self->read_frames(*client);
  } catch (const std::exception& failed) {
    why = fault(error_kind::lost, failed.what());
  }
  self->end(why);
}

asio::awaitable<fault> connection::read_frames(core& client) {
  frame_reader in;
  asio::error_code failed;
  auto token = asio::redirect_error(asio::use_awaitable, failed);
  while (!has_ended_) {
    const auto room = asio::buffer(in.room(read_at_once), read_at_once);
    std::size_t count = 0;
    if (tls_) {
      count = co_await tls_->async_read_some(room, token);
    } else {
      count = co_await socket_.async_read_some(room, token);
    }
    if (failed) {
      co_return *lost_if(failed);
    }
    heard_ = clock::now();
    in.came(count);
    while (!has_ended_) {
      result<std::optional<frame>> made = in.next(largest_);
      if (!made) {
        co_return made.failure();
      }
      if (!made->has_value()) {
        break;
      }
      if (maybe_fault wrong = take(client, **made)) {
        co_return *wrong;
      }
    }
  }
  co_return fault(error_kind::lost, "the connection ended");
}

// Out

asio::awaitable<void> connection::write_loop(std::shared_ptr<connection> self, core_pointer /* lives as long */) {
  maybe_fault wrong;
  try {
    wrong = co_await self->write_frames();
  } catch (const std::exception& failed) {
    wrong = fault(error_kind::lost, failed.what());
  }
  if (wrong) {
    self->end(*wrong);
  }
  self->is_written_ = true;
  self->close_socket();
  self->gone_.notify_all();
}

// Everything that was queued meanwhile goes in one write.
asio::awaitable<maybe_fault> connection::write_frames() {
  std::string sending;
  asio::error_code failed;
  auto token = asio::redirect_error(asio::use_awaitable, failed);
  for (;;) {
    while (out_.empty() && !has_ended_) {
      co_await wait(executor_, wake_, never);
    }
    sending.clear();
    sending.swap(out_);
    const bool is_last = has_ended_;
    if (tls_ && !sending.empty()) {
      co_await asio::async_write(*tls_, asio::buffer(sending), token);
    } else if (!sending.empty()) {
      co_await asio::async_write(socket_, asio::buffer(sending), token);
    }
    if (failed) {
      co_return lost_if(failed);
    }
    if (is_last) {
      break;
    }
    if (sending.capacity() > kept_for_writing) {
      sending = std::string();
    }
  }
  if (tls_ && socket_.is_open()) {
    socket_.cancel(failed);
    co_await tls_->async_shutdown(token);
  }
  co_return std::nullopt;
}

void connection::close_socket() {
  asio::error_code ignored;
  socket_.close(ignored);
}

// Time

asio::awaitable<void> connection::watch_loop(std::shared_ptr<connection> self, core_pointer /* lives as long */) {
  const auto interval = std::max(milliseconds(1), std::min(self->ping_after_, self->lost_after_) / 4);
  while (!self->has_ended_) {
    co_await wait(self->executor_, self->gone_, clock::now() + interval);
    if (!self->has_ended_) {
      self->look_at_silence();
    }
  }
  const auto until = clock::now() + time_to_part;
  while (!self->is_written_ && clock::now() < until) {
    co_await wait(self->executor_, self->gone_, until);
  }
  self->close_socket();
}

// The end

void connection::leave() {
  if (is_leaving_ || has_ended_) {
    return;
  }
  is_leaving_ = true;
  room_.notify_all();
  if (const auto client = client_.lock()) {
    client->leaves(shared_from_this());
  }
  end_if_done();
}

void connection::end_if_done() {
  if (is_leaving_ && streams_.empty() && !has_ended_) {
    end(fault_ ? *fault_ : fault(error_kind::lost, "the connection was replaced"));
  }
}

void connection::end(const fault& why) {
  if (has_ended_) {
    return;
  }
  has_ended_ = true;
  // A GOAWAY that came before says more than the end of the bytes.
  if (!fault_ || why.kind != error_kind::lost) {
    fault_ = why;
  }
  const fault cause = *fault_;
  const auto self = shared_from_this();
  const auto streams = std::exchange(streams_, {});
  for (signal* changed : {&ready_, &gone_, &room_, &wake_}) {
    changed->notify_all();
  }
  if (!is_leaving_) {
    close_socket();
  }
  const bool is_fault = cause.kind == error_kind::protocol || cause.kind == error_kind::too_large;
  for (const auto& [stream, asker] : streams) {
    asker->ended(is_fault ? cause : lost_by(cause));
  }
  if (const auto client = client_.lock()) {
    client->ended(self, cause);
  }
}

}  // namespace heddle::detail
