#include "hooks/hook_runner.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/manual_clock.h"
#include "json/json.h"
#include "selection/test_discovery.h"

namespace landfall::hooks {
namespace {

using api::HookErrorMode;
using json::Json;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

// Lines as "level message key=value …".
class Lines final : public LogSink {
 public:
  void write(const LogEntry& entry) override {
    std::string line = std::string(to_string(entry.level)) + " " + entry.message;
    for (const LogField& field : entry.fields) {
      if (const auto* text = std::get_if<std::string>(&field.value)) line += " " + field.key + "=" + *text;
    }
    lines.push_back(line);
  }
  std::vector<std::string> of(std::string_view level) const {
    std::vector<std::string> found;
    for (const std::string& line : lines) {
      if (line.starts_with(level)) found.push_back(line);
    }
    return found;
  }
  std::vector<std::string> lines;
};

api::ExecHook step(std::string command, std::optional<HookErrorMode> on_error = {}) {
  return {.command = {std::move(command)}, .on_error = on_error};
}

Json pod(const char* phase = "Running") {
  return {{"metadata", {{"name", "db-0"}, {"namespace", "shop"}}},
          {"spec", {{"containers", {{{"name", "main"}}}}}},
          {"status", {{"phase", phase}}}};
}

class HookRunnerTest : public ::testing::Test {
 protected:
  // Runs these as pre hooks of one pod.
  bool run(std::vector<api::ExecHook> steps, const Json& where = pod()) {
    runner_.emplace(
        BackupHooks::make({{.filter = {.name = "quiesce"}, .pre = std::move(steps)}}, selection::test_discovery())
            .value(),
        [this](const kube::ExecRequest& request, const kube::ExecOutput& output,
               const std::stop_token& stop) -> Result<kube::ExecOutcome> {
          EXPECT_EQ(stop, stop_.get_token());
          requests_.push_back(request);
          return answer_(request, output);
        });
    return runner_->run(where, HookPhase::kPre, Logger(clock_, sink_), stop_.get_token());
  }
  HookCounts counts() const { return runner_->counts(); }

  // The command decides what becomes of it.
  static Result<kube::ExecOutcome> by_command(const kube::ExecRequest& request, const kube::ExecOutput& /*output*/) {
    if (request.command.at(0) == "exits") return kube::ExecOutcome{.exit_code = 3};
    if (request.command.at(0) == "hangs") return fail(Code::kTimeout, "no result");
    if (request.command.at(0) == "gone") return fail(Code::kNotFound, "pods \"db-0\" not found");
    return kube::ExecOutcome{};
  }

