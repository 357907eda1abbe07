#include "server/volume_parts.h"

#include <memory>

#include "location/repository_access.h"

namespace landfall::server {
namespace {

control::FindRepository finder(const control::Context& context, const Environment& environment) {
  return [&context, &environment](const json::Json& location, std::string_view type,
                                  const std::string& volume_namespace, const std::stop_token& stop) {
    return location::repository_access(location, type, volume_namespace, context.client,
                                       {.environment = environment, .clock = context.clock, .log = context.log}, stop);
  };
}

}  // namespace

VolumeParts::VolumeParts(const control::Context& context, Uploaders& uploaders, const Environment& environment)
    : cleanup_(context, uploaders.all(), finder(context, environment)), snapshot_cleanup_(context) {
  for (extension::Uploader* const one : uploaders.all()) {
    managers_.push_back(std::make_unique<control::UploaderRepositoryManager>(*one, finder(context, environment)));
  }
}

std::vector<control::RepositoryManager*> VolumeParts::managers() {
  std::vector<control::RepositoryManager*> all;
  all.reserve(managers_.size());
  for (const auto& one : managers_) all.push_back(one.get());
  return all;
}

}  // namespace landfall::server
