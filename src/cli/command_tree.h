#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "cli/command.h"

namespace landfall::cli {

// What may stand in one place of a command line, for the completion of shells.
struct Completion {
  struct Candidate {
    std::string word;  // the whole of it
    std::string help;
  };
  std::vector<Candidate> candidates;  // commands, flags and choices that begin as the last word does

  // What the tree does not know: the value of a flag ("--from-backup"), or an argument of a command ("backup get").
  std::string flag;
  std::string command;
  std::size_t arguments = 0;  // of that command, before the last word
  std::string typed;          // of the value or the argument
  std::string before;         // what the last word has before it: "--from-backup="

  std::map<std::string, std::string> flags;  // values of the flags before the last word, by their long names
};

// The whole command line: parses the words, finds the command, and says what was wrong in terms of the user's words.
class CommandTree {
 public:
  // With the words that will be parsed, only commands that they can mean are made in full: making all of them is most
  // of what a short command costs. Without any, all are.
  CommandTree(const std::string& program, const std::string& help, const std::vector<std::string>& words = {});
  ~CommandTree();
  CommandTree(const CommandTree&) = delete;
  CommandTree& operator=(const CommandTree&) = delete;

  Command root();

  // What parsing came to: an action to run, or a text (help) to print.
  struct Parsed {
    Action action;
    std::string text;
  };
  // kInvalid with a sentence and where to find help, when the words make no sense; a word that is nearly one that would
  // is named.
  Result<Parsed> parse(const std::vector<std::string>& words);

  // What the last word may become. Words that make no sense are passed over.
  Completion complete(const std::vector<std::string>& words) const;

 private:
  struct Parser;
  std::unique_ptr<Parser> parser_;
};

}  // namespace landfall::cli
