#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <set>
#include <tuple>

#include "base/guarded.h"
#include "json/access.h"
#include "json/parse.h"
#include "k8s/object_view.h"
#include "progress/contract_check.h"
#include "restore_suite/props.h"
#include "restore_suite/rehearsal.h"
#include "restore_suite/test_cluster.h"

namespace landfall::restore_suite {
namespace {

using json::Json;

// One cluster for all runs: each has namespaces of its own.
TestCluster& shared_cluster() {
  static TestCluster cluster;
  return cluster;
}

// What a random restore is made of. Items are numbered over all namespaces and kinds.
struct Tale {
  std::vector<Json> objects;
  std::map<std::string, std::vector<k8s::ObjectRef>> wishes;  // additional items, by "kind namespace/name"
  Json spec = Json::object();
  int workers = 1;
};

std::string key_of(const Json& object) {
  const k8s::ObjectView view(object);
  return json::string_or(object, {"kind"}, "") + " " + std::string(view.name_space()) + "/" + std::string(view.name());
}

k8s::ObjectRef ref_to(const Json& object) {
  const auto item = items_of({object}).front();
  const k8s::ObjectView view(object);
  return {k8s::parse_group_resource(item.first), std::string(view.name_space()), std::string(view.name())};
}

// Every kind ends another way: created, not known to the cluster, of a version that is not served, refused.
Json any_object(const std::string& ns, const std::string& name) {
  const int kind = *rc::gen::inRange(0, 10);
  Json object = config_map(ns, name);
  if (kind == 0) object = object_of("example.com/v1", "Widget", ns, name);
  if (kind == 1) object = object_of("apps/v1beta1", "Deployment", ns, name);
  if (kind == 2) object = object_of("v1", "Service", ns, name);  // without ports: invalid
  if (kind == 3) object = pod(ns, name);
  if (kind == 3 && *rc::gen::arbitrary<bool>()) object["status"]["phase"] = "Succeeded";
  if (kind == 4 || kind == 5) object = object_of("v1", "ServiceAccount", ns, name);
  if (*rc::gen::arbitrary<bool>()) object = with_label(object, "take", "yes");
  return object;
}

std::map<std::string, std::vector<k8s::ObjectRef>> any_wishes(const std::vector<Json>& objects) {
  std::map<std::string, std::vector<k8s::ObjectRef>> wishes;
  const int count = *rc::gen::inRange(0, 2 * static_cast<int>(objects.size()));
  for (int i = 0; i < count; ++i) {
    const auto any = [&]() -> const Json& { return objects[*rc::gen::inRange<std::size_t>(0, objects.size())]; };
    const Json& who = any();
    k8s::ObjectRef whom = ref_to(any());  // itself and in circles, too
    if (*rc::gen::inRange(0, 8) == 0) whom.name += "-missing";
    wishes[key_of(who)].push_back(whom);
  }
  return wishes;
}

Json any_spec(const std::vector<std::string>& spaces, bool is_mapped) {
  Json spec = Json::object();
  if (*rc::gen::inRange(0, 3) == 0) spec["labelSelector"]["matchLabels"] = {{"take", "yes"}};
  if (*rc::gen::inRange(0, 4) == 0) spec["excludedResources"] = Json::array({"pods"});
  if (*rc::gen::inRange(0, 4) == 0) spec["excludedNamespaces"] = Json::array({spaces.front()});
  if (*rc::gen::inRange(0, 3) == 0) spec["existingResourcePolicy"] = "update";
  if (is_mapped) spec["namespaceMapping"] = {{spaces.front(), spaces.back()}};
  return spec;
}

Tale any_tale(bool may_map) {
  static int run = 0;
  const std::string stem = "run-" + std::to_string(++run);
  const std::vector<std::string> spaces = {stem + "-a", stem + "-b"};
  Tale tale;
  const int size = *rc::gen::inRange(1, 9);
  for (int i = 0; i < size; ++i) {
    tale.objects.push_back(any_object(*rc::gen::elementOf(spaces), "item-" + std::to_string(i % 5)));
  }
  // The archive has each once.
  std::set<std::string> known;
  std::erase_if(tale.objects, [&](const Json& object) { return !known.insert(key_of(object)).second; });
  const bool is_mapped = may_map && *rc::gen::arbitrary<bool>();
  tale.spec = any_spec(spaces, is_mapped);
  tale.wishes = any_wishes(tale.objects);
  if (*rc::gen::arbitrary<bool>()) tale.objects.push_back(namespace_of(spaces.front()));

  // Some are there already, the same or another.
  std::set<std::string> made;
  for (const Json& object : tale.objects) {
    if (json::string_or(object, {"kind"}, "") != "ConfigMap" || *rc::gen::inRange(0, 4) != 0) continue;
    Json early = object;
    const std::string ns = json::string_or(object, {"metadata", "namespace"}, "");
    if (made.insert(ns).second) shared_cluster().make_namespace(ns);
    if (*rc::gen::arbitrary<bool>()) early["data"]["key"] = "another";
    shared_cluster().make(early);
  }
  return tale;
}

// The counts, and the item that had just begun.
struct Moment {
  std::string item;
  progress::ItemCounts counts;
};

struct Told {
  Outcome outcome;
  std::vector<Moment> moments;
};

Told restore_tale(const Tale& tale) {
  Guarded<std::vector<Moment>> moments;
  progress::ItemReporter* reporter = nullptr;
  Script script{.restore_spec = tale.spec, .restore_name = "tale", .workers = tale.workers};
  script.with_tools = [&](restore::RestoreTools& tools) { reporter = &tools.progress; };
  script.more_actions = [&] {
    std::vector<std::unique_ptr<extension::RestoreItemAction>> actions;
    actions.push_back(std::make_unique<ScriptedAction>(
        std::vector<std::string>(),
        [&](const extension::RestoreActionInput& input) -> Result<extension::RestoreActionResult> {
          const std::string key = key_of(input.from_backup);
          moments.with([&](std::vector<Moment>& all) { all.push_back({key, reporter->snapshot().items}); });
          const auto wishes = tale.wishes.find(key);
          extension::RestoreActionResult result;
          if (wishes != tale.wishes.end()) result.additional = wishes->second;
          return result;
        }));
    return actions;
  };
  Outcome outcome = restore_all(shared_cluster().client(), archive_of(items_of(tale.objects)), script);
  return {.outcome = std::move(outcome), .moments = moments.copy()};
}

RC_GTEST_PROP(ProgressContract, HoldsAtEveryMomentOfAnyRestore, ()) {
  Tale tale = any_tale(true);
  tale.workers = *rc::gen::element(1, 3, 8);
  const Told told = restore_tale(tale);

  progress::ContractCheck published;
  for (const progress::ItemProgress& one : told.outcome.published) {
    const std::string wrong = published.next(one.items);
    RC_ASSERT(wrong.empty());
  }
  // Every moment that an item begins is one, too. With several workers they are not noted in order.
  progress::ContractCheck seen;
  for (const Moment& moment : told.moments) {
    if (tale.workers > 1) seen = {};
    const std::string wrong = seen.next(moment.counts);
    RC_ASSERT(wrong.empty());
  }
  const progress::ItemCounts& last = told.outcome.last.items;
  RC_ASSERT(last.total.has_value());
  RC_ASSERT(last.done == *last.total);
  RC_ASSERT(last.in_backup == told.outcome.plan->items_in_backup);
}

// What has ended after `done` items, by the journal: one worker writes a line for each, in order.
std::set<std::string> ended(const std::vector<std::string>& journal, std::int64_t done) {
  std::set<std::string> keys;
  for (const std::string& text : journal) {
    if (static_cast<std::int64_t>(keys.size()) == done) break;
    const Json line = json::parse(text).value();
    if (line[0] == "item") {
      keys.insert(line[1].get<std::string>() + " " + line[2].get<std::string>() + "/" + line[3].get<std::string>());
    } else if (line[0] == "namespace") {
      keys.insert("namespaces /" + line[1].get<std::string>());
    }
  }
  return keys;
}

std::vector<std::string> planned_keys(const restore::Plan& plan) {
  std::vector<std::string> keys;
  for (const restore::PlannedNamespace& one : plan.namespaces) keys.push_back("namespaces /" + one.name);
  for (const restore::PlannedResource& resource : plan.resources) {
    for (const restore::PlannedGroup& group : resource.groups) {
      for (const std::string& name : group.names) {
        keys.push_back(to_string(resource.resource) + " " + group.original_namespace + "/" + name);
      }
    }
  }
  return keys;
}

// The seed counts, after the i-th of T planned items, len(restoredItems) + (T - i). That is right as long as none of
// the planned items that are still to come was restored before its turn, as an additional item of another: such an item
// counts twice, as restored and as to come. Where there are none, the seed's number is ours; otherwise it is too large
// by exactly their number. Seen here at every moment between two planned items.
RC_GTEST_PROP(ProgressContract, AgreesWithTheSeedWhereverThatIsRight, ()) {
  const Tale tale = any_tale(false);
  const Told told = restore_tale(tale);
  const std::vector<std::string> planned = planned_keys(*told.outcome.plan);
  const auto total = static_cast<std::int64_t>(planned.size());
  bool is_seed_right = true;

  for (const Moment& moment : told.moments) {
    const std::string resource = items_of({Json{{"kind", moment.item.substr(0, moment.item.find(' '))}}}).front().first;
    const std::string key = resource + moment.item.substr(moment.item.find(' '));
    const auto place = std::ranges::find(planned, key);
    const std::set<std::string> restored = ended(told.outcome.journal, moment.counts.done);
    // Only where the item begins as a planned one, when everything before it has ended.
    if (place == planned.end() ||
        !std::all_of(planned.begin(), place, [&](const std::string& one) { return restored.contains(one); })) {
      continue;
    }
    const std::int64_t i = place - planned.begin();
    const std::int64_t seeds = static_cast<std::int64_t>(restored.size()) + (total - i);
    const std::int64_t early =
        std::count_if(place, planned.end(), [&](const std::string& one) { return restored.contains(one); });
    is_seed_right = is_seed_right && early == 0;
    RC_ASSERT(moment.counts.total.has_value());
    RC_ASSERT(seeds == *moment.counts.total + early);
  }
  RC_CLASSIFY(is_seed_right, "the seed is right throughout");
  RC_CLASSIFY(!is_seed_right, "the seed counts items twice on the way");
  // At the end nothing is to come, and it is right whatever happened.
  RC_ASSERT(static_cast<std::int64_t>(ended(told.outcome.journal, 1000).size()) == told.outcome.last.items.total);
}

}  // namespace
}  // namespace landfall::restore_suite
