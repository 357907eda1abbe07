#pragma once

#include <string_view>

#include "base/result.h"
#include "json/json_fwd.h"

// Strategic merge patch: the patch type of Kubernetes that merges the lists of built-in kinds by a key (containers by
// name, ports by number) where a merge patch would replace them.
//
// It knows the lists that Kubernetes 1.34 declares (merge_schema.cc) and the directives $patch,
// $deleteFromPrimitiveList, $setElementOrder and $retainKeys. Unlike the API server it does not know the other fields:
// an object in an unknown field is merged, a list replaced, where the server reports an unknown field.
namespace landfall::json {

// True for the groups compiled into Kubernetes. Custom resources have no strategic merge.
bool supports_strategic_merge(std::string_view api_version);

// The kind is read from the document. kUnsupported for a kind that is not built in, kInvalid for a patch that does not
// fit ("spec: template: containers: an element lacks the merge key name"). No directive is left in the result.
Result<Json> apply_strategic_merge_patch(const Json& document, const Json& patch);

}  // namespace landfall::json
