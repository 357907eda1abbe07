#pragma once

#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>

#include "json/json.h"
#include "json/parse.h"

namespace landfall::json {

// For tests: a document of a file, by its path from src/. Throws when it cannot be read.
inline Json read_test_file(const std::string& name) {
  const std::string path = std::string(LANDFALL_SOURCE_DIR) + "/src/" + name;
  std::ifstream file(path, std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  auto document = parse(text);
  if (!document) {
    throw std::runtime_error(path + ": " + document.error().message());
  }
  return *std::move(document);
}

}  // namespace landfall::json
