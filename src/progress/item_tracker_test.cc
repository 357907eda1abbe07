#include "progress/item_tracker.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <set>
#include <tuple>

#include "progress/contract_check.h"

namespace landfall::progress {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Pair;

constexpr ItemId kWeb = {.kind = "deployments.apps", .ns = "shop", .name = "web"};
constexpr ItemId kConfig = {.kind = "configmaps", .ns = "shop", .name = "web"};
constexpr ItemId kVolume = {.kind = "persistentvolumes", .ns = "", .name = "pv-1"};

TEST(ItemTracker, HasNoTotalBeforeCollectionIsFinal) {
  ItemTracker tracker;
  tracker.seen(kWeb);
  tracker.seen(kConfig);
  tracker.planned(kWeb);

  EXPECT_EQ(tracker.counts().in_backup, 2);
  EXPECT_EQ(tracker.counts().total, std::nullopt);

  tracker.collected();
  EXPECT_EQ(tracker.counts().total, 1);
}

TEST(ItemTracker, TellsItemsApartByKindGroupNamespaceAndName) {
  ItemTracker tracker;
  tracker.planned({.kind = "deployments.apps", .ns = "shop", .name = "web"});
  tracker.planned({.kind = "deployments.extensions", .ns = "shop", .name = "web"});
  tracker.planned({.kind = "deployments.apps", .ns = "stage", .name = "web"});
  tracker.planned({.kind = "deployments.apps", .ns = "shop", .name = "api"});
  tracker.planned({.kind = "deployments.apps", .ns = "", .name = "web"});
  tracker.collected();
  EXPECT_EQ(tracker.counts().total, 5);
}

TEST(ItemTracker, CountsAnItemOnceHoweverOftenItIsPlannedAddedOrDone) {
  ItemTracker tracker;
  for (int i = 0; i < 3; ++i) {
    tracker.planned(kWeb);
    tracker.added(kWeb);
    EXPECT_EQ(tracker.done(kWeb, Outcome::kCreated), i == 0);
  }
  tracker.collected();

  const ItemCounts counts = tracker.counts();
  EXPECT_EQ(counts.total, 1);
  EXPECT_EQ(counts.done, 1);
  EXPECT_EQ(counts.outcomes, (OutcomeCounts{.created = 1}));
  EXPECT_EQ(counts.in_backup, 1);
  EXPECT_EQ(counts.not_in_backup, 0);
}

TEST(ItemTracker, GivesTheReasonOfEachItemThatIsNotSelected) {
  ItemTracker tracker;
  tracker.not_selected(kWeb, "excluded namespace");
  tracker.not_selected(kConfig, "excluded namespace");
  tracker.not_selected(kVolume, "cluster scope");
  tracker.not_selected(kConfig, "label");
  tracker.collected();

  const ItemCounts counts = tracker.counts();
  EXPECT_EQ(counts.not_selected, 3);
  EXPECT_THAT(counts.not_selected_by_reason,
              ElementsAre(Pair("cluster scope", 1), Pair("excluded namespace", 1), Pair("label", 1)));
  EXPECT_EQ(counts.in_backup, 3);
  EXPECT_EQ(counts.total, 0);
}

TEST(ItemTracker, MovesAnAddedItemThatWasNotSelectedToTheTotal) {
  ItemTracker tracker;
  tracker.planned(kWeb);
  tracker.not_selected(kConfig, "label");
  tracker.collected();

  tracker.added(kConfig);

  const ItemCounts counts = tracker.counts();
  EXPECT_EQ(counts.total, 2);
  EXPECT_EQ(counts.not_selected, 0);
  EXPECT_THAT(counts.not_selected_by_reason, IsEmpty());
  EXPECT_EQ(counts.in_backup, 2);
  EXPECT_EQ(counts.not_in_backup, 0);
}

TEST(ItemTracker, CountsAnAddedItemThatIsNotInTheArchiveApart) {
  ItemTracker tracker;
  tracker.planned(kWeb);
  tracker.collected();

  tracker.added({.kind = "namespaces", .ns = "", .name = "shop"});

  EXPECT_EQ(tracker.counts().total, 2);
  EXPECT_EQ(tracker.counts().in_backup, 1);
  EXPECT_EQ(tracker.counts().not_in_backup, 1);
}

TEST(ItemTracker, KeepsAPlannedItemThatIsRefusedAfterwards) {
  ItemTracker tracker;
  tracker.planned(kWeb);
  tracker.not_selected(kWeb, "label");
  tracker.collected();
  EXPECT_EQ(tracker.counts().total, 1);
  EXPECT_EQ(tracker.counts().not_selected, 0);
}

TEST(ItemTracker, CountsWhatWasDoneEarlyOnceTheTotalAppears) {
  const ItemId crd = {.kind = "customresourcedefinitions.apiextensions.k8s.io", .ns = "", .name = "widgets.acme.io"};
  ItemTracker tracker;
  tracker.seen(crd);
  tracker.done(crd, Outcome::kCreated);
  EXPECT_EQ(tracker.counts().done, 0);
  EXPECT_EQ(tracker.counts().outcomes, OutcomeCounts{});

  tracker.planned(crd);
  tracker.planned(kWeb);
  tracker.collected();

  EXPECT_EQ(tracker.counts().done, 1);
  EXPECT_EQ(tracker.counts().outcomes.created, 1);
  EXPECT_EQ(tracker.counts().total, 2);
  EXPECT_EQ(tracker.counts().not_in_backup, 0);
}

TEST(ItemTracker, TakesWhatIsDoneWithoutBeingPlannedIntoTheTotal) {
  ItemTracker tracker;
  tracker.collected();
  tracker.done(kWeb, Outcome::kSkipped);
  EXPECT_EQ(tracker.counts().total, 1);
  EXPECT_EQ(tracker.counts().done, 1);
}

TEST(ItemTracker, KeepsTheStrongerOfTwoOutcomesWhicheverCameFirst) {
  using enum Outcome;
  const std::vector<Outcome> weakest_first = {kUnchanged, kSkipped, kUpdated, kCreated, kFailed};
  for (std::size_t weak = 0; weak < weakest_first.size(); ++weak) {
    for (std::size_t strong = weak; strong < weakest_first.size(); ++strong) {
      ItemTracker up;
      up.done(kWeb, weakest_first[weak]);
      up.done(kWeb, weakest_first[strong]);
      up.collected();
      ItemTracker down;
      down.done(kWeb, weakest_first[strong]);
      down.done(kWeb, weakest_first[weak]);
      down.collected();

      OutcomeCounts expected;
      expected[weakest_first[strong]] = 1;
      EXPECT_EQ(up.counts().outcomes, expected);
      EXPECT_EQ(down.counts().outcomes, expected);
    }
  }
}

TEST(ItemTracker, CountsTwoSourcesThatMeetInOneTargetAsOneItemAndOneCovered) {
  const ItemId from_a = {.kind = "configmaps", .ns = "a", .name = "x"};
  const ItemId from_b = {.kind = "configmaps", .ns = "b", .name = "x"};
  const ItemId target = {.kind = "configmaps", .ns = "c", .name = "x"};
  ItemTracker tracker;
  tracker.planned(target, from_a);
  tracker.planned(target, from_b);
  tracker.collected();

  EXPECT_EQ(tracker.counts().in_backup, 2);
  EXPECT_EQ(tracker.counts().total, 1);
  EXPECT_THAT(tracker.counts().not_selected_by_reason, ElementsAre(Pair(std::string(kAlreadyCovered), 1)));
}

TEST(ItemTracker, DoesNotConfuseATargetWithASourceOfTheSameName) {
  // Namespace a is restored as c; c itself is in the backup, too, and excluded.
  const ItemId in_a = {.kind = "configmaps", .ns = "a", .name = "x"};
  const ItemId in_c = {.kind = "configmaps", .ns = "c", .name = "x"};
  ItemTracker tracker;
  tracker.planned(in_c, in_a);
  tracker.not_selected(in_c, "excluded namespace");
  tracker.collected();
  tracker.done(in_c, Outcome::kCreated);

  EXPECT_EQ(tracker.counts().in_backup, 2);
  EXPECT_EQ(tracker.counts().total, 1);
  EXPECT_THAT(tracker.counts().not_selected_by_reason, ElementsAre(Pair("excluded namespace", 1)));
}

TEST(ItemTracker, SaysSoWhenItemsWereSeenButNeverDecided) {
  ItemTracker tracker;
  tracker.seen(kWeb);
  EXPECT_EQ(tracker.counts().not_selected, 0);
  tracker.collected();
  EXPECT_THAT(tracker.counts().not_selected_by_reason, ElementsAre(Pair(std::string(kNotConsidered), 1)));

  tracker.seen(kConfig);
  EXPECT_THAT(tracker.counts().not_selected_by_reason, ElementsAre(Pair(std::string(kNotConsidered), 2)));
}

// Calls on a small world, so that they meet: three namespaces of which two are restored into the third.
struct Call {
  int what = 0;
  std::string ns;
  std::string name;
  int detail = 0;

