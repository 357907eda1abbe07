#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "json/access.h"
#include "json/json_fwd.h"
#include "k8s/label_selector.h"
#include "selection/list_rules.h"

namespace landfall::selection {

// Reads filter fields of a spec that the API server let through, and collects what is wrong rather than stopping at
// the first: a user wants to see all of it. Borrows both arguments.
class SpecReader {
 public:
  SpecReader(const json::Json& spec, Messages& problems) : spec_(spec), problems_(problems) {}

  Names names(std::string_view field) const;
  std::optional<bool> flag(std::string_view field) const;
  json::StringMap map(std::string_view field) const;
  // A missing selector restricts nothing; one that is not valid is a problem.
  std::optional<k8s::LabelSelector> selector(std::string_view field) const;
  std::vector<k8s::LabelSelector> selectors(std::string_view field) const;

 private:
  const json::Json& spec_;
  Messages& problems_;
};

}  // namespace landfall::selection
