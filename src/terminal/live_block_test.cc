#include "terminal/live_block.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

namespace landfall::terminal {
namespace {

constexpr std::string_view kWrapOff = "\x1b[?7l";
constexpr std::string_view kWrapOn = "\x1b[?7h";
constexpr std::string_view kErase = "\x1b[K";

// A terminal as far as the block makes use of one, without an end below. A narrower window wraps the rows anew, or cuts
// them off, and keeps the cursor where its text is.
class Screen {
 public:
  explicit Screen(int columns) : columns_(static_cast<std::size_t>(columns)) {}

  void write(std::string_view bytes) {
    while (!bytes.empty()) bytes.remove_prefix(take(bytes));
  }
  void resize(int columns, bool wraps) {
    columns_ = static_cast<std::size_t>(columns);
    std::vector<std::string> rows;
    std::size_t at = 0;
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      if (i == row_) at = rows.size();
      const std::string& text = rows_[i];
      rows.push_back(text.substr(0, columns_));
      for (std::size_t done = columns_; wraps && done < text.size(); done += columns_) {
        rows.push_back(text.substr(done, columns_));
      }
    }
    rows_ = std::move(rows);
    row_ = at;
  }
  // Without empty rows at the end.
  std::vector<std::string> rows() const {
    std::vector<std::string> result = rows_;
    while (!result.empty() && result.back().empty()) result.pop_back();
    return result;
  }

 private:
  std::size_t take(std::string_view bytes) {
    if (bytes.starts_with("\x1b[")) {
      const std::size_t end = bytes.find_first_of("ABJKhlm", 2);
      control(bytes[end], end == 2 ? 1 : std::atoi(std::string(bytes.substr(2, end - 2)).c_str()));
      return end + 1;
    }
    if (bytes.front() == '\r') {
      column_ = 0;
    } else if (bytes.front() == '\n') {
      if (++row_ == rows_.size()) rows_.emplace_back();
    } else if (column_ < columns_) {
      std::string& row = rows_[row_];
      if (row.size() <= column_) row.resize(column_ + 1, ' ');
      row[column_++] = bytes.front();
    }
    return 1;
  }
  void control(char what, int number) {
    const auto count = static_cast<std::size_t>(std::max(number, 0));
    if (what == 'A') row_ -= std::min(count, row_);
    if (what == 'B') row_ = std::min(row_ + count, rows_.size() - 1);
    if (what == 'K' || what == 'J') rows_[row_].resize(std::min(column_, rows_[row_].size()));
    if (what == 'J') rows_.resize(row_ + 1);
  }

  std::size_t columns_;
  std::vector<std::string> rows_{""};
  std::size_t row_ = 0;
  std::size_t column_ = 0;
};

std::vector<StyledLine> plain(const std::vector<std::string>& texts) {
  std::vector<StyledLine> lines;
  for (const std::string& text : texts) lines.push_back({{text}});
  return lines;
}

std::string drawing(const std::string& changes) { return std::string(kWrapOff) + changes + std::string(kWrapOn); }

constexpr Terminal kSmall{.is_terminal = true, .columns = 20, .rows = 10};

TEST(LiveBlock, DrawsAllLinesAndReturnsToTheFirst) {
  LiveBlock block(false);
  EXPECT_EQ(block.show(plain({"one", "two", "three"}), kSmall),
            drawing("\rone\x1b[K\r\n\rtwo\x1b[K\r\n\rthree\x1b[K\r\x1b[2A"));
}

TEST(LiveBlock, RedrawsOnlyWhatChanged) {
  LiveBlock block(false);
  block.show(plain({"one", "two", "three"}), kSmall);
  EXPECT_EQ(block.show(plain({"one", "two", "three"}), kSmall), "");
  EXPECT_EQ(block.show(plain({"one", "two", "four"}), kSmall), drawing("\x1b[2B\rfour\x1b[K\r\x1b[2A"));
}

TEST(LiveBlock, MakesRowsAndTakesThemAway) {
  LiveBlock block(false);
  block.show(plain({"one", "two"}), kSmall);
  EXPECT_EQ(block.show(plain({"one", "two", "three"}), kSmall), drawing("\x1b[1B\r\n\rthree\x1b[K\r\x1b[2A"));
  EXPECT_EQ(block.show(plain({"one"}), kSmall), drawing("\x1b[1B\r\x1b[J\r\x1b[1A"));
  EXPECT_EQ(block.clear(), "\r\x1b[J");
  EXPECT_EQ(block.clear(), "");
}

TEST(LiveBlock, NeverReachesTheLastColumnAndCutsColoursWithTheirText) {
  LiveBlock block(true);
  const StyledLine line{{"0123", Style::kGreen}, {"456789", Style::kRed}, {"x"}};
  EXPECT_EQ(block.show({line}, {.is_terminal = true, .columns = 8, .rows = 10}),
            drawing("\r\x1b[32m0123\x1b[0m\x1b[31m456\x1b[0m\x1b[K\r"));
}

TEST(LiveBlock, LetsNoControlBytesThrough) {
  LiveBlock block(false);
  const std::string bytes = block.show(plain({"a\x1b[2Jb\nc"}), kSmall);
  EXPECT_EQ(bytes, drawing("\ra\uFFFD[2Jb\uFFFDc" + std::string(kErase) + "\r"));
}

TEST(LiveBlock, SaysHowManyLinesDoNotFit) {
  LiveBlock block(false);
  Screen screen(60);
  const Terminal low{.is_terminal = true, .columns = 60, .rows = 4};
  screen.write(block.show(plain({"one", "two", "three", "four", "five"}), low));
  EXPECT_EQ(screen.rows()[1], "two");
  ASSERT_EQ(screen.rows().size(), 3U);
  EXPECT_NE(screen.rows()[2].find("3 more"), std::string::npos);
}

// Whatever is shown and however the window is resized in between: what was above stays, and below it are the lines of
// now alone.
RC_GTEST_PROP(LiveBlock, LeavesNothingBehind, ()) {
  const bool wraps = *rc::gen::arbitrary<bool>();
  int columns = *rc::gen::inRange(5, 60);
  Screen screen(columns);
  screen.write("above\r\n");
  LiveBlock block(false);
  const auto steps = *rc::gen::inRange(1, 12);
  for (int step = 0; step < steps; ++step) {
    if (*rc::gen::arbitrary<bool>()) {
      columns = *rc::gen::inRange(5, 60);
      screen.resize(columns, wraps);
    }
    const auto lengths =
        *rc::gen::container<std::vector<int>>(*rc::gen::inRange<std::size_t>(1, 6), rc::gen::inRange(1, 70));
    std::vector<std::string> texts;
    for (const int length : lengths)
      texts.emplace_back(static_cast<std::size_t>(length), static_cast<char>('a' + step));
    screen.write(block.show(plain(texts), {.is_terminal = true, .columns = columns, .rows = 24}));
    std::vector<std::string> expected{"above"};
    for (const std::string& text : texts) expected.push_back(text.substr(0, static_cast<std::size_t>(columns) - 1));
    RC_ASSERT(screen.rows() == expected);
  }
  screen.write(block.clear());
  RC_ASSERT(screen.rows() == std::vector<std::string>{"above"});
}

}  // namespace
}  // namespace landfall::terminal
