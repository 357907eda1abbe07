#include "archive/keyed_hash.h"

#include <gtest/gtest.h>

#include "archive/name_set.h"

namespace landfall::archive {
namespace {

// The example of SipHash's paper and the first of its authors' list: the key is the bytes 0 to 15, the text 0, 1, 2 ….
constexpr std::uint64_t kKey0 = 0x0706050403020100;
constexpr std::uint64_t kKey1 = 0x0f0e0d0c0b0a0908;
constexpr std::string_view kText("\0\1\2\3\4\5\6\7\10\11\12\13\14\15\16", 15);

TEST(KeyedHash, IsSipHash) {
  const KeyedHash hash(kKey0, kKey1);
  EXPECT_EQ(hash(""), 0x726fdb47dd0e0e31);
  EXPECT_EQ(hash(kText.substr(0, 1)), 0x74f839c593dc67fd);
  EXPECT_EQ(hash(kText), 0xa129ca6149be45e5);
}

TEST(KeyedHash, TakesANumberAsItsBytes) {
  const KeyedHash hash(kKey0, kKey1);
  EXPECT_EQ(hash(0x0706050403020100, kText.substr(8)), hash(kText));
}

TEST(KeyedHash, HasAnotherKeyEveryTime) { EXPECT_NE(KeyedHash()("pods"), KeyedHash()("pods")); }

TEST(NameSet, KnowsWhatItHasSeenInSixteenBytesEach) {
  const KeyedHash hash(1, 2);
  NameSet names;
  EXPECT_TRUE(names.insert(0));
  EXPECT_FALSE(names.insert(0));
  for (int i = 1; i < 50'000; ++i) {
    ASSERT_TRUE(names.insert(hash(std::to_string(i)))) << i;
    ASSERT_TRUE(i < 100 || names.memory_bytes() <= 16 * names.size()) << i;
  }
  EXPECT_EQ(names.size(), 50'000);
  for (int i = 1; i < 50'000; ++i) {
    ASSERT_FALSE(names.insert(hash(std::to_string(i)))) << i;
  }
}

}  // namespace
}  // namespace landfall::archive
