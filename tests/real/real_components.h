#pragma once

#include <string>

#include "base/environment.h"

// Where the real components are that `tests/real/start` started. Tests labelled `real` run only with them, so a missing
// variable is a failure of the run, not a reason to skip.
inline std::string real_component(const std::string& variable) {
  const auto value = landfall::Environment::of_process().get(variable);
  return value.value_or("set-" + variable + "-by-tests/real/start");
}