  ItemId source() const { return {.kind = "pods", .ns = ns, .name = name}; }
  ItemId target() const {
    return {.kind = "pods", .ns = ns == "a" ? std::string_view("c") : std::string_view(ns), .name = name};
  }
  Outcome outcome() const { return static_cast<Outcome>(detail % 5); }
  std::string reason() const { return "reason " + std::to_string(detail % 3); }

  void apply(ItemTracker& tracker) const {
    switch (what) {
      case 0:
        return tracker.seen(source());
      case 1:
        return tracker.planned(target(), source());
      case 2:
        return tracker.not_selected(source(), reason());
      case 3:
        return tracker.added(target(), source());
      case 4:
        tracker.done(target(), outcome());
        return;
      default:
        return tracker.collected();
    }
  }
  friend std::ostream& operator<<(std::ostream& out, const Call& call) {
    return out << call.what << ' ' << to_string(call.source()) << ' ' << call.detail;
  }
};

rc::Gen<std::vector<Call>> calls() {
  const auto one = rc::gen::build<Call>(
      rc::gen::set(&Call::what, rc::gen::weightedElement<int>({{3, 0}, {4, 1}, {3, 2}, {4, 3}, {6, 4}, {1, 5}})),
      rc::gen::set(&Call::ns, rc::gen::element<std::string>("a", "b", "c", "")),
      rc::gen::set(&Call::name, rc::gen::element<std::string>("x", "y", "z")),
      rc::gen::set(&Call::detail, rc::gen::inRange(0, 30)));
  return rc::gen::container<std::vector<Call>>(one);
}

RC_GTEST_PROP(ItemTracker, KeepsTheContractAfterEachOfAnyCalls, ()) {
  const auto script = *calls();
  ItemTracker tracker;
  ContractCheck contract;
  for (const Call& call : script) {
    call.apply(tracker);
    RC_ASSERT(contract.next(tracker.counts()) == "");
  }
}

RC_GTEST_PROP(ItemTracker, CountsTheSetsOfWhatWasSaid, ()) {
  using Name = std::tuple<std::string, std::string>;
  const auto name = [](const ItemId& id) { return Name(id.ns, id.name); };
  const auto script = *calls();
  ItemTracker tracker;
  std::set<Name> archive;
  std::set<Name> total;
  std::set<Name> done;
  for (const Call& call : script) {
    call.apply(tracker);
    if (call.what <= 2) {
      archive.insert(name(call.source()));
    }
    if (call.what == 1 || call.what == 3 || call.what == 4) {
      total.insert(name(call.target()));
    }
    if (call.what == 4) {
      done.insert(name(call.target()));
    }
  }
  tracker.collected();

  const ItemCounts counts = tracker.counts();
  RC_ASSERT(counts.in_backup == std::ssize(archive));
  RC_ASSERT(counts.total == std::ssize(total));
  RC_ASSERT(counts.done == std::ssize(done));
}

RC_GTEST_PROP(ItemTracker, EndsWithTheSameCountsInWhateverOrderTheWorkersCome, ()) {
  const auto script = *calls();
  const auto order = *rc::gen::arbitrary<std::vector<int>>();
  // What the archive holds is known first; everything after it may come in any order.
  const auto count = [&](const std::vector<Call>& rest) {
    ItemTracker tracker;
    for (const Call& call : script) {
      if (call.what <= 2) {
        tracker.seen(call.source());
      }
    }
    for (const Call& call : rest) {
      call.apply(tracker);
    }
    tracker.collected();
    ItemCounts counts = tracker.counts();
    counts.not_selected_by_reason.clear();  // of two reasons the later one counts
    return counts;
  };
  std::vector<Call> shuffled = script;
  for (std::size_t i = 0; i < order.size() && shuffled.size() > 1; ++i) {
    std::swap(shuffled[i % shuffled.size()], shuffled[static_cast<unsigned>(order[i]) % shuffled.size()]);
  }
  RC_ASSERT(count(script) == count(shuffled));
}

// The requirement's own formula, for one worker: |restored| + (planned - handled).
RC_GTEST_PROP(ItemTracker, AgreesWithTheRunningFormulaWhereverThatIsRight, (std::vector<std::set<int>> additions)) {
  ItemTracker tracker;
  const auto planned = std::ssize(additions);
  std::vector<std::string> names;
  names.reserve(additions.size());
  for (std::size_t i = 0; i < additions.size(); ++i) {
    names.push_back("planned-" + std::to_string(i));
  }
  for (const std::string& name : names) {
    tracker.planned({.kind = "pods", .ns = "shop", .name = name});
  }
  tracker.collected();

  std::set<std::string> restored;
  for (std::size_t i = 0; i < additions.size(); ++i) {
    for (const int extra : additions[i]) {
      const std::string name = "extra-" + std::to_string(extra);
      tracker.added({.kind = "secrets", .ns = "shop", .name = name});
      tracker.done({.kind = "secrets", .ns = "shop", .name = name}, Outcome::kCreated);
      restored.insert(name);
    }
    tracker.done({.kind = "pods", .ns = "shop", .name = names[i]}, Outcome::kCreated);
    restored.insert(names[i]);
    const auto handled = static_cast<std::int64_t>(i) + 1;
    RC_ASSERT(tracker.counts().total == std::ssize(restored) + (planned - handled));
  }
}

}  // namespace
}  // namespace landfall::progress
