#pragma once

#include <cstddef>
#include <functional>
#include <stop_token>
#include <string>
#include <string_view>

#include "base/result.h"
#include "json/json_fwd.h"
#include "kube/resource.h"

namespace landfall::kube {

enum class WatchEventType { kAdded, kModified, kDeleted, kBookmark };

// Hears an event; false ends the watch. The object may be moved from.
using OnWatchEvent = std::function<Result<bool>(WatchEventType type, json::Json& object)>;

// Cuts a stream into lines and the lines into events. Bounded: a line over the limit is kTooLarge.
class WatchDecoder {
 public:
  explicit WatchDecoder(OnWatchEvent on_event, std::size_t max_line = std::size_t{64} << 20U);
  // False when the handler wants no more. An event of type ERROR is returned as the error that the server means (kGone
  // for a version it has forgotten).
  Result<bool> feed(std::string_view bytes);

 private:
  Result<bool> decode(std::string_view line);
  OnWatchEvent on_event_;
  const std::size_t max_line_;
  std::string rest_;  // of a line that is not complete yet
};

struct WatchOptions {
  ListOptions selection;  // page size and versions in it do not matter
  std::string resource_version;
  Duration server_timeout = std::chrono::minutes(5);  // the server ends the watch by itself after this time
};

// Watches from a version on, with bookmarks. Ends with success when the server ends it (its timeout), with kGone when
// the version is too old, with kUnavailable or kTimeout when the connection broke or fell silent. A line cut in the
// middle is dropped: its event comes again, because the version did not move.
Status watch(const Resource& resource, const WatchOptions& options, const OnWatchEvent& on_event,
             const std::stop_token& stop);

}  // namespace landfall::kube
