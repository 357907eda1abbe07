#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cli/describe_pod_volumes.h"
#include "cli/described_file.h"
#include "json/access.h"
#include "json/json_fwd.h"

// Pieces of the documents that `describe -o json` prints, for Backups as Velero does, and for Restores alike.
namespace landfall::cli {

// As it is: the writer escapes what a terminal would take for a control.
std::string raw_text(const json::Json& object, const json::Path& path);

// {"name", "namespace", "labels", "annotations"}; null for what is not there.
json::Json metadata_document(const json::Json& object);
// {"included", "excluded"} of includedNamespaces and its like; `what` is "Namespaces".
json::Json included_document(const json::Json& spec, const std::string& what);
// How many there are in each phase, or with details which: [{"shop/db-0": "data, logs"}].
json::Json pod_volumes_document(const std::vector<PodVolumes>& groups, bool details);

// "errors" and "warnings", from the results file.
void add_results(const json::Json& object, const DescribedFile& results, json::Json& document);
// "resourceList", or why there is none. `noun` is "backup" or "restore".
void add_resource_list(std::string_view noun, const DescribedFile& file, json::Json& document);
void add_validation_errors(const json::Json& object, json::Json& document);

// As Velero writes it.
std::string description_text(const json::Json& document);

}  // namespace landfall::cli
