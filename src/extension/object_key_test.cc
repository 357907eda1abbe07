#include <gtest/gtest.h>

#include <string>

#include "extension/object_store.h"

namespace landfall::extension {
namespace {

TEST(ObjectKey, AcceptsWhatBucketsHold) {
  for (const char* key : {"a", "backups/nightly/velero-backup.json", "kopia/ns/p0123", "bücher/ä", "...", "a/..b"}) {
    EXPECT_TRUE(check_key(key)) << key;
  }
  EXPECT_TRUE(check_key(std::string(255, 'x') + "/" + std::string(255, 'x')));
}

TEST(ObjectKey, RefusesWhatNotEveryStoreKeeps) {
  using std::string_literals::operator""s;
  for (const std::string& key : {""s, "/a"s, "a/"s, "a//b"s, ".."s, "a/../b"s, "./a"s, "a\nb"s, "a\0b"s, "a\\b"s,
                                 "a\x7f"s, "\xff"s, std::string(1025, 'x'), std::string(1100, '/')}) {
    const Status checked = check_key(key);
    ASSERT_FALSE(checked) << key;
    EXPECT_EQ(checked.error().code(), Code::kInvalid);
  }
}

}  // namespace
}  // namespace landfall::extension
