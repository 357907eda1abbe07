#include "base/environment.h"

#include <gtest/gtest.h>

namespace landfall {
namespace {

TEST(Environment, TellsAnEmptyVariableFromAMissingOne) {
  const Environment environment({{"EMPTY", ""}, {"HOME", "/root"}});
  EXPECT_EQ(environment.get("HOME"), "/root");
  EXPECT_EQ(environment.get("EMPTY"), "");
  EXPECT_EQ(environment.get("MISSING"), std::nullopt);
}

TEST(Environment, FallsBackForEmptyAndMissing) {
  const Environment environment({{"EMPTY", ""}, {"HOME", "/root"}});
  EXPECT_EQ(environment.get_or("HOME", "/"), "/root");
  EXPECT_EQ(environment.get_or("EMPTY", "/"), "/");
  EXPECT_EQ(environment.get_or("MISSING", "/"), "/");
}

TEST(Environment, OfTheProcessHasItsVariables) {
  // Every test runner passes a search path on.
  EXPECT_TRUE(Environment::of_process().get("PATH").has_value());
}

}  // namespace
}  // namespace landfall
