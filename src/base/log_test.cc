#include "base/log.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/manual_clock.h"

namespace landfall {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

class MemorySink final : public LogSink {
 public:
  void write(const LogEntry& entry) override { entries.push_back(entry); }

  // The entries as "level message key=value …".
  std::vector<std::string> lines() const {
    std::vector<std::string> out;
    for (const LogEntry& entry : entries) {
      std::string line = std::string(to_string(entry.level)) + " " + entry.message;
      for (const LogField& field : entry.fields) {
        const auto* text = std::get_if<std::string>(&field.value);
        line += " " + field.key + "=" + (text != nullptr ? *text : std::to_string(std::get<std::int64_t>(field.value)));
      }
      out.push_back(line);
    }
    return out;
  }

  std::vector<LogEntry> entries;
};

class LoggerTest : public ::testing::Test {
 protected:
  ManualClock clock_;
  std::shared_ptr<MemorySink> sink_ = std::make_shared<MemorySink>();
};

TEST_F(LoggerTest, StampsAnEntryWithTheClocksTime) {
  clock_.advance(std::chrono::seconds(5));
  Logger(clock_, sink_).info("started");
  EXPECT_EQ(sink_->entries.at(0).time, clock_.wall_now());
}

TEST_F(LoggerTest, DropsWhatIsBelowItsLevel) {
  const Logger log(clock_, sink_, LogLevel::kWarning);
  log.debug("d");
  log.info("i");
  log.warning("w");
  log.error("e");
  EXPECT_THAT(sink_->lines(), ElementsAre("warning w", "error e"));
}

TEST_F(LoggerTest, ANarrowedLoggerAddsItsFieldsAndLeavesTheFirstAlone) {
  const Logger log(clock_, sink_);
  const Logger narrowed = log.with({{"restore", "velero/plain"}});
  narrowed.info("one", {{"items", 3}});
  log.info("two");
  EXPECT_THAT(sink_->lines(), ElementsAre("info one restore=velero/plain items=3", "info two"));
}

TEST_F(LoggerTest, TheLaterFieldOfANameWins) {
  Logger(clock_, sink_).with({{"a", "1"}}).with({{"a", "2"}}).info("m", {{"b", "3"}, {"b", "4"}});
  EXPECT_THAT(sink_->lines(), ElementsAre("info m a=2 b=4"));
}

TEST_F(LoggerTest, EachSinkKeepsItsOwnLevel) {
  const auto file = std::make_shared<MemorySink>();
  const Logger log = Logger(clock_, sink_, LogLevel::kError).also_to(file, LogLevel::kDebug);
  log.debug("details");
  log.error("broken");
  EXPECT_THAT(sink_->lines(), ElementsAre("error broken"));
  EXPECT_THAT(file->lines(), ElementsAre("debug details", "error broken"));
}

TEST_F(LoggerTest, AnErrorBecomesTheErrorField) {
  Logger(clock_, sink_).warning("skipped", {LogField(Error(Code::kNotFound, "no such pod"))});
  EXPECT_THAT(sink_->lines(), ElementsAre("warning skipped error=no such pod"));
}

TEST_F(LoggerTest, WithoutASinkDropsEverything) {
  Logger().error("nobody hears this");
  EXPECT_THAT(sink_->lines(), IsEmpty());
}

TEST(LogLevel, ReadsEveryNameThatItWrites) {
  for (const LogLevel level :
       {LogLevel::kTrace, LogLevel::kDebug, LogLevel::kInfo, LogLevel::kWarning, LogLevel::kError, LogLevel::kFatal}) {
    EXPECT_EQ(parse_log_level(to_string(level)), level);
  }
  EXPECT_EQ(parse_log_level("warn"), LogLevel::kWarning);
}

TEST(LogLevel, RefusesAnUnknownName) {
  EXPECT_EQ(parse_log_level("loud").error().message(),
            "unknown log level \"loud\": use one of trace, debug, info, warning, error, fatal");
}

}  // namespace
}  // namespace landfall
