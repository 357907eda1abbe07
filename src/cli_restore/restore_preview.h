#pragma once

#include <string>

#include "base/result.h"
#include "cli/context.h"
#include "json/json_fwd.h"
#include "kube/resource.h"

namespace landfall::cli {

// Creates a Restore that only looks (spec.preview). It can never become one that restores: the server must be
// Landfall, and the definitions in the cluster must know the field, which a dry run finds out before anything is
// created. Returns it as it was created.
Result<json::Json> create_preview(const kube::Resource& restores, json::Json restore, const Context& context);

}  // namespace landfall::cli
