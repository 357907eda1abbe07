#include "selection/item_facts.h"

#include "json/access.h"
#include "json/json.h"
#include "k8s/object_ref.h"
#include "k8s/object_view.h"

namespace landfall::selection {
namespace {

bool is_completed(const k8s::GroupResource& resource, const json::Json& object) {
  if (resource == k8s::GroupResource{"", "pods"}) {
    const std::string* phase = json::find_string(object, {"status", "phase"});
    return phase != nullptr && (*phase == "Succeeded" || *phase == "Failed");
  }
  if (resource == k8s::GroupResource{"batch", "jobs"}) {
    const std::string* time = json::find_string(object, {"status", "completionTime"});
    return time != nullptr && !time->empty();
  }
  return false;
}

}  // namespace

ItemFacts item_facts(k8s::GroupResource resource, const json::Json& object) {
  const k8s::ObjectView view(object);
  ItemFacts facts;
  facts.kind = view.kind();
  facts.name_space = view.name_space();
  facts.name = view.name();
  facts.label = [labels = view.labels()](const std::string& key) { return labels.get(key); };
  facts.is_being_deleted = view.is_being_deleted();
  facts.is_completed = is_completed(resource, object);
  const auto mirror = view.annotations().get("kubernetes.io/config.mirror");
  facts.is_mirror_pod = resource == k8s::GroupResource{"", "pods"} && mirror && !mirror->empty();
  facts.resource = std::move(resource);
  return facts;
}

k8s::LabelSelector::Lookup labels_of(const ItemFacts& facts) {
  if (facts.label) {
    return facts.label;
  }
  return [](const std::string&) { return std::optional<std::string_view>(); };
}

bool has_exclude_label(const ItemFacts& facts) {
  return facts.label && facts.label(std::string(kExcludeFromBackupLabel)) == "true";
}

std::string describe(const ItemFacts& facts) {
  return k8s::to_string(k8s::ObjectRef{facts.resource, std::string(facts.name_space), std::string(facts.name)});
}

}  // namespace landfall::selection
