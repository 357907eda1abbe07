#include "cli/log_messages.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace landfall::cli {
namespace {

TEST(LogMessages, ReadsWarningsAndErrorsInBothFormats) {
  const auto warning = read_log_message(
      R"x(time="2026-05-20T10:00:00Z" level=warning msg="a \"quoted\" thing\nhere" name=web namespace=shop resource=pods)x");
  ASSERT_TRUE(warning);
  EXPECT_FALSE(warning->is_error);
  EXPECT_EQ(warning->text, "a \"quoted\" thing here, pods, shop, web");
  const auto error = read_log_message(R"({"level":"error","msg":"no","error":"timed out"})");
  ASSERT_TRUE(error);
  EXPECT_TRUE(error->is_error);
  EXPECT_EQ(error->text, "no, timed out");
}

TEST(LogMessages, PassesOverWhatIsNoneAndWhatCannotBeRead) {
  for (const char* line : {"", "level=", R"(time=x level=info msg="level=error")", R"(msg="level=error)", "{",
                           R"({"level":["error"]})", R"(level=error)", R"({"level":"error"})", R"(msg="x\)"}) {
    EXPECT_FALSE(read_log_message(line)) << line;
  }
}

TEST(LogMessages, PutsLinesTogetherThatComeInPieces) {
  std::vector<LogMessage> heard;
  LogMessages log([&](LogMessage message) { heard.push_back(std::move(message)); });
  const std::string text = "level=info msg=a\nlevel=warning msg=b\nlevel=error msg=" + std::string(100'000, 'c') + "\n";
  for (const char byte : text) ASSERT_TRUE(log.write(std::string_view(&byte, 1)));
  ASSERT_EQ(heard.size(), 2U);
  EXPECT_EQ(heard[0], (LogMessage{.is_error = false, .text = "b"}));
  EXPECT_TRUE(heard[1].is_error);
  EXPECT_LT(heard[1].text.size(), 20'000U);
}

TEST(LogMessages, KeepsTheNewest) {
  std::vector<LogMessage> kept;
  for (const char* text : {"1", "2", "3", "4"}) keep_newest(kept, {.text = text});
  ASSERT_EQ(kept.size(), kNewestMessages);
  EXPECT_EQ(kept.front().text, "2");
  EXPECT_EQ(kept.back().text, "4");
}

}  // namespace
}  // namespace landfall::cli
