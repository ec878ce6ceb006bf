// The C++ client: see README.md.
#include <heddle/client.hpp>

#include <sys/resource.h>

#include <asio/co_spawn.hpp>
#include <asio/io_context.hpp>
#include <asio/redirect_error.hpp>
#include <asio/steady_timer.hpp>
#include <asio/use_awaitable.hpp>

#include <chrono>
#include <cstdio>
#include <fstream>
#include <iostream>
#include <stdexcept>

namespace {

double cpu() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  const auto seconds = [](timeval time) { return double(time.tv_sec) + double(time.tv_usec) / 1e6; };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

long memory() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);)
    if (line.rfind("VmRSS:", 0) == 0) return std::stol(line.substr(6));
  return 0;
}

struct meter {
  long before = memory();
  double used = cpu();
  std::chrono::steady_clock::time_point began = std::chrono::steady_clock::now();

  void report() const {
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - began;
    std::printf("{\"cpu\":%g,\"seconds\":%g,\"memory\":%ld}\n", cpu() - used, took.count(), memory() - before);
  }
};

asio::awaitable<void> some(heddle::client& client, const std::string& thread, long count, long& left, asio::steady_timer& done) {
  heddle::v1::ReadSettingsRequest request;
  request.set_thread(thread);
  for (long number = 0; number < count; number++) co_await client.settings().read(request);
  if (--left == 0) done.cancel();
}

asio::awaitable<void> calls(asio::any_io_executor executor, heddle::client& client, const std::string& thread, long depth, long count) {
  asio::steady_timer done(executor, asio::steady_timer::time_point::max());
  long left = depth;
  const auto check = [](std::exception_ptr failed) {
    if (failed) std::rethrow_exception(failed);
  };
  for (long place = 0; place < depth; place++)
    asio::co_spawn(executor, some(client, thread, count / depth, left, done), check);
  asio::error_code ended;
  co_await done.async_wait(asio::redirect_error(asio::use_awaitable, ended));
}

asio::awaitable<void> run(asio::any_io_executor executor, char** words) {
  std::string thread;
  for (const char* at = words[3]; *at; at++) {
    if (*at == '-') continue;
    thread.push_back(char(std::stoi(std::string(at, 2), nullptr, 16)));
    at++;
  }
  const long number = std::atol(words[4]);
  heddle::client client = co_await heddle::client::connect(executor, std::string("heddle://") + words[2]);
  if (std::string(words[1]) == "calls") {
    const long count = std::atol(words[5]);
    co_await calls(executor, client, thread, number, count / 10);
    meter measured;
    co_await calls(executor, client, thread, number, count);
    measured.report();
  } else {
    meter measured;
    heddle::subscribe_options all;
    all.after = 0;
    auto events = client.subscribe(thread, all);
    long taken = 0;
    while (taken < number) {
      auto message = co_await events.next();
      if (!message) throw std::runtime_error("the subscription ended");
      taken += message->has_event();
      if (taken == number / 10) measured.before = memory();
    }
    measured.report();
  }
  co_await client.close();
}

}  // namespace

int main(int, char** words) {
  asio::io_context context(1);
  asio::co_spawn(context, run(context.get_executor(), words), [](std::exception_ptr failed) {
    if (failed) std::rethrow_exception(failed);
  });
  context.run();
}
