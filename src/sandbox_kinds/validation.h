#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "json/json_fwd.h"
#include "sandbox_kinds/kind_info.h"

// What an API server refuses with 422, in its words. Pure. The common mistakes in the kinds of everyday use are found;
// a real server knows many more rules.
namespace landfall::sandbox {

// One entry of status.details.causes.
struct Cause {
  std::string reason;   // "FieldValueInvalid"
  std::string message;  // "Invalid value: \"Web\": a lowercase RFC 1123 subdomain must …"
  std::string field;    // "metadata.name"

  friend bool operator==(const Cause&, const Cause&) = default;
};
using Causes = std::vector<Cause>;

// `field: message` of each cause, in brackets when there are several: the second half of the 422's sentence.
std::string causes_text(const Causes& causes);
// The sentence of a 422: `ConfigMap "Web" is invalid: metadata.name: Invalid value: …`; custom kinds and those outside
// the core group are named with their group ("Deployment.apps").
std::string invalid_message(const KindInfo& kind, std::string_view name, const Causes& causes);

// Name (by the rule of the kind), generateName, namespace, labels, annotations, owner references and finalizers.
Causes validate_metadata(const KindInfo& kind, const json::Json& object);

// Everything that can be said about a new object: metadata, required and malformed fields, the schema of a custom
// resource.
Causes validate_create(const KindInfo& kind, const json::Json& object);
// The same for an object that is to replace `old`, and what may not change (selectors, volume claims, type of a secret,
// data of an immutable config map …). `status_subresource`: only what /status may change is looked at.
Causes validate_update(const KindInfo& kind, const json::Json& old, const json::Json& next,
                       bool status_subresource = false);

}  // namespace landfall::sandbox
