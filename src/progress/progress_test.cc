#include "progress/progress.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace landfall::progress {
namespace {

using ::testing::ElementsAre;

template <class Enum>
std::vector<std::string> names(std::initializer_list<Enum> values) {
  std::vector<std::string> out;
  for (const Enum value : values) {
    out.emplace_back(to_string(value));
  }
  return out;
}

TEST(Steps, HaveTheNamesThatTheStatusShows) {
  using enum ItemStep;
  using enum ByteStep;
  EXPECT_THAT(names({kCollecting, kBackingUpItems, kBackingUpVolumes, kUploading, kFinalizing}),
              ElementsAre("Collecting", "BackingUpItems", "BackingUpVolumes", "Uploading", "Finalizing"));
  EXPECT_THAT(names({kRestoringItems, kRestoringVolumes, kRunningHooks}),
              ElementsAre("RestoringItems", "RestoringVolumes", "RunningHooks"));
  EXPECT_THAT(names({kScanning, kTransferring, kFinishing}), ElementsAre("Scanning", "Transferring", "Finishing"));
}

TEST(Steps, AreReadBackFromTheirNames) {
  EXPECT_EQ(parse_item_step("RunningHooks"), ItemStep::kRunningHooks);
  EXPECT_EQ(parse_byte_step("Finishing"), ByteStep::kFinishing);
  EXPECT_EQ(parse_item_step("Scanning"), std::nullopt);
  EXPECT_EQ(parse_byte_step(""), std::nullopt);
}

TEST(OutcomeCounts, HaveAPlaceForEachOutcome) {
  OutcomeCounts counts;
  using enum Outcome;
  std::int64_t n = 0;
  for (const Outcome outcome : {kCreated, kUpdated, kUnchanged, kSkipped, kFailed}) {
    counts[outcome] = ++n;
  }
  EXPECT_EQ(counts, (OutcomeCounts{.created = 1, .updated = 2, .unchanged = 3, .skipped = 4, .failed = 5}));
  EXPECT_EQ(counts.sum(), 15);
  EXPECT_THAT(names({kCreated, kUpdated, kUnchanged, kSkipped, kFailed}),
              ElementsAre("created", "updated", "unchanged", "skipped", "failed"));
}

}  // namespace
}  // namespace landfall::progress
