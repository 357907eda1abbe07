#pragma once

#include <string>

#include "restore/plan.h"

namespace landfall::cli {

struct PlanTextOptions {
  bool details = false;  // every item, not only totals
};

// A plan for people: what is restored of each resource, from which namespace into which, and what is left alone and
// why. Of a preview also what would become of the items.
std::string plan_text(const restore::Plan& plan, const PlanTextOptions& options);

}  // namespace landfall::cli
