#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "json/json_fwd.h"
#include "k8s/label_selector.h"

namespace landfall::k8s {

// The form that label selectors have in objects: {"matchLabels": {…}, "matchExpressions": [{key, operator, values}]}.

// A selector that is not there (a null pointer or a JSON null) matches nothing, an empty one everything. Beware: Velero
// takes a missing selector of a backup or restore for "no restriction" and asks here only when there is one.
// kInvalid for what is not valid, with Kubernetes' words where it has some.
Result<LabelSelector> label_selector_from_json(const json::Json* selector);

// The other way. Equality goes to matchLabels, all else to matchExpressions; null for a selector that matches nothing.
// < and > have no such form and are kInvalid. Two deliberate differences from the function that Velero's command line
// uses: `a!=b` becomes NotIn, where that one fails, and of `a=b,a=c` the second becomes an In expression, where that
// one forgets the first; so the result always means the same as the selector.
Result<json::Json> label_selector_to_json(const LabelSelector& selector);

// What a --selector flag stores.
Result<json::Json> parse_label_selector_to_json(std::string_view text);

// For people: the selector's text, "<none>" when that is empty and "<error>" when it is not valid.
std::string format_label_selector(const json::Json* selector);

}  // namespace landfall::k8s
