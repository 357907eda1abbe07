#pragma once

#include <functional>
#include <string_view>

#include "base/result.h"
#include "io/stream.h"
#include "restore/plan.h"

// The plan as JSON: `restore-NAME-plan.json.gz`, and what `landfall restore plan -o json` prints. Described in
// plan_document.md.
namespace landfall::restore {

// One document, written piece by piece: a plan of 100,000 items takes no memory to speak of.
Status write_plan(const Plan& plan, io::Writer& to);

// Reads piece by piece, too. kDataLoss for what is no such document; members that we do not know are passed over.
Result<Plan> read_plan(io::Reader& from);

}  // namespace landfall::restore
