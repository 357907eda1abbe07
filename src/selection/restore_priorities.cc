#include "selection/restore_priorities.h"

#include <algorithm>
#include <set>

#include "base/strings.h"

namespace landfall::selection {
namespace {

constexpr std::string_view kSeparator = "-";

}  // namespace

RestorePriorities RestorePriorities::defaults() {
  return {.high = {"customresourcedefinitions",
                   "namespaces",
                   "storageclasses",
                   "volumesnapshotclass.snapshot.storage.k8s.io",
                   "volumesnapshotcontents.snapshot.storage.k8s.io",
                   "volumesnapshots.snapshot.storage.k8s.io",
                   "datauploads.velero.io",
                   "persistentvolumes",
                   "persistentvolumeclaims",
                   "clusterroles",
                   "roles",
                   "serviceaccounts",
                   "clusterrolebindings",
                   "rolebindings",
                   "secrets",
                   "configmaps",
                   "limitranges",
                   "priorityclasses",
                   "pods",
                   "replicasets.apps",
                   "clusterclasses.cluster.x-k8s.io",
                   "endpoints",
                   "services"},
          .low = {"clusterbootstraps.run.tanzu.vmware.com", "clusters.cluster.x-k8s.io",
                  "clusterresourcesets.addons.cluster.x-k8s.io", "apps.kappctrl.k14s.io",
                  "packageinstalls.packaging.carvel.dev"}};
}

Result<RestorePriorities> RestorePriorities::parse(std::string_view text) {
  if (trim(text).empty()) {
    return defaults();
  }
  RestorePriorities parsed;
  Names* target = &parsed.high;
  for (const std::string_view part : split(text, ',')) {
    const std::string_view name = trim(part);
    if (name.empty()) {
      return fail(Code::kInvalid, "restore priorities " + quote(text) + ": an empty name between two commas");
    }
    if (name != kSeparator) {
      target->emplace_back(name);
    } else if (target == &parsed.low) {
      return fail(Code::kInvalid, "restore priorities " + quote(text) +
                                      ": a second '-'; one alone stands between high and low priorities");
    } else {
      target = &parsed.low;
    }
  }
  if (parsed.high.empty()) {
    parsed.high = defaults().high;
  }
  if (parsed.low.empty()) {
    parsed.low = defaults().low;
  }
  return parsed;
}

std::string RestorePriorities::to_string() const {
  Names parts = high;
  if (!low.empty()) {
    parts.emplace_back(kSeparator);
    parts.insert(parts.end(), low.begin(), low.end());
  }
  return join(parts, ",");
}

std::vector<k8s::GroupResource> restore_order(const RestorePriorities& priorities,
                                              const std::vector<k8s::GroupResource>& in_backup,
                                              const ResourceNames& names) {
  std::set<std::string> left;
  for (const k8s::GroupResource& resource : in_backup) {
    left.insert(k8s::to_string(resource));
  }
  const auto take = [&](const Names& wanted) {
    std::vector<k8s::GroupResource> taken;
    for (const std::string& name : wanted) {
      // What the server does not know may still be in the backup under this very name.
      const std::string resolved = left.contains(name) ? name : names.resolve(name);
      if (left.erase(resolved) > 0) {
        taken.push_back(k8s::parse_group_resource(resolved));
      }
    }
    return taken;
  };
  std::vector<k8s::GroupResource> order = take(priorities.high);
  const std::vector<k8s::GroupResource> last = take(priorities.low);
  for (const std::string& name : left) {
    order.push_back(k8s::parse_group_resource(name));
  }
  order.insert(order.end(), last.begin(), last.end());
  return order;
}

}  // namespace landfall::selection
