#pragma once

#include <memory>
#include <string>
#include <vector>

#include "cli/command.h"

namespace landfall::cli {

// The whole command line: parses the words, finds the command, and says what was wrong in terms of the user's words.
class CommandTree {
 public:
  CommandTree(const std::string& program, const std::string& help);
  ~CommandTree();
  CommandTree(const CommandTree&) = delete;
  CommandTree& operator=(const CommandTree&) = delete;

  Command root();

  // What parsing came to: an action to run, or a text (help) to print.
  struct Parsed {
    Action action;
    std::string text;
  };
  // kInvalid with a sentence and where to find help, when the words make no sense.
  Result<Parsed> parse(const std::vector<std::string>& words);

 private:
  struct Parser;
  std::unique_ptr<Parser> parser_;
};

}  // namespace landfall::cli
