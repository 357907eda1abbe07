#include "io/process.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <filesystem>

#include "base/manual_clock.h"
#include "io/descriptor.h"
#include "io/file.h"
#include "io/test_support.h"
#include "testkit/temp_dir.h"

namespace landfall::io {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

ProcessSpec shell(const std::string& script) {
  ProcessSpec spec;
  spec.argv = {"sh", "-c", script};
  spec.env = {{"PATH", "/usr/bin:/bin"}};
  return spec;
}

class Process : public testing::Test {
 protected:
  Result<ProcessResult> run(const ProcessSpec& spec) { return runner_->run(spec, stop_.get_token()); }

  ManualClock clock_;
  std::unique_ptr<ProcessRunner> runner_ = make_system_process_runner(clock_);
  std::stop_source stop_;
};

TEST_F(Process, CapturesBothOutputsAndTheExitCode) {
  const auto result = run(shell("echo out; echo err >&2; exit 7"));
  ASSERT_TRUE(result) << result.error().message();
  EXPECT_EQ(result->out, "out\n");
  EXPECT_EQ(result->err, "err\n");
  EXPECT_EQ(result->exit_code, 7);
  EXPECT_FALSE(result->succeeded());
}

TEST_F(Process, TellsWhichSignalEndedIt) {
  const auto result = run(shell("kill -9 $$"));
  ASSERT_TRUE(result);
  EXPECT_EQ(result->signal, SIGKILL);
  EXPECT_FALSE(result->succeeded());
  EXPECT_EQ(describe(*result), "ended by signal 9 (Killed)");
}

TEST_F(Process, DescribesAFailureByTheLastLineOfStandardError) {
  const auto result = run(shell("echo first >&2; printf 'Fatal: wrong password\\n\\n' >&2; exit 1"));
  ASSERT_TRUE(result);
  EXPECT_EQ(describe(*result), "exit status 1: Fatal: wrong password");
}

TEST_F(Process, PassesArgumentsAsTheyAreWithoutAShell) {
  ProcessSpec spec;
  spec.argv = {"printf", "[%s]", "a b", "$HOME", "*", ""};
  EXPECT_EQ(run(spec)->out, "[a b][$HOME][*][]");
}

TEST_F(Process, GivesTheProgramExactlyTheEnvironmentOfTheSpec) {
  ProcessSpec spec;
  spec.argv = {"/usr/bin/env"};
  spec.env = {{"A", "1"}, {"RESTIC_PASSWORD", "x=y z"}};
  EXPECT_EQ(run(spec)->out, "A=1\nRESTIC_PASSWORD=x=y z\n");
}

TEST_F(Process, RunsInTheDirectoryOfTheSpec) {
  ProcessSpec spec = shell("pwd");
  spec.directory = "/usr/bin";
  EXPECT_EQ(run(spec)->out, "/usr/bin\n");
}

TEST_F(Process, HasAnEmptyInputUnlessGivenOne) { EXPECT_EQ(run(shell("cat; echo end"))->out, "end\n"); }

TEST_F(Process, FeedsBytesOfAnySize) {
  ProcessSpec spec = shell("wc -c");
  spec.input = std::string(3'000'000, 'x');
  EXPECT_EQ(run(spec)->out, "3000000\n");
}

TEST_F(Process, FeedsWhatAReaderHas) {
  const std::string text(300'000, 'y');
  StepReader reader(text, 1000);
  ProcessSpec spec = shell("cat");
  spec.input = &reader;
  EXPECT_EQ(run(spec)->out, text);
}

TEST_F(Process, AFailingReaderEndsTheProgramInsteadOfClosingItsInput) {
  const std::string text(1000, 'y');
  StepReader reader(text, 100, 500);
  const TempDir directory = make_temp_dir();
  ProcessSpec spec = shell("cat > /dev/null && touch took-half-for-all");
  spec.directory = directory.path();
  spec.input = &reader;
  const auto result = run(spec);
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code(), Code::kUnavailable);
  EXPECT_EQ(result.error().message(), "run \"sh\": its input: connection cut");
  EXPECT_NE(::access(directory.path("took-half-for-all").c_str(), F_OK), 0);
}

TEST_F(Process, AProgramThatDoesNotReadItsInputIsNoError) {
  ProcessSpec spec = shell("exit 0");
  spec.input = std::string(3'000'000, 'x');
  const auto result = run(spec);
  ASSERT_TRUE(result) << result.error().message();
  EXPECT_TRUE(result->succeeded());
}

TEST_F(Process, HandsOutLinesAsTheyComeAndALastOneWithoutAnEnd) {
  std::vector<std::string> out;
  std::vector<std::string> err;
  ProcessSpec spec = shell("printf 'one\\r\\n\\nthree\\nfour'; echo oops >&2");
  spec.on_stdout_line = [&](std::string_view line) { out.emplace_back(line); };
  spec.on_stderr_line = [&](std::string_view line) { err.emplace_back(line); };
  const auto result = run(spec);
  ASSERT_TRUE(result);
  EXPECT_THAT(out, ElementsAre("one", "", "three", "four"));
  EXPECT_THAT(err, ElementsAre("oops"));
  EXPECT_EQ(result->out, "");
}

TEST_F(Process, HandsOutALineThatIsOverwritten) {
  std::vector<std::string> out;
  ProcessSpec spec = shell("printf '1 of 3\\r2 of 3\\r'; printf '3 of 3\\r\\ndone\\r'");
  spec.on_stdout_line = [&](std::string_view line) { out.emplace_back(line); };
  ASSERT_TRUE(run(spec));
  EXPECT_THAT(out, ElementsAre("1 of 3", "2 of 3", "3 of 3", "done"));
}

TEST_F(Process, HandsOutALineWhileTheProgramIsStillRunning) {
  ProcessSpec spec = shell("echo ready; sleep 1000");
  spec.on_stdout_line = [&](std::string_view) { stop_.request_stop(); };
  const auto result = run(spec);
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code(), Code::kCancelled);
}

