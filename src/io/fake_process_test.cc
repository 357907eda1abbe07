#include "io/fake_process.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace landfall::io {
namespace {

using testing::ElementsAre;

TEST(FakeProcessRunner, PlaysAProgramAndRecordsTheCall) {
  FakeProcessRunner runner;
  runner.add("restic", [](FakeProcess& process) {
    process.out("got " + process.call.input);
    process.err("careful\n");
    return process.call.argv.size() == 2 ? 0 : 1;
  });
  ProcessSpec spec;
  spec.argv = {"/usr/bin/restic", "snapshots"};
  spec.env = {{"RESTIC_PASSWORD", "x"}};
  spec.input = std::string("in");
  const auto result = runner.run(spec, {});
  ASSERT_TRUE(result);
  EXPECT_TRUE(result->succeeded());
  EXPECT_EQ(result->out, "got in");
  EXPECT_EQ(result->err, "careful\n");
  ASSERT_EQ(runner.calls().size(), 1U);
  EXPECT_THAT(runner.calls().front().argv, ElementsAre("/usr/bin/restic", "snapshots"));
  EXPECT_EQ(runner.calls().front().env.at("RESTIC_PASSWORD"), "x");
}

TEST(FakeProcessRunner, TreatsOutputAsTheRealOneDoes) {
  FakeProcessRunner runner;
  runner.add("tool", [](FakeProcess& process) {
    process.out("o");
    process.out("ne\ntwo");
    return 0;
  });
  std::vector<std::string> lines;
  ProcessSpec spec;
  spec.argv = {"tool"};
  spec.on_stdout_line = [&](std::string_view line) { lines.emplace_back(line); };
  ASSERT_TRUE(runner.run(spec, {}));
  EXPECT_THAT(lines, ElementsAre("one", "two"));
  spec.on_stdout_line = nullptr;
  spec.stdout_limit = 3;
  EXPECT_EQ(runner.run(spec, {}).error().code(), Code::kTooLarge);
}

TEST(FakeProcessRunner, FailsAsTheRealOneDoes) {
  FakeProcessRunner runner;
  std::stop_source stop;
  runner.add("slow", [&](FakeProcess& process) {
    stop.request_stop();
    return process.stop.stop_requested() ? 143 : 0;
  });
  runner.add("broken", [](FakeProcess&) -> Result<int> { return fail(Code::kTimeout, "not done in time"); });
  ProcessSpec spec;
  spec.argv = {"missing"};
  EXPECT_EQ(runner.run(spec, {}).error().code(), Code::kNotFound);
  spec.argv = {"broken"};
  EXPECT_EQ(runner.run(spec, {}).error().message(), "run \"broken\": not done in time");
  spec.argv = {"slow"};
  EXPECT_EQ(runner.run(spec, stop.get_token()).error().code(), Code::kCancelled);
}

}  // namespace
}  // namespace landfall::io
