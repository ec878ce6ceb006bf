// The client of Heddle, the session server for AI agents: threads, turns, settings, and their events.
//
//   heddle::client client = co_await heddle::client::connect(executor, "heddle://127.0.0.1");
//   auto started = co_await client.threads().start();
//   auto turn = client.turn(started.thread().id(), "Hello");
//   while (auto text = co_await turn.next()) std::cout << *text;
#pragma once

#include "heddle/error.hpp"
#include "heddle/generated/reasons.hpp"
#include "heddle/generated/services.hpp"
#include "heddle/options.hpp"
#include "heddle/subscription.hpp"
#include "heddle/turn.hpp"
#include "heddle/v1/client.pb.h"

#include <asio/any_io_executor.hpp>
#include <asio/awaitable.hpp>
#include <asio/co_spawn.hpp>
#include <asio/io_context.hpp>

#include <concepts>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

namespace heddle {

// A client of one server, or of several that stand for each other. It has one connection, and makes another when that one is
// lost, when the server goes, or when it replaces old connections.
//
// A client, its subscriptions and turns belong to one executor, and are used on it only. If the executor's context runs on
// several threads, the executor is a strand.
class client : public services {
 public:
  // A client that connects with its first call. The URL is heddle://host:port,host2?tls=on&ca=FILE&cert=FILE&key=FILE&name=NAME;
  // an empty one is HEDDLE_URL, or the server on this machine. A URL that is none throws std::invalid_argument.
  explicit client(asio::any_io_executor executor, std::string_view url = "", options chosen = options());

  client(client&&) noexcept;
  client& operator=(client&&) noexcept;
  // Ends at once everything that `close` would have waited for.
  ~client();

  // A client that is connected.
  static asio::awaitable<client> connect(asio::any_io_executor executor, std::string url = "", options chosen = options());

  // Connects the client if it is not.
  asio::awaitable<void> ready();

  // Waits for calls that have no answer yet, at most the close timeout; then nothing is left.
  asio::awaitable<void> close();

  // Follows a thread. It begins with the first `next` or `opened`.
  subscription subscribe(std::string thread, subscribe_options chosen = subscribe_options());

  // Notices of all threads.
  subscription subscribe_all(subscribe_options chosen = subscribe_options());

  // Starts a turn and follows it.
  heddle::turn turn(std::string thread, std::string text);
  heddle::turn turn(v1::StartTurnRequest request);

  // The function that runs a tool, a coroutine or not. The thread must offer the tool (StartThreadRequest.tools).
  template <std::invocable<std::string> Function>
  void tool(std::string name, Function function) {
    add_tool(std::move(name), as_coroutine<std::string>(std::move(function)));
  }

  // The function that asks the user, a coroutine or not.
  template <std::invocable<v1::RequestUserInputRequest> Function>
  void on_question(Function function) {
    set_question(as_coroutine<v1::RequestUserInputRequest>(std::move(function)));
  }

  // Calls any method by its path, such as ThreadService/Read; the services do this with types.
  asio::awaitable<void> invoke(std::string_view path, const google::protobuf::Message& request, google::protobuf::Message& answer,
                               call_options chosen = call_options());

  // The hosts of the server, and no secret.
  std::string description() const;

 private:
  explicit client(detail::core_pointer core) : services(std::move(core)) {}

  void add_tool(std::string name, tool_function function);
  void set_question(question_function function);

  template <class Argument, class Function>
  static std::function<asio::awaitable<std::string>(Argument)> as_coroutine(Function function) {
    if constexpr (std::convertible_to<std::invoke_result_t<Function&, Argument>, std::string>) {
      auto shared = std::make_shared<Function>(std::move(function));
      return [shared](Argument argument) { return at_once(shared, std::move(argument)); };
    } else {
      return function;
    }
  }

  template <class Argument, class Function>
  static asio::awaitable<std::string> at_once(std::shared_ptr<Function> function, Argument argument) {
    std::string made = (*function)(std::move(argument));
    co_return made;
  }
};

}  // namespace heddle
