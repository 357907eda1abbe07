#include "base/random.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <set>
#include <vector>

namespace landfall {
namespace {

// Hands out the numbers that it was given.
class ScriptedRandom final : public Random {
 public:
  explicit ScriptedRandom(std::vector<std::uint64_t> numbers) : numbers_(std::move(numbers)) {}
  std::uint64_t bits() override { return numbers_.at(next_++); }

 private:
  std::vector<std::uint64_t> numbers_;
  std::size_t next_ = 0;
};

TEST(SeededRandom, RepeatsItselfForASeed) {
  SeededRandom a(7);
  SeededRandom b(7);
  SeededRandom c(8);
  EXPECT_EQ(a.bits(), b.bits());
  EXPECT_EQ(a.bits(), b.bits());
  EXPECT_NE(a.bits(), c.bits());
}

TEST(SeededRandom, IsTheSameOnEveryMachine) {
  SeededRandom random(0);
  EXPECT_EQ(random.bits(), 0xE220A8397B1DCDAFU);
  EXPECT_EQ(random.bits(), 0x6E789E6AA1B965F4U);
}

TEST(SystemRandom, DoesNotRepeatItself) {
  std::set<std::uint64_t> seen;
  for (int i = 0; i < 1000; ++i) {
    seen.insert(system_random().bits());
  }
  EXPECT_EQ(seen.size(), 1000);
}

TEST(Random, UniformReachesEveryValueAboutEquallyOften) {
  SeededRandom random(1);
  std::array<int, 10> counts{};
  for (int i = 0; i < 10'000; ++i) {
    ++counts.at(random.uniform(10));
  }
  EXPECT_THAT(counts, ::testing::Each(::testing::AllOf(::testing::Gt(850), ::testing::Lt(1150))));
}

TEST(Random, UniformDrawsAgainWhereARemainderWouldBeTooLikely) {
  ScriptedRandom random({UINT64_MAX, 5});
  EXPECT_EQ(random.uniform(6), 5);
}

TEST(Random, UnitStaysBelowOne) {
  ScriptedRandom random({0, UINT64_MAX});
  EXPECT_EQ(random.unit(), 0.0);
  const double most = random.unit();
  EXPECT_LT(most, 1.0);
  EXPECT_GT(most, 0.999999);
}

TEST(NameSuffix, HasFiveLettersOfKubernetesAlphabet) {
  SeededRandom random(3);
  const std::string suffix = name_suffix(random);
  EXPECT_EQ(suffix.size(), 5);
  EXPECT_EQ(suffix.find_first_not_of("bcdfghjklmnpqrstvwxz2456789"), std::string::npos);
  EXPECT_NE(suffix, name_suffix(random));
}

TEST(Uuid4, HasItsVersionAndVariant) {
  ScriptedRandom zeros({0, 0});
  EXPECT_EQ(uuid4(zeros), "00000000-0000-4000-8000-000000000000");
  ScriptedRandom ones({UINT64_MAX, UINT64_MAX});
  EXPECT_EQ(uuid4(ones), "ffffffff-ffff-4fff-bfff-ffffffffffff");
}

}  // namespace
}  // namespace landfall
