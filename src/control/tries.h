#pragma once

#include <cstdint>
#include <string_view>

#include "base/strings.h"
#include "json/json_fwd.h"
#include "k8s/object_view.h"

namespace landfall::control {

// How often a Backup or Restore was begun: what kills its server may be itself.
inline constexpr std::string_view kTriesAnnotation = "landfall.dev/tries";

inline std::int64_t tries_of(const json::Json& operation) {
  const auto text = k8s::ObjectView(operation).annotations().get(std::string(kTriesAnnotation));
  return static_cast<std::int64_t>(text ? parse_uint64(*text).value_or(0) : 0);
}

}  // namespace landfall::control
