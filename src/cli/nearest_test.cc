#include "cli/nearest.h"

#include <gtest/gtest.h>

namespace landfall::cli {
namespace {

TEST(Nearest, FindsWhatWasProbablyMeant) {
  const std::vector<std::string> known = {"nightly", "weekly", "nightly-20261115"};
  EXPECT_EQ(nearest("nigthly", known), "nightly");
  EXPECT_EQ(nearest("weekl", known), "weekly");
  EXPECT_EQ(nearest("nightly-20261114", known), "nightly-20261115");
}

TEST(Nearest, SaysNothingOfWhatIsFarAway) {
  EXPECT_EQ(nearest("production", {"nightly", "weekly"}), std::nullopt);
  EXPECT_EQ(nearest("ab", {"xy"}), std::nullopt);
  EXPECT_EQ(nearest("", {"a"}), std::nullopt);
  EXPECT_EQ(nearest(std::string(100'000, 'a'), {"a"}), std::nullopt);
}

}  // namespace
}  // namespace landfall::cli
