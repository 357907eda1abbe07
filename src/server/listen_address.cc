#include "server/listen_address.h"

#include <limits>

#include "base/strings.h"

namespace landfall::server {
namespace {

Result<std::uint16_t> parse_port(std::string_view text) {
  const auto port = parse_uint64(text);
  if (!port || *port > std::numeric_limits<std::uint16_t>::max()) {
    return fail(Code::kInvalid, quote(text) + " is not a port: expected a number from 0 to 65535");
  }
  return static_cast<std::uint16_t>(*port);
}

}  // namespace

Result<ListenAddress> parse_listen_address(std::string_view text) {
  const std::size_t colon = text.rfind(':');
  if (colon == std::string_view::npos) {
    return fail(Code::kInvalid, quote(text) + " has no port: expected something like :8085 or 127.0.0.1:8085");
  }
  std::string_view host = text.substr(0, colon);
  if (host.size() >= 2 && host.front() == '[' && host.back() == ']') {
    host = host.substr(1, host.size() - 2);
  } else if (contains(host, ":")) {
    return fail(Code::kInvalid, quote(text) + " has too many colons: an IPv6 address stands in brackets, [::1]:8085");
  }
  TRY_ASSIGN(const std::uint16_t port, "", parse_port(text.substr(colon + 1)));
  return ListenAddress{.host = std::string(host), .port = port};
}

std::string http_url(std::string_view host, std::uint16_t port) {
  std::string url = "http://";
  const bool is_ipv6 = contains(host, ":");
  if (is_ipv6) url += '[';
  url += host;
  if (is_ipv6) url += ']';
  return url + ":" + std::to_string(port);
}

}  // namespace landfall::server
