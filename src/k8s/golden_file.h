#pragma once

#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>

#include "json/json.h"
#include "json/parse.h"

namespace landfall::k8s {

// For tests: what the Go packages of Kubernetes 1.34 (k8s.io/apimachinery v0.34.4) answered, from testdata/.
inline json::Json read_golden_file(const std::string& name) {
  const std::string path = std::string(LANDFALL_SOURCE_DIR) + "/src/k8s/testdata/" + name;
  std::ifstream file(path, std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  auto document = json::parse(text);
  if (!document) {
    throw std::runtime_error(path + ": " + document.error().message());
  }
  return *std::move(document);
}

}  // namespace landfall::k8s
