#include "sandbox_world/namespace_controller.h"

#include <fmt/format.h>

#include <map>
#include <vector>

#include "json/access.h"
#include "json/json.h"
#include "k8s/object_view.h"

namespace landfall::sandbox {
namespace {

using json::Json;

constexpr std::string_view kRootCertificate = "kube-root-ca.crt";
constexpr std::size_t kBatch = 500;  // deletions before others get their turn
constexpr Duration kLookAgain = std::chrono::seconds(5);

// What keeps a namespace, as its conditions tell it.
struct Remains {
  std::map<std::string, std::size_t> resources;   // "pods": 3
  std::map<std::string, std::size_t> finalizers;  // in so many objects
  bool has_more = false;                          // not everything was looked at
};

std::string join_counts(const std::map<std::string, std::size_t>& counts, std::string_view how) {
  std::string out;
  for (const auto& [what, count] : counts) out += fmt::format("{}{} {} {}", out.empty() ? "" : ", ", what, how, count);
  return out;
}

// The five conditions in which a cluster tells how far a deletion has come.
void describe(Json& name_space, const Remains& remains, const std::string& now) {
  set_condition(name_space, "NamespaceDeletionDiscoveryFailure", false, "ResourcesDiscovered",
                "All resources successfully discovered", now);
  set_condition(name_space, "NamespaceDeletionGroupVersionParsingFailure", false, "ParsedGroupVersions",
                "All legacy kube types successfully parsed", now);
  set_condition(name_space, "NamespaceDeletionContentFailure", false, "ContentDeleted",
                "All content successfully deleted, may be waiting on finalization", now);
  if (remains.resources.empty()) {
    set_condition(name_space, "NamespaceContentRemaining", false, "ContentRemoved", "All content successfully removed",
                  now);
  } else {
    std::string some;
    for (const auto& [what, count] : remains.resources) {
      some += fmt::format("{}{} has {} resource instances", some.empty() ? "" : ", ", what, count);
    }
    set_condition(name_space, "NamespaceContentRemaining", true, "SomeResourcesRemain",
                  "Some resources are remaining: " + some, now);
  }
  if (remains.finalizers.empty()) {
    set_condition(name_space, "NamespaceFinalizersRemaining", false, "ContentHasNoFinalizers",
                  "All content-preserving finalizers finished", now);
  } else {
    set_condition(name_space, "NamespaceFinalizersRemaining", true, "SomeFinalizersRemain",
                  "Some content in the namespace has finalizers remaining: " + join_counts(remains.finalizers, "in") +
                      " resource instances",
                  now);
  }
}

}  // namespace

void NamespaceController::observe(const k8s::GroupResource& resource, const Change& change, WorkQueue& queue) {
  const StoredObject& object = *change.object;
  if (resource == kinds().namespaces.storage) {
    const std::string name(object.name());
    if (change.type == ChangeType::kDeleted) {
      ending_.erase(name);
      return;
    }
    if (object.is_deleting) ending_.insert(name);
    if (object.is_deleting || change.type == ChangeType::kAdded) queue.add(name);
    return;
  }
  if (object.namespace_size == 0) return;
  if (ending_.find(object.name_space()) != ending_.end()) {
    if (change.type == ChangeType::kDeleted) queue.add(std::string(object.name_space()));
    return;
  }
  const bool is_furniture = (resource == kinds().service_accounts.storage && object.name() == "default" &&
                             change.type == ChangeType::kDeleted) ||
                            (resource == kinds().config_maps.storage && object.name() == kRootCertificate &&
                             change.type != ChangeType::kAdded);
  if (is_furniture) queue.add(std::string(object.name_space()));
}

Status NamespaceController::reconcile(const std::string& key, WorkQueue& queue) {
  const std::optional<Json> name_space = cluster_.get(kinds().namespaces, "", key);
  if (!name_space) return {};
  if (k8s::ObjectView(*name_space).is_being_deleted()) return empty(*name_space, queue);
  return furnish(key);
}

Status NamespaceController::furnish(const std::string& name) const {
  if (!cluster_.get(kinds().service_accounts, name, "default")) {
    const auto made = cluster_.create(kinds().service_accounts, name, {{"metadata", {{"name", "default"}}}});
    if (!made && made.error().code() != Code::kAlreadyExists) return fail("default service account", made.error());
  }
  const Json data = {{"ca.crt", ca_pem_}};
  const std::optional<Json> certificate = cluster_.get(kinds().config_maps, name, kRootCertificate);
  if (certificate) {
    return cluster_.modify(kinds().config_maps, *certificate, [&](Json& live) -> Status {
      live["data"] = data;
      return {};
    });
  }
  const Json object = {
      {"metadata",
       {{"name", kRootCertificate},
        {"annotations",
         {{"kubernetes.io/description",
           "Contains a CA bundle that can be used to verify the kube-apiserver when using internal endpoints such as "
           "the "
           "internal service IP or kubernetes.default.svc. No other usage is guaranteed across distributions of "
           "Kubernetes clusters."}}}}},
      {"data", data}};
  const auto made = cluster_.create(kinds().config_maps, name, object);
  if (!made && made.error().code() != Code::kAlreadyExists) return fail("root certificate", made.error());
  return {};
}

Status NamespaceController::empty(const Json& name_space, WorkQueue& queue) const {
  const std::string name(k8s::ObjectView(name_space).name());
  Remains remains;
  std::size_t removed = 0;
  std::set<k8s::GroupResource> seen;
  for (const KindPtr& kind : cluster_.api().registry().kinds()->all()) {
    if (!kind->is_namespaced || !kind->is_stored() || !seen.insert(kind->storage).second) continue;
    for (const ObjectPtr& object : cluster_.api().store().list(kind->storage, name).objects) {
      if (removed >= kBatch) {
        remains.has_more = true;
        break;
      }
      if (!object->is_deleting) {
        ++removed;
        const auto done = cluster_.api().remove(*kind, name, object->name(), {.propagation = "Background"});
        if (!done && done.error().code() != Code::kNotFound) return fail(std::string(object->key), done.error());
      }
      const ObjectPtr left = cluster_.api().store().get(kind->storage, name, object->name());
      if (!left) continue;
      ++remains.resources[k8s::to_string(kind->storage)];
      const Json document = decode(*kind, *left);
      for (const std::string_view finalizer : k8s::ObjectView(document).finalizers()) {
        ++remains.finalizers[std::string(finalizer)];
      }
    }
  }
  if (remains.has_more) {
    queue.add(name);
    return {};
  }
  if (!remains.resources.empty()) {
    queue.add_after(name, kLookAgain);
    return cluster_.rewrite(kinds().namespaces, name_space, [&](Json& live) -> Status {
      describe(live, remains, cluster_.now_text());
      return {};
    });
  }
  return cluster_.rewrite(kinds().namespaces, name_space, [](Json& live) -> Status {
    Json& finalizers = live["spec"]["finalizers"];
    Json kept = Json::array();
    for (const Json& finalizer : finalizers) {
      if (finalizer != "kubernetes") kept.push_back(finalizer);
    }
    finalizers = std::move(kept);
    return {};
  });
}

}  // namespace landfall::sandbox
