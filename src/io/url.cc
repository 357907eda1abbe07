#include "io/url.h"

#include <arpa/inet.h>

#include <algorithm>
#include <array>
#include <charconv>

#include "base/strings.h"

namespace landfall::io {
namespace {

constexpr std::size_t kMaxHost = 255;

constexpr bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
constexpr bool is_digit(char c) { return c >= '0' && c <= '9'; }
constexpr bool is_unreserved(char c) {
  return is_letter(c) || is_digit(c) || c == '-' || c == '.' || c == '_' || c == '~';
}
constexpr bool is_one_of(char c, std::string_view set) { return set.find(c) != std::string_view::npos; }

// What may stand in a URL besides '%': every request passes here, so it is a table.
constexpr std::array<bool, 256> kUrlCharacters = [] {
  std::array<bool, 256> table{};
  for (std::size_t i = 0; i < table.size(); ++i) {
    const char c = static_cast<char>(i);
    table[i] = is_unreserved(c) || is_one_of(c, ":/?#[]@!$&'()*+,;=");
  }
  return table;
}();

std::optional<unsigned> hex_digit(char c) {
  if (is_digit(c)) {
    return static_cast<unsigned>(c - '0');
  }
  if (c >= 'a' && c <= 'f') {
    return static_cast<unsigned>(c - 'a' + 10);
  }
  if (c >= 'A' && c <= 'F') {
    return static_cast<unsigned>(c - 'A' + 10);
  }
  return std::nullopt;
}

bool is_escape(std::string_view text, std::size_t at) {
  return text.size() - at >= 3 && hex_digit(text[at + 1]) && hex_digit(text[at + 2]);
}

tl::unexpected<Error> bad(std::size_t offset, std::string_view why) {
  return fail(Code::kInvalid, "not a usable URL: at offset " + std::to_string(offset) + ": " + std::string(why));
}

// Everything outside the host may use the characters that RFC 3986 knows, and whole escapes.
Status check_characters(std::string_view text) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '%') {
      if (!is_escape(text, i)) {
        return bad(i, "a '%' needs two hexadecimal digits behind it");
      }
    } else if (!kUrlCharacters[static_cast<unsigned char>(c)]) {
      return bad(i, "this character must be percent-encoded");
    }
  }
  return {};
}

bool is_ipv6(const std::string& text) {
  std::array<unsigned char, sizeof(in6_addr)> address{};
  return ::inet_pton(AF_INET6, text.c_str(), address.data()) == 1;
}

bool is_host_name(std::string_view host) {
  return !host.empty() && host.size() <= kMaxHost && host.front() != '.' && std::ranges::all_of(host, [](char c) {
    return is_letter(c) || is_digit(c) || c == '-' || c == '.' || c == '_';
  });
}

// Reads "host", "host:port", "[v6]:port"; `at` is where it stands, for messages.
Status parse_host_and_port(std::string_view text, std::size_t at, Url& url) {
  std::string_view port;
  if (text.starts_with('[')) {
    const std::size_t end = text.find(']');
    if (end == std::string_view::npos || !is_ipv6(std::string(text.substr(1, end - 1)))) {
      return bad(at, "the brackets must hold an IPv6 address");
    }
    url.host = to_lower(text.substr(1, end - 1));
    text.remove_prefix(end + 1);
    if (!text.empty() && text.front() != ':') {
      return bad(at + end + 1, "only a port can follow the address");
    }
    port = text.empty() ? text : text.substr(1);
  } else {
    const std::size_t colon = std::min(text.find(':'), text.size());
    url.host = to_lower(text.substr(0, colon));
    if (!is_host_name(url.host)) {
      return bad(at, url.host.empty() ? "the host is missing" : "this is not a host name or address");
    }
    port = colon == text.size() ? std::string_view() : text.substr(colon + 1);
  }
  if (port.empty()) {
    return {};
  }
  std::uint16_t number = 0;
  const auto [end, error] = std::from_chars(port.data(), port.data() + port.size(), number);
  if (error != std::errc() || end != port.data() + port.size() || number == 0) {
    return bad(at, "the port must be a number from 1 to 65535");
  }
  url.port = number;
  return {};
}

Result<std::string_view> parse_scheme(std::string_view text, Url& url) {
  const std::size_t end = text.find("://");
  if (end == std::string_view::npos || end == 0) {
    return bad(0, "it must start with a scheme such as https://");
  }
  const std::string_view scheme = text.substr(0, end);
  if (!is_letter(scheme.front()) ||
      !std::ranges::all_of(scheme, [](char c) { return is_letter(c) || is_digit(c) || is_one_of(c, "+-."); })) {
    return bad(0, "it must start with a scheme such as https://");
  }
  url.scheme = to_lower(scheme);
  return text.substr(end + 3);
}

