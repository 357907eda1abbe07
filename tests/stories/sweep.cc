#include "stories/sweep.h"

#include <stdexcept>

#include "json/json.h"
#include "k8s/object_view.h"
#include "kube/resource.h"
#include "stories/patience.h"

namespace landfall::stories {
namespace {

using json::Json;

void finish_namespace(kube::Client& client, const std::string& name) {
  const kube::Resource namespaces(client, {"", "v1", "namespaces"});
  const auto going = namespaces.remove(name, {});
  if (!going && going.error().code() == Code::kNotFound) return;
  const auto is_gone = [&] {
    auto found = namespaces.get(name, {});
    if (!found) return found.error().code() == Code::kNotFound;
    (*found)["spec"]["finalizers"] = Json::array();
    // Where there is a namespace controller, it may be faster.
    (void)namespaces.update(*found, {}, {.subresource = "finalize"});
    return false;
  };
  if (!soon(is_gone)) throw std::runtime_error("the namespace " + name + " does not go");
}

}  // namespace

void sweep_object(kube::Client& client, const kube::ApiResource& resource, const std::string& name_space,
                  const std::string& name) {
  const kube::Resource objects(client, resource.id, name_space);
  const auto going = objects.remove(name, {}, {.grace_period_seconds = 0});
  if (!going && going.error().code() == Code::kNotFound) return;
  must(going);
  if (resource.id.resource == "customresourcedefinitions") {
    // The server itself takes its objects away.
    if (!soon([&] { return !objects.get(name, {}); })) throw std::runtime_error(name + " does not go");
    return;
  }
  const auto done = objects.patch(name, kube::PatchType::kMerge, {{"metadata", {{"finalizers", nullptr}}}}, {});
  if (!done && done.error().code() != Code::kNotFound) must(done);
}

void sweep_namespace(kube::Client& client, const kube::Discovery& discovery, const std::string& name) {
  for (const kube::ApiResource* resource : discovery.preferred()) {
    if (!resource->is_namespaced || !resource->can("list") || !resource->can("delete")) continue;
    const auto found = kube::Resource(client, resource->id, name).list({}, {});
    if (!found) continue;  // its definition is going
    for (const Json& object : found->items) {
      sweep_object(client, *resource, name, std::string(k8s::ObjectView(object).name()));
    }
  }
  finish_namespace(client, name);
}

}  // namespace landfall::stories
