#pragma once

#include <string>

#include "json/test_file.h"

namespace landfall::k8s {

// For tests: what the Go packages of Kubernetes 1.34 (k8s.io/apimachinery v0.34.4) answered, from testdata/.
// (LANDFALL_SOURCE_DIR is where they are.)
inline json::Json read_golden_file(const std::string& name) { return json::read_test_file("k8s/testdata/" + name); }

}  // namespace landfall::k8s
