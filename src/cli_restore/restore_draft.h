#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/result.h"
#include "cli/context.h"
#include "json/json_fwd.h"

namespace landfall::cli {

// The name of a restore: the one that was given, or SOURCE-YYYYMMDDhhmmss in the time of the user's TZ, as Velero.
// kInvalid for more than one, and for what can be no name.
Result<std::string> restore_name(const std::vector<std::string>& given, const std::string& source,
                                 const Context& context);

// A Restore as a document, with its labels and annotations.
json::Json restore_document(const std::string& name, const std::string& name_space, const json::Json& spec,
                            const std::map<std::string, std::string>& labels = {},
                            const std::map<std::string, std::string>& annotations = {});

}  // namespace landfall::cli
