#pragma once

#include <string>

#include "base/result.h"
#include "cli/context.h"
#include "cli/nouns.h"
#include "json/json_fwd.h"
#include "progress/progress.h"

// What operations, which are Backups and Restores, say about themselves, for people. Which of the two an object is, is
// in its `kind`.
namespace landfall::cli {

// kBackups or kRestores; what is not a Backup counts as a Restore.
const Noun& noun_of(const json::Json& operation);

// status.phase, "New" where there is none, and behind it " (Deleting)". A cancelled one is "Canceled" (Failed to
// Velero's scripts).
std::string shown_phase(const json::Json& operation, const Context& context);

// Nobody has looked at it yet.
bool is_new(const json::Json& operation);
// Its turn has come: it is not new, nor is it in the queue of backups.
bool has_begun(const json::Json& operation);
// Nothing more happens to it by itself. An unknown phase is not final.
bool is_over(const json::Json& operation);
bool is_completed(const json::Json& operation);

// "50 created, 3 unchanged, 1 failed"; what is 0 is left out, "nothing" when all is.
std::string outcomes_text(const progress::OutcomeCounts& outcomes);

// "1 error", "2 errors".
std::string counted(std::int64_t count, std::string_view one, std::string_view many);
// "1 error, 2 warnings", as the status counts them; empty when there are none.
std::string problems_text(const json::Json& operation);

// How it ended, in one line without its end: "Restore x completed: 53 items (50 created, 3 unchanged), 2 warnings".
std::string ending_text(const json::Json& operation);

// What the command ends with: an error unless the operation has completed. Velero's command says nothing of it.
Status ending_status(const json::Json& operation, const Context& context);

// What `--wait` and `watch` print when an operation is over, and what they end with; Velero's line when called so.
Status report_ending(const json::Json& operation, const Context& context);

// Where to read more, by the name that the program was called by: "see 'landfall restore describe x' and …".
std::string more_text(const json::Json& operation, const Context& context);

// How to see it again: "landfall restore watch x".
std::string watch_words(const json::Json& operation, const Context& context);

}  // namespace landfall::cli
