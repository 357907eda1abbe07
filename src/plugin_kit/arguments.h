#pragma once

#include <string>
#include <vector>

#include "base/log.h"

namespace landfall::plugin_kit {

// What a plugin hears of the command line of its server; everything else is passed over, right or wrong.
struct Arguments {
  LogLevel log_level = LogLevel::kInfo;
  std::vector<std::string> features;
};

// Without the program itself. "--log-level=debug" and "--log-level debug" are the same.
Arguments read_arguments(const std::vector<std::string>& words);

}  // namespace landfall::plugin_kit
