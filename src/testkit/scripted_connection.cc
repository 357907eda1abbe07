#include "testkit/scripted_connection.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

#include "testkit/scripted_impl.h"

namespace landfall::testkit {
namespace {

// A test that sends more than this in one line has lost its way.
constexpr std::size_t kMaxLine = 1UL << 20U;
constexpr std::size_t kRead = 4096;

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

bool same_name(std::string_view a, std::string_view b) {
  return std::ranges::equal(a, b, [](char x, char y) { return lower(x) == lower(y); });
}

std::optional<std::size_t> parse_size(std::string_view digits, int base) {
  std::size_t size = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), size, base);
  if (error != std::errc() || end == digits.data()) {
    return std::nullopt;
  }
  return size;
}

}  // namespace

std::string ScriptedRequest::header(std::string_view name) const {
  const auto found = std::ranges::find_if(headers, [&](const auto& field) { return same_name(field.first, name); });
  return found == headers.end() ? std::string() : found->second;
}

bool ScriptedRequest::has_header(std::string_view name) const {
  return std::ranges::any_of(headers, [&](const auto& field) { return same_name(field.first, name); });
}

std::string reply(int status, std::string_view body, const HeaderList& headers) {
  std::string text = "HTTP/1.1 " + std::to_string(status) + " Scripted\r\n";
  for (const auto& [name, value] : headers) {
    text.append(name).append(": ").append(value).append("\r\n");
  }
  if (status >= 200 && status != 204) {
    text += "content-length: " + std::to_string(body.size()) + "\r\n";
  }
  text += "\r\n";
  text += body;
  return text;
}

bool ScriptedConnection::Impl::fill() {
  const std::size_t before = unread.size();
  unread.resize(before + kRead);
  const std::size_t got = socket.read(std::span(unread).subspan(before));
  unread.resize(before + got);
  return got > 0;
}

std::optional<std::string> ScriptedConnection::Impl::take_line() {
  std::size_t end = 0;
  std::size_t looked = 0;
  while ((end = unread.find("\r\n", looked)) == std::string::npos) {
    looked = unread.empty() ? 0 : unread.size() - 1;
    if (unread.size() > kMaxLine || !fill()) {
      return std::nullopt;
    }
  }
  std::string line = unread.substr(0, end);
  unread.erase(0, end + 2);
  return line;
}

std::optional<std::string> ScriptedConnection::Impl::take(std::size_t count) {
  while (unread.size() < count) {
    if (!fill()) {
      return std::nullopt;
    }
  }
  std::string bytes = unread.substr(0, count);
  unread.erase(0, count);
  return bytes;
}

bool ScriptedConnection::Impl::read_fields(HeaderList& fields) {
  while (true) {
    const std::optional<std::string> line = take_line();
    if (!line) {
      return false;
    }
    if (line->empty()) {
      return true;
    }
    const std::size_t colon = line->find(':');
    if (colon == std::string::npos) {
      return false;
    }
    const std::size_t value = std::min(line->find_first_not_of(" \t", colon + 1), line->size());
    fields.emplace_back(line->substr(0, colon), line->substr(value));
  }
}

bool ScriptedConnection::Impl::read_chunks(ScriptedRequest& request) {
  while (true) {
    const std::optional<std::string> line = take_line();
    const std::optional<std::size_t> size = line ? parse_size(*line, 16) : std::nullopt;
    if (!size) {
      return false;
    }
    if (*size == 0) {
      return read_fields(request.trailers);
    }
    std::optional<std::string> chunk = take(*size + 2);
    if (!chunk) {
      return false;
    }
    chunk->resize(*size);
    request.body += *chunk;
  }
}

ScriptedConnection::ScriptedConnection(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
ScriptedConnection::~ScriptedConnection() = default;

int ScriptedConnection::index() const { return impl_->index; }

std::optional<ScriptedRequest> ScriptedConnection::read_request() {
  std::optional<ScriptedRequest> request = read_head();
  if (request && !read_body(*request)) {
    return std::nullopt;
  }
  return request;
}

std::optional<ScriptedRequest> ScriptedConnection::read_head() {
  const std::optional<std::string> line = impl_->take_line();
  if (!line) {
    return std::nullopt;
  }
  const std::size_t first = line->find(' ');
  const std::size_t last = line->rfind(' ');
  if (first == std::string::npos || first == last) {
    return std::nullopt;
  }
  ScriptedRequest request;
  request.connection = impl_->index;
  request.method = line->substr(0, first);
  request.target = line->substr(first + 1, last - first - 1);
  if (!impl_->read_fields(request.headers)) {
    return std::nullopt;
  }
  impl_->recorded = impl_->record.update([&](ScriptedRecord& record) {
    record.requests.push_back(request);
    return record.requests.size() - 1;
  });
  return request;
}

bool ScriptedConnection::read_body(ScriptedRequest& request) {
  if (same_name(request.header("transfer-encoding"), "chunked")) {
    if (!impl_->read_chunks(request)) {
      return false;
    }
  } else if (request.has_header("content-length")) {
    const std::optional<std::size_t> size = parse_size(request.header("content-length"), 10);
    std::optional<std::string> body = size ? impl_->take(*size) : std::nullopt;
    if (!body) {
      return false;
    }
    request.body = *std::move(body);
  }
  impl_->record.update([&](ScriptedRecord& record) { record.requests[impl_->recorded] = request; });
  return true;
}

std::optional<std::string> ScriptedConnection::read_bytes(std::size_t count) { return impl_->take(count); }

std::optional<std::string> ScriptedConnection::read_some() {
  if (impl_->unread.empty() && !impl_->fill()) {
    return std::nullopt;
  }
  return std::exchange(impl_->unread, {});
}

bool ScriptedConnection::send(std::string_view bytes) { return impl_->socket.write(bytes); }

bool ScriptedConnection::drip(std::string_view bytes) {
  return std::ranges::all_of(bytes, [&](const char& byte) { return send({&byte, 1}); });
}

bool ScriptedConnection::wait(Gate& gate) { return gate.await(impl_->stop); }

bool ScriptedConnection::hold() {
  do {
    impl_->unread.clear();
  } while (impl_->fill());
  return !impl_->stop.stop_requested();
}

bool ScriptedConnection::start_tls() { return impl_->tls != nullptr && impl_->socket.start_tls(impl_->tls); }

void ScriptedConnection::close() { impl_->socket.close(); }

void ScriptedConnection::reset() { impl_->socket.reset(); }

}  // namespace landfall::testkit
