#include "restore_suite/velero_comparison.h"

#include <set>
#include <stdexcept>

#include "io/file.h"
#include "json/access.h"
#include "json/parse.h"
#include "json/patch.h"
#include "k8s/object_view.h"
#include "kube/resource.h"

namespace landfall::restore_suite {
namespace {

// What the cluster has chosen or noted the time of.
void strip_choices(json::Json& value) {
  if (value.is_object()) {
    value.erase("lastTransitionTime");
    value.erase("lastPhaseTransitionTime");
  }
  if (value.is_structured()) {
    for (json::Json& element : value) strip_choices(element);
  }
}

// Addresses of Services, and node ports that nobody has asked for.
void strip_addresses(json::Json& object) {
  if (json::string_or(object, {"kind"}, "") != "Service") return;
  const std::string applied =
      json::string_or(object, {"metadata", "annotations", "kubectl.kubernetes.io/last-applied-configuration"}, "");
  if (json::string_or(object, {"spec", "clusterIP"}, "None") != "None") {
    object["spec"]["clusterIP"] = "assigned";
    object["spec"]["clusterIPs"] = json::Json::array({"assigned"});
  }
  json::Json* ports = json::find(object, {"spec", "ports"});
  if (ports == nullptr) return;
  for (json::Json& port : *ports) {
    const std::int64_t node_port = json::int_or(port, {"nodePort"}, 0);
    if (node_port != 0 && applied.find(std::to_string(node_port)) == std::string::npos) port["nodePort"] = "assigned";
  }
}

void strip(json::Json& object) {
  strip_choices(object);
  strip_addresses(object);
  for (const std::string_view field : {"uid", "resourceVersion", "creationTimestamp", "managedFields", "generation"}) {
    json::erase_at(object, {"metadata", field});
  }
  if (json::Json* owners = json::find(object, {"metadata", "ownerReferences"})) {
    for (json::Json& owner : *owners) owner["uid"] = "UID";
  }
}

std::string key_of(const k8s::GroupResource& resource, const json::Json& object) {
  const k8s::ObjectView view(object);
  return to_string(resource) + "/" + (view.name_space().empty() ? "" : std::string(view.name_space()) + "/") +
         std::string(view.name());
}

}  // namespace

std::map<std::string, json::Json> stored_objects(const std::string& path) {
  const auto text = io::read_file(path, std::size_t{1} << 26U);
  if (!text) throw std::runtime_error(text.error().message());
  const auto document = json::parse(*text);
  if (!document) throw std::runtime_error(document.error().message());
  std::map<std::string, json::Json> objects;
  for (const auto& [key, object] : document->items()) {
    objects[key] = object;
    strip(objects[key]);
  }
  return objects;
}

std::map<std::string, json::Json> objects_like(const std::map<std::string, json::Json>& like, kube::Client& client,
                                               const std::string& restore_name) {
  const auto discovery = kube::discover(client, {});
  if (!discovery) throw std::runtime_error(discovery.error().message());
  std::set<std::string> resources;
  for (const auto& [key, object] : like) resources.insert(key.substr(0, key.find('/')));
  std::map<std::string, json::Json> found;
  for (const std::string& name : resources) {
    const kube::ApiResource* resource = discovery->find(k8s::parse_group_resource(name));
    if (resource == nullptr) continue;
    auto list = kube::Resource(client, resource->id).list({}, {});
    if (!list) throw std::runtime_error(list.error().message());
    for (json::Json& object : list->items) {
      const std::string key = key_of(resource->id.group_resource(), object);
      const bool is_ours = k8s::ObjectView(object).labels().get("velero.io/restore-name") == restore_name;
      if (!is_ours && !like.contains(key)) continue;
      strip(object);
      found[key] = std::move(object);
    }
  }
  return found;
}

std::vector<std::string> differences(const std::map<std::string, json::Json>& theirs,
                                     const std::map<std::string, json::Json>& ours) {
  std::vector<std::string> lines;
  for (const auto& [key, object] : theirs) {
    const auto other = ours.find(key);
    if (other == ours.end()) {
      lines.push_back(key + ": missing");
      continue;
    }
    for (const std::string& path : json::differences(object, other->second, 100)) lines.push_back(key + ": " + path);
  }
  for (const auto& [key, object] : ours) {
    if (!theirs.contains(key)) lines.push_back(key + ": additional");
  }
  return lines;
}

}  // namespace landfall::restore_suite
