#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/environment.h"
#include "base/result.h"
#include "io/url.h"

namespace landfall::io {

// Which proxy, if any, a request goes through. A value; by default there is none.
//
// The rules are those of Go's programs, so that a shell set up for kubectl works for us: NO_PROXY is a list separated
// by commas of "*" (everything), addresses, networks (10.0.0.0/8), "example.com" (the name and those below it),
// ".example.com" or "*.example.com" (only those below it); names and addresses may carry a port. localhost and loopback
// addresses never go through a proxy from the environment.
class HttpProxy {
 public:
  HttpProxy() = default;

  // HTTP_PROXY, HTTPS_PROXY and NO_PROXY, also in lower case. A proxy that cannot be understood is kInvalid.
  static Result<HttpProxy> from_environment(const Environment& environment);
  // Every request through this one. http, https, socks5 (names are resolved by the proxy); without a scheme http.
  static Result<HttpProxy> fixed(std::string_view url);

  // The proxy for a request to `target`, with its credentials.
  std::optional<Url> proxy_for(const Url& target) const;

 private:
  struct Network {
    std::string address;  // 4 or 16 bytes
    unsigned bits = 0;
    std::optional<std::uint16_t> port;
  };
  struct Domain {
    std::string name;  // without the leading dot
    bool itself = true;
    std::optional<std::uint16_t> port;
  };
  void add_exception(std::string_view entry);
  bool is_exception(const Url& target) const;

  std::optional<Url> for_http_;
  std::optional<Url> for_https_;
  bool everything_is_local_ = false;
  bool loopback_too_ = false;
  std::vector<Network> networks_;
  std::vector<Domain> domains_;
};

}  // namespace landfall::io
