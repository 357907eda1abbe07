// Any target: it is refused, or its path is safe and the route that takes it is the one it looks like.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "http/recording_responder.h"
#include "http/router.h"
#include "http/target.h"

namespace landfall::http {
namespace {

void require(bool holds) {
  if (!holds) __builtin_trap();
}

Route route(std::string pattern) {
  return {.method = "GET", .pattern = std::move(pattern), .handler = [](const Request& request, const auto& responder) {
            std::string body;
            for (const auto& [name, value] : request.parameters) body += "/" + value;
            responder->send(text(200, body));
          }};
}

const Router& router() {
  static const Router table =
      *Router::make({route("/"), route("/a"), route("/a/{x}"), route("/a/b"), route("/a/{x}/c"), route("/a/b/{y}/d"),
                     route("/{p}/{q}/{r}/{s}"), route("/files/{path...}"), route("/a/b/{rest...}")});
  return table;
}

void check_path(const std::string& path) {
  require(path.starts_with('/'));
  std::size_t begin = 1;
  while (begin <= path.size()) {
    const std::size_t end = std::min(path.find('/', begin), path.size());
    const std::string_view segment = std::string_view(path).substr(begin, end - begin);
    require(segment != "." && segment != "..");
    require(!segment.empty() || end == path.size());
    for (const char c : segment) require(c != '\\' && static_cast<unsigned char>(c) >= 0x20 && c != 0x7f);
    // What was decoded can be said again, and means the same.
    if (!segment.empty()) require(decode_path("/" + encode_segment(segment)) == "/" + std::string(segment));
    begin = end + 1;
  }
}

void check_route(const std::string& path) {
  const auto responder = std::make_shared<RecordingResponder>();
  Request request;
  request.method = "GET";
  request.path = path;
  router()(std::move(request), responder);
  const RecordingResponder::Answer answer = responder->answer();
  require(answer.finished && (answer.status == 200 || answer.status == 404));
  const std::string plain = path.size() > 1 && path.ends_with('/') ? path.substr(0, path.size() - 1) : path;
  if (answer.route == "/files/{path...}") {
    require("/files" + answer.body == plain || (plain == "/files" && answer.body == "/"));
  }
  if (plain == "/a/b") require(answer.route == "/a/b");
  if (answer.status == 404) require(!plain.starts_with("/a/b/") && !plain.starts_with("/files/"));
}

}  // namespace
}  // namespace landfall::http

namespace landfall::http {

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const landfall::Result<Target> target = parse_target(text);
  if (!target) {
    require(target.error().code() == landfall::Code::kInvalid && !target.error().message().empty());
    return 0;
  }
  if (target->path == "*") return 0;
  check_path(target->path);
  check_route(target->path);
  for (const auto& [name, value] : target->query) require(target->query.contains(name));
  return 0;
}

}  // namespace landfall::http
