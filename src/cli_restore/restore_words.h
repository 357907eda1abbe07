#pragma once

#include <string>

#include "api/phases.h"
#include "base/clock.h"
#include "cli/context.h"
#include "json/json_fwd.h"
#include "progress/progress.h"

// What Restores say about themselves, for people.
namespace landfall::cli {

// status.phase, "New" where there is none, and behind it " (Deleting)". A cancelled Restore is "Canceled" (Failed to
// Velero's scripts).
std::string shown_phase(const json::Json& restore, const Context& context);

// Nothing more happens to it by itself. An unknown phase is not final.
bool is_over(const json::Json& restore);

// "50 created, 3 unchanged, 1 failed"; what is 0 is left out, "nothing" when all is.
std::string outcomes_text(const progress::OutcomeCounts& outcomes);

// How it ended, in one line without its end: "Restore x completed: 53 items (50 created, 3 unchanged), 2 warnings".
std::string ending_text(const json::Json& restore);

// What the command ends with: an error unless the Restore has completed. Velero's command says nothing of it.
Status ending_status(const json::Json& restore, const Context& context);

// How far a restore is, for a terminal's line or a plain one.
std::string live_text(const progress::ItemProgress& progress, const Context& context);

// Where to read more, by the name that the program was called by.
std::string more_text(const std::string& name, const Context& context);

}  // namespace landfall::cli
