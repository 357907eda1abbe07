#pragma once

#include <CLI/CLI.hpp>

#include "cli/command_tree.h"

namespace landfall::cli {

// The parser behind the tree. Heavy: only for command.cc and command_walk.cc.
struct CommandTree::Parser {
  CLI::App app;
  Action chosen;
};

}  // namespace landfall::cli
