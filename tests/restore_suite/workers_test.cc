#include <gtest/gtest.h>

#include "restore_suite/market.h"
#include "restore_suite/props.h"

namespace landfall::restore_suite {
namespace {

using std::chrono::milliseconds;

Ending restored_by(int workers, std::uint64_t seed, const archive::SpooledArchive& archive) {
  TestCluster cluster;
  open_early(cluster);
  cluster.sandbox().faults().set({.seed = seed, .latency_spread = milliseconds(workers == 1 ? 1 : 8)});
  const Outcome outcome = restore_all(cluster.client(), archive, market_script(workers));
  cluster.sandbox().faults().set({});
  return ending_of(cluster, outcome);
}

TEST(Workers, TheirNumberDoesNotShowInWhatIsRestored) {
  const auto archive = archive_of(items_of(market(25)));
  const Ending alone = restored_by(1, 1, archive);
  // It is the restore that it is meant to be: created, left alone, merged, failed, not selected.
  const progress::ItemCounts& counts = alone.counts;
  EXPECT_GT(counts.outcomes.created, 150);
  EXPECT_EQ(counts.outcomes.unchanged, 1);
  EXPECT_EQ(counts.outcomes.updated, 1);
  EXPECT_GT(counts.outcomes.skipped, 3);
  EXPECT_EQ(counts.outcomes.failed, 1);
  EXPECT_EQ(counts.done, counts.total);
  EXPECT_EQ(counts.not_selected_by_reason.at("AlreadyCovered"), 51);

  expect_same(alone, restored_by(4, 2, archive));
  expect_same(alone, restored_by(64, 3, archive));
  expect_same(alone, restored_by(64, 4, archive));
}

}  // namespace
}  // namespace landfall::restore_suite
