#include "terminal/live_line.h"

#include <gtest/gtest.h>

#include "base/manual_clock.h"

namespace landfall::terminal {
namespace {

using std::chrono::seconds;

TEST(LiveLine, RedrawsInPlaceOnATerminal) {
  ManualClock clock;
  io::StringWriter out;
  LiveLine line(out, {.is_terminal = true, .columns = 20}, clock);
  ASSERT_TRUE(line.show("10 %"));
  ASSERT_TRUE(line.show("20 %"));
  ASSERT_TRUE(line.clear());
  EXPECT_EQ(out.str(), "\r10 %\x1b[K\r20 %\x1b[K\r\x1b[K");
}

TEST(LiveLine, NeverReachesTheLastColumnOfATerminal) {
  ManualClock clock;
  io::StringWriter out;
  LiveLine line(out, {.is_terminal = true, .columns = 8}, clock);
  ASSERT_TRUE(line.show("0123456789"));
  EXPECT_EQ(out.str(), "\r0123456\x1b[K");
}

TEST(LiveLine, WritesAPlainLineNowAndThenIntoAPipe) {
  ManualClock clock;
  io::StringWriter out;
  LiveLine line(out, {.is_terminal = false}, clock);
  ASSERT_TRUE(line.show("10 %"));
  EXPECT_EQ(out.str(), "") << "what ends within ten seconds needs no progress";
  clock.advance(seconds(10));
  ASSERT_TRUE(line.show("20 %"));
  clock.advance(seconds(9));
  ASSERT_TRUE(line.show("30 %"));
  clock.advance(seconds(1));
  ASSERT_TRUE(line.show("40 %"));
  ASSERT_TRUE(line.clear());
  EXPECT_EQ(out.str(), "20 %\n40 %\n");
}

}  // namespace
}  // namespace landfall::terminal
