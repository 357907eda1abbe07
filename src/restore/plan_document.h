#pragma once

#include "base/result.h"
#include "io/stream.h"
#include "restore/plan.h"

// The plan as JSON: `restore-NAME-plan.json.gz`, and what `landfall restore plan -o json` prints. Described in
// plan_document.md. Both work on the text itself: it is compressed and decompressed around them.
namespace landfall::restore {

// One document and a line break, written piece by piece: a plan of 100,000 items takes no memory to speak of. Groups
// without items are left out. Does not close the writer.
Status write_plan(const Plan& plan, io::Writer& to);

// Reads to the end, piece by piece, too. kDataLoss for what is no such document, members that we do not know are passed
// over; kUnsupported for one of a later format, kTooLarge for one that takes more memory than any real plan.
Result<Plan> read_plan(io::Reader& from);

}  // namespace landfall::restore
