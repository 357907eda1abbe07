#pragma once

#include <CLI/CLI.hpp>
#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "cli/command_tree.h"

namespace landfall::cli {

// The root of the parser's tree. It knows the words that will be parsed, so that commands that cannot be meant need not
// be made in full: of those below a first word that is not among them only names and helps are kept.
class RootApp final : public CLI::App {
 public:
  explicit RootApp(const std::vector<std::string>& words) : words_(words.begin(), words.end()) {}

  bool is_velero() const { return get_name() == "velero"; }

  // Flags that may be absent, true or false: given without a value behind the `=` they are absent, as in Velero.
  void note_tristate(const std::string& name) { tristates_.insert(name); }
  bool is_tristate(const std::string& name) const { return tristates_.contains(name); }

  // Whether the words can lead to this command. An alias of a first word counts once it is there: it comes before what
  // is below that word.
  bool can_be_meant(const CLI::App& app) const {
    const CLI::App* first = &app;
    while (first->get_parent() != nullptr && first->get_parent() != this) first = first->get_parent();
    if (words_.empty() || first == this || words_.contains(first->get_name())) return true;
    return std::ranges::any_of(first->get_aliases(), [&](const std::string& one) { return words_.contains(one); });
  }

 private:
  const std::set<std::string> words_;
  std::set<std::string> tristates_;
};

// The parser behind the tree. Heavy: only for command.cc and command_walk.cc.
struct CommandTree::Parser {
  explicit Parser(const std::vector<std::string>& words) : app(words) {}
  RootApp app;
  Action chosen;
};

}  // namespace landfall::cli
