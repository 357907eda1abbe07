#pragma once

#include <stdexcept>
#include <string>

#include "json/test_file.h"
#include "sandbox_kinds/kind_info.h"

namespace landfall::sandbox {

// For tests: what a kube-apiserver 1.34.4 did with objects of ours, from testdata/ (below LANDFALL_SOURCE_DIR).
inline json::Json read_cases(const std::string& name) { return json::read_test_file("sandbox_kinds/testdata/" + name); }

// The built-in kind of an object.
inline const KindInfo& kind_of_object(const json::Json& object) {
  const auto wanted = k8s::kind_of(object["apiVersion"].get<std::string>(), object["kind"].get<std::string>());
  for (const KindInfo& kind : built_in_kinds()) {
    if (kind.group_version_kind() == wanted) {
      return kind;
    }
  }
  throw std::runtime_error("no such kind: " + k8s::to_string(wanted));
}

inline const KindInfo& kind_named(const std::string& name) {
  for (const KindInfo& kind : built_in_kinds()) {
    if (kind.kind == name) {
      return kind;
    }
  }
  throw std::runtime_error("no such kind: " + name);
}

}  // namespace landfall::sandbox
