#include "terminal/tab_text.h"

#include <gtest/gtest.h>

namespace landfall::terminal {
namespace {

TEST(TabText, AlignsCellsOfLinesThatFollowEachOther) {
  EXPECT_EQ(align_tabs("Name:\ta\nNamespace:\tvelero\n\nPhase:\tNew\n"),
            "Name:       a\nNamespace:  velero\n\nPhase:  New\n");
}

TEST(TabText, IndentsByTwoForEachLeadingTab) {
  EXPECT_EQ(align_tabs("Resources:\n\tIncluded:\t*\n\tCluster-scoped:\tauto\n"),
            "Resources:\n  Included:        *\n  Cluster-scoped:  auto\n");
}

TEST(TabText, EndsAColumnWhereALineDoesNotHaveIt) {
  EXPECT_EQ(align_tabs("\ta:\n\t\tlong name:\t1\n\t\tb:\t2\n\tc:\td\n"),
            "  a:\n      long name:  1\n      b:          2\n  c:  d\n");
}

TEST(TabText, KeepsTheBlanksOfAnEmptyValue) { EXPECT_EQ(align_tabs("Place:\t\nx\ty"), "Place:  \nx       y"); }

}  // namespace
}  // namespace landfall::terminal
