#include "store/observed_store.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/manual_clock.h"
#include "io/log_sink.h"
#include "store/faulty_store.h"
#include "store/logged_store.h"
#include "store/measured_store.h"
#include "store/memory_store.h"

namespace landfall::store {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

// Takes a second for whatever it is read for.
class SlowSource final : public extension::ObjectSource, public io::Reader {
 public:
  SlowSource(std::string bytes, ManualClock& clock) : bytes_(std::move(bytes)), clock_(clock) {}
  Result<std::unique_ptr<io::Reader>> open() const override { return std::make_unique<SlowSource>(bytes_, clock_); }
  std::optional<std::uint64_t> size() const override { return std::nullopt; }
  Result<std::size_t> read(std::span<char> buffer) override {
    clock_.advance(std::chrono::seconds(1));
    const std::size_t count = bytes_.copy(buffer.data(), buffer.size());
    bytes_.clear();
    return count;
  }

 private:
  std::string bytes_;
  ManualClock& clock_;
};

class Measurements final : public StoreMetrics {
 public:
  void record(StoreOperation operation, std::optional<Code> failure, Duration duration, std::uint64_t bytes) override {
    lines_.push_back(std::string(to_string(operation)) + " " + std::string(failure ? to_string(*failure) : "OK") + " " +
                     std::to_string(duration / std::chrono::seconds(1)) + "s " + std::to_string(bytes));
  }
  const std::vector<std::string>& lines() const { return lines_; }

 private:
  std::vector<std::string> lines_;
};

Status read_to_end(extension::ObjectStore& store, const std::string& key) {
  TRY_ASSIGN(const auto reader, "", store.get(key, {}));
  TRY("", io::read_all(*reader, 1000));
  return {};
}

TEST(MeasuredStore, CountsCallsBytesAndTimeByOutcome) {
  ManualClock clock;
  Measurements measurements;
  auto faulty = std::make_unique<FaultyStore>(make_memory_store());
  FaultyStore& fault = *faulty;
  const auto store = make_measured_store(std::move(faulty), measurements, clock);

  ASSERT_TRUE(store->put("key", SlowSource("hello", clock), {}, {}));
  ASSERT_TRUE(read_to_end(*store, "key"));
  fault.cut_reads(2);
  ASSERT_FALSE(read_to_end(*store, "key"));
  ASSERT_FALSE(read_to_end(*store, "none"));
  ASSERT_TRUE(store->exists("none", {}));
  ASSERT_FALSE(store->signed_url("key", std::chrono::seconds(1), {}));
  EXPECT_THAT(measurements.lines(), ElementsAre("put OK 2s 5", "get OK 0s 5", "get Unavailable 0s 2",
                                                "get NotFound 0s 0", "exists OK 0s 0", "sign Unsupported 0s 0"));
}

TEST(LoggedStore, WritesALineForEveryCall) {
  ManualClock clock;
  const auto sink = std::make_shared<io::MemoryLogSink>();
  const auto store = make_logged_store(make_memory_store(), Logger(clock, sink, LogLevel::kDebug), clock);
  ASSERT_TRUE(store->put("a/key", SlowSource("hello", clock), {}, {}));
  ASSERT_FALSE(read_to_end(*store, "none"));
  ASSERT_TRUE(store->list("a/", [](const extension::ObjectInfo&) { return Status(); }, {}));
  ASSERT_TRUE(store->remove(std::vector<std::string>{"a/key", "b"}, {}));
  ASSERT_EQ(sink->entries().size(), 4U);
  const std::string text = sink->text();
  EXPECT_THAT(text, HasSubstr("operation=put"));
  EXPECT_THAT(text, HasSubstr("bytes=5 duration=2s"));
  EXPECT_THAT(text, HasSubstr("memory: object"));
  EXPECT_THAT(text, HasSubstr("operation=remove"));
}

// Signs without asking anyone.
class SigningStore final : public extension::ObjectStore {
 public:
  extension::StoreCapabilities capabilities() const override { return {.signs_urls = true}; }
  Status put(std::string_view /*key*/, const extension::ObjectSource& /*source*/,
             const extension::PutOptions& /*options*/, const std::stop_token& /*stop*/) override {
    return {};
  }
  Result<std::unique_ptr<io::Reader>> get(std::string_view /*key*/, const std::stop_token& /*stop*/) override {
    return fail(Code::kNotFound, "none");
  }
  Result<bool> exists(std::string_view /*key*/, const std::stop_token& /*stop*/) override { return false; }
  Status list(std::string_view /*prefix*/, const Visit& /*visit*/, const std::stop_token& /*stop*/) override {
    return {};
  }
  Result<std::vector<std::string>> folders(std::string_view /*prefix*/, const std::stop_token& /*stop*/) override {
    return std::vector<std::string>();
  }
  Status remove(std::span<const std::string> /*keys*/, const std::stop_token& /*stop*/) override { return {}; }
  Result<std::string> signed_url(std::string_view /*key*/, std::chrono::seconds /*valid_for*/,
                                 const std::stop_token& /*stop*/) override {
    return "https://example.com/key?X-Amz-Signature=secret";
  }
  Result<std::size_t> sweep(std::string_view /*prefix*/, WallTime /*begun_before*/,
                            const std::stop_token& /*stop*/) override {
    return 0U;
  }
};

TEST(LoggedStore, NeverWritesASignedUrl) {
  ManualClock clock;
  const auto sink = std::make_shared<io::MemoryLogSink>();
  const auto store = make_logged_store(std::make_unique<SigningStore>(), Logger(clock, sink, LogLevel::kTrace), clock);
  ASSERT_TRUE(store->signed_url("key", std::chrono::seconds(1), {}));
  EXPECT_THAT(sink->text(), HasSubstr("operation=sign"));
  EXPECT_THAT(sink->text(), testing::Not(HasSubstr("secret")));
}

}  // namespace
}  // namespace landfall::store
