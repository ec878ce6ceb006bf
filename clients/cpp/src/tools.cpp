#include "tools.hpp"

#include "core.hpp"
#include "heddle/generated/methods.hpp"
#include "heddle/v1/client.pb.h"

namespace heddle::detail {

namespace {

constexpr std::size_t remembered = 1'024;
constexpr std::size_t longest_failure = 4'000;

std::string failure(v1::Code code, std::string message) {
  // A text is cut between characters.
  if (message.size() > longest_failure) {
    std::size_t end = longest_failure;
    while (end > 0 && (static_cast<unsigned char>(message[end]) & 0xc0) == 0x80) {
      end--;
    }
    message.resize(end);
  }
  v1::Error made;
  made.set_code(code);
  made.set_reason("tool_failed");
  made.set_message(std::move(message));
  return made.SerializeAsString();
}

bool is_object(std::string_view json) {
  constexpr std::string_view space = " \t\r\n";
  const auto first = json.find_first_not_of(space);
  const auto last = json.find_last_not_of(space);
  return first != std::string_view::npos && first != last && json[first] == '{' && json[last] == '}';
}

asio::awaitable<std::string> run_tool(tool_function function, std::string arguments) {
  if (arguments.empty()) {
    arguments = "{}";
  }
  if (!is_object(arguments)) {
    throw std::invalid_argument("the arguments are no JSON object");
  }
  std::string text = co_await function(std::move(arguments));
  v1::CallToolResponse answer;
  answer.set_success(true);
  answer.add_content()->set_text(std::move(text));
  co_return answer.SerializeAsString();
}

asio::awaitable<std::string> run_question(question_function function, v1::RequestUserInputRequest asked) {
  v1::RequestUserInputResponse answer;
  answer.set_action_hash(asked.action_hash());
  std::string text = co_await function(std::move(asked));
  answer.set_answer(std::move(text));
  co_return answer.SerializeAsString();
}

template <class Request>
std::string key_of(const Request& asked) {
  return asked.thread() + "/" + asked.turn() + "/" + asked.call_id();
}

}  // namespace

tools::tools(const heddle::options& chosen, asio::any_io_executor executor)
    : executor_(std::move(executor)), at_once_(chosen.tools_at_once), by_name_(chosen.tools), question_(chosen.question) {}

std::vector<std::string> tools::features() const {
  std::vector<std::string> found;
  if (!by_name_.empty()) {
    found.push_back("call_tool");
  }
  if (question_) {
    found.push_back("request_user_input");
  }
  return found;
}

bool tools::add(std::string name, tool_function function) {
  const bool is_first = by_name_.empty();
  by_name_[std::move(name)] = std::move(function);
  return is_first;
}

bool tools::ask_with(question_function function) {
  const bool is_first = !question_;
  question_ = std::move(function);
  return is_first;
}

// The server's part

void tools::asked(core& client, const std::shared_ptr<connection>& from, std::uint32_t stream, std::uint16_t number,
                  std::string_view payload) {
  job work;
  work.number = number;
  const bool is_tool = number == methods::call_tool;
  const bool is_question = number == methods::request_user_input;
  if ((is_tool && !read_tool(payload, work)) || (is_question && !read_question(payload, work))) {
    from->send(frame_kind::error, number, stream, failure(v1::CODE_INVALID_ARGUMENT, "the request cannot be read"));
  } else if (!work.work.valid() || is_stopped_) {
    from->send(frame_kind::error, number, stream, failure(v1::CODE_UNIMPLEMENTED, "this client does not have the tool"));
  } else {
    begin(client, from, stream, std::move(work));
  }
}

bool tools::read_tool(std::string_view payload, job& into) {
  v1::CallToolRequest asked;
  if (read(payload, asked)) {
    return false;
  }
  into.key = key_of(asked);
  into.deadline = asked.deadline();
  if (const auto found = by_name_.find(asked.name()); found != by_name_.end()) {
    into.work = run_tool(found->second, asked.arguments());
  }
  return true;
}

bool tools::read_question(std::string_view payload, job& into) {
  v1::RequestUserInputRequest asked;
  if (read(payload, asked)) {
    return false;
  }
  into.key = key_of(asked);
  into.deadline = asked.deadline();
  if (question_) {
    into.work = run_question(question_, std::move(asked));
  }
  return true;
}

void tools::begin(core& client, const std::shared_ptr<connection>& from, std::uint32_t stream, job work) {
  if (const auto found = runs_.find(work.key); found != runs_.end()) {
    run& known = *found->second;
    if (known.is_done) {
      from->send(known.kind, work.number, stream, known.payload);
    } else {
      known.places.push_back({from, stream});
    }
    return;
  }
  const auto own = std::make_shared<run>();
  own->places.push_back({from, stream});
  runs_[work.key] = own;
  order_.push_back(work.key);
  forget_old();
  client.spawn(serve(client.shared_from_this(), own, from, std::move(work)));
}

void tools::forget_old() {
  while (order_.size() > remembered) {
    const auto found = runs_.find(order_.front());
    if (found != runs_.end() && !found->second->is_done) {
      return;
    }
    if (found != runs_.end()) {
      runs_.erase(found);
    }
    order_.pop_front();
  }
}

void tools::taken_back(const std::shared_ptr<connection>& from, std::uint32_t stream) {
  for (auto found = runs_.begin(); found != runs_.end(); ++found) {
    const auto own = found->second;
    const auto removed = std::erase_if(own->places, [&](const place& at) { return at.conn == from && at.stream == stream; });
    if (removed > 0) {
      if (own->places.empty() && !own->is_done) {
        runs_.erase(found);
        stop(*own);
      }
      return;
    }
  }
}

void tools::stop(run& one) {
  one.is_stopped = true;
  one.changed.notify_all();
  room_.notify_all();
}

void tools::stop() {
  is_stopped_ = true;
  for (const auto& [key, one] : runs_) {
    stop(*one);
  }
}

// The functions

asio::awaitable<void> tools::serve(core_pointer client, std::shared_ptr<run> own, std::shared_ptr<connection> from, job work) {
  tools& all = client->tools();
  while (all.running_ >= all.at_once_ && !own->is_stopped) {
    co_await wait(all.executor_, all.room_, never);
  }
  if (own->is_stopped) {
    co_return;
  }
  time_point until = never;
  if (work.deadline > 0) {
    const auto now = std::chrono::duration_cast<milliseconds>(std::chrono::system_clock::now().time_since_epoch());
    constexpr std::int64_t year = 31'536'000'000;
    const std::int64_t left = std::min(work.deadline, now.count() + year) - now.count() - from->ahead().count();
    until = clock::now() + milliseconds(std::clamp<std::int64_t>(left, 0, year));
  }
  all.running_++;
  const auto running = run_apart<std::string>(all.executor_, std::move(work.work), [own] { own->changed.notify_all(); });
  // One that does not end when it is cancelled is not waited for.
  while (!running->is_done && !own->is_stopped && clock::now() < until) {
    co_await wait(all.executor_, own->changed, until);
  }
  all.running_--;
  all.room_.notify_all();
  const bool is_late = !running->is_done && !own->is_stopped;
  if (!running->is_done) {
    running->stop.emit(asio::cancellation_type::terminal);
  }
  if (own->is_stopped) {
    co_return;
  }
  if (running->is_done && !running->thrown) {
    own->payload = std::move(running->made);
  }
  std::string failed = running->is_done && running->thrown ? text_of(running->thrown) : std::string();
  if (running->is_done && running->thrown && failed.empty()) {
    failed = "the tool failed";
  }
  all.settle(*own, *from, work.number, std::move(failed), is_late);
}

void tools::settle(run& own, const connection& from, std::uint16_t number, std::string failed, bool is_late) {
  if (is_late) {
    own.kind = frame_kind::error;
    own.payload = failure(v1::CODE_DEADLINE_EXCEEDED, "the tool did not end in its time");
  } else if (!failed.empty()) {
    own.kind = frame_kind::error;
    own.payload = failure(v1::CODE_UNKNOWN, std::move(failed));
  }
  const std::size_t most = from.frame_limit();
  if (most > 0 && own.payload.size() > most) {
    own.kind = frame_kind::error;
    own.payload = failure(v1::CODE_UNKNOWN, "the tool's result is larger than " + std::to_string(most) + " bytes");
  }
  own.is_done = true;
  const auto places = std::exchange(own.places, {});
  for (const auto& at : places) {
    at.conn->send(own.kind, number, at.stream, own.payload);
  }
}

}  // namespace heddle::detail
