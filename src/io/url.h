#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"

// URLs as RFC 3986 writes them, as far as HTTP needs them. Pure functions.

namespace landfall::io {

// The parts of an absolute URL, each still percent-encoded as it was written.
struct Url {
  std::string scheme;    // lower case
  std::string userinfo;  // "user:password"; a secret
  std::string host;      // lower case; an IPv6 address without its brackets
  std::optional<std::uint16_t> port;
  std::string path;                  // "" or starts with '/'
  std::optional<std::string> query;  // without the '?'; "" is a '?' with nothing behind it
  std::optional<std::string> fragment;

  friend bool operator==(const Url&, const Url&) = default;
};

// Reads an absolute URL with a host; anything else is kInvalid with the offset. Strict: no white space or control
// characters, no raw non-ASCII bytes, no half percent escapes. The message never shows the text, which may hold
// secrets.
Result<Url> parse_url(std::string_view text);
std::string to_string(const Url& url);

// The port, or the one that http, https or socks5 stand for; 0 for another scheme.
std::uint16_t effective_port(const Url& url);
// "host", "host:8443", "[::1]:443": what a Host header holds. The scheme's own port is left out.
std::string authority(const Url& url);

// What may be shown in a log: scheme, host, port and path, without user, query (signatures!) and fragment.
std::string redacted(const Url& url);
// The same for text that need not be a URL; "(not a URL)" then.
std::string redact_url(std::string_view text);

// Percent-encodes every byte but the unreserved A-Z a-z 0-9 - . _ ~ with upper case digits: a path segment, a query key
// or value. These are the exact rules of an S3 signature, and every server reads them.
std::string percent_encode(std::string_view bytes);
// The same, but keeps '/': the path of an object key.
std::string percent_encode_path(std::string_view bytes);
// "%2F" becomes "/", '+' stays. kInvalid for a '%' without two hexadecimal digits.
Result<std::string> percent_decode(std::string_view text);

// "a=1&b=x%20y" from names and values that are not encoded, in the given order. An empty value keeps its '='.
using QueryParameters = std::vector<std::pair<std::string, std::string>>;
std::string build_query(const QueryParameters& parameters);

// One '/' between the two, whatever they end and start with; an empty part adds nothing. join_path("/api/", "/v1") is
// "/api/v1".
std::string join_path(std::string_view base, std::string_view rest);

}  // namespace landfall::io
