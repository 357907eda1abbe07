#pragma once

#include <string>
#include <string_view>

#include "base/clock.h"
#include "json/json_fwd.h"

// Values as the server's tables show them.
namespace landfall::sandbox {

// "45s", "8m50s", "30m", "5h30m", "12h", "3d4h", "318d", "2y30d": coarser the longer it is.
std::string human_duration(Duration duration);
// How long ago a timestamp of the object is; "<unknown>" when there is none that can be read.
std::string age_text(std::string_view timestamp, WallTime now);
// The same of metadata.creationTimestamp.
std::string age_of(const json::Json& object, WallTime now);

// "a=b,c=d", "<none>" when there are none.
std::string labels_text(const json::Json* labels);
// A selector with its expressions; "<none>" when it is empty or missing.
std::string selector_text(const json::Json* selector);
// "RWO,ROX".
std::string access_modes_text(const json::Json* modes);
// A number or a text as it is, "<none>" for nothing.
std::string text_or_none(std::string_view text);
// Names and images of the containers of a pod's spec, separated by commas.
std::string container_names(const json::Json* pod_spec);
std::string container_images(const json::Json* pod_spec);

}  // namespace landfall::sandbox
