#include "frames.hpp"

#include <cstring>

namespace heddle::detail {

namespace {

constexpr std::uint8_t known_flags = 0x82;

void append_number(std::string& out, std::uint64_t number, int bytes) {
  for (int shift = 8 * (bytes - 1); shift >= 0; shift -= 8) {
    out.push_back(static_cast<char>(number >> shift));
  }
}

std::uint32_t number_at(std::string_view head, std::size_t place, std::size_t bytes) {
  std::uint32_t number = 0;
  for (std::size_t i = 0; i < bytes; i++) {
    number = number << 8 | static_cast<std::uint8_t>(head[place + i]);
  }
  return number;
}

fault protocol(std::string text) {
  return fault(error_kind::protocol, std::move(text));
}

maybe_fault check_head(std::string_view head, std::size_t metadata, std::size_t length, std::size_t largest) {
  const unsigned kind = number_at(head, 1, 1);
  const unsigned version = number_at(head, 8, 1);
  const unsigned flags = number_at(head, 11, 1);
  const bool may_be_skipped = (kind & 0x80) != 0;
  if (number_at(head, 0, 1) != 0xfa) {
    return protocol("this is no server of Heddle, or one that speaks TLS: its bytes are no frames");
  }
  if (version != 1) {
    return protocol("the server speaks version " + std::to_string(version) + " of the protocol, the client version 1");
  }
  if (metadata > length) {
    return protocol("the server sent a frame whose metadata is longer than the frame");
  }
  if (!may_be_skipped && (kind < 1 || kind > 10)) {
    return protocol("the server sent a frame of the unknown kind " + std::to_string(kind));
  }
  if (!may_be_skipped && (flags & ~unsigned{known_flags}) != 0) {
    return protocol("the server sent a frame with the unknown flags " + std::to_string(flags));
  }
  if (length > largest) {
    return fault(error_kind::too_large,
                 "the server sent a frame of " + std::to_string(length) + " bytes; the client takes " + std::to_string(largest));
  }
  return std::nullopt;
}

bool needs_content(frame_kind kind) {
  return kind == frame_kind::event || kind == frame_kind::error || kind == frame_kind::goaway || kind == frame_kind::hello;
}

}  // namespace

void append_frame(std::string& out, frame_kind kind, std::uint16_t method, std::uint32_t stream, std::string_view payload,
                  std::string_view metadata) {
  append_number(out, 0xfa, 1);
  append_number(out, static_cast<std::uint8_t>(kind), 1);
  append_number(out, method, 2);
  append_number(out, stream, 4);
  append_number(out, 1, 1);
  append_number(out, metadata.size(), 2);
  append_number(out, 0, 1);
  append_number(out, metadata.size() + payload.size(), 4);
  out.append(metadata);
  out.append(payload);
}

char* frame_reader::room(std::size_t bytes) {
  if (begin_ > 0) {
    std::memmove(bytes_.data(), bytes_.data() + begin_, end_ - begin_);
    end_ -= begin_;
    begin_ = 0;
  }
  if (bytes_.size() < end_ + bytes) {
    bytes_.resize(std::max(end_ + bytes, 2 * end_));
  } else if (bytes_.size() > (1 << 20) && end_ + bytes < (1 << 16)) {
    bytes_.resize(end_ + bytes);
    bytes_.shrink_to_fit();
  }
  return bytes_.data() + end_;
}

result<std::optional<frame>> frame_reader::next(std::size_t largest) {
  while (end_ - begin_ >= head_bytes) {
    const std::string_view held(bytes_.data() + begin_, end_ - begin_);
    const std::size_t metadata = number_at(held, 9, 2);
    const std::size_t length = number_at(held, 12, 4);
    if (auto wrong = check_head(held, metadata, length, largest)) {
      return *wrong;
    }
    if (held.size() < head_bytes + length) {
      break;
    }
    begin_ += head_bytes + length;
    const unsigned kind = number_at(held, 1, 1);
    if ((kind & 0x80) != 0) {
      continue;
    }
    frame made{static_cast<frame_kind>(kind),
               static_cast<std::uint8_t>(number_at(held, 11, 1)),
               static_cast<std::uint16_t>(number_at(held, 2, 2)),
               number_at(held, 4, 4),
               held.substr(head_bytes + metadata, length - metadata),
               head_bytes + length};
    if (needs_content(made.kind) && made.payload.empty()) {
      return protocol("the server sent a frame of kind " + std::to_string(kind) + " without content");
    }
    return std::optional<frame>(made);
  }
  return std::optional<frame>();
}

}  // namespace heddle::detail
