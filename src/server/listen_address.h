#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"

namespace landfall::server {

// Where to listen.
struct ListenAddress {
  std::string host;  // empty: on all interfaces
  std::uint16_t port = 0;

  friend bool operator==(const ListenAddress&, const ListenAddress&) = default;
};

// As Go's programs take it: ":8085", "0.0.0.0:8085", "localhost:6060", "[::1]:8085". Port 0 takes a free one.
Result<ListenAddress> parse_listen_address(std::string_view text);

// "http://10.1.2.3:8086", "http://[fd00::1]:8086".
std::string http_url(std::string_view host, std::uint16_t port);

}  // namespace landfall::server
