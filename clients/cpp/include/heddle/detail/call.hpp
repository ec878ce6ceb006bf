#pragma once

#include "heddle/detail/method.hpp"
#include "heddle/error.hpp"
#include "heddle/options.hpp"
#include "heddle/pages.hpp"

#include <google/protobuf/message.h>
#include <asio/awaitable.hpp>

#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace heddle::detail {

class core;
using core_pointer = std::shared_ptr<core>;

// One call with all its attempts: the bytes of the answer.
asio::awaitable<std::string> invoke(core_pointer core, const method& called, std::string payload, call_options options);

void read_answer(const std::string& bytes, google::protobuf::Message& into);

template <class Response, class Request>
asio::awaitable<Response> call(core_pointer core, const method& called, Request request, call_options options) {
  // There is one way to follow a thread, which is Subscribe.
  if constexpr (requires { request.set_subscribe(false); }) {
    request.set_subscribe(false);
  }
  std::string payload = request.SerializeAsString();
  std::string bytes = co_await invoke(std::move(core), called, std::move(payload), std::move(options));
  Response response;
  read_answer(bytes, response);
  co_return response;
}

template <class Response, class Item, class Request, class Take>
asio::awaitable<page<Item>> ask_for_page(core_pointer core, const method& called, Request request, call_options options, Take take) {
  Response response = co_await call<Response>(std::move(core), called, std::move(request), std::move(options));
  page<Item> made;
  for (auto& item : *take(response)) {
    made.items.push_back(std::move(item));
  }
  made.next_cursor = response.next_cursor();
  co_return made;
}

template <class Response, class Item, class Request, class Take>
pages<Item> each(core_pointer core, const method& called, Request request, call_options options, Take take) {
  return pages<Item>([core = std::move(core), &called, request = std::move(request), options = std::move(options),
                      take](const std::string& cursor) mutable {
    if (!cursor.empty()) {
      request.set_cursor(cursor);
    }
    return ask_for_page<Response, Item>(core, called, request, options, take);
  });
}

}  // namespace heddle::detail
