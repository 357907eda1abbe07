#include "restore_suite/market.h"

#include <gtest/gtest.h>

#include "restore_suite/props.h"
#include "restore_suite/velero_comparison.h"

namespace landfall::restore_suite {
namespace {

using json::Json;

constexpr int kClaims = 6;

Json stall_pod(int i) {
  Json object = pod("north", "stall-" + std::to_string(i),
                    {"data-" + std::to_string(i % kClaims), "data-" + std::to_string((i + 1) % kClaims)});
  object["spec"]["priorityClassName"] = "vip";
  object["spec"]["nodeName"] = "gone";
  return object;
}

Json service_account(const std::string& name_space) {
  Json object = with_annotation(object_of("v1", "ServiceAccount", name_space, "clerk"), "from", "backup");
  object["imagePullSecrets"] = Json::array({{{"name", "registry"}}});
  return object;
}

Json secret(const std::string& name_space, const std::string& name) {
  Json object = object_of("v1", "Secret", name_space, name);
  object["data"] = {{"key", "dmFsdWU="}};
  return object;
}

}  // namespace

std::vector<Json> market(int size) {
  std::vector<Json> selected;
  for (int i = 0; i < size; ++i) {
    const std::string number = std::to_string(i);
    for (const std::string ns : {"north", "south", "east"}) {
      selected.push_back(config_map(ns, "price-" + number, ns));
      selected.push_back(secret(ns, "till-" + number));
    }
    // Those of the last two namespaces never meet.
    for (const std::string ns : {"north", "south"}) {
      Json book = object_of("library.example.com/v1", "Book", ns, "book-" + number);
      book["spec"] = {{"title", "Number " + number}};
      selected.push_back(book);
    }
    selected.push_back(stall_pod(i));
    if (i % 4 == 0) selected.push_back(service("north", "door-" + number));
  }
  for (const std::string ns : {"north", "south", "east"}) selected.push_back(service_account(ns));
  for (const std::string name : {"saw", "axe"})
    selected.push_back(object_of("example.com/v1", "Widget", "north", name));
  Json old = object_of("apps/v1beta1", "Deployment", "south", "old");
  selected.push_back(old);

  std::vector<Json> all;
  all.reserve(selected.size());
  for (Json& object : selected) all.push_back(with_label(std::move(object), "market", "yes"));
  for (const std::string ns : {"north", "south", "east"}) all.push_back(namespace_of(ns, {{"side", ns}}));
  all.push_back(with_label(definition("books", "Book"), "market", "yes"));
  // Asked for by pods, and by nobody else.
  for (int i = 0; i < kClaims; ++i) {
    const std::string number = std::to_string(i);
    all.push_back(claim("north", "data-" + number, "disk-" + number));
    all.push_back(volume("disk-" + number, "north", "data-" + number, i % 2 == 0 ? "Retain" : "Delete"));
  }
  Json vip = object_of("scheduling.k8s.io/v1", "PriorityClass", "", "vip");
  vip["value"] = 7;
  all.push_back(vip);
  return all;
}

void open_early(TestCluster& cluster) {
  cluster.make_namespace("north");
  cluster.make(with_label(config_map("north", "price-0", "north"), "market", "yes"));
  cluster.make(config_map("north", "price-1", "somebody's"));
  cluster.make(config_map("north", "price-2", "somebody's"));
  cluster.make(object_of("v1", "ServiceAccount", "north", "clerk"));
}

Script market_script(int workers, const std::string& policy) {
  Script script{.restore_spec = {{"namespaceMapping", {{"south", "island"}, {"east", "island"}}},
                                 {"labelSelector", {{"matchLabels", {{"market", "yes"}}}}}},
                .workers = workers};
  if (!policy.empty()) script.restore_spec["existingResourcePolicy"] = policy;
  return script;
}

Ending ending_of(TestCluster& cluster, const Outcome& outcome) {
  return {.objects = cluster.objects(),
          .results = outcome.results,
          .resource_list = outcome.resource_list,
          .counts = outcome.last.items};
}

void expect_same(const Ending& expected, const Ending& actual) {
  EXPECT_EQ(differences(expected.objects, actual.objects), std::vector<std::string>());
  EXPECT_EQ(expected.results, actual.results);
  EXPECT_EQ(expected.resource_list, actual.resource_list);
  EXPECT_TRUE(expected.counts == actual.counts)
      << "total " << expected.counts.total.value_or(-1) << " and " << actual.counts.total.value_or(-1) << ", done "
      << expected.counts.done << " and " << actual.counts.done << ", created " << expected.counts.outcomes.created
      << " and " << actual.counts.outcomes.created << ", updated " << expected.counts.outcomes.updated << " and "
      << actual.counts.outcomes.updated << ", unchanged " << expected.counts.outcomes.unchanged << " and "
      << actual.counts.outcomes.unchanged << ", not selected " << expected.counts.not_selected << " and "
      << actual.counts.not_selected;
}

}  // namespace landfall::restore_suite