TEST_F(Process, CutsALineThatIsTooLongAndGoesOn) {
  std::vector<std::string> lines;
  ProcessSpec spec = shell("head -c 5000000 /dev/zero | tr '\\0' x; echo; echo short");
  spec.line_limit = 10;
  spec.on_stdout_line = [&](std::string_view line) { lines.emplace_back(line); };
  ASSERT_TRUE(run(spec));
  EXPECT_THAT(lines, ElementsAre("xxxxxxxxxx", "short"));
}

TEST_F(Process, TooMuchOutputEndsTheProgramWithAnError) {
  ProcessSpec spec = shell("yes");
  spec.stdout_limit = 1000;
  const auto result = run(spec);
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code(), Code::kTooLarge);
  EXPECT_EQ(result.error().message(), "run \"sh\": more than 1000 bytes of standard output");
}

TEST_F(Process, KeepsTheEndOfAVeryLongStandardError) {
  ProcessSpec spec = shell("i=0; while [ $i -lt 3000 ]; do echo line $i >&2; i=$((i+1)); done");
  spec.stderr_limit = 19;
  const auto result = run(spec);
  ASSERT_TRUE(result);
  EXPECT_EQ(result->err, "ine 2998\nline 2999\n");
}

TEST_F(Process, NamesAProgramThatDoesNotExist) {
  ProcessSpec spec;
  spec.argv = {"no-such-program", "--password=secret"};
  spec.env = {{"TOKEN", "secret"}};
  const auto result = run(spec);
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code(), Code::kNotFound);
  EXPECT_EQ(result.error().message(), "run \"no-such-program\": no such program in the PATH");
  spec.argv = {"/no/such/program", "--password=secret"};
  EXPECT_EQ(run(spec).error().code(), Code::kNotFound);
  EXPECT_THAT(run(spec).error().message(), HasSubstr("/no/such/program"));
  EXPECT_THAT(run(spec).error().message(), Not(HasSubstr("secret")));
}

TEST_F(Process, SaysWhenAProgramMayNotBeRun) {
  const TempDir directory = make_temp_dir();
  ASSERT_TRUE(write_file(directory.path("tool"), "#!/bin/sh\n"));
  ProcessSpec spec;
  spec.argv = {"tool"};
  spec.env = {{"PATH", directory.path()}};
  EXPECT_EQ(run(spec).error().code(), Code::kForbidden);
  spec.argv = {directory.path("tool")};
  EXPECT_EQ(run(spec).error().code(), Code::kForbidden);
}

TEST_F(Process, SaysWhenAFileIsNotAProgram) {
  const TempDir directory = make_temp_dir();
  ASSERT_TRUE(write_file(directory.path("tool"), "\x7f not a program", {.mode = 0700}));
  ProcessSpec spec;
  spec.argv = {directory.path("tool")};
  EXPECT_EQ(run(spec).error().code(), Code::kInvalid);
}

TEST_F(Process, RefusesWhatCannotBePassedOnWithoutShowingIt) {
  ProcessSpec spec;
  EXPECT_EQ(run(spec).error().code(), Code::kInvalid);
  spec.argv = {"true", std::string("secret\0x", 8)};
  EXPECT_EQ(run(spec).error().code(), Code::kInvalid);
  spec.argv = {"true"};
  spec.env = {{"secret=x", "y"}};
  EXPECT_EQ(run(spec).error().code(), Code::kInvalid);
  EXPECT_THAT(run(spec).error().message(), Not(HasSubstr("secret")));
  spec.env = {{"NAME", std::string("secret\0x", 8)}};
  EXPECT_THAT(run(spec).error().message(), Not(HasSubstr("secret")));
}

TEST_F(Process, NamesADirectoryThatDoesNotExist) {
  ProcessSpec spec = shell("true");
  spec.directory = "/no/such/directory";
  const auto result = run(spec);
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code(), Code::kNotFound);
  EXPECT_THAT(result.error().message(), HasSubstr("/no/such/directory"));
}

