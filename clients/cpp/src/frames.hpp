#pragma once

#include "fault.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace heddle::detail {

// Frames: a head of 16 bytes, optional metadata, a message (docs/protocol.md).
enum class frame_kind : std::uint8_t {
  request = 1,
  response = 2,
  event = 3,
  error = 4,
  cancel = 5,
  credit = 6,
  ping = 7,
  pong = 8,
  goaway = 9,
  hello = 10,
};

inline constexpr std::size_t head_bytes = 16;
inline constexpr std::uint8_t end_of_stream = 0x02;
// The server's frames may be larger than a client's: a stored event may hold an item of 4 MiB.
inline constexpr std::size_t received_bytes = 8 << 20;

// A frame that has come; its payload is a part of the reader's buffer.
struct frame {
  frame_kind kind;
  std::uint8_t flags;
  std::uint16_t method;
  std::uint32_t stream;
  std::string_view payload;
  std::size_t size;
};

void append_frame(std::string& out, frame_kind kind, std::uint16_t method, std::uint32_t stream, std::string_view payload,
                  std::string_view metadata);

// Bytes in, frames out. It holds no more bytes than have come.
class frame_reader {
 public:
  // Room for the next bytes, and the number of them that came.
  char* room(std::size_t bytes);
  void came(std::size_t bytes) { end_ += bytes; }

  // The next frame that this client knows; nothing: more bytes are needed.
  result<std::optional<frame>> next(std::size_t largest);

 private:
  std::string bytes_;
  std::size_t begin_ = 0;
  std::size_t end_ = 0;
};

}  // namespace heddle::detail
