#include <gtest/gtest.h>
#include <unistd.h>

#include <thread>

#include "base/manual_clock.h"
#include "io/file.h"
#include "io/process.h"

namespace landfall::io {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

ProcessSpec script(const std::string& text) {
  ProcessSpec spec;
  spec.argv = {"sh", "-c", text};
  spec.env = {{"PATH", "/usr/bin:/bin"}};
  return spec;
}

TEST(ProcessTick, TellsTheIdOfTheProgramAsLongAsItRuns) {
  // It ends when the third tick stops it: no tick, no end.
  ProcessSpec spec = script("echo $$; while :; do sleep 1000; done");
  std::string printed;
  spec.on_stdout_line = [&](std::string_view line) { printed = line; };
  std::stop_source stop;
  std::vector<int> pids;
  const std::thread::id runs_in = std::this_thread::get_id();
  spec.on_tick = [&](int pid) {
    EXPECT_EQ(std::this_thread::get_id(), runs_in);
    EXPECT_TRUE(read_file("/proc/" + std::to_string(pid) + "/stat", 10'000));
    pids.push_back(pid);
    if (pids.size() >= 3 && !printed.empty()) stop.request_stop();
  };
  spec.tick = milliseconds(5);
  const auto ran = make_system_process_runner(system_clock())->run(spec, stop.get_token());
  ASSERT_FALSE(ran);
  EXPECT_EQ(ran.error().code(), Code::kCancelled);
  ASSERT_GE(pids.size(), 3U);
  for (const int pid : pids) EXPECT_EQ(std::to_string(pid), printed);
}

TEST(ProcessTick, OutputIsTakenBetweenTicks) {
  ProcessSpec spec = script("i=0; while [ $i -lt 2000 ]; do echo line $i; i=$((i+1)); done");
  int lines = 0;
  spec.on_stdout_line = [&](std::string_view) { ++lines; };
  spec.on_tick = [](int) {};
  spec.tick = milliseconds(1);
  const auto ran = make_system_process_runner(system_clock())->run(spec, {});
  ASSERT_TRUE(ran) << ran.error().message();
  EXPECT_TRUE(ran->succeeded());
  EXPECT_EQ(lines, 2000);
}

TEST(ProcessTick, ComesByTheClockThatWasGiven) {
  // A clock that stands still: however much the program says meanwhile, it is not time.
  ManualClock clock;
  ProcessSpec spec = script("seq 1000");
  int ticks = 0;
  int lines = 0;
  spec.on_stdout_line = [&](std::string_view) {
    if (++lines == 500) clock.advance(seconds(1));
  };
  spec.on_tick = [&](int) { ++ticks; };
  spec.tick = seconds(2);
  ASSERT_TRUE(make_system_process_runner(clock)->run(spec, {}));
  EXPECT_EQ(lines, 1000);
  EXPECT_EQ(ticks, 0);
}

}  // namespace
}  // namespace landfall::io
