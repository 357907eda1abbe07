#include "stories/bookshop_filters.h"

#include <algorithm>
#include <initializer_list>

namespace landfall::stories {

const char* const kOnlyTexts = R"(
version: v1
includeExcludePolicy:
  includedNamespaceScopedResources: [configmaps, books.library.example.com]
)";
const char* const kNoLocalVolumes = R"(
version: v1
volumePolicies:
- conditions: {storageClass: [local]}
  action: {type: skip}
)";

namespace {

using Names = std::vector<std::string>;

const Names kShop = {"namespaces bookshop"};
const Names kStaging = {"namespaces bookshop-staging"};

const Names kShopTexts = {"configmaps bookshop/web-config", "~configmaps bookshop/kube-root-ca.crt"};
const Names kShopSecrets = {"secrets bookshop/db-password", "secrets bookshop/registry"};
const Names kShopAccounts = {"serviceaccounts bookshop/clerk", "~serviceaccounts bookshop/default"};
const Names kShopPods = {"~pods bookshop/migrate-*", "~pods bookshop/web-*-*", "~pods bookshop/web-*-*"};
const Names kShopClaims = {"~persistentvolumeclaims bookshop/data-db-0"};
const Names kShopRest = {"books.library.example.com bookshop/moby-dick",
                         "~controllerrevisions.apps bookshop/db-*",
                         "cronjobs.batch bookshop/nightly",
                         "deployments.apps bookshop/web",
                         "horizontalpodautoscalers.autoscaling bookshop/web",
                         "ingresses.networking.k8s.io bookshop/web",
                         "jobs.batch bookshop/migrate",
                         "limitranges bookshop/limits",
                         "networkpolicies.networking.k8s.io bookshop/deny",
                         "poddisruptionbudgets.policy bookshop/web",
                         "~replicasets.apps bookshop/web-*",
                         "resourcequotas bookshop/quota",
                         "rolebindings.rbac.authorization.k8s.io bookshop/clerk",
                         "roles.rbac.authorization.k8s.io bookshop/clerk",
                         "services bookshop/db",
                         "services bookshop/web",
                         "statefulsets.apps bookshop/db"};
const Names kStagingTexts = {"configmaps bookshop-staging/web-config", "~configmaps bookshop-staging/kube-root-ca.crt"};
const Names kStagingAccounts = {"~serviceaccounts bookshop-staging/default"};
const Names kStagingBooks = {"books.library.example.com bookshop-staging/typee"};

// What is taken along: the definition of a custom resource, what an account may do, what a pod and a claim need.
const Names kBookDefinition = {"customresourcedefinitions.apiextensions.k8s.io books.library.example.com"};
const Names kRightsOfClerk = {"clusterrolebindings.rbac.authorization.k8s.io bookshop-auditor",
                              "clusterroles.rbac.authorization.k8s.io bookshop-auditor"};
const Names kNeedsOfDb = {"~persistentvolumes pv-books-db", "~priorityclasses.scheduling.k8s.io bookshop-high"};
// Everything on cluster scope but namespaces.
const Names kClusterScope = {"clusterrolebindings.rbac.authorization.k8s.io bookshop-auditor",
                             "clusterroles.rbac.authorization.k8s.io bookshop-auditor",
                             "customresourcedefinitions.apiextensions.k8s.io books.library.example.com",
                             "customresourcedefinitions.apiextensions.k8s.io shelves.library.example.com",
                             "persistentvolumes pv-books-db",
                             "priorityclasses.scheduling.k8s.io bookshop-high",
                             "shelves.library.example.com top",
                             "storageclasses.storage.k8s.io local"};

const std::string kNobodyTakesIt =
    "podvolume: no node agent is running on node localhost: does the DaemonSet node-agent in namespace velero exist, "
    "and may its pods run there?;volumeSnapshot: no volume snapshotter is set up for it;";
const std::string kNobodySnapshotsIt = "volumeSnapshot: no volume snapshotter is set up for it;";

Names all(std::initializer_list<Names> lists) {
  Names together;
  for (const Names& list : lists) together.insert(together.end(), list.begin(), list.end());
  return together;
}

std::vector<FilterCase> namespace_cases() {
  return {{.name = "namespaces-by-wildcard",
           .spec = {{"includedNamespaces", {"bookshop-*"}}},
           .items = all({kStaging, kStagingTexts, kStagingAccounts, kStagingBooks, kBookDefinition})},
          {.name = "namespaces-excluded",
           .spec = {{"excludedNamespaces", {"bookshop"}}},
           .items = all({kStaging, kStagingTexts, kStagingAccounts, kStagingBooks, kBookDefinition}),
           .is_elsewhere_too = true}};
}

std::vector<FilterCase> resource_cases() {
  return {
      // The old lists name what is in and nothing else: no namespace, and nothing that is taken along.
      {.name = "resources-included",
       .spec = {{"includedNamespaces", {"bookshop"}},
                {"includedResources", {"cm", "deployments.apps", "ServiceAccount"}}},
       .items = all({kShopTexts, kShopAccounts, {"deployments.apps bookshop/web"}})},
      {.name = "resources-excluded",
       .spec = {{"includedNamespaces", {"bookshop"}},
                {"excludedResources", {"secrets", "po", "persistentvolumeclaims"}}},
       .items = all({kShop, kShopTexts, kShopAccounts, kShopRest, kBookDefinition, kRightsOfClerk})},
      {.name = "scoped-included",
       .spec = {{"includedNamespaces", {"bookshop"}},
                {"includedNamespaceScopedResources", {"configmaps", "secrets"}},
                {"includedClusterScopedResources", {"sc"}}},
       .items = all({kShop, kShopTexts, kShopSecrets, {"storageclasses.storage.k8s.io local"}}),
       .is_elsewhere_too = true},
      {.name = "scoped-excluded",
       .spec = {{"includedNamespaces", {"bookshop-staging"}},
                {"excludedNamespaceScopedResources", {"configmaps", "sa"}},
                {"excludedClusterScopedResources", {"customresourcedefinitions.apiextensions.k8s.io"}}},
       .items = all({kStaging, kStagingBooks})},
      {.name = "cluster-resources-true",
       .spec = {{"includedNamespaces", {"bookshop-staging"}}, {"includeClusterResources", true}},
       .items = all({kStaging, kStagingTexts, kStagingAccounts, kStagingBooks, kClusterScope}),
       .is_elsewhere_too = true,
       .why_skipped = kNobodySnapshotsIt},
      {.name = "cluster-resources-false",
       .spec = {{"includedNamespaces", {"bookshop"}}, {"includeClusterResources", false}},
       .items = all({kShopTexts, kShopSecrets, kShopAccounts, kShopPods, kShopClaims, kShopRest}),
       .is_db_lost = true},
      {.name = "cluster-resources-unset",
       .spec = {{"includedNamespaces", {"bookshop"}}, {"excludedResources", {"secrets"}}},
       .items = all({kShop, kShopTexts, kShopAccounts, kShopPods, kShopClaims, kShopRest, kBookDefinition,
                     kRightsOfClerk, kNeedsOfDb}),
       .is_db_lost = true,
       .why_skipped = kNobodyTakesIt},
  };
}

std::vector<FilterCase> label_cases() {
  return {{.name = "labels",
           .spec = {{"labelSelector", {{"matchLabels", {{"app", "db"}}}}}},
           .items = all({kShop,
                         {"secrets bookshop/db-password", "~controllerrevisions.apps bookshop/db-*"},
                         kShopClaims,
                         kNeedsOfDb}),
           .is_db_lost = true,
           .why_skipped = kNobodyTakesIt},
          {.name = "labels-one-or-the-other",
           .spec = {{"orLabelSelectors", {{{"matchLabels", {{"app", "web"}}}}, {{"matchLabels", {{"genre", "sea"}}}}}}},
           .items = all({kShop,
                         kStaging,
                         {"books.library.example.com bookshop/moby-dick", "configmaps bookshop-staging/web-config",
                          "configmaps bookshop/web-config", "deployments.apps bookshop/web", "~pods bookshop/web-*-*",
                          "~pods bookshop/web-*-*", "~replicasets.apps bookshop/web-*"},
                         kStagingBooks,
                         kBookDefinition})},
          // `left-out` is a ConfigMap with the label that keeps it out of every backup.
          {.name = "label-that-excludes",
           .spec = {{"includedNamespaces", {"bookshop"}}, {"includedNamespaceScopedResources", {"configmaps"}}},
           .items = all({kShop, kShopTexts})}};
}

std::vector<FilterCase> other_cases() {
  return {
      {.name = "ordered",
       .spec = {{"includedNamespaces", {"bookshop", "bookshop-staging"}},
                {"includedResources", {"configmaps", "secrets"}},
                {"orderedResources",
                 {{"configmaps", "bookshop-staging/web-config,bookshop/web-config"},
                  {"secrets", "bookshop/registry,bookshop/db-password"}}}},
       .items = all({kShopTexts, kShopSecrets, kStagingTexts}),
       .orders = {{"configmaps bookshop-staging/web-config", "configmaps bookshop/web-config"},
                  {"secrets bookshop/registry", "secrets bookshop/db-password"}}},
      {.name = "policy-of-resources",
       .spec = {{"includedNamespaces", {"bookshop-staging"}},
                {"resourcePolicy", {{"kind", "configmap"}, {"name", "only-texts"}}}},
       .items = all({kStaging, kStagingTexts, kStagingBooks, kBookDefinition})},
      // The volume is not wanted, so the pod is in.
      {.name = "policy-of-volumes",
       .spec = {{"includedNamespaces", {"bookshop"}},
                {"resourcePolicy", {{"kind", "configmap"}, {"name", "no-local-volumes"}}}},
       .items = all({kShop,
                     kShopTexts,
                     kShopSecrets,
                     kShopAccounts,
                     kShopPods,
                     kShopClaims,
                     kShopRest,
                     kBookDefinition,
                     kRightsOfClerk,
                     kNeedsOfDb,
                     {"~pods bookshop/db-0"}}),
       .why_skipped = "podvolume: the volume policy says skip (volumePolicies[0]);"
                      "volumeSnapshot: the volume policy says skip (volumePolicies[0]);"},
      {.name = "everything",
       .spec = json::Json::object(),
       .items = all({kShop, kShopTexts, kShopSecrets, kShopAccounts, kShopPods, kShopClaims, kShopRest, kStaging,
                     kStagingTexts, kStagingAccounts, kStagingBooks, kClusterScope}),
       .is_elsewhere_too = true,
       .is_db_lost = true,
       .why_skipped = kNobodyTakesIt},
  };
}

}  // namespace

std::vector<FilterCase> filter_cases() {
  std::vector<FilterCase> cases;
  for (const auto& group : {namespace_cases(), resource_cases(), label_cases(), other_cases()}) {
    cases.insert(cases.end(), group.begin(), group.end());
  }
  return cases;
}

std::vector<std::string> expected_items(const FilterCase& one, bool has_workloads) {
  Names names;
  for (const std::string& item : one.items) {
    const bool needs_workloads = item.starts_with('~');
    if (needs_workloads && !has_workloads) continue;
    names.push_back(needs_workloads ? item.substr(1) : item);
  }
  std::ranges::sort(names);
  return names;
}

}  // namespace landfall::stories