  std::function<Result<kube::ExecOutcome>(const kube::ExecRequest&, const kube::ExecOutput&)> answer_ = by_command;
  std::vector<kube::ExecRequest> requests_;
  std::stop_source stop_;
  ManualClock clock_;
  std::shared_ptr<Lines> sink_ = std::make_shared<Lines>();
  std::optional<HookRunner> runner_;
};

TEST_F(HookRunnerTest, RunsTheHooksInOrderAndLogsWhatTheyWrite) {
  answer_ = [](const kube::ExecRequest& /*request*/, const kube::ExecOutput& output) -> Result<kube::ExecOutcome> {
    EXPECT_TRUE(output.on_stdout("frozen "));
    EXPECT_TRUE(output.on_stdout("solid"));
    EXPECT_TRUE(output.on_stderr("cold"));
    return kube::ExecOutcome{};
  };
  EXPECT_TRUE(run({step("first"), {.command = {"second", "-v"}, .timeout = std::chrono::minutes(1)}}));
  ASSERT_EQ(requests_.size(), 2U);
  EXPECT_EQ(requests_[0].name_space, "shop");
  EXPECT_EQ(requests_[0].pod, "db-0");
  EXPECT_EQ(requests_[0].container, "main");
  EXPECT_EQ(requests_[0].timeout, std::chrono::seconds(30));
  EXPECT_THAT(requests_[1].command, ElementsAre("second", "-v"));
  EXPECT_EQ(requests_[1].timeout, std::chrono::minutes(1));
  ASSERT_EQ(sink_->lines.size(), 6U);
  EXPECT_EQ(sink_->lines[4],
            "info stdout: frozen solid resource=pods namespace=shop name=db-0 hookType=exec hookPhase=pre "
            "hookSource=spec hookName=quiesce hookContainer=main hookCommand=[\"second\",\"-v\"] hookOnError=Continue "
            "hookTimeout=1m0s");
  EXPECT_THAT(sink_->lines[5], HasSubstr("info stderr: cold"));
  EXPECT_EQ(counts(), (HookCounts{.attempted = 2, .failed = 0}));
}

TEST_F(HookRunnerTest, AFailureIsAnErrorInTheLogAndTheNextHookRuns) {
  EXPECT_TRUE(run({step("exits"), step("hangs", HookErrorMode::kContinue), step("gone"), step("fine")}));
  EXPECT_EQ(requests_.size(), 4U);
  EXPECT_THAT(sink_->of("error"),
              ElementsAre(AllOf(HasSubstr("Error executing hook resource=pods namespace=shop name=db-0"),
                                HasSubstr("error=command terminated with exit code 3")),
                          HasSubstr("error=timed out after 30s"), HasSubstr("error=pods \"db-0\" not found")));
  EXPECT_EQ(counts(), (HookCounts{.attempted = 4, .failed = 3}));
}

TEST_F(HookRunnerTest, AfterAFatalFailureTheRestOnlyCounts) {
  EXPECT_FALSE(run({step("fine"), step("exits", HookErrorMode::kFail), step("never"), step("never")}));
  EXPECT_EQ(requests_.size(), 2U);
  EXPECT_EQ(counts(), (HookCounts{.attempted = 4, .failed = 1}));
}

TEST_F(HookRunnerTest, AHookWithoutItsContainerFailsWithoutBeingTried) {
  EXPECT_FALSE(run({{.command = {"x"}, .container = "other", .on_error = HookErrorMode::kFail}}));
  EXPECT_THAT(requests_, IsEmpty());
  EXPECT_THAT(sink_->of("error"), ElementsAre(HasSubstr("no such container")));
  EXPECT_EQ(counts(), (HookCounts{.attempted = 1, .failed = 1}));
}

TEST_F(HookRunnerTest, InAPodThatHasEndedNothingRunsAndNothingFails) {
  for (const char* phase : {"Succeeded", "Failed"}) {
    EXPECT_TRUE(run({{.command = {"x"}, .container = "other", .on_error = HookErrorMode::kFail}}, pod(phase)));
    EXPECT_EQ(counts(), (HookCounts{.attempted = 1, .failed = 0}));
  }
  EXPECT_THAT(requests_, IsEmpty());
  EXPECT_THAT(sink_->of("error"), IsEmpty());
}

TEST_F(HookRunnerTest, AStopCutsTheHookOffAndIsNoFailure) {
  answer_ = [this](const kube::ExecRequest& /*request*/, const kube::ExecOutput& output) -> Result<kube::ExecOutcome> {
    EXPECT_TRUE(output.on_stdout("half"));
    stop_.request_stop();
    return fail(Code::kUnavailable, "the connection was closed");
  };
  EXPECT_TRUE(run({step("long", HookErrorMode::kFail), step("next")}));
  EXPECT_EQ(requests_.size(), 1U);
  EXPECT_THAT(sink_->of("error"), IsEmpty());
  EXPECT_EQ(counts(), (HookCounts{.attempted = 1, .failed = 0}));
  EXPECT_TRUE(run({step("not started")}));
  EXPECT_EQ(counts(), HookCounts{});
}

TEST_F(HookRunnerTest, ACommandThatWritesForeverCostsLittleAndIsToldSo) {
  answer_ = [](const kube::ExecRequest& /*request*/, const kube::ExecOutput& output) -> Result<kube::ExecOutcome> {
    const std::string piece(50'000, 'x');
    for (int i = 0; i < 4; ++i) EXPECT_TRUE(output.on_stdout(piece));
    return kube::ExecOutcome{.exit_code = 1};
  };
  EXPECT_TRUE(run({step("yes")}));
  EXPECT_LT(sink_->lines.at(1).size(), kMaxLoggedOutput + 1000);
  EXPECT_THAT(sink_->lines[1], HasSubstr("(134464 bytes more)"));
}

TEST_F(HookRunnerTest, ABadTimeoutIsAWarning) {
  Json db = pod();
  db["metadata"]["annotations"] = {{"pre.hook.backup.velero.io/command", "x"},
                                   {"pre.hook.backup.velero.io/timeout", "soon"}};
  EXPECT_TRUE(run({}, db));
  EXPECT_EQ(requests_.size(), 1U);
  EXPECT_THAT(sink_->of("warning"), ElementsAre(AllOf(HasSubstr("\"soon\""), HasSubstr("hookSource=annotation"))));
}

}  // namespace
}  // namespace landfall::hooks
