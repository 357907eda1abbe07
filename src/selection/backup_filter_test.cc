#include "selection/backup_filter.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "json/json.h"
#include "json/yaml.h"
#include "selection/resource_policies.h"
#include "selection/test_discovery.h"

namespace landfall::selection {
namespace {

using json::Json;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

const std::vector<LiveNamespace> kLive = {{"default"}, {"shop-a"}, {"shop-b"}, {"velero"}};

// Specs are written as YAML here.
BackupFilterSpec spec_of(std::string_view spec) {
  Messages problems;
  BackupFilterSpec read = read_backup_filter_spec(json::parse_yaml(spec).value(), problems);
  EXPECT_THAT(problems, IsEmpty());
  return read;
}

class Filter {
 public:
  explicit Filter(std::string_view spec, const char* policies = nullptr, const std::vector<LiveNamespace>& live = kLive)
      : discovery_(test_discovery()) {
    if (policies != nullptr) {
      policies_ = parse_resource_policies(policies).value();
    }
    filter_.emplace(BackupFilter::make(spec_of(spec), &policies_, discovery_, live).value());
  }

  const BackupFilter* operator->() const { return &*filter_; }
  Reason resource(std::string_view word) const { return filter_->resource(*discovery_.find_by_word(word)).reason(); }
  bool lists(std::string_view word) const { return resource(word) == Reason::kSelected; }
  std::vector<ListCall> calls(std::string_view word) const {
    return filter_->list_calls(*discovery_.find_by_word(word));
  }
  Reason item(std::string_view word, const Json& object, Met met = Met::kDirectly) const {
    const Verdict verdict = filter_->item(item_facts(discovery_.find_by_word(word)->id.group_resource(), object), met);
    EXPECT_EQ(verdict.why().empty(), verdict.is_in()) << "every reason can be shown";
    return verdict.reason();
  }

