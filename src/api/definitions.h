#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "json/json_fwd.h"

// The CustomResourceDefinitions of the velero.io kinds: those of Velero 1.18.3, which accept and prune exactly what
// Velero's own do, Landfall's additional fields, and Landfall's two kinds. Pure.
namespace landfall::api {

// Counted up with every change of the definitions.
inline constexpr std::string_view kDefinitionsVersion = "1";

// One for each of kAllKinds, in that order.
std::vector<json::Json> custom_resource_definitions();

// The fields of a CustomResourceDefinition, one a line: "spec.ttl string", "spec.hooks.resources[].name string
// required".
std::vector<std::string> schema_fields(const json::Json& definition);

// The fields of ours that a definition found in a cluster does not have and so drops without a word: what to say when
// it is Velero's own or from another release of ours ("status.progress.step"). Of a field that is missing with all
// below it only the top is named. Empty for a definition of a kind that we do not know.
std::vector<std::string> missing_fields(const json::Json& found);

}  // namespace landfall::api
