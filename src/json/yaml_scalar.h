#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "json/json_fwd.h"

// What a scalar means, as Go's yaml.v2 resolves it (YAML 1.1 with a few of its own choices).
namespace landfall::json {

// The meaning of a plain scalar, or of any scalar with a tag ("tag:yaml.org,2002:int"; empty for none). Fails when the
// text is not what the tag says. Unknown tags are ignored: the text is a string. What comes back is YAML's idea of the
// value, with infinities and with integers past int64; the place of the scalar decides which of the next two it takes.
Result<Json> resolve_scalar(std::string_view tag, std::string_view text);

// As a JSON value, as it comes out of Go's way from YAML over JSON text: 1.0 is an integer there. Fails for infinities.
Result<Json> scalar_to_json(Json scalar);
// As the key of a JSON object. Fails for null and for integers past int64.
Result<std::string> scalar_to_key(const Json& scalar);

// True when the text, written without quotes, is read back as this string by YAML 1.1 readers.
bool is_plain_string(std::string_view text);

// A double as Go's yaml writes it: 1.2345675e+06.
std::string yaml_number(double value);

}  // namespace landfall::json
