#pragma once

#include <vector>

#include "base/result.h"
#include "json/json_fwd.h"
#include "sandbox_kinds/kind_info.h"
#include "sandbox_kinds/validation.h"

// CustomResourceDefinitions: what they make the server serve. Pure.
namespace landfall::sandbox {

// The kinds that a definition serves, the preferred version first. Expects a definition that validate_crd() accepts and
// set_defaults() has completed; anything else is kInvalid. Versions that are not served are left out.
Result<std::vector<KindInfo>> kinds_of_crd(const json::Json& crd);

// What a server says about spec: names, group, scope, versions, and schemas that are not structural. Part of
// validate_create() and validate_update() for CustomResourceDefinitions.
Causes validate_crd(const json::Json& crd);

// The status that a server writes into a new definition: storedVersions, empty accepted names and no conditions.
void set_initial_crd_status(json::Json& crd);
// After an update: the storage version is among status.storedVersions.
void add_stored_version(json::Json& crd);
// The names are accepted and the kind is served: acceptedNames and the conditions NamesAccepted and Established.
// `time` is RFC 3339. Changes nothing when it is so already.
void establish_crd(json::Json& crd, const std::string& time);

}  // namespace landfall::sandbox
