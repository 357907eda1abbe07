#include "stories/seen_bytes.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <stdexcept>

#include "json/access.h"
#include "json/json.h"
#include "kube/watch.h"
#include "stories/patience.h"

namespace landfall::stories {

using json::Json;

SeenBytes::SeenBytes(const Stage& stage, const api::Kind& kind)
    : objects_(stage.objects(kind)), thread_([this](const std::stop_token& stop) {
        const std::string from = must(objects_.list({}, stop)).resource_version;
        begun_.open();
        (void)kube::watch(
            objects_, {.resource_version = from},
            [&](kube::WatchEventType type, Json& object) -> Result<bool> {
              if (type == kube::WatchEventType::kBookmark) return true;
              const Json* const progress = json::find(object, {"status", "progress"});
              if (progress == nullptr) return true;
              const std::string snapshot = json::string_or(object, {"spec", "snapshotID"}, "");
              const std::string volume = json::string_or(object, {"spec", "volume"}, snapshot);
              seen_.with([&](auto& seen) {
                auto& of_one = seen[volume];
                const std::int64_t done = json::int_or(*progress, {"bytesDone"}, 0);
                if (of_one.empty() || of_one.back() != done) of_one.push_back(done);
              });
              return true;
            },
            stop);
      }) {
  if (!begun_.await()) throw std::runtime_error("the watch did not begin");
}

void SeenBytes::expect_rise(const std::string& volume, std::int64_t total) const {
  const auto of_volume = [&] {
    const auto all = seen_.copy();
    const auto found = all.find(volume);
    return found == all.end() ? std::vector<std::int64_t>() : found->second;
  };
  EXPECT_TRUE(soon([&] {
    const auto seen = of_volume();
    return !seen.empty() && seen.back() >= total;
  }));
  const auto seen = of_volume();
  ASSERT_FALSE(seen.empty()) << volume;
  EXPECT_TRUE(std::ranges::is_sorted(seen)) << testing::PrintToString(seen);
  EXPECT_EQ(seen.back(), total);
  EXPECT_TRUE(std::ranges::any_of(seen, [&](std::int64_t done) { return done > 0 && done < total; }))
      << testing::PrintToString(seen);
}

}  // namespace landfall::stories
