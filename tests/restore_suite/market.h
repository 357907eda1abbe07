#pragma once

#include <map>
#include <string>
#include <vector>

#include "json/json.h"
#include "restore_suite/rehearsal.h"
#include "restore_suite/test_cluster.h"

// A restore with a bit of everything, to be made in several ways that must end alike.
namespace landfall::restore_suite {

// Three namespaces, two of which become one; custom resources with their definition; pods that share claims and
// volumes which no selector takes; kinds and versions that the cluster does not have. Some 12 objects for each of
// `size`, and a few.
std::vector<json::Json> market(int size);
// Puts some of the market's objects into a cluster beforehand: the same, and others of that name.
void open_early(TestCluster& cluster);
// Restores it: with mapping and a label selector.
Script market_script(int workers, const std::string& policy = "");

// What must not depend on how a restore got there.
struct Ending {
  std::map<std::string, json::Json> objects;
  json::Json results;
  json::Json resource_list;
  progress::ItemCounts counts;
};
Ending ending_of(TestCluster& cluster, const Outcome& outcome);
void expect_same(const Ending& expected, const Ending& actual);

}  // namespace landfall::restore_suite