 private:
  kube::Discovery discovery_;
  ResourcePolicies policies_;
  std::optional<BackupFilter> filter_;
};

Json object(const char* name_space, const char* name, const Json& labels = Json::object()) {
  return {{"metadata", {{"name", name}, {"namespace", name_space}, {"labels", labels}}}};
}

Messages problems_of(std::string_view spec, const std::vector<LiveNamespace>& live = kLive) {
  return backup_filter_problems(spec_of(spec), nullptr, live);
}

TEST(BackupFilter, WithoutFiltersEverythingIsInButVolumeSnapshots) {
  const Filter filter("{}");
  for (const char* word : {"pods", "deployments.apps", "nodes", "storageclasses", "namespaces", "crd"}) {
    EXPECT_TRUE(filter.lists(word)) << word;
  }
  EXPECT_EQ(filter.resource("vs"), Reason::kResourceExcluded);
  EXPECT_EQ(filter.resource("vsc"), Reason::kResourceExcluded);
  EXPECT_FALSE(filter->adds_definitions()) << "all of them are in already";
}

TEST(BackupFilter, ASelectorLeavesDefinitionsToBeAdded) {
  const Filter filter(R"({"labelSelector": {"matchLabels": {"app": "web"}}})");
  EXPECT_TRUE(filter.lists("crd"));
  EXPECT_TRUE(filter->adds_definitions()) << "only those with the label are listed";
}

TEST(BackupFilter, ACompletedSpecMeansTheSame) {
  std::vector<LiveNamespace> live = kLive;
  live.push_back({"private", true});
  const BackupFilterSpec spec = completed(spec_of("{}"), live);
  EXPECT_THAT(spec.included_namespaces, ElementsAre("*"));
  EXPECT_THAT(spec.excluded_namespaces, ElementsAre("private"));
  EXPECT_THAT(spec.scoped.excluded_cluster_scoped, ElementsAre(kVolumeSnapshotContents));
  EXPECT_THAT(spec.scoped.excluded_namespace_scoped, ElementsAre(kVolumeSnapshots));
  EXPECT_THAT(completed(spec, live).excluded_namespaces, SizeIs(1));
  EXPECT_THAT(backup_filter_problems(spec, nullptr, live), IsEmpty());
  const kube::Discovery discovery = test_discovery();
  const auto filter = BackupFilter::make(spec, nullptr, discovery, live);
  EXPECT_TRUE(filter->resource(*discovery.find_by_word("storageclasses")))
      << "what is excluded automatically does not switch cluster-scoped resources off";
  EXPECT_EQ(filter->namespaces().ask("private").reason(), Reason::kExcludedByLabel);
}

TEST(BackupFilter, CompletionDoesNotTurnAListIntoEverything) {
  const BackupFilterSpec spec =
      completed(spec_of("includedNamespaceScopedResources: [volumesnapshots.snapshot.storage.k8s.io]"), kLive);
  EXPECT_THAT(spec.scoped.included_namespace_scoped, SizeIs(1));
  EXPECT_THAT(backup_filter_problems(spec, nullptr, kLive), IsEmpty());
  EXPECT_FALSE(Filter("includedNamespaceScopedResources: [volumesnapshots.snapshot.storage.k8s.io]").lists("pods"));
}

TEST(BackupFilter, SomeNamespacesLeaveClusterScopedResourcesOut) {
  const Filter filter("includedNamespaces: [shop-a]");
  EXPECT_EQ(filter.resource("storageclasses"), Reason::kClusterScoped);
  EXPECT_TRUE(filter.lists("namespaces"));
  EXPECT_TRUE(filter->adds_definitions());
  EXPECT_EQ(filter.item("pv", object("", "pv1"), Met::kAsAdditionalItem), Reason::kSelected)
      << "a volume that a claim asks for is in";
  EXPECT_EQ(filter.item("pv", object("", "pv1"), Met::kDirectly), Reason::kClusterScoped);
  EXPECT_TRUE(Filter("includedNamespaces: [default, shop-a, shop-b, velero]").lists("storageclasses"))
      << "all that there are is everything";
}

TEST(BackupFilter, OldFilters) {
  const Filter off("includeClusterResources: false");
  EXPECT_EQ(off.resource("nodes"), Reason::kClusterScoped);
  EXPECT_EQ(off.resource("namespaces"), Reason::kClusterScoped);
  EXPECT_EQ(off.item("pv", object("", "pv1"), Met::kAsAdditionalItem), Reason::kClusterScoped);

  const Filter on("{includeClusterResources: true, includedNamespaces: [shop-a]}");
  EXPECT_TRUE(on.lists("nodes"));

  const Filter unset("includedResources: [deploy, pvc]");
  EXPECT_TRUE(unset.lists("deployments.apps"));
  EXPECT_EQ(unset.resource("pods"), Reason::kResourceNotIncluded);
  EXPECT_EQ(unset.resource("nodes"), Reason::kResourceNotIncluded);
  EXPECT_EQ(unset.item("pv", object("", "pv1"), Met::kAsAdditionalItem), Reason::kResourceNotIncluded)
      << "Velero's rule when includeClusterResources is not set";

  const Filter excluded("excludedResources: [Secret, 'no']");
  EXPECT_EQ(excluded.resource("secrets"), Reason::kResourceExcluded);
  EXPECT_EQ(excluded.resource("nodes"), Reason::kResourceExcluded);
  EXPECT_TRUE(excluded.lists("storageclasses"));
  EXPECT_EQ(excluded.resource("vsc"), Reason::kResourceExcluded);
}

TEST(BackupFilter, NewFilters) {
  const Filter some("{includedClusterScopedResources: [sc], excludedNamespaceScopedResources: ['*.batch']}");
  EXPECT_TRUE(some.lists("storageclasses"));
  EXPECT_EQ(some.resource("nodes"), Reason::kResourceNotIncluded);
  EXPECT_EQ(some.resource("jobs"), Reason::kResourceExcluded);
  EXPECT_TRUE(some.lists("pods"));
  EXPECT_TRUE(some.lists("namespaces"));
  EXPECT_EQ(some.item("nodes", object("", "n1"), Met::kAsAdditionalItem), Reason::kSelected);

  const Filter none("excludedClusterScopedResources: ['*']");
  EXPECT_EQ(none.resource("namespaces"), Reason::kResourceExcluded);
  EXPECT_FALSE(none->adds_definitions());

  const Filter wrong_scope("includedNamespaceScopedResources: [nodes]");
  EXPECT_FALSE(wrong_scope.lists("pods")) << "a list that names only the other scope is not an empty list";
  EXPECT_FALSE(Filter("includedResources: [unknown]").lists("pods")) << "nor one of unknown names";
}

TEST(BackupFilter, ThePolicysListsCountWhereTheSpecIsSilent) {
  constexpr const char* kPolicy = R"(
version: v1
includeExcludePolicy:
  includedClusterScopedResources: [storageclasses, nodes]
  excludedNamespaceScopedResources: [secrets, configmaps]
)";
  const Filter filter("{includedNamespaceScopedResources: [secrets, pods], excludedClusterScopedResources: [nodes]}",
                      kPolicy);
  EXPECT_TRUE(filter.lists("storageclasses"));
  EXPECT_EQ(filter.resource("nodes"), Reason::kResourceExcluded);
  EXPECT_TRUE(filter.lists("secrets"));
  EXPECT_EQ(filter.resource("configmaps"), Reason::kResourceExcluded);
}

TEST(BackupFilter, TellsAllThatIsWrongAtOnce) {
  EXPECT_THAT(
      problems_of(
          R"({includedResources: [pods], excludedResources: [pods, '*'], includedClusterScopedResources: [nodes],
                              includedNamespaces: [shop-a, Bad], excludedNamespaces: [shop-a],
                              labelSelector: {matchLabels: {a: b}}, orLabelSelectors: [{matchLabels: {a: b}}]})"),
      SizeIs(6));
  EXPECT_THAT(problems_of("includedNamespaces: [x]", {{"x", true}}),
              ElementsAre(HasSubstr("velero.io/exclude-from-backup=true")));

