#pragma once

#include <asio/ssl/context.hpp>

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace heddle::detail {

struct host_and_port {
  std::string host;
  std::string port;

  std::string text() const;
};

// The place to connect to: heddle://host[:7420][,host…]?tls=on&ca=file&cert=file&key=file&name=host.
struct target {
  std::vector<host_and_port> hosts;
  bool tls = false;
  std::string ca;
  std::string cert;
  std::string key;
  std::string name;
};

// Throws std::invalid_argument.
target parse_url(std::string_view text);

// Files are read at each new connection, so that renewed certificates count. Throws asio::system_error.
std::shared_ptr<asio::ssl::context> tls_context(const target& where);

}  // namespace heddle::detail
