#include "api/pod_volume.h"

#include <algorithm>

#include "json/access.h"
#include "json/json.h"

namespace landfall::api {
namespace {

using json::Json;

std::string type_at(const Json& object, std::string_view field) {
  std::string type = json::string_or(object, {"spec", field}, "");
  return type.empty() ? "restic" : type;
}

}  // namespace

std::string uploader_type(const Json& transfer) { return type_at(transfer, "uploaderType"); }

std::string repository_type(const Json& repository) { return type_at(repository, "repositoryType"); }

const Json* volume_of(const Json& pod, std::string_view name) {
  const Json* const volumes = json::find(pod, {"spec", "volumes"});
  if (volumes == nullptr || !volumes->is_array()) return nullptr;
  const auto found =
      std::ranges::find_if(*volumes, [&](const Json& one) { return json::string_or(one, {"name"}, "") == name; });
  return found == volumes->end() ? nullptr : &*found;
}

bool takes_files_back(const Json& pod, std::string_view volume) {
  const Json* const found = volume_of(pod, volume);
  return found != nullptr && !json::has(*found, {"projected"}) && !json::has(*found, {"downwardAPI"});
}

}  // namespace landfall::api
