#pragma once

#include <asio/awaitable.hpp>
#include <asio/ssl/context.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace heddle {

namespace v1 {
class RequestUserInputRequest;
}

using milliseconds = std::chrono::milliseconds;

// The end of a call, for a hook. The reason is empty if the call has its answer.
struct call_ended {
  std::string_view method;
  unsigned attempts = 0;
  std::chrono::microseconds took{0};
  std::size_t sent_bytes = 0;
  std::size_t received_bytes = 0;
  std::string_view reason;
};

// The parts of a client's life that a program can see; any may be empty. No hook gets a token or a message.
struct hooks {
  std::function<void(std::string_view host)> connected;
  std::function<void(std::string_view reason)> lost;
  std::function<void(std::string_view method, unsigned attempt, milliseconds wait, std::string_view reason)> retry;
  std::function<void(const call_ended&)> call;
  std::function<void(std::string_view thread, std::uint64_t after)> resumed;
};

enum class log_level { debug, info, warning };

// The W3C trace context of a call.
struct trace_context {
  std::string traceparent;
  std::string tracestate;
};

// A tool gets its arguments, a JSON object, and returns text for the model. The model is told of an exception. The coroutine is
// cancelled when the server takes the call back or its deadline passes, but not when the connection is lost.
using tool_function = std::function<asio::awaitable<std::string>(std::string arguments)>;

// A function that asks the user and returns the answer.
using question_function = std::function<asio::awaitable<std::string>(v1::RequestUserInputRequest question)>;

// The behaviour of a client.
struct options {
  // A token that does not change; it wins over HEDDLE_TOKEN.
  std::string token;
  // A function that gives a fresh token. It is asked at each new connection, and once more when the server says that a token has
  // expired.
  std::function<asio::awaitable<std::string>()> token_source;
  // The time of a call with all its attempts; 0 means no bound.
  milliseconds timeout{30'000};
  // The attempts after the first one.
  unsigned retries = 4;
  // The first wait between attempts, which doubles, and the longest one.
  milliseconds backoff{100};
  milliseconds longest_backoff{10'000};
  // The time for one host to connect and to say HELLO.
  milliseconds connect_timeout{10'000};
  // The bytes of a subscription that may wait for the program.
  std::uint32_t credit = 1 << 20;
  // The silence after which the server is asked for a sign of life, and after which it counts as lost.
  milliseconds ping_after{30'000};
  milliseconds lost_after{90'000};
  // The time that `close` gives to calls that have no answer yet.
  milliseconds close_timeout{5'000};
  std::size_t tools_at_once = 64;
  std::string client_name = "heddle-cpp";
  // A TLS context of the program's own, and with it TLS. It replaces `ca`, `cert` and `key` of the URL.
  std::shared_ptr<asio::ssl::context> tls;
  heddle::hooks hooks;
  // The logger. No token is ever logged.
  std::function<void(log_level, std::string_view)> log;
  std::function<trace_context()> trace;
  // Tools and the question that are there before the client connects; `client::tool` adds more.
  std::map<std::string, tool_function> tools;
  question_function question;
};

// The options of one call: `call_options().within(5s)`.
class call_options {
 public:
  call_options() {}

  // The key of a change, 16 bytes: the same key has one result.
  call_options& key(std::string bytes) {
    key_ = std::move(bytes);
    return *this;
  }

  // The time of this call with all its attempts; 0 means no bound.
  call_options& within(milliseconds time) {
    timeout_ = time;
    return *this;
  }

  const std::optional<std::string>& key() const { return key_; }
  const std::optional<milliseconds>& timeout() const { return timeout_; }

 private:
  std::optional<std::string> key_;
  std::optional<milliseconds> timeout_;
};

}  // namespace heddle
