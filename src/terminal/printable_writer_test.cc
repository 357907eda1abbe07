#include "terminal/printable_writer.h"

#include <gtest/gtest.h>

namespace landfall::terminal {
namespace {

TEST(PrintableWriter, LetsLinesThroughAndNothingThatMovesTheCursor) {
  io::StringWriter out;
  PrintableWriter writer(out);
  ASSERT_TRUE(writer.write("plain \xc3"));
  ASSERT_TRUE(writer.write("\xbc\nred \x1b[31m and \x1b]0;title\x07\nlast"));
  ASSERT_TRUE(writer.close());
  EXPECT_EQ(out.str().find('\x1b'), std::string::npos);
  EXPECT_EQ(out.str().find('\x07'), std::string::npos);
  EXPECT_TRUE(out.str().starts_with("plain \xc3\xbc\nred "));
  EXPECT_TRUE(out.str().ends_with("\nlast"));
}

TEST(PrintableWriter, CutsALineThatNeverEnds) {
  io::StringWriter out;
  PrintableWriter writer(out);
  for (int i = 0; i < 100; ++i) ASSERT_TRUE(writer.write(std::string(10'000, 'x')));
  EXPECT_GT(out.str().size(), 900'000U);
}

}  // namespace
}  // namespace landfall::terminal
