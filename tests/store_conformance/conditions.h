#pragma once

#include "base/clock.h"
#include "io/http_client.h"
#include "store_conformance/fixture.h"

namespace landfall::store {

TEST_P(StoreConformance, CreatesOnlyWhatIsAbsent) {
  if (!store_->capabilities().creates_if_absent) GTEST_SKIP() << "this store cannot create only if absent";
  const Status created = put("folder/lock", "mine", {.if_absent = true});
  ASSERT_TRUE(created) << created.error().message();
  const Error taken = error_of(put("folder/lock", "theirs", {.if_absent = true}));
  EXPECT_EQ(taken.code(), Code::kAlreadyExists) << taken.message();
  EXPECT_THAT(taken.message(), testing::HasSubstr(key("folder/lock")));
  const std::string big = sample(12 * kMiB);
  EXPECT_EQ(error_of(put("folder/lock", big, {.if_absent = true})).code(), Code::kAlreadyExists) << "in parts";
  EXPECT_TRUE(holds("folder/lock", "mine"));
  ASSERT_TRUE(store_->remove(std::vector{key("folder/lock")}, {}));
  const Status again = put("folder/lock", big, {.if_absent = true});
  ASSERT_TRUE(again) << again.error().message();
  EXPECT_TRUE(holds("folder/lock", big));
  EXPECT_THAT(names(""), testing::ElementsAre("folder/lock"));
}

TEST_P(StoreConformance, SaysWhenItCannotCreateOnlyIfAbsent) {
  if (store_->capabilities().creates_if_absent) GTEST_SKIP() << "this store can create only if absent";
  EXPECT_EQ(error_of(put("lock", "mine", {.if_absent = true})).code(), Code::kUnsupported);
  EXPECT_FALSE(exists("lock"));
}

TEST_P(StoreConformance, AnyoneCanGetASignedUrl) {
  if (!store_->capabilities().signs_urls) GTEST_SKIP() << "this store signs no URLs";
  const auto http = io::HttpClient::create({});
  ASSERT_TRUE(http) << http.error().message();
  for (const std::string name : {"plain.tar.gz", "odd name+%&=?#~:@/ünï"}) {
    ASSERT_TRUE(put(name, name));
    const auto url = store_->signed_url(key(name), std::chrono::minutes(10), {});
    ASSERT_TRUE(url) << url.error().message();
    const auto response = (*http)->send({.url = *url, .deadline = system_clock().after(std::chrono::seconds(30))}, {});
    ASSERT_TRUE(response) << response.error().message();
    EXPECT_EQ(response->status, 200) << response->body;
    EXPECT_EQ(response->body, name);
  }
}

TEST_P(StoreConformance, SaysWhenItCannotSign) {
  if (store_->capabilities().signs_urls) GTEST_SKIP() << "this store signs URLs";
  ASSERT_TRUE(put("object", "x"));
  EXPECT_EQ(error_of(store_->signed_url(key("object"), std::chrono::seconds(60), {})).code(), Code::kUnsupported);
}

}  // namespace landfall::store
