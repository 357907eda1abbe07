#include "restore/definition_overlay.h"

#include <algorithm>
#include <utility>

#include "json/access.h"
#include "json/json.h"
#include "json/parse.h"

namespace landfall::restore {
namespace {

void add_version(const json::Json& definition, const std::string& version, std::vector<kube::ApiResource>& resources,
                 std::vector<kube::ApiGroup>& groups) {
  const std::string group = json::string_or(definition, {"spec", "group"}, "");
  resources.push_back({.id = {group, version, json::string_or(definition, {"spec", "names", "plural"}, "")},
                       .kind = json::string_or(definition, {"spec", "names", "kind"}, ""),
                       .singular = json::string_or(definition, {"spec", "names", "singular"}, ""),
                       .is_namespaced = json::string_or(definition, {"spec", "scope"}, "") == "Namespaced",
                       .verbs = {"create", "delete", "get", "list", "patch", "update", "watch"}});
  auto found = std::ranges::find_if(groups, [&](const kube::ApiGroup& one) { return one.name == group; });
  if (found == groups.end()) found = groups.insert(groups.end(), kube::ApiGroup{.name = group});
  if (std::ranges::find(found->versions, version) == found->versions.end()) found->versions.push_back(version);
}

}  // namespace

std::shared_ptr<const kube::Discovery> with_definitions(const kube::Discovery& live, const PlannedResource& definitions,
                                                        const archive::SpooledArchive& archive) {
  std::vector<kube::ApiGroup> groups = live.groups();
  std::vector<kube::ApiResource> resources = live.resources();
  for (const PlannedGroup& group : definitions.groups) {
    for (const std::string& name : group.names) {
      const auto item = archive.index().find(definitions.resource, "", name);
      const auto text = item ? archive.content(*item) : Result<std::string>("");
      const auto definition = text ? json::parse(*text) : Result<json::Json>(json::Json());
      if (!definition) continue;
      const k8s::GroupResource kind{json::string_or(*definition, {"spec", "group"}, ""),
                                    json::string_or(*definition, {"spec", "names", "plural"}, "")};
      if (kind.resource.empty() || live.find(kind) != nullptr) continue;
      const json::Json* versions = json::find(*definition, {"spec", "versions"});
      if (versions == nullptr || !versions->is_array()) continue;
      for (const json::Json& version : *versions) {
        if (!json::bool_or(version, {"served"}, false)) continue;
        add_version(*definition, json::string_or(version, {"name"}, ""), resources, groups);
      }
    }
  }
  return std::make_shared<const kube::Discovery>(std::move(groups), std::move(resources), live.failures());
}

}  // namespace landfall::restore
