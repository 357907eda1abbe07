#pragma once

#include <string>

#include "base/result.h"
#include "base/strings.h"

// What preparing a Backup and preparing a Restore ask of the objects that they name.
namespace landfall::control {

// Passing faults of the API server are tried again; anything else that it says about an object is a problem of the
// one that names it.
inline bool is_passing(const Error& error) { return is_retryable(error.code()) || error.code() == Code::kCancelled; }

// Velero takes any case.
inline bool is_config_map(const std::string& kind) { return to_lower(kind) == "configmap"; }

}  // namespace landfall::control