  Messages problems;
  (void)read_backup_filter_spec(
      *json::parse_yaml("{includedNamespaces: shop, labelSelector: {matchExpressions: [{key: a, operator: Near}]}}"),
      problems);
  EXPECT_THAT(problems, ElementsAre(HasSubstr("spec.includedNamespaces"), HasSubstr("spec.labelSelector: ")));

  const auto policies = parse_resource_policies("{version: v1, includeExcludePolicy: {}}");
  EXPECT_THAT(backup_filter_problems(spec_of("includeClusterResources: true"), &*policies, kLive),
              ElementsAre(HasSubstr("includeExcludePolicy")));
}

TEST(BackupFilter, PatternsStandForTheNamespacesOfTheMoment) {
  const Filter filter("{includedNamespaces: [shop-*, gone], excludedNamespaces: ['*-b']}");
  EXPECT_THAT(filter.calls("pods"), ElementsAre(ListCall{"gone", ""}, ListCall{"shop-a", ""}));
  EXPECT_THAT(filter->namespaces().missing(), ElementsAre("gone"));
  EXPECT_EQ(filter->namespaces().ask("shop-new").reason(), Reason::kNamespaceNotIncluded);
  EXPECT_EQ(filter->namespaces().ask("shop-b").reason(), Reason::kNamespaceExcluded);

  const Filter nothing("includedNamespaces: [none-*]");
  EXPECT_THAT(nothing.calls("pods"), IsEmpty());
  EXPECT_FALSE(nothing->namespaces().ask("default"));
  EXPECT_EQ(nothing.resource("nodes"), Reason::kClusterScoped);
}

TEST(BackupFilter, ListsTheWholeClusterWhereNamespacesAreOnlyExcluded) {
  const Filter filter("excludedNamespaces: [velero, shop-?]");
  EXPECT_THAT(filter.calls("pods"), ElementsAre(ListCall{"", ""}));
  EXPECT_EQ(filter.item("pods", object("shop-b", "p")), Reason::kNamespaceExcluded);
  EXPECT_EQ(filter.item("pods", object("default", "p")), Reason::kSelected);
  EXPECT_EQ(filter.item("pods", object("shop-b", "p"), Met::kAsMustInclude), Reason::kSelected);
}

TEST(BackupFilter, LabelSelectorsAreForWhatIsMetDirectly) {
  const Filter filter(
      "orLabelSelectors: [{matchLabels: {app: web}}, {matchLabels: {app: db}}, {matchLabels: {app: web}}]");
  EXPECT_THAT(filter.calls("pods"), ElementsAre(ListCall{"", "app=web"}, ListCall{"", "app=db"}));
  EXPECT_THAT(filter.calls("namespaces"), ElementsAre(ListCall{"", ""}));
  EXPECT_EQ(filter.item("pods", object("default", "p", {{"app", "db"}})), Reason::kSelected);
  EXPECT_EQ(filter.item("pods", object("default", "p")), Reason::kLabelsDoNotMatch);
  EXPECT_EQ(filter.item("pods", object("default", "p"), Met::kAsAdditionalItem), Reason::kSelected);
  EXPECT_THAT(Filter("labelSelector: {}").calls("pods"), ElementsAre(ListCall{"", ""}))
      << "an empty selector matches everything";
}

TEST(BackupFilter, SkipsWhatIsLabelledOrGoing) {
  const Filter filter("{}");
  const Json labelled = object("default", "p", {{"velero.io/exclude-from-backup", "true"}});
  EXPECT_EQ(filter.item("pods", labelled), Reason::kExcludedByLabel);
  EXPECT_EQ(filter.item("pods", labelled, Met::kAsMustInclude), Reason::kSelected);
  Json going = object("default", "p");
  going["metadata"]["deletionTimestamp"] = "2026-01-01T00:00:00Z";
  EXPECT_EQ(filter.item("pods", going, Met::kAsMustInclude), Reason::kBeingDeleted);
}

