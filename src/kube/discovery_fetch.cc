// How discovery is asked for: aggregated where the server offers it, else group by group.

#include <atomic>
#include <thread>

#include "json/access.h"
#include "json/json.h"
#include "json/parse.h"
#include "k8s/rest_path.h"
#include "kube/discovery.h"

namespace landfall::kube {
namespace {

constexpr std::string_view kAggregated =
    "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList,"
    "application/json;g=apidiscovery.k8s.io;v=v2beta1;as=APIGroupDiscoveryList,application/json";
constexpr std::size_t kMaxGroupReaders = 8;

struct Found {
  std::vector<ApiGroup> groups;
  std::vector<ApiResource> resources;
  std::map<k8s::GroupVersion, Error> failures;
};

std::vector<std::string> strings(const json::Json& document, const json::Path& path) {
  return json::string_list_at(document, path).value_or(std::vector<std::string>());
}

Result<json::Json> read(Client& client, const Call& call, const std::stop_token& stop, bool& is_aggregated) {
  TRY_ASSIGN(const Answer answer, "", client.call(call, stop));
  const auto type = answer.headers.get("Content-Type");
  is_aggregated = type && type->find("g=apidiscovery.k8s.io") != std::string_view::npos;
  auto document = json::parse(answer.body);
  if (!document) {
    return fail(Code::kUnavailable, call.path + ": the answer cannot be read: " + document.error().message());
  }
  return document;
}

// One entry of an APIGroupDiscovery version's resources.
void add_aggregated_resource(const json::Json& entry, const k8s::GroupVersion& api, Found& found) {
  ApiResource resource;
  resource.id = {api.group, api.version, json::string_or(entry, {"resource"}, "")};
  resource.kind = json::string_or(entry, {"responseKind", "kind"}, "");
  resource.singular = json::string_or(entry, {"singularResource"}, "");
  resource.is_namespaced = json::string_or(entry, {"scope"}, "") == "Namespaced";
  resource.verbs = strings(entry, {"verbs"});
  resource.short_names = strings(entry, {"shortNames"});
  resource.categories = strings(entry, {"categories"});
  if (const auto subresources = json::array_at(entry, {"subresources"})) {
    for (const json::Json& subresource : **subresources) {
      resource.subresources.push_back(json::string_or(subresource, {"subresource"}, ""));
    }
  }
  found.resources.push_back(std::move(resource));
}

void add_aggregated(const json::Json& document, Found& found) {
  const auto items = json::array_at(document, {"items"});
  if (!items) {
    return;
  }
  for (const json::Json& item : **items) {
    ApiGroup group{.name = json::string_or(item, {"metadata", "name"}, ""), .versions = {}};
    const auto versions = json::array_at(item, {"versions"});
    if (!versions) {
      continue;
    }
    for (const json::Json& version : **versions) {
      const k8s::GroupVersion api{group.name, json::string_or(version, {"version"}, "")};
      group.versions.push_back(api.version);
      if (json::string_or(version, {"freshness"}, "Current") == "Stale") {
        found.failures.emplace(api, Error(Code::kUnavailable, k8s::to_string(api) + ": its server does not answer"));
      }
      if (const auto resources = json::array_at(version, {"resources"})) {
        for (const json::Json& resource : **resources) {
          add_aggregated_resource(resource, api, found);
        }
      }
    }
    found.groups.push_back(std::move(group));
  }
}

// The legacy lists: /api names versions of the core group, /apis groups with theirs.
void add_groups(const json::Json& document, Found& found) {
  if (const auto versions = strings(document, {"versions"}); !versions.empty()) {
    found.groups.insert(found.groups.begin(), {.name = "", .versions = versions});
    return;
  }
  const auto groups = json::array_at(document, {"groups"});
  if (!groups) {
    return;
  }
  for (const json::Json& entry : **groups) {
    ApiGroup group{.name = json::string_or(entry, {"name"}, ""), .versions = {}};
    const std::string preferred = json::string_or(entry, {"preferredVersion", "version"}, "");
    if (!preferred.empty()) {
      group.versions.push_back(preferred);
    }
    if (const auto versions = json::array_at(entry, {"versions"})) {
      for (const json::Json& version : **versions) {
        std::string name = json::string_or(version, {"version"}, "");
        if (name != preferred) {
          group.versions.push_back(std::move(name));
        }
      }
    }
    found.groups.push_back(std::move(group));
  }
}

// An APIResourceList: a subresource is an entry of its own there, "pods/status".
std::vector<ApiResource> resources_of(const json::Json& document, const k8s::GroupVersion& api) {
  std::vector<ApiResource> resources;
  const auto entries = json::array_at(document, {"resources"});
  if (!entries) {
    return resources;
  }
  std::multimap<std::string, std::string> subresources;
  for (const json::Json& entry : **entries) {
    const std::string name = json::string_or(entry, {"name"}, "");
    if (const std::size_t slash = name.find('/'); slash != std::string::npos) {
      subresources.emplace(name.substr(0, slash), name.substr(slash + 1));
      continue;
    }
    resources.push_back({.id = {api.group, api.version, name},
                         .kind = json::string_or(entry, {"kind"}, ""),
                         .singular = json::string_or(entry, {"singularName"}, ""),
                         .is_namespaced = json::bool_or(entry, {"namespaced"}, false),
                         .verbs = strings(entry, {"verbs"}),
                         .short_names = strings(entry, {"shortNames"}),
                         .categories = strings(entry, {"categories"}),
                         .subresources = {}});
  }
  for (ApiResource& resource : resources) {
    const auto [begin, end] = subresources.equal_range(resource.id.resource);
    std::for_each(begin, end, [&](const auto& entry) { resource.subresources.push_back(entry.second); });
  }
  return resources;
}

// Reads every group version on a few threads: one that hangs costs its own timeout and no other's.
void read_groups(Client& client, const std::stop_token& stop, Duration timeout, Found& found) {
  std::vector<k8s::GroupVersion> wanted;
  for (const ApiGroup& group : found.groups) {
    for (const std::string& version : group.versions) {
      wanted.push_back({group.name, version});
    }
  }
  std::atomic<std::size_t> next = 0;
  Guarded<Found*> into(&found);
  const auto work = [&] {
    for (std::size_t i = next++; i < wanted.size(); i = next++) {
      const k8s::GroupVersion& api = wanted[i];
      const auto read_one = [&]() -> Result<std::vector<ApiResource>> {
        TRY_ASSIGN(const std::string path, "", k8s::api_path(api));
        bool unused = false;
        TRY_ASSIGN(const json::Json document, "", read(client, {.path = path, .timeout = timeout}, stop, unused));
        return resources_of(document, api);
      };
      auto resources = read_one();
      into.with([&](Found* all) {
        if (resources) {
          all->resources.insert(all->resources.end(), resources->begin(), resources->end());
        } else {
          all->failures.emplace(api, resources.error());
        }
      });
    }
  };
  std::vector<std::jthread> readers;
  for (std::size_t i = 0; i < std::min(kMaxGroupReaders, wanted.size()); ++i) {
    readers.emplace_back(work);
  }
}

}  // namespace

Result<Discovery> discover(Client& client, const std::stop_token& stop, Duration group_timeout) {
  Found aggregated;
  Found legacy;
  for (const char* path : {"/api", "/apis"}) {
    bool is_aggregated = false;
    TRY_ASSIGN(const json::Json document, "",
               read(client, {.path = path, .accept = std::string(kAggregated)}, stop, is_aggregated));
    if (is_aggregated) {
      add_aggregated(document, aggregated);
    } else {
      add_groups(document, legacy);
    }
  }
  read_groups(client, stop, group_timeout, legacy);
  if (stop.stop_requested()) {
    return fail(Code::kCancelled, "stopped");
  }
  for (ApiGroup& group : legacy.groups) {
    aggregated.groups.push_back(std::move(group));
  }
  for (ApiResource& resource : legacy.resources) {
    aggregated.resources.push_back(std::move(resource));
  }
  aggregated.failures.merge(legacy.failures);
  return Discovery(std::move(aggregated.groups), std::move(aggregated.resources), std::move(aggregated.failures));
}

}  // namespace landfall::kube
