#include "kube/discovery.h"

#include <algorithm>
#include <set>

#include "base/strings.h"

namespace landfall::kube {

bool ApiResource::can(std::string_view verb) const { return std::ranges::find(verbs, verb) != verbs.end(); }

Discovery::Discovery(std::vector<ApiGroup> groups, std::vector<ApiResource> resources,
                     std::map<k8s::GroupVersion, Error> failures)
    : groups_(std::move(groups)), failures_(std::move(failures)) {
  std::map<k8s::GroupVersion, std::vector<ApiResource>> by_version;
  for (ApiResource& resource : resources) {
    by_version[resource.id.group_version()].push_back(std::move(resource));
  }
  // In the order of groups and their versions, whatever order the answers came in.
  for (const ApiGroup& group : groups_) {
    for (const std::string& version : group.versions) {
      for (ApiResource& resource : by_version[{group.name, version}]) {
        resources_.push_back(std::move(resource));
      }
      by_version.erase({group.name, version});
    }
  }
}

std::vector<const ApiResource*> Discovery::preferred() const {
  std::vector<const ApiResource*> chosen;
  std::set<k8s::GroupResource> seen;
  for (const ApiResource& resource : resources_) {
    if (seen.insert(resource.id.group_resource()).second) {
      chosen.push_back(&resource);
    }
  }
  return chosen;
}

const ApiResource* Discovery::find(const k8s::GroupVersionResource& id) const {
  const auto found = std::ranges::find(resources_, id, &ApiResource::id);
  return found == resources_.end() ? nullptr : &*found;
}

const ApiResource* Discovery::find(const k8s::GroupVersionKind& kind) const {
  const auto found = std::ranges::find(resources_, kind, &ApiResource::group_version_kind);
  return found == resources_.end() ? nullptr : &*found;
}

const ApiResource* Discovery::find(const k8s::GroupResource& id) const {
  const auto found =
      std::ranges::find_if(resources_, [&](const ApiResource& resource) { return resource.id.group_resource() == id; });
  return found == resources_.end() ? nullptr : &*found;
}

const ApiResource* Discovery::find_by_word(std::string_view word) const {
  if (word.empty()) {
    return nullptr;
  }
  const std::string lower = to_lower(word);
  const std::size_t dot = lower.find('.');
  const std::string name = lower.substr(0, dot);
  const std::string rest = dot == std::string::npos ? "" : lower.substr(dot + 1);
  const auto names_it = [&](const ApiResource& resource) {
    return resource.id.resource == name || resource.singular == name || to_lower(resource.kind) == name ||
           std::ranges::find(resource.short_names, name) != resource.short_names.end();
  };
  for (const ApiResource& resource : resources_) {
    const bool fits = rest.empty() || rest == resource.id.group ||
                      rest == resource.id.version + (resource.id.group.empty() ? "" : "." + resource.id.group) ||
                      // kubectl takes the beginning of a group as well: "deploy.app"
                      (!resource.id.group.empty() && resource.id.group.starts_with(rest + "."));
    if (fits && names_it(resource)) {
      return &resource;
    }
  }
  return nullptr;
}

Result<std::shared_ptr<const Discovery>> DiscoveryCache::get(const std::stop_token& stop) {
  if (auto known = newest_.copy()) {
    return known;
  }
  return refresh(stop);
}

Result<std::shared_ptr<const Discovery>> DiscoveryCache::refresh(const std::stop_token& stop) {
  TRY_ASSIGN(Discovery found, "discovery", discover(client_, stop));
  auto fresh = std::make_shared<const Discovery>(std::move(found));
  newest_.with([&](std::shared_ptr<const Discovery>& newest) { newest = fresh; });
  return fresh;
}

}  // namespace landfall::kube
