// The driver of the C++ client for the conformance suite: conformance/README.md.
#include "driver.hpp"

#include <asio/co_spawn.hpp>
#include <asio/io_context.hpp>
#include <asio/posix/stream_descriptor.hpp>
#include <asio/read.hpp>
#include <asio/use_awaitable.hpp>
#include <asio/write.hpp>

#include <unistd.h>

namespace {

asio::awaitable<void> serve(asio::any_io_executor executor) {
  asio::posix::stream_descriptor in(executor, STDIN_FILENO);
  asio::posix::stream_descriptor out(executor, STDOUT_FILENO);
  driver::driver own(executor);
  for (;;) {
    unsigned char head[4];
    co_await asio::async_read(in, asio::buffer(head), asio::use_awaitable);
    std::string body(std::size_t{head[0]} << 24 | std::size_t{head[1]} << 16 | std::size_t{head[2]} << 8 | head[3], '\0');
    co_await asio::async_read(in, asio::buffer(body), asio::use_awaitable);
    driver::pb::Step step;
    step.ParseFromString(body);
    const driver::pb::Report report = co_await own.step(std::move(step));
    const std::string made = report.SerializeAsString();
    std::string answer;
    for (int shift = 24; shift >= 0; shift -= 8) {
      answer.push_back(static_cast<char>(made.size() >> shift));
    }
    answer += made;
    co_await asio::async_write(out, asio::buffer(answer), asio::use_awaitable);
  }
}

}  // namespace

int main() {
  asio::io_context context;
  // The end of the standard input ends the driver.
  asio::co_spawn(context, serve(context.get_executor()), [&](std::exception_ptr) { context.stop(); });
  context.run();
}
