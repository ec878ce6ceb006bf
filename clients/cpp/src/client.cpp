#include "heddle/client.hpp"

#include "core.hpp"
#include "following.hpp"
#include "running_turn.hpp"

#include <cstdlib>

namespace heddle {

namespace {

detail::target target_of(std::string_view url) {
  if (url.empty()) {
    const char* text = std::getenv("HEDDLE_URL");
    url = text == nullptr ? "" : text;
  }
  return detail::parse_url(url.empty() ? "heddle://127.0.0.1" : url);
}

v1::SubscribeRequest request_of(const subscribe_options& chosen) {
  v1::SubscribeRequest made;
  if (chosen.after) {
    made.set_after(*chosen.after);
  }
  if (chosen.epoch) {
    made.set_epoch(*chosen.epoch);
  }
  made.set_tree(chosen.tree);
  for (const auto kind : chosen.kinds) {
    made.add_kinds(kind);
  }
  if (chosen.credit > 0) {
    made.set_credit(chosen.credit);
  }
  return made;
}

asio::awaitable<void> connect_now(detail::core_pointer core) {
  const auto until = detail::after(core->options().timeout);
  detail::maybe_fault failed;
  try {
    detail::result<detail::connection_pointer> made = co_await core->current(until);
    if (made) {
      co_return;
    }
    failed = made.failure();
  } catch (const asio::system_error& thrown) {
    if (thrown.code() != asio::error::operation_aborted) {
      throw;
    }
    failed = detail::cancelled();
  }
  detail::raise(*failed);
}

asio::awaitable<void> close_now(detail::core_pointer core) {
  co_await core->close();
}

// Generic calls: the services do this with types.
asio::awaitable<void> invoke_with(detail::core_pointer core, const detail::method& called, std::string payload,
                                  google::protobuf::Message& answer, call_options chosen) {
  const std::string bytes = co_await detail::invoke(std::move(core), called, std::move(payload), std::move(chosen));
  detail::read_answer(bytes, answer);
}

std::string without_following(const google::protobuf::Message& request) {
  const auto* field = request.GetDescriptor()->FindFieldByName("subscribe");
  if (field == nullptr || field->cpp_type() != google::protobuf::FieldDescriptor::CPPTYPE_BOOL || field->is_repeated()) {
    return request.SerializeAsString();
  }
  const std::unique_ptr<google::protobuf::Message> own(request.New());
  own->CopyFrom(request);
  own->GetReflection()->SetBool(own.get(), field, false);
  return own->SerializeAsString();
}

asio::awaitable<std::optional<v1::SubscriptionEvent>> next_of(std::shared_ptr<detail::following> state) {
  detail::maybe_fault failed;
  try {
    detail::result<detail::following::message> made = co_await detail::following::next(state);
    if (made) {
      co_return std::move(*made);
    }
    failed = made.failure();
  } catch (const asio::system_error& thrown) {
    if (thrown.code() != asio::error::operation_aborted) {
      throw;
    }
    failed = detail::cancelled();
  }
  detail::raise(*failed);
}

asio::awaitable<void> opening_of(std::shared_ptr<detail::following> state) {
  const detail::maybe_fault failed = co_await detail::following::opened(state);
  if (failed) {
    detail::raise(*failed);
  }
}

}  // namespace

client::client(asio::any_io_executor executor, std::string_view url, options chosen)
    : services(std::make_shared<detail::core>(std::move(executor), target_of(url), std::move(chosen))) {}

client::client(client&& other) noexcept : services(std::exchange(other.core_, nullptr)) {}

client& client::operator=(client&& other) noexcept {
  std::swap(core_, other.core_);
  return *this;
}

client::~client() {
  if (core_) {
    core_->close_later();
  }
}

asio::awaitable<client> client::connect(asio::any_io_executor executor, std::string url, options chosen) {
  client made(std::move(executor), url, std::move(chosen));
  co_await made.ready();
  co_return made;
}

asio::awaitable<void> client::ready() {
  return connect_now(core_);
}

asio::awaitable<void> client::close() {
  return close_now(core_);
}

subscription client::subscribe(std::string thread, subscribe_options chosen) {
  v1::SubscribeRequest asked = request_of(chosen);
  asked.set_thread(std::move(thread));
  return subscription(std::make_shared<detail::following>(core_, std::move(asked)));
}

subscription client::subscribe_all(subscribe_options chosen) {
  return subscription(std::make_shared<detail::following>(core_, request_of(chosen)));
}

heddle::turn client::turn(std::string thread, std::string text) {
  v1::StartTurnRequest request;
  request.set_thread(std::move(thread));
  request.mutable_input()->add_content()->set_text(std::move(text));
  return turn(std::move(request));
}

heddle::turn client::turn(v1::StartTurnRequest request) {
  return heddle::turn(std::make_shared<detail::running_turn>(core_, std::move(request)));
}

asio::awaitable<void> client::invoke(std::string_view path, const google::protobuf::Message& request, google::protobuf::Message& answer,
                                     call_options chosen) {
  for (const detail::method* called : detail::methods::all) {
    if (called->path == path) {
      return invoke_with(core_, *called, without_following(request), answer, std::move(chosen));
    }
  }
  detail::raise(detail::fault(error_kind::refused, "there is no method " + std::string(path)));
}

std::string client::description() const {
  std::string hosts;
  for (const auto& host : core_->where().hosts) {
    hosts += (hosts.empty() ? "" : ",") + host.text();
  }
  return "heddle::client of " + hosts;
}

void client::add_tool(std::string name, tool_function function) {
  if (core_->tools().add(std::move(name), std::move(function))) {
    core_->renew();
  }
}

void client::set_question(question_function function) {
  if (core_->tools().ask_with(std::move(function))) {
    core_->renew();
  }
}

subscription::subscription(std::shared_ptr<detail::following> state) : state_(std::move(state)) {}
subscription::subscription(subscription&&) noexcept = default;

subscription& subscription::operator=(subscription&& other) noexcept {
  std::swap(state_, other.state_);
  return *this;
}

subscription::~subscription() {
  if (state_) {
    state_->close();
  }
}

asio::awaitable<std::optional<v1::SubscriptionEvent>> subscription::next() {
  return next_of(state_);
}

asio::awaitable<void> subscription::opened() {
  return opening_of(state_);
}

void subscription::close() {
  state_->close();
}

std::size_t subscription::skipped() const {
  return state_->skipped();
}

}  // namespace heddle
