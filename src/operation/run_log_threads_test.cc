#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <thread>
#include <vector>

#include "base/manual_clock.h"
#include "io/gzip_reader.h"
#include "json/json.h"
#include "json/parse.h"
#include "operation/run_log.h"
#include "testkit/temp_dir.h"

namespace landfall::operation {
namespace {

using testing::HasSubstr;

class RunLogTest : public testing::Test {
 protected:
  std::string stored() {
    const auto file = log_->finish().value();
    io::SpoolReader reader(*file, 0, file->size());
    io::GzipReader text(reader);
    return io::read_all(text, 1 << 24).value();
  }

  const testkit::TempDir directory_;
  ManualClock clock_;
  std::shared_ptr<RunLog> log_ = RunLog::create(directory_.path(), io::LogFormat::kText).value();
  const Logger run_{clock_, log_};
};

TEST_F(RunLogTest, KeepsEveryLineAndJudgesByThem) {
  const Logger backup = run_.with({{"backup", "velero/b1"}});
  backup.info("Backing up");
  backup.error("Error backing up item", {{"name", "db-0"}, {"error", "no node agent"}});
  backup.warning("Skip", {{"resource", "pods"}, {"name", "db-0"}, {"namespace", "shop"}, {"error", "why"}});
  backup.warning("Odd", {{"namespace", ""}});
  EXPECT_EQ(log_->errors(), 1);
  EXPECT_EQ(log_->warnings(), 2);
  EXPECT_EQ(json::dump(log_->results().to_json()),
            R"({"errors":{"velero":[" name: /db-0 message: /Error backing up item error: /no node agent"]},)"
            R"("warnings":{"cluster":[" message: /Odd"],)"
            R"("namespaces":{"shop":[" resource: /pods name: /db-0 message: /Skip error: /why"]}}})");
  EXPECT_THAT(stored(), HasSubstr("level=info msg=\"Backing up\" backup=velero/b1\n"));
}

TEST_F(RunLogTest, CanBeReadWhileItGrows) {
  run_.info("one");
  const std::string first = log_->read(0, 1000).value();
  EXPECT_THAT(first, HasSubstr("msg=one"));
  run_.info("two");
  const std::string next = log_->read(first.size(), 1000).value();
  EXPECT_THAT(next, testing::AllOf(HasSubstr("msg=two"), testing::Not(HasSubstr("one"))));
  EXPECT_EQ(log_->read(first.size() + next.size(), 1000).value(), "");
}

TEST_F(RunLogTest, EndsOnceAndCountsWhatComesLate) {
  run_.info("one");
  EXPECT_EQ(log_->finish().value(), log_->finish().value());
  run_.info("late");
  EXPECT_EQ(log_->lost(), 1);
  EXPECT_THAT(stored(), testing::Not(HasSubstr("late")));
}

TEST_F(RunLogTest, DoesNotMixTheLinesOfManyThreads) {
  {
    std::vector<std::jthread> threads;
    for (int t = 0; t < 4; ++t) {
      threads.emplace_back([&] {
        for (int i = 0; i < 200; ++i) run_.warning("a line of some length", {{"namespace", "shop"}});
      });
    }
  }
  EXPECT_EQ(log_->warnings(), 800);
  const std::string text = stored();
  EXPECT_EQ(std::ranges::count(text, '\n'), 800);
  std::size_t at = 0;
  for (std::size_t end = text.find('\n'); end != std::string::npos; at = end + 1, end = text.find('\n', at)) {
    ASSERT_TRUE(text.substr(at, end - at).ends_with("namespace=shop"));
  }
}

}  // namespace
}  // namespace landfall::operation
