#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "cli/context.h"
#include "cli/global_flags.h"

namespace CLI {
class App;
}

namespace landfall::cli {

// What runs once the words and flags are understood.
using Action = std::function<Status(const Context&, const GlobalFlags&)>;

// A node of the command tree: a thin, value-like handle over the parser, so that the files of the commands need not see
// it and the value grammars (facts that scripts depend on) are in one place. Flag names are written "-l,--selector".
// The referenced variables must outlive the run: a command keeps them in a struct that its action shares.
class Command {
 public:
  // A word with words below it, such as `backup`.
  Command group(const std::string& name, const std::string& help) const;
  // A word that does something, such as `backup get`.
  Command leaf(const std::string& name, const std::string& help) const;
  void alias(const std::string& name) const;

  void flag(const std::string& names, bool& value, const std::string& help) const;
  // Tri-state: absent, `--x` or `--x=true`, `--x=false`.
  void flag(const std::string& names, std::optional<bool>& value, const std::string& help) const;
  void flag(const std::string& names, std::string& value, const std::string& help) const;
  void flag(const std::string& names, std::int64_t& value, const std::string& help) const;
  void flag(const std::string& names, Duration& value, const std::string& help) const;
  // Nothing unless it is given, be it empty or 0.
  void flag(const std::string& names, std::optional<std::string>& value, const std::string& help) const;
  void flag(const std::string& names, std::optional<Duration>& value, const std::string& help) const;
  // Split at commas; a later occurrence replaces an earlier one, as with Velero's stringArray.
  void flag(const std::string& names, std::vector<std::string>& value, const std::string& help) const;
  // Split at commas as a record of CSV; occurrences add up, as with Go's own lists of flags.
  void list(const std::string& names, std::vector<std::string>& value, const std::string& help) const;
  // `k=v,k2=v2`, values quoted as in CSV where they hold commas; occurrences add up.
  void flag(const std::string& names, std::map<std::string, std::string>& value, const std::string& help,
            char separator = '=') const;
  // Taken and passed over; not in the help.
  void ignored_flag(const std::string& names) const;
  void ignored_value(const std::string& names) const;
  // One of a few words.
  void choice(const std::string& names, std::string& value, const std::vector<std::string>& choices,
              const std::string& help) const;

  void argument(const std::string& name, std::string& value, const std::string& help) const;  // required
  void arguments(const std::string& name, std::vector<std::string>& values, const std::string& help) const;

  void action(Action action) const;

 private:
  friend class CommandTree;
  Command(CLI::App* app, Action* chosen) : app_(app), chosen_(chosen) {}
  CLI::App* app_;
  Action* chosen_;  // where the command that was called leaves its action
};

}  // namespace landfall::cli
