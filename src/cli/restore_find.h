#pragma once

#include <stop_token>
#include <string>
#include <vector>

#include "base/result.h"
#include "json/json_fwd.h"
#include "kube/resource.h"

namespace landfall::cli {

// One Restore. kNotFound says how to see which there are.
Result<json::Json> find_restore(const kube::Resource& restores, const std::string& name, const std::stop_token& stop);

// Those of these names, or all that match the selector.
Result<std::vector<json::Json>> find_restores(const kube::Resource& restores, const std::vector<std::string>& names,
                                              const std::string& selector, const std::stop_token& stop);

}  // namespace landfall::cli