TEST(BackupFilter, ANamespaceIsInForItsNameItsLabelsOrWhatItHolds) {
  const kube::Discovery discovery = test_discovery();
  const auto ask = [&](const Filter& filter, const char* name, bool is_active, bool has_items,
                       const Json& labels = Json::object()) {
    const Json found = object("", name, labels);
    return filter->namespace_object(item_facts({"", "namespaces"}, found), is_active, has_items).reason();
  };
  const Filter plain("{}");
  EXPECT_EQ(ask(plain, "default", true, false), Reason::kSelected);
  EXPECT_EQ(ask(plain, "default", false, false), Reason::kNamespaceNotActive);
  const Filter selecting("labelSelector: {matchLabels: {app: web}}");
  EXPECT_EQ(ask(selecting, "default", true, false), Reason::kLabelsDoNotMatch);
  EXPECT_EQ(ask(selecting, "default", true, true), Reason::kSelected);
  EXPECT_EQ(ask(selecting, "default", true, false, {{"app", "web"}}), Reason::kSelected);
  const Filter named("includedNamespaces: [shop-a]");
  EXPECT_EQ(ask(named, "shop-a", true, false), Reason::kSelected);
  EXPECT_EQ(ask(named, "default", true, false), Reason::kNamespaceNotIncluded);
}

TEST(BackupFilter, FineGrainedPoliciesReplaceTheSelectorsInTheirNamespaces) {
  constexpr const char* kPolicy = R"(
version: v1
clusterScopedFilterPolicy:
  resourceFilters:
  - kinds: [StorageClass]
    excludedNames: [slow-*]
namespacedFilterPolicies:
- namespaces: [shop-*]
  resourceFilters:
  - kinds: [secrets]
    names: [tls-*]
  - kinds: [ConfigMap]
    labelSelector: {matchLabels: {keep: "yes"}}
- namespaces: [shop-b]
  resourceFilters:
  - labelSelector: {matchLabels: {tier: db}}
)";
  const Filter filter("labelSelector: {matchLabels: {app: web}}", kPolicy);
  const Json web = {{"app", "web"}};
  EXPECT_EQ(filter.item("secrets", object("shop-a", "tls-1")), Reason::kSelected);
  EXPECT_EQ(filter.item("secrets", object("shop-a", "other")), Reason::kExcludedByPolicy);
  EXPECT_EQ(filter.item("configmaps", object("shop-a", "c", {{"keep", "yes"}})), Reason::kSelected);
  EXPECT_EQ(filter.item("configmaps", object("shop-a", "c", web)), Reason::kExcludedByPolicy);
  EXPECT_EQ(filter.item("pods", object("shop-a", "p", web)), Reason::kExcludedByPolicy);
  EXPECT_EQ(filter.item("pods", object("shop-a", "p"), Met::kAsAdditionalItem), Reason::kSelected);
  EXPECT_EQ(filter.item("pods", object("shop-b", "p", {{"tier", "db"}})), Reason::kSelected) << "its own name first";
  EXPECT_EQ(filter.item("pods", object("default", "p", web)), Reason::kSelected);
  EXPECT_EQ(filter.item("pods", object("default", "p")), Reason::kLabelsDoNotMatch);
  EXPECT_EQ(filter.item("sc", object("", "slow-disk")), Reason::kExcludedByPolicy);
  EXPECT_EQ(filter.item("sc", object("", "fast-disk")), Reason::kSelected);
  EXPECT_THAT(filter.calls("pods"), ElementsAre(ListCall{"", ""})) << "the server cannot apply them";

  const Filter named("includedNamespaces: [shop-a, shop-b]", kPolicy);
  EXPECT_THAT(named.calls("pods"), ElementsAre(ListCall{"shop-b", "tier=db"}));
  EXPECT_THAT(named.calls("configmaps"), ElementsAre(ListCall{"shop-a", "keep=yes"}, ListCall{"shop-b", "tier=db"}));
}

TEST(ResourceNames, ResolveWhatPeopleWriteAndKeepTheRest) {
  const kube::Discovery discovery = test_discovery();
  const ResourceNames names(discovery);
  EXPECT_THAT(
      names.resolve_all({"po", "Deployment.apps", "pvc", "JOBS", "storageclass", "*.apps", "widgets.example.com"}),
      ElementsAre("pods", "deployments.apps", "persistentvolumeclaims", "jobs.batch", "storageclasses.storage.k8s.io",
                  "*.apps", "widgets.example.com"));
}

}  // namespace
}  // namespace landfall::selection
