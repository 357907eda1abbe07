#include "base/log_format.h"

#include <gtest/gtest.h>

#include <cmath>

namespace landfall {
namespace {

// 2026-11-15T07:29:43.9Z
constexpr WallTime kMoment{std::chrono::milliseconds(1'794'727'783'900)};

LogEntry entry(std::string message, std::vector<LogField> fields = {}) {
  return {.time = kMoment, .level = LogLevel::kInfo, .message = std::move(message), .fields = std::move(fields)};
}

// What the lines of these fields look like after "…level=info msg=m ".
std::string text_of(std::vector<LogField> fields) {
  const std::string line = format_text(entry("m", std::move(fields)));
  const std::string_view start = "time=\"2026-11-15T07:29:43Z\" level=info msg=m ";
  EXPECT_TRUE(line.starts_with(start)) << line;
  return line.substr(start.size(), line.size() - start.size() - 1);
}

std::string json_of(LogField field) {
  field.key = "a";
  const std::string line = format_json(entry("", {std::move(field)}));
  const std::string_view start = "{\"a\":";
  return line.substr(start.size(), line.find(",\"level\"") - start.size());
}

TEST(LogText, WritesALineLikeVelero) {
  EXPECT_EQ(format_text(entry("Starting restore of backup velero/bookshop",
                              {{"restore", "velero/plain"}, {"logSource", "pkg/restore/restore.go:719"}})),
            "time=\"2026-11-15T07:29:43Z\" level=info msg=\"Starting restore of backup velero/bookshop\" "
            "logSource=\"pkg/restore/restore.go:719\" restore=velero/plain\n");
}

TEST(LogText, QuotesOnlyWhatNeedsIt) {
  EXPECT_EQ(text_of({{"a", "aZ09-._/@^+"}}), "a=aZ09-._/@^+");
  EXPECT_EQ(text_of({{"a", "two words"}}), "a=\"two words\"");
  EXPECT_EQ(text_of({{"a", "k=v"}}), "a=\"k=v\"");
  EXPECT_EQ(text_of({{"a", "say \"hi\"\n\xFF"}}), R"(a="say \"hi\"\n\xff")");
  EXPECT_EQ(text_of({{"a", "caf\u00E9"}}), "a=\"caf\u00E9\"");
}

TEST(LogText, LeavesAnEmptyValueEmptyAndANameAsItIs) {
  EXPECT_EQ(text_of({{"namespace", ""}, {"original name", "x"}}), "namespace= original name=x");
}

TEST(LogText, LeavesOutAnEmptyMessage) {
  EXPECT_EQ(format_text(entry("", {{"a", 1}})), "time=\"2026-11-15T07:29:43Z\" level=info a=1\n");
}

TEST(LogText, SortsByNameWithCapitalsFirst) { EXPECT_EQ(text_of({{"b", 1}, {"a", 2}, {"Z", 3}}), "Z=3 a=2 b=1"); }

TEST(LogText, MovesFieldsThatHaveAReservedName) {
  EXPECT_EQ(text_of({{"time", 1}, {"level", 2}, {"msg", 3}, {"logrus_error", 4}}),
            "fields.level=2 fields.logrus_error=4 fields.msg=3 fields.time=1");
}

TEST(LogText, WritesNumbersLikeGo) {
  EXPECT_EQ(text_of({{"a", -5}, {"b", true}, {"c", false}}), "a=-5 b=true c=false");
  EXPECT_EQ(text_of({{"a", 1.5}}), "a=1.5");
  EXPECT_EQ(text_of({{"a", 100000.0}}), "a=100000");
  EXPECT_EQ(text_of({{"a", 1234567.0}}), "a=1.234567e+06");
  EXPECT_EQ(text_of({{"a", 0.0001}}), "a=0.0001");
  EXPECT_EQ(text_of({{"a", 0.00001}}), "a=1e-05");
  EXPECT_EQ(text_of({{"a", -0.0}}), "a=-0");
  EXPECT_EQ(text_of({{"a", std::nan("")}, {"b", INFINITY}, {"c", -INFINITY}}), "a=NaN b=+Inf c=-Inf");
}

TEST(LogJson, WritesSortedNames) {
  LogEntry warning = entry("disk <90% full>", {{"restore", "velero/plain"}, {"backup", "b"}});
  warning.level = LogLevel::kWarning;
  EXPECT_EQ(format_json(warning),
            "{\"backup\":\"b\",\"level\":\"warning\",\"msg\":\"disk \\u003c90% full\\u003e\","
            "\"restore\":\"velero/plain\",\"time\":\"2026-11-15T07:29:43Z\"}\n");
}

TEST(LogJson, KeepsAnEmptyMessageAndMovesReservedNames) {
  EXPECT_EQ(format_json(entry("", {{"msg", "mine"}})),
            "{\"fields.msg\":\"mine\",\"level\":\"info\",\"msg\":\"\",\"time\":\"2026-11-15T07:29:43Z\"}\n");
}

TEST(LogJson, WritesNumbersLikeGo) {
  EXPECT_EQ(json_of({"", 7}), "7");
  EXPECT_EQ(json_of({"", true}), "true");
  EXPECT_EQ(json_of({"", 1234567.25}), "1234567.25");
  EXPECT_EQ(json_of({"", 1e20}), "100000000000000000000");
  EXPECT_EQ(json_of({"", 1e21}), "1e+21");
  EXPECT_EQ(json_of({"", 0.000001}), "0.000001");
  EXPECT_EQ(json_of({"", 0.00000012}), "1.2e-7");
  EXPECT_EQ(json_of({"", 0.0}), "0");
  EXPECT_EQ(json_of({"", std::nan("")}), "null");
}

TEST(LogJson, ReplacesBytesThatAreNotUtf8) { EXPECT_EQ(json_of({"", "a\xFF"}), R"("a\ufffd")"); }

}  // namespace
}  // namespace landfall
