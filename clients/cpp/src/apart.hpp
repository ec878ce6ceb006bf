#pragma once

#include <asio/bind_cancellation_slot.hpp>
#include <asio/cancellation_signal.hpp>
#include <asio/co_spawn.hpp>

#include <exception>
#include <functional>
#include <memory>
#include <utility>

namespace heddle::detail {

// A coroutine of the program that runs beside the client's own, so that it can be cancelled, and given up if it does not end.
template <class Value>
struct apart {
  asio::cancellation_signal stop;
  bool is_done = false;
  std::exception_ptr thrown;
  Value made;
};

template <class Value>
std::shared_ptr<apart<Value>> run_apart(const asio::any_io_executor& executor, asio::awaitable<Value> work, std::function<void()> done) {
  auto state = std::make_shared<apart<Value>>();
  auto handler = [state, done = std::move(done)](std::exception_ptr thrown, Value made) {
    state->is_done = true;
    state->thrown = thrown;
    state->made = std::move(made);
    done();
  };
  asio::co_spawn(executor, std::move(work), asio::bind_cancellation_slot(state->stop.slot(), std::move(handler)));
  return state;
}

inline std::string text_of(const std::exception_ptr& thrown) {
  try {
    std::rethrow_exception(thrown);
  } catch (const std::exception& failed) {
    return failed.what();
  } catch (...) {
    return "an exception that is no std::exception";
  }
}

}  // namespace heddle::detail
