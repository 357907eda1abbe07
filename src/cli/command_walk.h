#pragma once

#include <string>
#include <string_view>
#include <vector>

// Looking at the parser's tree without parsing. Only for the files that see the parser: command.cc, command_walk.cc.

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace landfall::cli {

// All words that stand for commands below it, aliases too.
std::vector<std::string> command_words(const CLI::App& app);
const CLI::App* find_command(const CLI::App& app, std::string_view word);
// Flags that a command takes: its own and those of the commands above it. "--selector", and "-l" where it has no other.
std::vector<const CLI::Option*> flags_of(const CLI::App& app);
std::string long_name(const CLI::Option& flag);
// By "--selector" or "-l"; null when there is none.
const CLI::Option* find_flag(const CLI::App& app, std::string_view name);
bool takes_value(const CLI::Option& flag);

}  // namespace landfall::cli
