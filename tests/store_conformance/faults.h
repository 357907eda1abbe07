#pragma once

#include "store_conformance/fixture.h"

namespace landfall::store {

TEST_P(StoreConformance, ASourceThatFailsLeavesNothing) {
  const auto break_down = []() -> Status { return fail(Code::kDataLoss, "the source broke"); };
  const std::string small = sample(100'000);
  const std::string big = sample(13 * kMiB);
  for (const std::string& bytes : {small, big}) {
    const EventfulSource known(bytes, bytes.size() / 2, break_down);
    EventfulSource unknown(bytes, bytes.size() / 2, break_down);
    for (const auto* source : {&known, &std::as_const(unknown.of_unknown_size())}) {
      const Error error = error_of(store_->put(key("folder/object"), *source, {}, {}));
      EXPECT_THAT(error.message(), testing::HasSubstr("the source broke"));
      EXPECT_FALSE(exists("folder/object"));
      EXPECT_THAT(names(""), testing::IsEmpty());
      EXPECT_THAT(folders(""), testing::IsEmpty());
    }
  }
}

TEST_P(StoreConformance, AFailedPutLeavesTheObjectBefore) {
  ASSERT_TRUE(put("object", "before"));
  const std::string bytes = sample(13 * kMiB);
  const EventfulSource source(bytes, bytes.size() - 1,
                              []() -> Status { return fail(Code::kDataLoss, "the source broke"); });
  EXPECT_FALSE(store_->put(key("object"), source, {}, {}));
  EXPECT_TRUE(holds("object", "before"));
}

TEST_P(StoreConformance, AStoppedPutLeavesNothing) {
  const std::string bytes = sample(13 * kMiB);
  std::stop_source stop;
  const EventfulSource source(bytes, bytes.size() / 2, [&]() -> Status {
    stop.request_stop();
    return {};
  });
  const Error error = error_of(store_->put(key("folder/object"), source, {}, stop.get_token()));
  EXPECT_EQ(error.code(), Code::kCancelled) << error.message();
  EXPECT_FALSE(exists("folder/object"));
  EXPECT_THAT(names(""), testing::IsEmpty());
}

TEST_P(StoreConformance, AStopEndsReading) {
  ASSERT_TRUE(put("object", sample(16 * kMiB)));
  std::stop_source stop;
  const auto reader = store_->get(key("object"), stop.get_token());
  ASSERT_TRUE(reader) << reader.error().message();
  std::string buffer(1000, '\0');
  ASSERT_TRUE((*reader)->read(buffer));
  stop.request_stop();
  EXPECT_EQ(error_of(io::read_all(**reader, kReadLimit)).code(), Code::kCancelled);
}

TEST_P(StoreConformance, NothingBeginsAfterAStop) {
  ASSERT_TRUE(put("object", "x"));
  std::stop_source source;
  source.request_stop();
  const std::stop_token stop = source.get_token();
  const auto visit = [](const extension::ObjectInfo&) { return Status(); };
  EXPECT_EQ(error_of(store_->put(key("other"), extension::BytesSource("x"), {}, stop)).code(), Code::kCancelled);
  EXPECT_EQ(error_of(store_->get(key("object"), stop)).code(), Code::kCancelled);
  EXPECT_EQ(error_of(store_->exists(key("object"), stop)).code(), Code::kCancelled);
  EXPECT_EQ(error_of(store_->list(root_, visit, stop)).code(), Code::kCancelled);
  EXPECT_EQ(error_of(store_->folders(root_, stop)).code(), Code::kCancelled);
  EXPECT_EQ(error_of(store_->remove(std::vector{key("object")}, stop)).code(), Code::kCancelled);
  EXPECT_THAT(names(""), testing::ElementsAre("object"));
}

TEST_P(StoreConformance, AReaderOutlivesItsStore) {
  const std::string bytes = sample(6 * kMiB);
  ASSERT_TRUE(put("object", bytes));
  const auto reader = store_->get(key("object"), {});
  ASSERT_TRUE(reader) << reader.error().message();
  store_.reset();
  const auto content = io::read_all(**reader, kReadLimit);
  ASSERT_TRUE(content) << content.error().message();
  EXPECT_TRUE(*content == bytes);
}

TEST_P(StoreConformance, AReaderKeepsToTheObjectThatItFound) {
  const std::string before = sample(6 * kMiB);
  ASSERT_TRUE(put("object", before));
  const auto reader = store_->get(key("object"), {});
  ASSERT_TRUE(reader) << reader.error().message();
  ASSERT_TRUE(store_->remove(std::vector{key("object")}, {}));
  const auto content = io::read_all(**reader, kReadLimit);
  EXPECT_TRUE(!content || *content == before) << "whole, or an error";
}

}  // namespace landfall::store
