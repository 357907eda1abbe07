#include <gtest/gtest.h>

#include <ostream>

#include "restore_suite/rehearsal.h"
#include "restore_suite/test_cluster.h"

namespace landfall::restore_suite {
namespace {

using json::Json;
using Reasons = std::map<std::string, std::int64_t>;

struct Filter {
  std::string name;
  Json spec;
  std::int64_t total;  // with the namespaces that are made
  Reasons reasons;

  friend std::ostream& operator<<(std::ostream& out, const Filter& filter) { return out << filter.name; }
};

class Filters : public ::testing::TestWithParam<Filter> {};

// The bookshop of real Velero, by every filter. Nothing is restored: a preview plans the same. Namespaces count as
// cluster-scoped items, as in Velero, and are made nevertheless where something goes into them.
TEST_P(Filters, EveryItemThatIsLeftAloneHasItsReason) {
  static TestCluster cluster;
  static const archive::SpooledArchive archive =
      stored_archive(std::string(LANDFALL_SOURCE_DIR) + "/tests/data/velero-1.18.3/backups/bookshop/bookshop.tar.gz");
  Script script{.restore_spec = GetParam().spec};
  script.has_actions = false;  // nobody asks for more
  const restore::Plan plan = preview(cluster.client(), archive, script);

  Reasons reasons;
  for (const restore::NotSelected& one : plan.not_selected) {
    reasons[one.reason] += static_cast<std::int64_t>(one.names.size());
  }
  EXPECT_EQ(reasons, GetParam().reasons);
  EXPECT_EQ(plan.total(), GetParam().total);
  std::int64_t made_up = 0;
  for (const restore::PlannedNamespace& one : plan.namespaces) made_up += one.is_in_backup ? 0 : 1;
  EXPECT_EQ(plan.items_in_backup, plan.total() - made_up + plan.not_selected_total());
}

Json names(std::initializer_list<std::string> list) {
  Json array = Json::array();
  for (const std::string& one : list) array.push_back(one);
  return array;
}

INSTANTIATE_TEST_SUITE_P(
    Bookshop, Filters,
    ::testing::Values(Filter{"Nothing", Json::object(), 40, {{"Completed", 2}, {"NeverRestored", 27}}},
                      Filter{"OneNamespace",
                             {{"includedNamespaces", names({"bookshop-staging"})}},
                             5,
                             {{"ClusterScoped", 6}, {"NamespaceNotIncluded", 31}, {"NeverRestored", 27}}},
                      Filter{"NotOneNamespace",
                             {{"excludedNamespaces", names({"bookshop"})}},
                             5,
                             {{"ClusterScoped", 6}, {"NamespaceExcluded", 31}, {"NeverRestored", 27}}},
                      Filter{"NamespaceByPattern",
                             {{"includedNamespaces", names({"*-staging"})}},
                             5,
                             {{"ClusterScoped", 6}, {"NamespaceNotIncluded", 31}, {"NeverRestored", 27}}},
                      Filter{"OneNamespaceWithCluster",
                             {{"includedNamespaces", names({"bookshop-staging"})}, {"includeClusterResources", true}},
                             11,
                             {{"NamespaceNotIncluded", 31}, {"NeverRestored", 27}}},
                      Filter{"WithoutCluster",
                             {{"includeClusterResources", false}},
                             35,
                             {{"ClusterScoped", 5}, {"Completed", 2}, {"NeverRestored", 27}}},
                      Filter{"OneResource",
                             {{"includedResources", names({"configmaps"})}},
                             6,
                             {{"NeverRestored", 27}, {"ResourceNotIncluded", 36}}},
                      Filter{"ShortName",
                             {{"includedResources", names({"deploy", "svc"})}},
                             4,
                             {{"NeverRestored", 27}, {"ResourceNotIncluded", 38}}},
                      Filter{"NotOneResource",
                             {{"excludedResources", names({"pods", "secrets"})}},
                             36,
                             {{"Completed", 1}, {"NeverRestored", 27}, {"ResourceExcluded", 5}}},
                      Filter{"OneLabel",
                             {{"labelSelector", {{"matchLabels", {{"app", "web"}}}}}},
                             8,
                             {{"LabelsDoNotMatch", 34}, {"NeverRestored", 27}}},
                      Filter{"EitherLabel",
                             {{"orLabelSelectors",
                               Json::array({{{"matchLabels", {{"app", "web"}}}}, {{"matchLabels", {{"app", "db"}}}}})}},
                             11,
                             {{"LabelsDoNotMatch", 31}, {"NeverRestored", 27}}},
                      Filter{"OneNamespaceOntoTheOther",
                             {{"namespaceMapping", {{"bookshop-staging", "bookshop"}}}},
                             36,
                             {{"AlreadyCovered", 4}, {"Completed", 2}, {"NeverRestored", 27}}}),
    [](const auto& one) { return one.param.name; });

}  // namespace
}  // namespace landfall::restore_suite