TEST_F(Process, DoesNotStartAfterAStop) {
  stop_.request_stop();
  EXPECT_EQ(run(shell("true")).error().code(), Code::kCancelled);
}

TEST_F(Process, LeavesNoDescriptorToTheChildButItsStreams) {
  // Not O_CLOEXEC, as a careless library would open it.
  const Descriptor leaky(::open("/dev/null", O_RDONLY));  // NOLINT(android-cloexec-open)
  ASSERT_TRUE(leaky);
  const auto result = run(shell("ls /proc/$$/fd"));
  ASSERT_TRUE(result);
  EXPECT_EQ(result->out, "0\n1\n2\n");
}

TEST_F(Process, GivesTheChildDefaultSignalsAndASessionOfItsOwn) {
  struct sigaction ignore{};
  struct sigaction before{};
  ignore.sa_handler = SIG_IGN;
  ASSERT_EQ(::sigaction(SIGPIPE, &ignore, &before), 0);
  const auto result = run(shell("grep -E 'SigIgn|SigBlk' /proc/self/status; test $(cut -d' ' -f6 /proc/$$/stat) = $$"));
  ::sigaction(SIGPIPE, &before, nullptr);
  ASSERT_TRUE(result);
  // Signals 32 and 33 are glibc's own.
  EXPECT_THAT(result->out, testing::MatchesRegex("SigBlk:\t0000000000000000\nSigIgn:\t0000000[01][08]0000000\n"));
  EXPECT_TRUE(result->succeeded());
}

TEST_F(Process, LeavesNoZombie) {
  ASSERT_TRUE(run(shell("exit 0")));
  ProcessSpec endless = shell("yes");
  endless.stdout_limit = 10;
  ASSERT_FALSE(run(endless));
  errno = 0;
  EXPECT_EQ(::waitpid(-1, nullptr, WNOHANG), -1);
  EXPECT_EQ(errno, ECHILD);
}

TEST_F(Process, LeaksNoDescriptor) {
  const auto next_descriptor = [] {
    const Descriptor probe(::open("/dev/null", O_RDONLY | O_CLOEXEC));
    return probe.get();
  };
  const int before = next_descriptor();
  for (int i = 0; i < 5; ++i) {
    ProcessSpec spec = shell("cat");
    spec.input = std::string("x");
    ASSERT_TRUE(run(spec));
    spec.argv = {"no-such-program"};
    ASSERT_FALSE(run(spec));
  }
  EXPECT_EQ(next_descriptor(), before);
}

TEST_F(Process, DoesNotWaitForWhatTheProgramLeavesInTheBackground) {
  // The grandchild keeps all three streams open, and never reads its input.
  ProcessSpec spec = shell("echo before; sleep 1000 <&0 & echo $!");
  spec.input = std::string(1'000'000, 'x');
  const auto result = run(spec);
  ASSERT_TRUE(result) << result.error().message();
  ASSERT_THAT(result->out, testing::StartsWith("before\n"));
  EXPECT_EQ(::kill(std::stoi(result->out.substr(7)), SIGKILL), 0) << "it is left alone after a regular end";
}

TEST_F(Process, AcceptsStandardStreamsThatAreClosedHere) {
  // In a child of its own, because the test needs its streams.
  const pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    ::close(0);
    ::close(1);
    ::close(2);
    ProcessSpec spec = shell("cat; echo err >&2");
    spec.input = std::string("in");
    const auto result = run(spec);
    ::_exit(result && result->out == "in" && result->err == "err\n" ? 0 : 1);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
}

TEST_F(Process, IsGoneWhenTheOneThatStartedItIsKilled) {
  const testkit::TempDir directory;
  const std::string file = directory.path() / "pid";
  const pid_t parent = ::fork();
  ASSERT_GE(parent, 0);
  if (parent == 0) {
    const ProcessSpec spec = shell("echo $$ > " + file + ".new; mv " + file + ".new " + file + "; exec sleep 1000");
    (void)make_system_process_runner(system_clock())->run(spec, {});
    ::_exit(0);
  }
  const auto soon = [](const auto& holds) {
    const SteadyTime deadline = system_clock().after(std::chrono::seconds(60));
    while (!holds() && system_clock().now() < deadline) system_clock().sleep_for(milliseconds(10), {});
    return holds();
  };
  ASSERT_TRUE(soon([&] { return std::filesystem::exists(file); }));
  const pid_t program = std::stoi(read_file(file, 100).value());
  ASSERT_EQ(::kill(program, 0), 0);
  ASSERT_EQ(::kill(parent, SIGKILL), 0);
  ASSERT_EQ(::waitpid(parent, nullptr, 0), parent);
  // Whoever collects it now may be slow: a zombie is gone, too.
  const auto is_gone = [&] {
    const auto state = read_file("/proc/" + std::to_string(program) + "/stat", 4096);
    return !state || state->find(") Z ") != std::string::npos;
  };
  EXPECT_TRUE(soon(is_gone));
}

}  // namespace
}  // namespace landfall::io
