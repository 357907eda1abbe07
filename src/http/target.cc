#include "http/target.h"

#include <fmt/format.h>

#include "base/utf8.h"

namespace landfall::http {
namespace {

// Far more than any client of ours sends; a list of empty parameters would otherwise cost much more than its bytes.
constexpr std::size_t kMostParameters = 1000;

int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

// The escape at text[at]; what is not two hex digits after a percent sign is nothing.
std::optional<char> escaped(std::string_view text, std::size_t at) {
  if (at + 2 >= text.size()) return std::nullopt;
  const int high = hex_digit(text[at + 1]);
  const int low = hex_digit(text[at + 2]);
  if (high < 0 || low < 0) return std::nullopt;
  return static_cast<char>(high * 16 + low);
}

bool is_control(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return byte < 0x20 || byte == 0x7f;
}

Result<std::string> decode_parameter(std::string_view raw, std::size_t offset) {
  std::string decoded;
  decoded.reserve(raw.size());
  for (std::size_t at = 0; at < raw.size(); ++at) {
    if (raw[at] == '%') {
      const std::optional<char> c = escaped(raw, at);
      if (!c) return fail(Code::kInvalid, fmt::format("the query has a bad escape at offset {}", offset + at));
      decoded.push_back(*c);
      at += 2;
    } else {
      decoded.push_back(raw[at] == '+' ? ' ' : raw[at]);
    }
  }
  if (!is_valid_utf8(decoded)) {
    return fail(Code::kInvalid, fmt::format("the query's parameter at offset {} is not UTF-8", offset));
  }
  return decoded;
}

// Checks the segments of a decoded path; the encoded slashes were refused before.
Status check_segments(std::string_view path) {
  for (std::size_t begin = 1; begin <= path.size();) {
    const std::size_t end = std::min(path.find('/', begin), path.size());
    const std::string_view segment = path.substr(begin, end - begin);
    if (segment == "." || segment == "..") {
      return fail(Code::kInvalid, fmt::format("the path has a \"{}\" segment", segment));
    }
    if (segment.empty() && end != path.size()) return fail(Code::kInvalid, "the path has an empty segment");
    begin = end + 1;
  }
  return {};
}

// Takes scheme and authority off an absolute target.
Result<std::string_view> split_absolute(std::string_view text, std::string& authority) {
  const std::size_t scheme = text.find("://");
  if (scheme == std::string_view::npos || (text.substr(0, scheme) != "http" && text.substr(0, scheme) != "https")) {
    return fail(Code::kInvalid, "the target must begin with a slash, http:// or https://");
  }
  text.remove_prefix(scheme + 3);
  const std::size_t end = std::min(text.find_first_of("/?"), text.size());
  authority = text.substr(0, end);
  if (authority.empty() || authority.find('@') != std::string::npos) {
    return fail(Code::kInvalid, "the target has no usable host");
  }
  return text.substr(end);
}

}  // namespace

Result<Query> Query::parse(std::string_view raw) {
  Query query;
  for (std::size_t begin = 0; begin < raw.size();) {
    const std::size_t end = std::min(raw.find('&', begin), raw.size());
    const std::string_view pair = raw.substr(begin, end - begin);
    if (!pair.empty()) {
      if (query.parameters_.size() == kMostParameters) {
        return fail(Code::kInvalid, fmt::format("the query has more than {} parameters", kMostParameters));
      }
      const std::size_t equals = std::min(pair.find('='), pair.size());
      TRY_ASSIGN(std::string name, "", decode_parameter(pair.substr(0, equals), begin));
      const std::string_view rest = equals < pair.size() ? pair.substr(equals + 1) : std::string_view();
      TRY_ASSIGN(std::string value, "", decode_parameter(rest, begin + equals + 1));
      query.parameters_.emplace_back(std::move(name), std::move(value));
    }
    begin = end + 1;
  }
  return query;
}

std::optional<std::string_view> Query::get(std::string_view name) const {
  for (const auto& [known, value] : parameters_) {
    if (known == name) return value;
  }
  return std::nullopt;
}

std::vector<std::string_view> Query::all(std::string_view name) const {
  std::vector<std::string_view> values;
  for (const auto& [known, value] : parameters_) {
    if (known == name) values.emplace_back(value);
  }
  return values;
}

Result<Target> parse_target(std::string_view text) {
  Target target;
  if (text == "*") {
    target.raw_path = target.path = "*";
    return target;
  }
  if (const std::size_t hash = text.find('#'); hash != std::string_view::npos) {
    return fail(Code::kInvalid, fmt::format("the target has a fragment at offset {}", hash));
  }
  std::string_view rest = text;
  if (!text.starts_with('/')) {
    TRY_ASSIGN(rest, "", split_absolute(text, target.authority));
  }
  const std::size_t question = std::min(rest.find('?'), rest.size());
  target.raw_path = rest.substr(0, question);
  if (target.raw_path.empty()) target.raw_path = "/";
  if (question < rest.size()) target.raw_query = rest.substr(question + 1);
  TRY_ASSIGN(target.path, "", decode_path(target.raw_path));
  TRY_ASSIGN(target.query, "", Query::parse(target.raw_query));
  return target;
}

Result<std::string> decode_path(std::string_view raw) {
  if (!raw.starts_with('/')) return fail(Code::kInvalid, "the path must begin with a slash");
  std::string path;
  path.reserve(raw.size());
  for (std::size_t at = 0; at < raw.size(); ++at) {
    char c = raw[at];
    const std::size_t begin = at;
    if (c == '%') {
      const std::optional<char> meant = escaped(raw, at);
      if (!meant) return fail(Code::kInvalid, fmt::format("the path has a bad escape at offset {}", begin));
      c = *meant;
      at += 2;
      if (c == '/') return fail(Code::kInvalid, fmt::format("the path has an encoded slash at offset {}", begin));
    }
    if (c == '\\') return fail(Code::kInvalid, fmt::format("the path has a backslash at offset {}", begin));
    if (is_control(c)) return fail(Code::kInvalid, fmt::format("the path has a control character at offset {}", begin));
    path.push_back(c);
  }
  if (!is_valid_utf8(path)) return fail(Code::kInvalid, "the path is not UTF-8");
  TRY("", check_segments(path));
  return path;
}

std::string encode_segment(std::string_view text) {
  static constexpr std::string_view kHex = "0123456789ABCDEF";
  std::string encoded;
  encoded.reserve(text.size());
  for (const char c : text) {
    const bool alphanumeric = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    if (alphanumeric || c == '-' || c == '.' || c == '_' || c == '~') {
      encoded.push_back(c);
      continue;
    }
    const auto byte = static_cast<unsigned char>(c);
    encoded.push_back('%');
    encoded.push_back(kHex[byte >> 4U]);
    encoded.push_back(kHex[byte & 0xfU]);
  }
  return encoded;
}

}  // namespace landfall::http
