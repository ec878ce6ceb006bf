#pragma once

#include <cstdint>
#include <string_view>

namespace heddle::detail {

struct method {
  std::uint16_t number;
  std::string_view path;
  // The server keeps one result for each key, so a repetition happens once.
  bool keyed;
  // A call that may have been served can be sent again.
  bool repeatable;
};

}  // namespace heddle::detail
