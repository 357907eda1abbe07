#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <stdexcept>

#include "server/task_group.h"

namespace landfall::server {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

void until_the_stop(const std::stop_token& stop) { system_clock().sleep_for(Duration::max(), stop); }

// What a group has told of deaths.
class Deaths {
 public:
  TaskGroup::OnDeath hear() {
    return [this](const Error& error) { heard_.update([&](auto& list) { list.push_back(error.message()); }); };
  }
  std::string first() {
    heard_.wait_until(system_clock(), {}, system_clock().after(std::chrono::seconds(60)),
                      [](const auto& list) { return !list.empty(); });
    return heard_.copy().at(0);
  }
  std::size_t count() const { return heard_.copy().size(); }

 private:
  Monitor<std::vector<std::string>> heard_;
};

TEST(TaskGroup, RunsUntilTheStopAndNobodyHasDied) {
  Deaths deaths;
  TaskGroup group(system_clock(), deaths.hear());
  group.start("one", until_the_stop);
  group.start("two", until_the_stop);

  group.request_stop();

  EXPECT_THAT(group.wait(kNever), IsEmpty());
  EXPECT_EQ(deaths.count(), 0U);
}

TEST(TaskGroup, TellsOfAThreadThatEndsByItself) {
  Deaths deaths;
  TaskGroup group(system_clock(), deaths.hear());
  group.start("cache-backups", [](const std::stop_token&) {});
  EXPECT_THAT(deaths.first(), HasSubstr("cache-backups: it ended by itself"));
}

TEST(TaskGroup, TellsOfAnException) {
  Deaths deaths;
  TaskGroup group(system_clock(), deaths.hear());
  group.start("gc", [](const std::stop_token&) { throw std::runtime_error("no memory"); });
  EXPECT_THAT(deaths.first(), HasSubstr("gc: no memory"));
}

TEST(TaskGroup, NamesThoseThatAreLate) {
  Deaths deaths;
  std::stop_source release;
  TaskGroup group(system_clock(), deaths.hear());
  group.start("quick", until_the_stop);
  group.start("slow", [&](const std::stop_token&) { until_the_stop(release.get_token()); });

  group.request_stop();

  // "quick" may have to wait for a core before it can end.
  const SteadyTime patience = system_clock().after(std::chrono::seconds(60));
  std::vector<std::string> late;
  do {
    late = group.wait(system_clock().after(std::chrono::milliseconds(50)));
  } while (late.size() > 1 && system_clock().now() < patience);
  EXPECT_THAT(late, ElementsAre("slow"));
  release.request_stop();
  EXPECT_THAT(group.wait(kNever), IsEmpty());
}

}  // namespace
}  // namespace landfall::server
