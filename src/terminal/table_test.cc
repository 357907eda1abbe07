#include "terminal/table.h"

#include <gtest/gtest.h>

namespace landfall::terminal {
namespace {

TEST(Table, PadsColumnsAsKubectlDoes) {
  Table table({"NAME", "STATUS", "ERRORS"});
  table.add({"nightly-20260101", "Completed", "0"});
  table.add({"a", "Failed", "12"});
  EXPECT_EQ(table.text(),
            "NAME               STATUS      ERRORS\n"
            "nightly-20260101   Completed   0\n"
            "a                  Failed      12\n");
}

TEST(Table, KeepsShortColumnsSixWide) {
  Table table({"A", "B"});
  table.add({"x", "y"});
  EXPECT_EQ(table.text(), "A     B\nx     y\n");
}

TEST(Table, WithoutRowsIsNoTextAtAll) { EXPECT_EQ(Table({"NAME"}).text(), ""); }

TEST(Table, AlignsWideCharacters) {
  Table table({"OWNER", "N"});
  table.add({"書店", "1"});
  table.add({"björn", "2"});
  EXPECT_EQ(table.text(), "OWNER   N\n書店    1\nbjörn   2\n");
}

TEST(Table, LetsNoEscapeSequenceReachTheTerminal) {
  Table table({"NAME", "X"});
  table.add({"a\x1b[2Jb\n", "1"});
  EXPECT_EQ(table.text().find('\x1b'), std::string::npos);
  EXPECT_NE(table.text().find("a\uFFFD[2Jb\uFFFD"), std::string::npos);
}

}  // namespace
}  // namespace landfall::terminal
