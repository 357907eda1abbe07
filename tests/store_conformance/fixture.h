#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <ostream>
#include <stop_token>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "base/random.h"
#include "extension/object_store.h"

namespace landfall::store {

// A store to be judged. What it needs lives at least as long as the test program; every call opens the same bucket,
// unless it is one that ends with the store.
struct ConformanceTarget {
  std::string name;
  std::function<Result<std::unique_ptr<extension::ObjectStore>>()> open;
  // Cases that the server behind the store is known to fail, whoever asks, and why. They are skipped with that
  // sentence.
  std::map<std::string, std::string> spared = {};
  // Why it cannot be judged here: all cases are skipped with that sentence.
  std::string missing = {};
};
inline std::ostream& operator<<(std::ostream& out, const ConformanceTarget& target) { return out << target.name; }

inline constexpr std::size_t kMiB = 1024UL * 1024;
inline constexpr std::size_t kReadLimit = 64 * kMiB;

// Bytes that do not repeat, the same for the same size.
inline std::string sample(std::size_t size) {
  SeededRandom random(size);
  std::string bytes;
  bytes.reserve(size + sizeof(std::uint64_t));
  while (bytes.size() < size) {
    const std::uint64_t bits = random.bits();
    for (unsigned shift = 0; shift < 64; shift += 8) bytes += static_cast<char>(bits >> shift & 0xFFU);
  }
  bytes.resize(size);
  return bytes;
}

// The error of a result that should not have succeeded.
template <class T>
Error error_of(const Result<T>& result) {
  return result ? Error(Code::kInternal, "it succeeded") : result.error();
}

// Bytes in small pieces, with something that happens before the one at `at` is handed out, each time it is read.
class EventfulSource final : public extension::ObjectSource {
 public:
  using Event = std::function<Status()>;
  EventfulSource(std::string_view bytes, std::size_t at, Event event)
      : bytes_(bytes), at_(at), event_(std::move(event)) {}

  // The length is told beforehand unless this was called.
  EventfulSource& of_unknown_size() {
    is_known_ = false;
    return *this;
  }

  Result<std::unique_ptr<io::Reader>> open() const override { return std::make_unique<EventfulReader>(*this); }
  std::optional<std::uint64_t> size() const override {
    return is_known_ ? std::optional<std::uint64_t>(bytes_.size()) : std::nullopt;
  }

 private:
  class EventfulReader final : public io::Reader {
   public:
    explicit EventfulReader(const EventfulSource& source) : source_(source) {}
    Result<std::size_t> read(std::span<char> buffer) override {
      constexpr std::size_t kPiece = 10'000;
      if (offset_ >= source_.at_ && !std::exchange(happened_, true)) TRY("", source_.event_());
      const std::size_t count = std::min({buffer.size(), kPiece, source_.bytes_.size() - offset_});
      source_.bytes_.copy(buffer.data(), count, offset_);
      offset_ += count;
      return count;
    }

   private:
    const EventfulSource& source_;
    std::size_t offset_ = 0;
    bool happened_ = false;
  };

  std::string_view bytes_;
  std::size_t at_;
  Event event_;
  bool is_known_ = true;
};

class StoreConformance : public testing::TestWithParam<ConformanceTarget> {
 protected:
  void SetUp() override {
    if (!GetParam().missing.empty()) GTEST_SKIP() << GetParam().missing;
    const std::string name = testing::UnitTest::GetInstance()->current_test_info()->name();
    const auto spared = GetParam().spared.find(name.substr(0, name.find('/')));
    if (spared != GetParam().spared.end()) GTEST_SKIP() << spared->second;
    open();
  }
  void TearDown() override {
    if (IsSkipped()) return;
    if (!store_) open();
    if (!store_) return;
    const Status removed = store_->remove(keys(""), {});
    EXPECT_TRUE(removed) << removed.error().message();
  }

  void open() {
    auto opened = GetParam().open();
    ASSERT_TRUE(opened) << opened.error().message();
    store_ = *std::move(opened);
  }

  // The key of a name in this case's own folder.
  std::string key(const std::string& name) const { return root_ + name; }

  Status put(const std::string& name, std::string_view bytes, const extension::PutOptions& options = {}) const {
    return store_->put(key(name), extension::BytesSource(bytes), options, {});
  }
  // Puts one byte under each name, with several threads.
  void put_all(const std::vector<std::string>& names) const {
    constexpr int kThreads = 8;
    std::atomic<std::size_t> next = 0;
    std::vector<std::jthread> threads;
    for (int i = 0; i < kThreads; ++i) {
      threads.emplace_back([&] {
        for (std::size_t at = next++; at < names.size(); at = next++) {
          const Status stored = put(names[at], "x");
          EXPECT_TRUE(stored) << stored.error().message();
        }
      });
    }
  }

  Result<std::string> get(const std::string& name) const {
    TRY_ASSIGN(const auto reader, "get", store_->get(key(name), {}));
    return io::read_all(*reader, kReadLimit);
  }

  // What is there, as text for comparisons: the bytes of a big object in a failure's message help nobody.
  testing::AssertionResult holds(const std::string& name, std::string_view bytes) const {
    const auto content = get(name);
    if (!content) return testing::AssertionFailure() << content.error().message();
    if (*content == bytes) return testing::AssertionSuccess();
    return testing::AssertionFailure() << name << " has " << content->size() << " bytes, not the " << bytes.size()
                                       << " that are expected, or others";
  }
  bool exists(const std::string& name) const {
    const auto found = store_->exists(key(name), {});
    EXPECT_TRUE(found) << found.error().message();
    return found && *found;
  }

  // The names in this case's folder that begin so, as they are listed.
  std::vector<std::string> names(const std::string& prefix) const {
    std::vector<std::string> found;
    for (const std::string& listed : keys(prefix)) found.push_back(listed.substr(root_.size()));
    return found;
  }
  std::vector<std::string> keys(const std::string& prefix) const {
    std::vector<std::string> found;
    const Status listed = store_->list(key(prefix),
                                       [&](const extension::ObjectInfo& info) -> Status {
                                         found.push_back(info.key);
                                         return {};
                                       },
                                       {});
    EXPECT_TRUE(listed) << listed.error().message();
    return found;
  }

  std::vector<std::string> folders(const std::string& prefix) const {
    auto found = store_->folders(key(prefix), {});
    EXPECT_TRUE(found) << found.error().message();
    if (!found) return {};
    for (std::string& folder : *found) folder = folder.substr(root_.size());
    return *found;
  }

  std::unique_ptr<extension::ObjectStore> store_;
  const std::string root_ = "conformance-" + name_suffix(system_random(), 8) + "/";
};

}  // namespace landfall::store
