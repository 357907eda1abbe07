#pragma once

#include <nlohmann/json_fwd.hpp>

// The name of a JSON document, for headers. Include json/json.h where one is built, read or copied: the full header
// costs more than a second of compile time.
namespace landfall::json {

// Keys are sorted by byte, as Go writes its maps.
using Json = nlohmann::json;

}  // namespace landfall::json
