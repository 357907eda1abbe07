#include "plugin/log_line.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <string>
#include <variant>

namespace landfall::plugin {
namespace {

std::string value_of(const LogLine& line, std::string_view key) {
  for (const LogField& field : line.fields) {
    if (field.key == key) {
      const auto* text = std::get_if<std::string>(&field.value);
      return text != nullptr ? *text : "not a text";
    }
  }
  return "none";
}

TEST(LogLineReader, ReadsWhatAVeleroPluginWrites) {
  const LogLine line = LogLineReader().read(
      R"({"@level":"warn","@message":"slow down","level":"warning","logSource":"a.go:12","@logSourceSetBy":"plugin","tries":3})");
  EXPECT_EQ(line.level, LogLevel::kWarning);
  EXPECT_EQ(line.message, "slow down");
  EXPECT_EQ(line.fields.size(), 2U);
  EXPECT_EQ(value_of(line, "logSource"), "a.go:12");
}

TEST(LogLineReader, TakesTextByItsTag) {
  LogLineReader reader;
  EXPECT_EQ(reader.read("[ERROR] bad").level, LogLevel::kError);
  EXPECT_EQ(reader.read("[WARN] hm").level, LogLevel::kWarning);
  EXPECT_EQ(reader.read("whatever").level, LogLevel::kDebug);
}

TEST(LogLineReader, KnowsAPanicAndAllThatFollows) {
  LogLineReader reader;
  EXPECT_EQ(reader.read("panic: nil pointer").level, LogLevel::kError);
  EXPECT_EQ(reader.read("goroutine 1 [running]:").level, LogLevel::kError);
  EXPECT_EQ(reader.read("[INFO] x").level, LogLevel::kInfo);
}

TEST(LogLineReader, SurvivesWhatIsNoLogLine) {
  LogLineReader reader;
  for (const std::string text : {R"({"@level":7,"@message":"x"})", R"({"@level":"info","@message":[1]})",
                                 R"({"@level":"panic","@message":"x"})", "{\"@message\":", "", "\xff\xfe"}) {
    EXPECT_EQ(reader.read(text).level, LogLevel::kDebug) << text;
  }
  const LogLine huge = reader.read(R"({"@level":"info","@message":")" + std::string(60'000, 'x') + "\"}");
  EXPECT_EQ(huge.level, LogLevel::kInfo);
  EXPECT_LE(huge.message.size(), LogLineReader::kLongestValue + 3);
  std::string many = R"({"@level":"info","@message":"m")";
  for (int i = 0; i < 1000; ++i) many += ",\"k" + std::to_string(i) + "\":1";
  EXPECT_EQ(reader.read(many + "}").fields.size(), LogLineReader::kMostFields);
}

RC_GTEST_PROP(LogLineReader, AnyBytesAreALineOfBoundedSize, (const std::string& text)) {
  const LogLine line = LogLineReader().read(text);
  RC_ASSERT(line.message.size() <= 3 * LogLineReader::kLongestValue + 3);
}

}  // namespace
}  // namespace landfall::plugin
