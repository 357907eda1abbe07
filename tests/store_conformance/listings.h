#pragma once

#include "store_conformance/fixture.h"

namespace landfall::store {

TEST_P(StoreConformance, ListsInTheOrderOfBytes) {
  for (const std::string name : {"a/b", "a-b", "a.b/c", "a0", "B", "ä", "a/b-c", "a/c/d", "a-/z", "z"}) {
    ASSERT_TRUE(put(name, "x"));
  }
  EXPECT_THAT(names(""), testing::ElementsAre("B", "a-/z", "a-b", "a.b/c", "a/b", "a/b-c", "a/c/d", "a0", "z", "ä"));
}

TEST_P(StoreConformance, ListsByPrefixesThatAreFoldersOrNot) {
  put_all({"ab-1", "ab/x/1", "ab/y", "abc", "b/ab"});
  using testing::ElementsAre;
  EXPECT_THAT(names("ab"), ElementsAre("ab-1", "ab/x/1", "ab/y", "abc"));
  EXPECT_THAT(names("ab/"), ElementsAre("ab/x/1", "ab/y"));
  EXPECT_THAT(names("ab/x"), ElementsAre("ab/x/1"));
  EXPECT_THAT(names("abc"), ElementsAre("abc"));
  for (const std::string nothing : {"abcd", "abc/", "none/", "ab/x/1/", "a/"}) {
    EXPECT_THAT(names(nothing), testing::IsEmpty()) << nothing;
  }
}

TEST_P(StoreConformance, TellsTheSizesOfWhatItLists) {
  if (!store_->capabilities().lists_sizes) GTEST_SKIP() << "this store lists no sizes";
  ASSERT_TRUE(put("big", sample(6 * kMiB)));
  ASSERT_TRUE(put("small", "12345"));
  std::vector<std::optional<std::uint64_t>> sizes;
  ASSERT_TRUE(store_->list(root_,
                           [&](const extension::ObjectInfo& info) -> Status {
                             sizes.push_back(info.size);
                             return {};
                           },
                           {}));
  EXPECT_THAT(sizes, testing::ElementsAre(6 * kMiB, 5U));
}

TEST_P(StoreConformance, AVisitorsErrorEndsTheListing) {
  put_all({"a", "b", "c"});
  int visits = 0;
  const Status listed = store_->list(root_,
                                     [&](const extension::ObjectInfo& info) -> Status {
                                       ++visits;
                                       if (info.key == key("b")) return fail(Code::kConflict, "enough");
                                       return {};
                                     },
                                     {});
  EXPECT_EQ(error_of(listed).code(), Code::kConflict);
  EXPECT_THAT(error_of(listed).message(), testing::HasSubstr("enough"));
  EXPECT_EQ(visits, 2);
}

TEST_P(StoreConformance, KnowsItsFolders) {
  put_all({"b/one/x", "b/two/y/z", "b/two-/q", "b/plain", "b/ünï/x", "c/x"});
  using testing::ElementsAre;
  EXPECT_THAT(folders(""), ElementsAre("b/", "c/"));
  EXPECT_THAT(folders("b/"), ElementsAre("b/one/", "b/two-/", "b/two/", "b/ünï/"));
  EXPECT_THAT(folders("b/two/"), ElementsAre("b/two/y/"));
  EXPECT_THAT(folders("b/one/"), testing::IsEmpty());
  EXPECT_THAT(folders("none/"), testing::IsEmpty());
  EXPECT_THAT(folders("b/plain/"), testing::IsEmpty());
  const auto top = store_->folders("", {});
  ASSERT_TRUE(top) << top.error().message();
  EXPECT_THAT(*top, testing::Contains(root_));
}

TEST_P(StoreConformance, RemovesWhatIsThereAndMindsNotWhatIsNot) {
  put_all({"keep", "folder/a", "folder/b"});
  const std::vector<std::string> first{key("folder/a"), key("folder/none"), key("none/x"), key("folder")};
  const Status removed = store_->remove(first, {});
  ASSERT_TRUE(removed) << removed.error().message();
  EXPECT_THAT(names(""), testing::ElementsAre("folder/b", "keep"));
  EXPECT_FALSE(exists("folder/a"));
  ASSERT_TRUE(store_->remove(std::vector{key("folder/b")}, {}));
  EXPECT_THAT(folders(""), testing::IsEmpty()) << "a folder is there as long as an object is in it";
  ASSERT_TRUE(store_->remove(std::vector{key("folder/b")}, {})) << "again";
  ASSERT_TRUE(store_->remove({}, {}));
  ASSERT_TRUE(put("folder", "where a folder was"));
  EXPECT_TRUE(holds("folder", "where a folder was"));
}

TEST_P(StoreConformance, TriesToRemoveAllAndNamesTheFirstThatFailed) {
  put_all({"a", "b"});
  const std::vector<std::string> all{key("a"), key("not\\valid"), key("nor\\this"), key("b")};
  const Error error = error_of(store_->remove(all, {}));
  EXPECT_EQ(error.code(), Code::kInvalid);
  EXPECT_THAT(error.message(), testing::HasSubstr("valid"));
  EXPECT_THAT(names(""), testing::IsEmpty());
}

TEST_P(StoreConformance, ListsAndRemovesMoreThanAThousand) {
  std::vector<std::string> all;
  for (int i = 0; i < 1005; ++i) all.push_back("many/" + std::to_string(10'000 + i));
  for (int i = 0; i < 20; ++i) all.push_back("many/folder-" + std::to_string(10 + i) + "/x");
  put_all(all);
  EXPECT_EQ(names("many/"), all);
  EXPECT_EQ(folders("many/").size(), 20U);
  std::vector<std::string> doomed = keys("many/");
  ASSERT_EQ(doomed.size(), 1025U);
  doomed.erase(doomed.begin());
  doomed.push_back(key("many/none"));
  const Status removed = store_->remove(doomed, {});
  ASSERT_TRUE(removed) << removed.error().message();
  EXPECT_THAT(names(""), testing::ElementsAre("many/10000"));
}

}  // namespace landfall::store
