#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <future>
#include <thread>

#include "base/guarded.h"
#include "base/manual_clock.h"
#include "io/file.h"
#include "io/process.h"
#include "io/test_support.h"

namespace landfall::io {
namespace {

using std::chrono::seconds;

// Runs a shell script in a thread and tells what it says.
class RunningScript {
 public:
  RunningScript(ProcessRunner& runner, const std::string& script, SteadyTime deadline = kNever) {
    spec_.argv = {"sh", "-c", script};
    spec_.env = {{"PATH", "/usr/bin:/bin"}};
    spec_.deadline = deadline;
    spec_.grace = seconds(5);
    spec_.on_stdout_line = [this](std::string_view line) {
      lines_.update([&](auto& lines) { lines.emplace_back(line); });
    };
    result_ = std::async(std::launch::async, [this, &runner] { return runner.run(spec_, stop_.get_token()); });
  }

  std::string await_line(std::size_t index) {
    lines_.wait_until(system_clock(), {}, kNever, [&](const auto& lines) { return lines.size() > index; });
    return lines_.with([&](const auto& lines) { return lines.at(index); });
  }
  void stop() { stop_.request_stop(); }
  Result<ProcessResult> result() { return result_.get(); }
  bool is_done() const { return result_.wait_for(std::chrono::milliseconds(1)) == std::future_status::ready; }

 private:
  ProcessSpec spec_;
  std::stop_source stop_;
  Monitor<std::vector<std::string>> lines_;
  std::future<Result<ProcessResult>> result_;
};

// Gone, or a zombie that its parent has not collected yet.
void await_end_of(int pid) {
  while (true) {
    const auto state = read_file("/proc/" + std::to_string(pid) + "/stat", 10'000);
    if (!state || state->find(") Z ") != std::string::npos) {
      return;
    }
    std::this_thread::yield();
  }
}

class ProcessThreads : public testing::Test {
 protected:
  ManualClock clock_;
  std::unique_ptr<ProcessRunner> runner_ = make_system_process_runner(clock_);
};

TEST_F(ProcessThreads, AStopAsksTheProgramAndItsChildrenToEnd) {
  RunningScript script(*runner_, "trap 'echo asked; exit 3' TERM; sleep 1000 & echo $!; wait");
  const int grandchild = std::stoi(script.await_line(0));
  script.stop();
  const auto result = script.result();
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code(), Code::kCancelled);
  EXPECT_EQ(result.error().message(), "run \"sh\": stopped");
  EXPECT_EQ(script.await_line(1), "asked");
  await_end_of(grandchild);
}

TEST_F(ProcessThreads, AProgramThatDoesNotListenIsKilledAfterTheGrace) {
  RunningScript script(*runner_, "trap '' TERM; echo deaf; while :; do sleep 1000; done");
  script.await_line(0);
  script.stop();
  while (!script.is_done()) {
    clock_.advance(seconds(1));  // the grace begins when the stop has been heard
  }
  EXPECT_EQ(script.result().error().code(), Code::kCancelled);
}

TEST_F(ProcessThreads, TheDeadlineEndsTheProgram) {
  RunningScript script(*runner_, "echo begun; sleep 1000", clock_.after(seconds(60)));
  script.await_line(0);
  clock_.advance(seconds(61));
  const auto result = script.result();
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code(), Code::kTimeout);
  EXPECT_EQ(result.error().message(), "run \"sh\": not done in time");
}

TEST_F(ProcessThreads, AStopIsHeardWhileALineHandlerIsBusy) {
  std::stop_source stop;
  ProcessSpec spec;
  spec.argv = {"sh", "-c", "echo $$; sleep 1000"};
  spec.env = {{"PATH", "/usr/bin:/bin"}};
  spec.on_stdout_line = [&](std::string_view line) {
    stop.request_stop();
    await_end_of(std::stoi(std::string(line)));  // busy until then
  };
  EXPECT_EQ(runner_->run(spec, stop.get_token()).error().code(), Code::kCancelled);
}

TEST_F(ProcessThreads, ManyRunAtOnceWithoutMixingTheirOutput) {
  std::vector<std::jthread> threads;
  Guarded<int> right(0);
  for (int i = 0; i < 16; ++i) {
    threads.emplace_back([&, i] {
      ProcessSpec spec;
      spec.argv = {"cat"};
      spec.input = std::string(200'000, static_cast<char>('a' + i));
      const auto result = runner_->run(spec, {});
      if (result && result->out == std::get<std::string>(spec.input)) {
        right.with([](int& n) { ++n; });
      }
    });
  }
  threads.clear();
  EXPECT_EQ(right.copy(), 16);
}

}  // namespace
}  // namespace landfall::io
