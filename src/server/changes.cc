#include "server/changes.h"

#include <array>
#include <string_view>

#include "json/access.h"
#include "json/json.h"

namespace landfall::server {
namespace {

// Of the metadata what somebody decides; not what the API server counts.
constexpr std::array<std::string_view, 5> kMetadata = {"labels", "annotations", "finalizers", "deletionTimestamp",
                                                       "uid"};

bool differs(const json::Json& before, const json::Json& after, const json::Path& path) {
  const json::Json* old_value = json::find(before, path);
  const json::Json* new_value = json::find(after, path);
  if (old_value == nullptr || new_value == nullptr) return old_value != new_value;
  return *old_value != *new_value;
}

}  // namespace

std::string phase_of(const kube::Object& object) {
  return object == nullptr ? "" : json::string_or(*object, {"status", "phase"}, "");
}

bool is_new_phase(const kube::CacheChange& change) {
  return change.before == nullptr || change.after == nullptr || phase_of(change.before) != phase_of(change.after);
}

bool is_work(const kube::CacheChange& change) {
  if (is_new_phase(change)) return true;
  if (differs(*change.before, *change.after, {"spec"})) return true;
  for (const std::string_view field : kMetadata) {
    if (differs(*change.before, *change.after, {"metadata", field})) return true;
  }
  return false;
}

}  // namespace landfall::server
