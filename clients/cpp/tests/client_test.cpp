// Tests against a server: client_test [NAME]. HEDDLE_BIN names the server's program.
#include "heddle/client.hpp"
#include "server.hpp"

#include <asio/bind_cancellation_slot.hpp>
#include <asio/cancellation_signal.hpp>
#include <asio/co_spawn.hpp>
#include <asio/detached.hpp>
#include <asio/experimental/awaitable_operators.hpp>
#include <asio/io_context.hpp>
#include <asio/steady_timer.hpp>
#include <asio/strand.hpp>
#include <asio/thread_pool.hpp>
#include <asio/use_awaitable.hpp>

#include <atomic>
#include <functional>
#include <iostream>
#include <source_location>

namespace {

using namespace std::chrono_literals;

using task = asio::awaitable<void>;

void check(bool is_right, const std::string& what = "", std::source_location at = std::source_location::current()) {
  if (!is_right) {
    throw std::runtime_error("line " + std::to_string(at.line()) + ": " + what);
  }
}

std::string thread_of(const heddle::v1::StartThreadResponse& started) {
  return started.thread().id();
}

asio::awaitable<std::string> new_thread(heddle::client& client, std::string name = "") {
  heddle::v1::StartThreadRequest request;
  request.set_name(name);
  const auto started = co_await client.threads().start(request);
  co_return thread_of(started);
}

task calls_events_and_a_turn(asio::any_io_executor executor, server& place) {
  heddle::client client = co_await heddle::client::connect(executor, place.url());
  const std::string thread = co_await new_thread(client, "first");
  auto whole_turn = client.turn(thread, "!chunks 20\n!delay 5\nHello there");
  const std::string whole = co_await whole_turn.result();
  check(whole == "You said: Hello there", whole);
  auto turn = client.turn(thread, "!chunks 7\n!delay 20\nabcdefg");
  std::string text;
  int pieces = 0;
  while (const auto piece = co_await turn.next()) {
    text += *piece;
    pieces++;
  }
  check(text == "You said: abcdefg" && pieces > 1, text);
  heddle::v1::ReadThreadRequest request;
  request.set_thread(std::string(16, '\0'));
  try {
    co_await client.threads().read(request);
    check(false, "read");
  } catch (const heddle::error& failed) {
    check(failed.code() == "NOT_FOUND" && failed.reason() == heddle::reasons::thread && !failed.may_have_happened(), failed.what());
  }
  std::string names;
  auto threads = client.threads().each_list();
  while (const auto one = co_await threads.next()) {
    names += one->name();
  }
  check(names == "first", names);
}

// The result of a turn that is cancelled from outside after a while.
asio::awaitable<heddle::error_kind> cancelled_turn(asio::any_io_executor executor, heddle::turn& turn, std::chrono::milliseconds time) {
  asio::cancellation_signal stop;
  asio::steady_timer done(executor, asio::steady_timer::time_point::max());
  heddle::error_kind kind = heddle::error_kind::closed;
  const auto ended = [&](std::exception_ptr thrown, const std::string&) {
    try {
      std::rethrow_exception(thrown);
    } catch (const heddle::error& failed) {
      kind = failed.kind();
    }
    done.cancel();
  };
  asio::co_spawn(executor, turn.result(), asio::bind_cancellation_slot(stop.slot(), ended));
  asio::steady_timer patience(executor, time);
  co_await patience.async_wait(asio::use_awaitable);
  stop.emit(asio::cancellation_type::terminal);
  try {
    co_await done.async_wait(asio::use_awaitable);
  } catch (const asio::system_error&) {
  }
  co_return kind;
}

task a_turn_that_fails_and_some_that_are_given_up(asio::any_io_executor executor, server& place) {
  heddle::client client = co_await heddle::client::connect(executor, place.url());
  const std::string thread = co_await new_thread(client);
  try {
    auto turn = client.turn(thread, "!fail");
    co_await turn.result();
    check(false, "failed");
  } catch (const heddle::error& failed) {
    check(failed.kind() == heddle::error_kind::turn_failed && failed.reason() == "model_failed", failed.what());
  }
  auto turn = client.turn(thread, "!stall");
  const auto kind = co_await cancelled_turn(executor, turn, 300ms);
  check(kind == heddle::error_kind::cancelled, std::string(heddle::name_of(kind)));
  {
    auto destroyed = client.turn(thread, "!chunks 50\n!delay 20\na turn that is destroyed before its end");
    const auto piece = co_await destroyed.next();
    check(piece.has_value());
  }
  heddle::subscribe_options all;
  all.after = 0;
  auto events = client.subscribe(thread, all);
  std::string statuses;
  int ends = 0;
  while (ends < 3) {
    const auto message = co_await events.next();
    if (message && message->event().has_turn_ended()) {
      statuses += heddle::v1::TurnStatus_Name(message->event().turn_ended().status()) + " ";
      ends++;
    }
  }
  check(statuses == "TURN_STATUS_FAILED TURN_STATUS_INTERRUPTED TURN_STATUS_INTERRUPTED ", statuses);
}

task names_of(heddle::subscription& events, std::vector<std::string>& names) {
  while (const auto message = co_await events.next()) {
    if (message->event().has_name_changed()) {
      names.push_back(message->event().name_changed().name());
      if (names.back() == "last") {
        break;
      }
    }
  }
}

// Each change once and each event once, over a server that is killed three times.
task kill_9_in_the_middle_loses_nothing(asio::any_io_executor executor, server& place) {
  heddle::options chosen;
  chosen.backoff = 50ms;
  chosen.longest_backoff = 200ms;
  chosen.retries = 100;
  heddle::client client = co_await heddle::client::connect(executor, place.url(), chosen);
  const std::string thread = co_await new_thread(client);
  heddle::subscribe_options all;
  all.after = 0;
  auto events = client.subscribe(thread, all);
  std::vector<std::string> names;
  std::vector<std::string> wanted;
  asio::steady_timer followed(executor, asio::steady_timer::time_point::max());
  asio::co_spawn(executor, names_of(events, names), [&](std::exception_ptr) { followed.cancel(); });
  for (int number = 0; number <= 60; number++) {
    if (number == 10 || number == 30 || number == 50) {
      place.kill();
      place.start();
    }
    heddle::v1::SetThreadNameRequest request;
    request.set_thread(thread);
    request.set_name(number == 60 ? "last" : "name " + std::to_string(number));
    wanted.push_back(request.name());
    co_await client.threads().set_name(request);
  }
  if (names.empty() || names.back() != "last") {
    try {
      co_await followed.async_wait(asio::use_awaitable);
    } catch (const asio::system_error&) {
    }
  }
  check(names == wanted, std::to_string(names.size()) + " names");
}

task a_tool_and_a_question(asio::any_io_executor executor, server& place) {
  heddle::client client(executor, place.url());
  client.tool("weather", [](std::string arguments) { return "grey: " + arguments; });
  client.on_question([](heddle::v1::RequestUserInputRequest) -> asio::awaitable<std::string> { co_return "Bern"; });
  heddle::v1::StartThreadRequest request;
  request.set_asks_user(true);
  auto* tool = request.add_tools();
  tool->set_name("weather");
  tool->set_description("d");
  tool->set_schema(R"({"type":"object"})");
  const auto started = co_await client.threads().start(request);
  auto first = client.turn(thread_of(started), R"(!tool weather {"town": "Bern"})");
  const std::string weather = co_await first.result();
  check(weather.find("grey") != std::string::npos, weather);
  auto second = client.turn(thread_of(started), R"(!tool request_user_input {"question": "Which town?"})");
  const std::string town = co_await second.result();
  check(town.find("Bern") != std::string::npos, town);
}

// The context ends with this coroutine: nothing of a client is left in it.
task nothing_is_left_after_close(asio::any_io_executor executor, server& place) {
  for (int i = 0; i < 5; i++) {
    heddle::client client = co_await heddle::client::connect(executor, place.url());
    const std::string thread = co_await new_thread(client);
    auto events = client.subscribe(thread);
    co_await events.opened();
    co_await client.close();
    try {
      co_await client.server().status();
      check(false, "status");
    } catch (const heddle::error& failed) {
      check(failed.kind() == heddle::error_kind::closed, failed.what());
    }
    const auto none = co_await events.next();
    check(!none);
  }
}

// The call that is pending when its client is destroyed still ends, and so does the context.
task a_client_that_is_destroyed_early(asio::any_io_executor executor, server& place) {
  using namespace asio::experimental::awaitable_operators;
  std::string thread;
  {
    heddle::options chosen;
    chosen.hooks.lost = [](std::string_view) { std::abort(); };
    heddle::client client = co_await heddle::client::connect(executor, place.url(), chosen);
    thread = co_await new_thread(client);
    auto events = client.subscribe(thread);
    co_await events.opened();
    auto turn = client.turn(thread, "!stall");
    asio::steady_timer patience(executor, 300ms);
    const auto first = co_await (turn.next() || patience.async_wait(asio::use_awaitable));
    check(first.index() == 1, "a turn that stalls");
  }
  heddle::client client = co_await heddle::client::connect(executor, place.url());
  auto next = client.turn(thread, "Hello");
  const std::string text = co_await next.result();
  check(text == "You said: Hello", text);
}

task busy(asio::any_io_executor executor, server& place) {
  heddle::client client = co_await heddle::client::connect(executor, place.url());
  client.tool("slow", [executor](std::string) -> asio::awaitable<std::string> {
    asio::steady_timer timer(executor, 60s);
    co_await timer.async_wait(asio::use_awaitable);
    co_return "late";
  });
  heddle::v1::StartThreadRequest request;
  auto* tool = request.add_tools();
  tool->set_name("slow");
  tool->set_description("d");
  tool->set_schema(R"({"type":"object"})");
  const auto started = co_await client.threads().start(request);
  auto turn = client.turn(thread_of(started), "!tool slow {}");
  co_await turn.result();
}

// A context that is destroyed takes its coroutines, and with them all that the client has.
task a_context_that_ends_first(asio::any_io_executor, server& place) {
  asio::io_context inner;
  for (int i = 0; i < 3; i++) {
    asio::co_spawn(inner, busy(inner.get_executor(), place), asio::detached);
  }
  inner.run_for(500ms);
  check(!inner.stopped());
  co_return;
}

task on_a_strand_of_many_threads(asio::any_io_executor, server& place) {
  asio::thread_pool threads(4);
  const asio::any_io_executor strand = asio::make_strand(threads);
  std::atomic<int> done = 0;
  const auto work = [&]() -> task {
    heddle::client client = co_await heddle::client::connect(strand, place.url());
    for (int i = 0; i < 20; i++) {
      const std::string thread = co_await new_thread(client);
      auto turn = client.turn(thread, "!chunks 5\n!delay 1\nHello");
      const std::string text = co_await turn.result();
      check(text == "You said: Hello", text);
    }
    done++;
  };
  for (int i = 0; i < 4; i++) {
    asio::co_spawn(strand, work, asio::detached);
  }
  threads.join();
  check(done == 4, std::to_string(done));
  co_return;
}

task nobody_listens(asio::any_io_executor executor, server&) {
  try {
    heddle::client client = co_await heddle::client::connect(executor, "heddle://127.0.0.1:1");
    check(false, "connected");
  } catch (const heddle::error& failed) {
    const std::string text = failed.what();
    check(failed.kind() == heddle::error_kind::cannot_connect && text.find("127.0.0.1:1") != std::string::npos, text);
  }
}

task urls_that_are_none(asio::any_io_executor executor, server&) {
  const std::pair<std::string, std::string> cases[] = {{"http://localhost", "begins with heddle://"},
                                                       {"heddle://a:b", "is no host"},
                                                       {"heddle://a?x=1", "no option"},
                                                       {"heddle://user@a", "token"},
                                                       {"heddle://a/path", "no path"},
                                                       {"heddle://a?tls=maybe", "on or off"},
                                                       {"heddles://a?tls=off", "exclude"},
                                                       {"heddle://", "is no host"},
                                                       {"heddle://a:70000", "is no host"},
                                                       {"heddle://[::1", "is no host"},
                                                       {"heddle://a?ca=%zz", "be read"},
                                                       {"heddle://a?ca=%", "be read"},
                                                       {"heddle://[::1]x", "is no host"},
                                                       {"heddle://a,,b", "is no host"}};
  for (const auto& [url, word] : cases) {
    std::string said = "nothing";
    try {
      const heddle::client client(executor, url);
    } catch (const std::invalid_argument& failed) {
      said = failed.what();
    }
    check(said.find(word) != std::string::npos, url + ": " + said);
  }
  co_return;
}

struct test {
  const char* name;
  std::function<task(asio::any_io_executor, server&)> run;
};

int failures(const std::string& wanted) {
  const test tests[] = {{"calls_events_and_a_turn", calls_events_and_a_turn},
                        {"a_turn_that_fails_and_some_that_are_given_up", a_turn_that_fails_and_some_that_are_given_up},
                        {"kill_9_in_the_middle_loses_nothing", kill_9_in_the_middle_loses_nothing},
                        {"a_tool_and_a_question", a_tool_and_a_question},
                        {"nothing_is_left_after_close", nothing_is_left_after_close},
                        {"a_client_that_is_destroyed_early", a_client_that_is_destroyed_early},
                        {"a_context_that_ends_first", a_context_that_ends_first},
                        {"on_a_strand_of_many_threads", on_a_strand_of_many_threads},
                        {"nobody_listens", nobody_listens},
                        {"urls_that_are_none", urls_that_are_none}};
  int failed = 0;
  for (const auto& one : tests) {
    if (wanted.empty() || wanted == one.name) {
      server place;
      std::string problem;
      asio::io_context context;
      asio::co_spawn(context, one.run(context.get_executor(), place), [&](std::exception_ptr thrown) {
        try {
          if (thrown) {
            std::rethrow_exception(thrown);
          }
        } catch (const std::exception& wrong) {
          problem = wrong.what();
        }
      });
      const bool is_done = context.run_for(60s) > 0 && context.stopped();
      problem = is_done ? problem : "something is left after a minute";
      std::cout << one.name << ": " << (problem.empty() ? "ok" : "FAILED: " + problem) << std::endl;
      failed += problem.empty() ? 0 : 1;
    }
  }
  return failed;
}

}  // namespace

int main(int count, char** arguments) {
  return failures(count > 1 ? arguments[1] : "") == 0 ? 0 : 1;
}