std::string encode(std::string_view bytes, std::string_view keep) {
  constexpr std::string_view kDigits = "0123456789ABCDEF";
  std::string out;
  out.reserve(bytes.size());
  for (const char c : bytes) {
    if (is_unreserved(c) || is_one_of(c, keep)) {
      out += c;
    } else {
      const auto byte = static_cast<unsigned char>(c);
      out += '%';
      out += kDigits[byte >> 4U];
      out += kDigits[byte & 15U];
    }
  }
  return out;
}

std::string bracketed(const std::string& host) { return contains(host, ":") ? "[" + host + "]" : host; }

std::string host_and_port(const Url& url) {
  return bracketed(url.host) + (url.port ? ":" + std::to_string(*url.port) : std::string());
}

std::uint16_t default_port(std::string_view scheme) {
  if (scheme == "https") {
    return 443;
  }
  if (scheme == "http") {
    return 80;
  }
  return scheme == "socks5" ? 1080 : 0;
}

}  // namespace

Result<Url> parse_url(std::string_view text) {
  TRY("", check_characters(text));
  Url url;
  TRY_ASSIGN(const std::string_view rest, "", parse_scheme(text, url));
  const std::size_t start = text.size() - rest.size();
  const std::size_t end = std::min(text.find_first_of("/?#", start), text.size());
  std::string_view host = text.substr(start, end - start);
  std::size_t host_at = start;
  if (const std::size_t at = host.rfind('@'); at != std::string_view::npos) {
    url.userinfo = host.substr(0, at);
    host.remove_prefix(at + 1);
    host_at += at + 1;
  }
  TRY("", parse_host_and_port(host, host_at, url));

  std::string_view tail = text.substr(end);
  if (const std::size_t hash = tail.find('#'); hash != std::string_view::npos) {
    url.fragment = std::string(tail.substr(hash + 1));
    tail = tail.substr(0, hash);
  }
  if (const std::size_t mark = tail.find('?'); mark != std::string_view::npos) {
    url.query = std::string(tail.substr(mark + 1));
    tail = tail.substr(0, mark);
  }
  url.path = tail;
  return url;
}

std::string to_string(const Url& url) {
  std::string text;
  text.reserve(url.path.size() + (url.query ? url.query->size() : 0) + 64);
  text.append(url.scheme).append("://");
  if (!url.userinfo.empty()) {
    text += url.userinfo + "@";
  }
  text += host_and_port(url);
  text += url.path;
  if (url.query) {
    text += "?" + *url.query;
  }
  if (url.fragment) {
    text += "#" + *url.fragment;
  }
  return text;
}

std::uint16_t effective_port(const Url& url) { return url.port ? *url.port : default_port(url.scheme); }

std::string authority(const Url& url) {
  return url.port == default_port(url.scheme) ? bracketed(url.host) : host_and_port(url);
}

std::string redacted(const Url& url) { return url.scheme + "://" + host_and_port(url) + url.path; }

std::string redact_url(std::string_view text) {
  const Result<Url> url = parse_url(text);
  return url ? redacted(*url) : "(not a URL)";
}

std::string percent_encode(std::string_view bytes) { return encode(bytes, ""); }

std::string percent_encode_path(std::string_view bytes) { return encode(bytes, "/"); }

Result<std::string> percent_decode(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      out += text[i];
      continue;
    }
    if (!is_escape(text, i)) {
      return fail(Code::kInvalid, "at offset " + std::to_string(i) + ": a '%' needs two hexadecimal digits behind it");
    }
    out += static_cast<char>((*hex_digit(text[i + 1]) << 4U) | *hex_digit(text[i + 2]));
    i += 2;
  }
  return out;
}

std::string build_query(const QueryParameters& parameters) {
  std::string query;
  for (const auto& [name, value] : parameters) {
    if (!query.empty()) {
      query += '&';
    }
    query += percent_encode(name);
    query += '=';
    query += percent_encode(value);
  }
  return query;
}

std::string join_path(std::string_view base, std::string_view rest) {
  if (base.empty() || rest.empty()) {
    return std::string(base.empty() ? rest : base);
  }
  while (base.ends_with('/')) {
    base.remove_suffix(1);
  }
  while (rest.starts_with('/')) {
    rest.remove_prefix(1);
  }
  return std::string(base) + "/" + std::string(rest);
}

}  // namespace landfall::io
