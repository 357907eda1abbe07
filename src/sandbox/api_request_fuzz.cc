#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "http/target.h"
#include "json/json.h"
#include "sandbox/api_error.h"
#include "sandbox/body.h"
#include "sandbox/request.h"
#include "sandbox_kinds/protobuf_reader.h"

// A request as text, "METHOD target\nName: value\n…\n\nbody": whatever it says, it is either read as a request for a
// kind that is served or refused with a Status of 4xx or 5xx.

namespace landfall::sandbox {
namespace {

std::string_view take_line(std::string_view& text) {
  const std::size_t end = text.find('\n');
  const std::string_view line = text.substr(0, end);
  text = end == std::string_view::npos ? std::string_view() : text.substr(end + 1);
  return line;
}

void check_refusal(const Error& error) {
  const int status = http_status_of(error);
  if (status < 400 || status > 599) __builtin_trap();
  if (status_document(error)["status"] != "Failure") __builtin_trap();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const Registry registry;
  static const KindSetPtr kinds = registry.kinds();
  // NOLINTNEXTLINE(cppcoreguidelines-pro-type-reinterpret-cast): bytes as text.
  std::string_view text(reinterpret_cast<const char*>(data), size);
  const std::string_view first = take_line(text);
  const std::size_t space = first.find(' ');
  if (space == 0 || space == std::string_view::npos) return 0;
  const auto target = http::parse_target(first.substr(space + 1));
  if (!target) return 0;
  http::Request request{.method = std::string(first.substr(0, space)), .path = target->path, .query = target->query};
  while (true) {
    const std::string_view line = take_line(text);
    const std::size_t colon = line.find(": ");
    if (line.empty() || colon == std::string_view::npos) break;
    request.headers.add(std::string(line.substr(0, colon)), std::string(line.substr(colon + 2)));
  }
  request.body = std::string(text);

  const auto read = read_request(*kinds, request);
  if (!read) {
    check_refusal(read.error());
    return 0;
  }
  if (!read->kind || read->field_manager.size() > 128) __builtin_trap();
  if (read->kind->is_namespaced && read->name_space.empty() && !read->name.empty()) __builtin_trap();
  (void)read_protobuf(std::string("k8s\0", 4) + request.body);
  const auto body = parse_body(request.body, BodyFormat::kJson, read->kind->kind);
  if (!body) {
    check_refusal(body.error());
    return 0;
  }
  if (const Status fits = check_type(*kinds, *read->kind, *body); !fits) check_refusal(fits.error());
  duplicate_fields(request.body);
  return 0;
}

}  // namespace landfall::sandbox
