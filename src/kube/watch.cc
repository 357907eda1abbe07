#include "kube/watch.h"

#include "json/access.h"
#include "json/json.h"
#include "json/parse.h"
#include "k8s/rest_path.h"
#include "kube/api_status.h"

namespace landfall::kube {
namespace {

// How much longer than its own timeout a server may stay silent before the connection counts as dead.
constexpr Duration kSilence = std::chrono::seconds(30);

Result<WatchEventType> type_of(const std::string& name) {
  if (name == "ADDED") {
    return WatchEventType::kAdded;
  }
  if (name == "MODIFIED") {
    return WatchEventType::kModified;
  }
  if (name == "DELETED") {
    return WatchEventType::kDeleted;
  }
  if (name == "BOOKMARK") {
    return WatchEventType::kBookmark;
  }
  return fail(Code::kUnsupported, "a watch event of the unknown type \"" + name + "\"");
}

}  // namespace

WatchDecoder::WatchDecoder(OnWatchEvent on_event, std::size_t max_line)
    : on_event_(std::move(on_event)), max_line_(max_line) {}

Result<bool> WatchDecoder::feed(std::string_view bytes) {
  while (!bytes.empty()) {
    const std::size_t end = bytes.find('\n');
    const std::string_view piece = bytes.substr(0, end);
    if (rest_.size() + piece.size() > max_line_) {
      return fail(Code::kTooLarge, "a watch event is larger than " + std::to_string(max_line_) + " bytes");
    }
    if (end == std::string_view::npos) {
      rest_ += piece;
      return true;
    }
    bytes.remove_prefix(end + 1);
    bool more = true;
    if (rest_.empty()) {
      TRY_ASSIGN(more, "", decode(piece));
    } else {
      rest_ += piece;
      const std::string line = std::exchange(rest_, {});
      TRY_ASSIGN(more, "", decode(line));
    }
    if (!more) {
      return false;
    }
  }
  return true;
}

Result<bool> WatchDecoder::decode(std::string_view line) {
  if (line.empty() || line == "\r") {
    return true;
  }
  auto event = json::parse(line);
  if (!event) {
    return fail(Code::kDataLoss, "a watch event cannot be read: " + event.error().message());
  }
  const std::string name = json::string_or(*event, {"type"}, "");
  json::Json* object = json::find(*event, {"object"});
  if (object == nullptr || !object->is_object()) {
    return fail(Code::kDataLoss, "a watch event has no object");
  }
  if (name == "ERROR") {
    return tl::unexpected(error_from_status_json(json::dump(*object)));
  }
  TRY_ASSIGN(const WatchEventType type, "", type_of(name));
  return on_event_(type, *object);
}

Status watch(const Resource& resource, const WatchOptions& options, const OnWatchEvent& on_event,
             const std::stop_token& stop) {
  TRY_ASSIGN(const std::string path, "", k8s::collection_path(resource.id(), resource.name_space()));
  Call call{.path = path, .query = selector_query(options.selection)};
  call.query.emplace_back("watch", "true");
  call.query.emplace_back("allowWatchBookmarks", "true");
  call.query.emplace_back(
      "timeoutSeconds",
      std::to_string(std::chrono::duration_cast<std::chrono::seconds>(options.server_timeout).count()));
  if (!options.resource_version.empty()) {
    call.query.emplace_back("resourceVersion", options.resource_version);
  }
  WatchDecoder decoder(on_event);
  return resource.client().stream(
      call, options.server_timeout + kSilence, [&](std::string_view bytes) { return decoder.feed(bytes); }, stop);
}

}  // namespace landfall::kube
