#include "sandbox/discovery.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "json/json.h"

namespace landfall::sandbox {
namespace {

using json::Json;

// The groups in the order of the set, each once; "" is left out.
std::vector<std::string> groups_of(const KindSet& kinds) {
  std::vector<std::string> out;
  for (const KindPtr& kind : kinds.all()) {
    if (!kind->id.group.empty() && std::ranges::find(out, kind->id.group) == out.end()) out.push_back(kind->id.group);
  }
  return out;
}

std::vector<std::string> versions_of(const KindSet& kinds, std::string_view group) {
  std::vector<std::string> out;
  for (const KindPtr& kind : kinds.all()) {
    if (kind->id.group == group && std::ranges::find(out, kind->id.version) == out.end()) {
      out.push_back(kind->id.version);
    }
  }
  return out;
}

Json version_entry(std::string_view group, const std::string& version) {
  return {{"groupVersion", to_string(k8s::GroupVersion{std::string(group), version})}, {"version", version}};
}

Json group_entry(const KindSet& kinds, const std::string& group) {
  Json entry = {{"name", group}, {"versions", Json::array()}};
  for (const std::string& version : versions_of(kinds, group))
    entry["versions"].push_back(version_entry(group, version));
  entry["preferredVersion"] = entry["versions"].front();
  return entry;
}

Json resource_entry(const KindInfo& kind) {
  Json entry = {{"name", kind.id.resource},
                {"singularName", kind.singular},
                {"namespaced", kind.is_namespaced},
                {"kind", kind.kind},
                {"verbs", kind.verbs}};
  if (!kind.short_names.empty()) entry["shortNames"] = kind.short_names;
  if (!kind.categories.empty()) entry["categories"] = kind.categories;
  if (const std::string hash = storage_version_hash(kind); !hash.empty()) entry["storageVersionHash"] = hash;
  return entry;
}

Json subresource_entry(const KindInfo& kind, const std::string& name) {
  const SubresourceInfo info = subresource_info(kind, name);
  Json entry = {{"name", kind.id.resource + "/" + name},
                {"singularName", ""},
                {"namespaced", kind.is_namespaced},
                {"kind", info.kind},
                {"verbs", info.verbs}};
  if (!info.group.empty()) entry["group"] = info.group;
  if (!info.version.empty()) entry["version"] = info.version;
  return entry;
}

Json response_kind(const KindInfo& kind, const std::string& name, const std::string& group,
                   const std::string& version) {
  if (kind.is_custom() && version.empty())
    return {{"group", kind.id.group}, {"version", kind.id.version}, {"kind", name}};
  return {{"group", group}, {"version", version}, {"kind", name}};
}

Json aggregated_resource(const KindInfo& kind) {
  Json entry = {{"resource", kind.id.resource},
                {"responseKind", response_kind(kind, kind.kind, "", "")},
                {"scope", kind.is_namespaced ? "Namespaced" : "Cluster"},
                {"singularResource", kind.singular},
                {"verbs", kind.verbs}};
  if (!kind.short_names.empty()) entry["shortNames"] = kind.short_names;
  if (!kind.categories.empty()) entry["categories"] = kind.categories;
  for (const std::string& name : kind.subresources) {
    const SubresourceInfo info = subresource_info(kind, name);
    entry["subresources"].push_back({{"subresource", name},
                                     {"responseKind", response_kind(kind, info.kind, info.group, info.version)},
                                     {"verbs", info.verbs}});
  }
  return entry;
}

Json aggregated_group(const KindSet& kinds, const std::string& group) {
  Json item = {{"metadata", Json::object()}, {"versions", Json::array()}};
  if (!group.empty()) item["metadata"]["name"] = group;
  for (const std::string& version : versions_of(kinds, group)) {
    Json entry = {{"version", version}, {"resources", Json::array()}, {"freshness", "Current"}};
    for (const KindPtr& kind : kinds.all()) {
      if (kind->id.group == group && kind->id.version == version) {
        entry["resources"].push_back(aggregated_resource(*kind));
      }
    }
    item["versions"].push_back(std::move(entry));
  }
  return item;
}

}  // namespace

Json api_versions(std::string_view server_address) {
  return {{"kind", "APIVersions"},
          {"versions", {"v1"}},
          {"serverAddressByClientCIDRs",
           Json::array({{{"clientCIDR", "0.0.0.0/0"}, {"serverAddress", std::string(server_address)}}})}};
}

Json api_group_list(const KindSet& kinds) {
  Json list = {{"kind", "APIGroupList"}, {"apiVersion", "v1"}, {"groups", Json::array()}};
  for (const std::string& group : groups_of(kinds)) list["groups"].push_back(group_entry(kinds, group));
  return list;
}

std::optional<Json> api_group(const KindSet& kinds, std::string_view group) {
  if (group.empty() || !kinds.has_group(group)) return std::nullopt;
  Json entry = group_entry(kinds, std::string(group));
  entry["kind"] = "APIGroup";
  entry["apiVersion"] = "v1";
  return entry;
}

std::optional<Json> api_resource_list(const KindSet& kinds, std::string_view group, std::string_view version) {
  if (!kinds.has_version(group, version)) return std::nullopt;
  const std::string group_version = to_string(k8s::GroupVersion{std::string(group), std::string(version)});
  Json list = {{"kind", "APIResourceList"}, {"groupVersion", group_version}, {"resources", Json::array()}};
  if (!group.empty()) list["apiVersion"] = "v1";
  for (const KindPtr& kind : kinds.all()) {
    if (kind->id.group != group || kind->id.version != version) continue;
    list["resources"].push_back(resource_entry(*kind));
    for (const std::string& name : kind->subresources) list["resources"].push_back(subresource_entry(*kind, name));
  }
  return list;
}

Json aggregated_discovery(const KindSet& kinds, bool core) {
  Json list = {{"kind", "APIGroupDiscoveryList"},
               {"apiVersion", "apidiscovery.k8s.io/v2"},
               {"metadata", Json::object()},
               {"items", Json::array()}};
  if (core) {
    list["items"].push_back(aggregated_group(kinds, ""));
    return list;
  }
  for (const std::string& group : groups_of(kinds)) list["items"].push_back(aggregated_group(kinds, group));
  return list;
}

Json server_version() {
  return {{"major", "1"},
          {"minor", "34"},
          {"emulationMajor", "1"},
          {"emulationMinor", "34"},
          {"minCompatibilityMajor", "1"},
          {"minCompatibilityMinor", "33"},
          {"gitVersion", "v1.34.4+landfall-sandbox"},
          {"gitCommit", "sandbox"},
          {"gitTreeState", "clean"},
          {"buildDate", "1970-01-01T00:00:00Z"},
          {"goVersion", "none"},
          {"compiler", "gcc"},
          {"platform", "linux/amd64"}};
}

Json root_paths(const KindSet& kinds) {
  std::vector<std::string> paths = {"/api",   "/api/v1",     "/apis",       "/apis/",  "/healthz",
                                    "/livez", "/openapi/v2", "/openapi/v3", "/readyz", "/version"};
  for (const std::string& group : groups_of(kinds)) {
    paths.push_back("/apis/" + group);
    for (const std::string& version : versions_of(kinds, group)) paths.push_back("/apis/" + group + "/" + version);
  }
  std::ranges::sort(paths);
  return {{"paths", paths}};
}

}  // namespace landfall::sandbox
