#include "url.hpp"

#include <asio/ssl.hpp>

#include <charconv>
#include <map>
#include <optional>
#include <stdexcept>

namespace heddle::detail {

namespace {

[[noreturn]] void none(const std::string& text) {
  throw std::invalid_argument("heddle: " + text);
}

std::string quoted(std::string_view text) {
  return "\"" + std::string(text.substr(0, 40)) + "\"";
}

// Cuts at the first `at`: the part behind it is empty if there is none.
std::pair<std::string_view, std::string_view> cut(std::string_view text, std::string_view at) {
  const auto place = text.find(at);
  if (place == std::string_view::npos) {
    return {text, {}};
  }
  return {text.substr(0, place), text.substr(place + at.size())};
}

std::vector<std::string_view> split(std::string_view text, char at) {
  std::vector<std::string_view> parts;
  for (;;) {
    const auto place = text.find(at);
    parts.push_back(text.substr(0, place));
    if (place == std::string_view::npos) {
      return parts;
    }
    text.remove_prefix(place + 1);
  }
}

std::string unescaped(std::string_view text) {
  std::string made;
  for (std::size_t i = 0; i < text.size(); i++) {
    if (text[i] == '+') {
      made += ' ';
    } else if (text[i] == '%') {
      unsigned value = 0;
      const char* end = text.data() + std::min(text.size(), i + 3);
      const auto read = std::from_chars(text.data() + i + 1, end, value, 16);
      if (read.ec != std::errc() || read.ptr != text.data() + i + 3) {
        none("the options of the URL cannot be read: " + quoted(text));
      }
      made += static_cast<char>(value);
      i += 2;
    } else {
      made += text[i];
    }
  }
  return made;
}

host_and_port parse_host(std::string_view place) {
  host_and_port made{std::string(place), "7420"};
  const bool is_bracketed = place.starts_with('[');
  const auto close = place.find(']');
  if (is_bracketed && close != std::string_view::npos) {
    made.host = place.substr(1, close - 1);
    const auto rest = place.substr(close + 1);
    if (!rest.empty()) {
      made.port = rest.starts_with(':') ? std::string(rest.substr(1)) : std::string();
    }
  } else if (const auto colon = place.find(':'); colon != std::string_view::npos) {
    made.host = place.substr(0, colon);
    made.port = place.substr(colon + 1);
  }
  unsigned number = 0;
  const char* end = made.port.data() + made.port.size();
  const auto read = std::from_chars(made.port.data(), end, number);
  const bool is_port = read.ec == std::errc() && read.ptr == end && number >= 1 && number <= 65'535;
  if (made.host.empty() || made.host.find('[') != std::string::npos || !is_port) {
    none(quoted(place) + " is no host, host:port or [address]:port");
  }
  return made;
}

}  // namespace

std::string host_and_port::text() const {
  return host.find(':') == std::string::npos ? host + ":" + port : "[" + host + "]:" + port;
}

target parse_url(std::string_view text) {
  const auto [scheme, rest] = cut(text, "://");
  if (rest.data() == nullptr || (scheme != "heddle" && scheme != "heddles")) {
    none("a URL of Heddle begins with heddle:// or heddles://, not as in " + quoted(text));
  }
  auto [places, query] = cut(rest, "?");
  std::string_view path;
  std::tie(places, path) = cut(places, "/");
  if (!path.empty() || places.find('@') != std::string_view::npos) {
    none("a URL of Heddle has no path and no user: pass the token with options::token or HEDDLE_TOKEN");
  }
  target made;
  const std::map<std::string, std::string*> known{{"ca", &made.ca}, {"cert", &made.cert}, {"key", &made.key}, {"name", &made.name}};
  bool is_implied = scheme == "heddles";
  std::optional<std::string> choice;
  for (const auto option : split(query, '&')) {
    if (option.empty()) {
      continue;
    }
    const auto [escaped_name, value] = cut(option, "=");
    const std::string name = unescaped(escaped_name);
    if (const auto found = known.find(name); found != known.end()) {
      *found->second = unescaped(value);
      is_implied = true;
    } else if (name == "tls") {
      choice = unescaped(value);
    } else {
      none(quoted(name) + " is no option of a URL of Heddle: use tls, ca, cert, key, name");
    }
  }
  if (choice && *choice != "on" && *choice != "off") {
    none("tls is on or off, not " + quoted(*choice));
  }
  if (choice == "off" && is_implied) {
    none("tls=off and what belongs to TLS exclude each other");
  }
  made.tls = is_implied || choice == "on";
  for (const auto place : split(places, ',')) {
    made.hosts.push_back(parse_host(place));
  }
  return made;
}

std::shared_ptr<asio::ssl::context> tls_context(const target& where) {
  auto made = std::make_shared<asio::ssl::context>(asio::ssl::context::tls_client);
  made->set_options(asio::ssl::context::default_workarounds);
  SSL_CTX_set_min_proto_version(made->native_handle(), TLS1_2_VERSION);
  // OpenSSL would ask for the password of a key on the terminal.
  made->set_password_callback([](std::size_t, asio::ssl::context::password_purpose) { return std::string(); });
  if (where.ca.empty()) {
    made->set_default_verify_paths();
  } else {
    made->load_verify_file(where.ca);
  }
  if (!where.cert.empty()) {
    made->use_certificate_chain_file(where.cert);
    made->use_private_key_file(where.key.empty() ? where.cert : where.key, asio::ssl::context::pem);
  }
  return made;
}

}  // namespace heddle::detail
