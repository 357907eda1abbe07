#include "io/websocket_handshake.h"

#include <openssl/sha.h>

#include <algorithm>
#include <array>
#include <charconv>

#include "base/encoding.h"
#include "base/strings.h"

namespace landfall::io {
namespace {

constexpr std::string_view kAcceptSuffix = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";  // RFC 6455, section 1.3
constexpr std::size_t kMaxChunkLine = 4096;

void add_line(std::string& out, std::string_view name, std::string_view value) {
  out.append(name).append(": ").append(value).append("\r\n");
}

// Whether a list header ("keep-alive, Upgrade") has the word, in whatever case.
bool has_word(const HttpHeaders& headers, std::string_view name, std::string_view word) {
  for (const std::string_view value : headers.get_all(name)) {
    for (const std::string_view part : split(value, ',')) {
      if (to_lower(trim(part)) == word) {
        return true;
      }
    }
  }
  return false;
}

// "HTTP/1.1 101 Switching Protocols"
Result<int> status_of(std::string_view line) {
  const auto rest = strip_prefix(line, "HTTP/1.1 ");
  const auto status = parse_uint64(rest.value_or("").substr(0, 3));
  if (!rest || !status || *status < 100 || *status > 599 || (rest->size() > 3 && (*rest)[3] != ' ')) {
    return fail(Code::kDataLoss, "the answer to the upgrade is not HTTP/1.1");
  }
  return static_cast<int>(*status);
}

}  // namespace

std::string upgrade_request(const HttpRequest& request, const Url& url, const std::vector<std::string>& protocols,
                            const std::string& key, const std::string& user_agent) {
  std::string out = "GET " + (url.path.empty() ? "/" : url.path);
  if (url.query) {
    out += "?" + *url.query;
  }
  out += " HTTP/1.1\r\n";
  if (!request.headers.has("Host")) {
    add_line(out, "Host", authority(url));
  }
  if (!request.headers.has("User-Agent")) {
    add_line(out, "User-Agent", user_agent);
  }
  for (const auto& [name, value] : request.headers.fields()) {
    add_line(out, name, value);
  }
  add_line(out, "Connection", "Upgrade");
  add_line(out, "Upgrade", "websocket");
  add_line(out, "Sec-WebSocket-Version", "13");
  add_line(out, "Sec-WebSocket-Key", key);
  if (!protocols.empty()) {
    add_line(out, "Sec-WebSocket-Protocol", join(protocols, ", "));
  }
  out += "\r\n";
  return out;
}

std::string accept_key(const std::string& key) {
  const std::string text = key + std::string(kAcceptSuffix);
  std::array<unsigned char, SHA_DIGEST_LENGTH> digest{};
  // NOLINTNEXTLINE(cppcoreguidelines-pro-type-reinterpret-cast): bytes as bytes.
  SHA1(reinterpret_cast<const unsigned char*>(text.data()), text.size(), digest.data());
  // NOLINTNEXTLINE(cppcoreguidelines-pro-type-reinterpret-cast): bytes as bytes.
  return base64_encode({reinterpret_cast<const char*>(digest.data()), digest.size()});
}

Result<std::string> check_upgrade(const HttpHead& head, const std::string& key,
                                  const std::vector<std::string>& protocols) {
  if (!has_word(head.headers, "Upgrade", "websocket") || !has_word(head.headers, "Connection", "upgrade")) {
    return fail(Code::kDataLoss, "the server switched to something that is not WebSocket");
  }
  if (head.headers.get("Sec-WebSocket-Accept").value_or("") != accept_key(key)) {
    return fail(Code::kDataLoss,
                "the server's Sec-WebSocket-Accept is wrong: is there a proxy that does not know WebSocket?");
  }
  if (head.headers.has("Sec-WebSocket-Extensions")) {
    return fail(Code::kDataLoss, "the server wants a WebSocket extension that was not offered");
  }
  const std::string chosen(head.headers.get("Sec-WebSocket-Protocol").value_or(""));
  if (protocols.empty() ? !chosen.empty() : std::ranges::find(protocols, chosen) == protocols.end()) {
    return fail(Code::kUnsupported, "the server chose the WebSocket protocol " + quote(chosen) + ", we offered " +
                                        (protocols.empty() ? "none" : join(protocols, ", ")));
  }
  return chosen;
}

UpgradeAnswer::UpgradeAnswer(std::size_t max_header_bytes, std::size_t max_header_count, std::size_t max_body)
    : max_header_bytes_(max_header_bytes), max_body_(max_body), parser_(max_header_bytes, max_header_count) {}

Status UpgradeAnswer::feed(std::string_view bytes) {
  if (has_head()) {
    take_body(bytes);
    return {};
  }
  std::size_t searched = rest_.size();
  rest_ += bytes;
  std::size_t begin = 0;
  std::size_t end = 0;
  while (!has_head() && (end = rest_.find('\n', std::max(begin, searched))) != std::string::npos) {
    TRY("", take_line(std::string_view(rest_).substr(begin, end + 1 - begin)));
    begin = end + 1;
  }
  rest_.erase(0, begin);
  if (!has_head() && rest_.size() > max_header_bytes_) {
    return fail(Code::kTooLarge,
                "a header line of the answer is larger than " + std::to_string(max_header_bytes_) + " bytes");
  }
  if (has_head() && !is_upgraded()) {
    begin_body();
  }
  return {};
}

Status UpgradeAnswer::take_line(std::string_view line) {
  if (status_ == 0) {
    TRY_ASSIGN(status_, "", status_of(trim(line)));
  }
  TRY("", parser_.add(line));
  if (parser_.at_end_of_head()) {
    if (status_ == 101 || status_ >= 200) {
      head_ = {.status = status_, .headers = std::move(parser_.headers())};
    }
    status_ = 0;
  }
  return {};
}

void UpgradeAnswer::begin_body() {
  is_chunked_ = has_word(head_.headers, "Transfer-Encoding", "chunked");
  const auto length = head_.headers.get("Content-Length");
  // Without either it ends with the connection.
  body_left_ = is_chunked_ ? 0
                           : static_cast<std::size_t>(std::min<std::uint64_t>(
                                 length ? parse_uint64(*length).value_or(0) : max_body_, max_body_));
  body_done_ = !is_chunked_ && body_left_ == 0;
  const std::string behind = std::exchange(rest_, {});
  take_body(behind);
}

void UpgradeAnswer::take_body(std::string_view bytes) {
  if (is_upgraded()) {
    rest_ += bytes;
    return;
  }
  if (body_done_) {
    return;
  }
  if (is_chunked_) {
    rest_ += bytes;
    take_chunks();
    return;
  }
  const std::size_t count = std::min(bytes.size(), body_left_);
  body_ += bytes.substr(0, count);
  body_left_ -= count;
  body_done_ = body_left_ == 0;
}

// Reads as far as it makes sense: what comes here is for a message, and half of it is better than nothing.
void UpgradeAnswer::take_chunks() {
  std::size_t at = 0;
  while (!body_done_ && at < rest_.size()) {
    if (body_left_ > 0) {
      const std::size_t count = std::min(body_left_, rest_.size() - at);
      body_ += std::string_view(rest_).substr(at, std::min(count, max_body_ - body_.size()));
      at += count;
      body_left_ -= count;
      body_done_ = body_.size() >= max_body_;
      continue;
    }
    const std::size_t end = rest_.find('\n', at);
    if (end == std::string::npos) {
      body_done_ = rest_.size() - at > kMaxChunkLine;
      break;
    }
    const std::string_view line = trim(std::string_view(rest_).substr(at, end - at));
    at = end + 1;
    if (line.empty()) {
      continue;  // behind a chunk
    }
    const auto [stopped, error] = std::from_chars(line.data(), line.data() + line.size(), body_left_, 16);
    body_done_ = error != std::errc() || body_left_ == 0;
  }
  rest_.erase(0, at);
}

}  // namespace landfall::io
