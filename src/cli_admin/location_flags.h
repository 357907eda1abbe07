#pragma once

#include <optional>
#include <string>

#include "base/result.h"
#include "cli/command.h"
#include "cli/context.h"
#include "cli/new_object.h"
#include "json/json_fwd.h"
#include "kube/resource.h"

namespace landfall::cli {

// What the commands of backup and snapshot locations share.

// --credential SECRET=KEY.
void add_credential_flag(const Command& command, StringMap& credential);
// Puts it into the spec, if it was given. kInvalid for more than one.
Status put_credential(json::Json& spec, const StringMap& credential);

// --cacert FILE: what the file holds, as `caCert` keeps it. kInvalid for a file without certificates, unless called as
// `velero`.
Result<std::string> read_ca_file(const std::string& path, const Context& context);

// The names of the default locations; there should be one at most.
Result<std::vector<std::string>> default_locations(const kube::Resource& locations, const Context& context);

}  // namespace landfall::cli
