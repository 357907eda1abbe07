#include "io/http_proxy.h"

#include <arpa/inet.h>

#include <algorithm>
#include <array>

#include "base/strings.h"

namespace landfall::io {
namespace {

// The bytes of an address; an IPv4 address that is written as an IPv6 one is the IPv4 address.
std::optional<std::string> parse_address(const std::string& text) {
  std::array<char, sizeof(in6_addr)> bytes{};
  if (::inet_pton(AF_INET, text.c_str(), bytes.data()) == 1) {
    return std::string(bytes.data(), sizeof(in_addr));
  }
  if (::inet_pton(AF_INET6, text.c_str(), bytes.data()) != 1) {
    return std::nullopt;
  }
  const std::string address(bytes.data(), bytes.size());
  const std::string mapped = std::string(10, '\0') + "\xff\xff";
  return address.starts_with(mapped) ? address.substr(mapped.size()) : address;
}

bool is_loopback(const std::string& address) {
  return address.size() == sizeof(in_addr) ? address.front() == 127 : address == std::string(15, '\0') + '\1';
}

bool same_network(std::string_view a, std::string_view b, unsigned bits) {
  if (a.size() != b.size()) {
    return false;
  }
  const std::size_t whole = bits / 8;
  if (a.substr(0, whole) != b.substr(0, whole)) {
    return false;
  }
  const unsigned rest = bits % 8;
  return rest == 0 || (static_cast<unsigned char>(a[whole]) ^ static_cast<unsigned char>(b[whole])) >> (8 - rest) == 0;
}

std::string without_brackets(std::string_view host) {
  return std::string(host.starts_with('[') && host.ends_with(']') ? host.substr(1, host.size() - 2) : host);
}

// Splits "host:port", "[v6]:port", "v6"; an entry with a port that is no number is taken as a name, and matches
// nothing.
std::pair<std::string, std::optional<std::uint16_t>> split_port(std::string_view entry) {
  const std::size_t colon = entry.rfind(':');
  const bool has_port =
      colon != std::string_view::npos && (entry.find(':') == colon || entry.substr(0, colon).ends_with(']'));
  if (!has_port) {
    return {without_brackets(entry), std::nullopt};
  }
  if (colon + 1 == entry.size()) {
    return {without_brackets(entry.substr(0, colon)), std::nullopt};
  }
  const Result<std::uint64_t> port = parse_uint64(entry.substr(colon + 1));
  if (!port || *port > UINT16_MAX) {
    return {std::string(entry), std::nullopt};
  }
  return {without_brackets(entry.substr(0, colon)), static_cast<std::uint16_t>(*port)};
}

Result<Url> parse_proxy(std::string_view text) {
  const std::string with_scheme = contains(text, "://") ? std::string(text) : "http://" + std::string(text);
  TRY_ASSIGN(Url url, "proxy", parse_url(with_scheme));
  if (url.scheme == "socks5h") {
    url.scheme = "socks5";
  }
  if (url.scheme != "http" && url.scheme != "https" && url.scheme != "socks5") {
    return fail(Code::kInvalid, "proxy: the scheme " + quote(url.scheme) + " is not one of http, https and socks5");
  }
  return url;
}

// As Go does: the name in lower case first, and an empty value is none.
std::string variable(const Environment& environment, const std::string& name) {
  const std::string value = environment.get_or(to_lower(name), "");
  return value.empty() ? environment.get_or(name, "") : value;
}

Result<std::optional<Url>> proxy_variable(const Environment& environment, const std::string& name) {
  const std::string value = variable(environment, name);
  if (value.empty()) {
    return std::nullopt;
  }
  TRY_ASSIGN(Url url, "environment variable " + name, parse_proxy(value));
  return url;
}

}  // namespace

Result<HttpProxy> HttpProxy::from_environment(const Environment& environment) {
  HttpProxy proxy;
  TRY_ASSIGN(proxy.for_http_, "", proxy_variable(environment, "HTTP_PROXY"));
  TRY_ASSIGN(proxy.for_https_, "", proxy_variable(environment, "HTTPS_PROXY"));
  const std::string exceptions = variable(environment, "NO_PROXY");
  for (const std::string_view entry : split(exceptions, ',')) {
    proxy.add_exception(trim(entry));
  }
  return proxy;
}

Result<HttpProxy> HttpProxy::fixed(std::string_view url) {
  HttpProxy proxy;
  TRY_ASSIGN(proxy.for_http_, "", parse_proxy(url));
  proxy.for_https_ = proxy.for_http_;
  proxy.loopback_too_ = true;
  return proxy;
}

void HttpProxy::add_exception(std::string_view entry) {
  if (entry.empty()) {
    return;
  }
  if (entry == "*") {
    everything_is_local_ = true;
    return;
  }
  if (const auto parts = cut(entry, '/')) {
    const std::optional<std::string> address = parse_address(std::string(parts->first));
    const Result<std::uint64_t> bits = parse_uint64(parts->second);
    if (address && bits && *bits <= address->size() * 8) {
      networks_.push_back({.address = *address, .bits = static_cast<unsigned>(*bits), .port = std::nullopt});
      return;
    }
  }
  auto [name, port] = split_port(entry);
  if (const std::optional<std::string> address = parse_address(name)) {
    networks_.push_back({.address = *address, .bits = static_cast<unsigned>(address->size() * 8), .port = port});
    return;
  }
  name = to_lower(name);
  if (name.starts_with("*.")) {
    name.erase(0, 1);
  }
  const bool only_below = name.starts_with('.');
  name.erase(0, only_below ? 1 : 0);
  if (!name.empty()) {
    domains_.push_back({.name = name, .itself = !only_below, .port = port});
  }
}

bool HttpProxy::is_exception(const Url& target) const {
  const std::uint16_t target_port = effective_port(target);
  const auto port_fits = [&](const std::optional<std::uint16_t>& port) { return !port || *port == target_port; };
  const std::string& host = target.host;
  if (host == "localhost") {
    return true;
  }
  if (const std::optional<std::string> address = parse_address(host)) {
    return is_loopback(*address) || everything_is_local_ || std::ranges::any_of(networks_, [&](const Network& network) {
             return port_fits(network.port) && same_network(network.address, *address, network.bits);
           });
  }
  return everything_is_local_ || std::ranges::any_of(domains_, [&](const Domain& domain) {
           return port_fits(domain.port) &&
                  ((domain.itself && host == domain.name) || host.ends_with("." + domain.name));
         });
}

std::optional<Url> HttpProxy::proxy_for(const Url& target) const {
  const std::optional<Url>& proxy = target.scheme == "https" ? for_https_ : for_http_;
  if (!proxy || (!loopback_too_ && is_exception(target))) {
    return std::nullopt;
  }
  return proxy;
}

}  // namespace landfall::io
