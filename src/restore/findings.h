#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "operation/results.h"

namespace landfall::restore {

// Something that went wrong, or might surprise.
struct Finding {
  enum class Place : std::uint8_t { kRun, kObject };
  bool is_error = true;
  Place place = Place::kObject;
  std::string name_space;  // of the object, in the cluster; empty: the cluster
  std::string text;

  friend bool operator==(const Finding&, const Finding&) = default;
};

inline Finding error_in(std::string name_space, std::string text) {
  return {.name_space = std::move(name_space), .text = std::move(text)};
}
inline Finding warning_in(std::string name_space, std::string text) {
  return {.is_error = false, .name_space = std::move(name_space), .text = std::move(text)};
}
inline Finding run_error(std::string text) { return {.place = Finding::Place::kRun, .text = std::move(text)}; }
inline Finding run_warning(std::string text) {
  return {.is_error = false, .place = Finding::Place::kRun, .text = std::move(text)};
}

// In the order in which they come.
void add_to(operation::Results& results, const std::vector<Finding>& findings);

}  // namespace landfall::restore
