#pragma once

#include "heddle/error.hpp"
#include "heddle/v1/frame.pb.h"

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

namespace heddle::detail {

// An error on its way to the program, as a value: coroutines of the client do not throw at each other.
struct fault : error_info {
  fault() = default;
  fault(error_kind of, std::string text) {
    kind = of;
    message = std::move(text);
  }

  // The server has said that it did not serve the call.
  bool unserved = false;
  // The reason for which the server ended the connection.
  std::shared_ptr<const fault> cause;

  // The text of the message with its code and details.
  std::string whole() const;
  // The refusal with which the server ended a connection, or the fault itself.
  const fault& behind() const;
  // The reason, or the kind.
  std::string_view label() const;
};

fault refused(const v1::Error& from);
// The fault of the calls of a connection that has ended: they may have been served.
fault lost_by(const fault& cause);
fault unserved(std::string text);
fault cancelled();
fault timed_out();

// `wait`, `reconnect` or `token`; empty: the call is not repeated by itself.
std::string_view retry_of(std::string_view reason);

[[noreturn]] void raise(const fault& made);

using maybe_fault = std::optional<fault>;

template <class Value>
class result {
 public:
  result(Value value) : made_(std::move(value)) {}
  result(fault made) : made_(std::move(made)) {}

  explicit operator bool() const { return made_.index() == 0; }
  Value& operator*() { return std::get<0>(made_); }
  Value* operator->() { return &std::get<0>(made_); }
  fault& failure() { return std::get<1>(made_); }

 private:
  std::variant<Value, fault> made_;
};

maybe_fault read(std::string_view payload, google::protobuf::Message& into);

}  // namespace heddle::detail
