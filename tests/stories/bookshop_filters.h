#pragma once

#include <string>
#include <vector>

#include "json/json.h"

namespace landfall::stories {

// A Backup with one filter and what it holds of the bookshop.
struct FilterCase {
  std::string name;
  json::Json spec;
  // In any order. A tilde in front: only where controllers have made it.
  std::vector<std::string> items;
  bool is_elsewhere_too = false;                 // objects that are not the bookshop's are in it
  bool is_db_lost = false;                       // the pod db-0 was to be in it, and failed for want of a node agent
  std::string why_skipped;                       // of pv-books-db; empty: that is not in it
  std::vector<std::vector<std::string>> orders;  // items that follow each other so
};

// One for each way to say what a backup holds.
std::vector<FilterCase> filter_cases();

// In order, and without tildes.
std::vector<std::string> expected_items(const FilterCase& one, bool has_workloads);

// The policies that some of them name: ConfigMaps `only-texts` and `no-local-volumes`.
extern const char* const kOnlyTexts;
extern const char* const kNoLocalVolumes;

}  // namespace landfall::stories
