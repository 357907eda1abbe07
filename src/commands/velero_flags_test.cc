#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "base/strings.h"
#include "cli/test_run.h"
#include "commands/all_commands.h"
#include "io/file.h"

// Every flag of Velero's commands works here, or docs/compatibility.md says why not: its table, Velero's own list
// (tests/real/velero_flags) and the commands as they are say the same.
namespace landfall::cli {
namespace {

const std::string kEveryCommand = "every command";

std::vector<std::string> lines_of(const std::string& file) {
  const std::string text = io::read_file(std::string(LANDFALL_SOURCE_DIR) + "/" + file, std::size_t{1} << 20).value();
  std::vector<std::string> lines;
  for (const std::string_view line : split(text, '\n')) lines.emplace_back(line);
  return lines;
}

struct Flag {
  std::string shorthand;  // "-l"; empty for none
  bool takes_value = false;
  std::string help;
};
using Flags = std::map<std::string, Flag>;  // by "--selector"

std::map<std::string, Flags> flags_of_velero() {
  std::map<std::string, Flags> commands;
  std::string command;
  for (const std::string& line : lines_of("tests/data/velero-1.18.3-flags.txt")) {
    if (line.starts_with("[")) {
      command = line.substr(1, line.size() - 2);
      commands[command];
      continue;
    }
    const auto words = split_words(line);
    if (words.size() < 3) continue;
    const std::string_view type = words[2];
    commands[command][std::string(words[1])] = {.shorthand = words[0] == "-" ? "" : std::string(words[0]),
                                                .takes_value = type != "bool" && type != "optionalBool[=true]"};
  }
  return commands;
}

// "  -l,--selector TEXT      Only those …", and more help on lines that are indented further.
Flags flags_of_help(const std::string& help) {
  Flags flags;
  std::string last;
  for (const std::string_view line : split(help, '\n')) {
    if (line.starts_with("   ") && !last.empty()) flags[last].help += std::string(trim(line)) + " ";
    if (!line.starts_with("  -")) continue;
    const std::string_view rest = line.substr(2);
    const std::size_t end = std::min(rest.find(' '), rest.size());
    const auto names = split(rest.substr(0, end), ',');
    last = std::string(names.back());
    const std::string_view behind = rest.substr(end);
    flags[last] = {.shorthand = names.size() == 2 ? std::string(names.front()) : "",
                   .takes_value = behind.size() > 1 && behind[1] != ' ',
                   .help = std::string(trim(behind)) + " "};
  }
  return flags;
}

Flags our_flags(const std::string& command) {
  std::vector<std::string> words;
  if (command != kEveryCommand) {
    for (const std::string_view word : split_words(command)) words.emplace_back(word);
  }
  words.emplace_back("--help");
  const Ran ran = run_with(add_all_commands, words);
  EXPECT_EQ(ran.code, 0) << command << ": " << ran.err;
  return flags_of_help(ran.out);
}

// What stands between backquotes.
std::vector<std::string> quoted_in(std::string_view cell) {
  std::vector<std::string> found;
  const auto parts = split(cell, '`');
  for (std::size_t i = 1; i < parts.size(); i += 2) found.emplace_back(parts[i]);
  return found;
}

// The table "Flags of the command line": command and flag → what it says of them.
std::map<std::pair<std::string, std::string>, std::string> documented() {
  std::map<std::pair<std::string, std::string>, std::string> all;
  bool is_inside = false;
  for (const std::string& line : lines_of("docs/compatibility.md")) {
    if (line.starts_with("## ")) is_inside = line == "## Flags of the command line";
    if (!is_inside || !line.starts_with("| `")) continue;
    const auto cells = split(line, '|');
    if (cells.size() < 5) continue;
    for (const std::string& flag : quoted_in(cells[1])) {
      for (const std::string& command : quoted_in(cells[2])) {
        const auto [place, is_new] = all.try_emplace({command, flag}, std::string(trim(cells[3])));
        EXPECT_TRUE(is_new) << flag << " of " << command << " is documented twice";
      }
    }
  }
  return all;
}

class VeleroFlags : public testing::Test {
 protected:
  const std::map<std::string, Flags> velero_ = flags_of_velero();
  const std::map<std::pair<std::string, std::string>, std::string> documented_ = documented();
};

TEST_F(VeleroFlags, AreAllDocumented) {
  for (const auto& [command, flags] : velero_) {
    for (const auto& [name, flag] : flags) {
      EXPECT_TRUE(documented_.contains({command, name})) << name << " of " << command;
    }
  }
}

TEST_F(VeleroFlags, AreTheOnlyOnesDocumented) {
  for (const auto& [place, state] : documented_) {
    const auto& [command, flag] = place;
    const auto found = velero_.find(command);
    EXPECT_TRUE(found != velero_.end() && found->second.contains(flag)) << flag << " of " << command;
    EXPECT_TRUE(state.starts_with("works") || state.starts_with("no effect yet: ") || state.starts_with("not taken: "))
        << flag << ": " << state;
  }
}

TEST_F(VeleroFlags, AreTakenAsDocumented) {
  for (const auto& [command, flags] : velero_) {
    const Flags ours = our_flags(command);
    for (const auto& [name, flag] : flags) {
      const std::string what = name + " of " + command;
      const auto state = documented_.find({command, name});
      if (state == documented_.end()) continue;
      const auto found = ours.find(name);
      if (state->second.starts_with("not taken")) {
        EXPECT_EQ(found, ours.end()) << what;
        continue;
      }
      EXPECT_NE(found, ours.end()) << what;
      if (found == ours.end()) continue;
      EXPECT_EQ(found->second.shorthand, flag.shorthand) << what;
      const bool may_differ = contains(state->second, "with `=` only");
      EXPECT_TRUE(may_differ || found->second.takes_value == flag.takes_value) << what;
      EXPECT_EQ(contains(found->second.help, "no effect yet"), state->second.starts_with("no effect yet")) << what;
    }
  }
}

}  // namespace
}  // namespace landfall::cli
