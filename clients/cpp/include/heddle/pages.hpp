#pragma once

#include <asio/awaitable.hpp>

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace heddle {

namespace detail {

template <class Item>
struct page {
  std::vector<Item> items;
  std::string next_cursor;
};

}  // namespace detail

// The items of all pages: `while (auto item = co_await pages.next())`.
template <class Item>
class pages {
 public:
  using ask_function = std::function<asio::awaitable<detail::page<Item>>(const std::string& cursor)>;

  explicit pages(ask_function ask) : state_(std::make_shared<state>()) { state_->ask = std::move(ask); }

  // The next item; nothing after the last one.
  asio::awaitable<std::optional<Item>> next() { return take(state_); }

 private:
  struct state {
    ask_function ask;
    detail::page<Item> current;
    std::size_t place = 0;
    bool has_begun = false;
  };

  static asio::awaitable<std::optional<Item>> take(std::shared_ptr<state> own) {
    while (own->place == own->current.items.size()) {
      if (own->has_begun && own->current.next_cursor.empty()) {
        co_return std::nullopt;
      }
      std::string cursor = own->current.next_cursor;
      own->current = co_await own->ask(cursor);
      own->has_begun = true;
      own->place = 0;
    }
    co_return std::optional<Item>(std::move(own->current.items[own->place++]));
  }

  std::shared_ptr<state> state_;
};

}  // namespace heddle
