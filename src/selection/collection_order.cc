#include "selection/collection_order.h"

#include <algorithm>
#include <array>
#include <map>
#include <string>

namespace landfall::selection {
namespace {

constexpr std::array<std::string_view, 4> kNeededVerbs = {"list", "create", "get", "delete"};

struct Cohabitants {
  std::string_view resource;
  std::string_view group;
  std::string_view other_group;
};
constexpr std::array<Cohabitants, 5> kCohabitants = {{
    {"deployments", "extensions", "apps"},
    {"daemonsets", "extensions", "apps"},
    {"replicasets", "extensions", "apps"},
    {"networkpolicies", "extensions", "networking.k8s.io"},
    {"events", "", "events.k8s.io"},
}};

bool can_be_collected(const kube::ApiResource* resource) {
  return std::ranges::all_of(kNeededVerbs, [&](std::string_view verb) { return resource->can(verb); });
}

// Lower is earlier; those of the same rank keep the server's order.
int rank_in_core(const kube::ApiResource* resource) {
  const std::string& name = resource->id.resource;
  if (name == "pods") {
    return 0;
  }
  if (name == "persistentvolumeclaims") {
    return 1;
  }
  return name == "persistentvolumes" ? 2 : 3;
}

const Cohabitants* cohabitants_of(const k8s::GroupVersionResource& id) {
  const auto found = std::ranges::find_if(kCohabitants, [&](const Cohabitants& one) {
    return one.resource == id.resource && (one.group == id.group || one.other_group == id.group);
  });
  return found == kCohabitants.end() ? nullptr : &*found;
}

}  // namespace

std::vector<const kube::ApiResource*> collection_order(const kube::Discovery& discovery) {
  std::vector<const kube::ApiResource*> order = discovery.preferred();
  std::erase_if(order, [](const kube::ApiResource* one) { return !can_be_collected(one); });
  std::ranges::stable_partition(order, [](const kube::ApiResource* one) { return one->id.group != "extensions"; });
  // The core group is one run, in one version.
  const auto is_core = [](const kube::ApiResource* one) { return one->id.group.empty(); };
  const auto begin = std::ranges::find_if(order, is_core);
  const auto end = std::find_if_not(begin, order.end(), is_core);
  std::ranges::stable_sort(begin, end, {}, rank_in_core);
  return order;
}

std::vector<PlannedResource> plan_collection(const kube::Discovery& discovery,
                                             const std::function<Verdict(const kube::ApiResource&)>& filter) {
  std::vector<PlannedResource> plan;
  std::map<const Cohabitants*, const kube::ApiResource*> taken;
  for (const kube::ApiResource* resource : collection_order(discovery)) {
    Verdict verdict = filter(*resource);
    const Cohabitants* cohabitants = cohabitants_of(resource->id);
    if (verdict && cohabitants != nullptr) {
      const auto [first, is_first] = taken.emplace(cohabitants, resource);
      if (!is_first) {
        verdict = Verdict::out(Reason::kStoredUnderAnother, "the same objects are in the backup as " +
                                                                k8s::to_string(first->second->id.group_resource()));
      }
    }
    plan.push_back({resource, std::move(verdict)});
  }
  for (const kube::ApiResource* resource : discovery.preferred()) {
    if (!can_be_collected(resource)) {
      plan.push_back(
          {resource, Verdict::out(Reason::kNotListable, k8s::to_string(resource->id.group_resource()) +
                                                            " cannot be listed, read, created and deleted")});
    }
  }
  return plan;
}

}  // namespace landfall::selection
