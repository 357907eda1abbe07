#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "cli/context.h"
#include "cli/log_messages.h"
#include "cli/operation_feed.h"
#include "json/json_fwd.h"
#include "progress/progress.h"
#include "terminal/styled_line.h"

// How an operation under way looks: pure functions from what is known to lines, a line, or a document.
namespace landfall::cli {

// The data of one volume on its way.
struct VolumeView {
  std::string name;   // "shop/db-0 data": pod and volume, or the claim
  std::string phase;  // "InProgress"
  std::string message;
  std::optional<progress::ByteProgress> progress;

  bool is_over() const;
  bool is_failed() const;
};

struct OperationView {
  std::string title;  // "Restore r1"
  std::string phase;  // "InProgress", as shown_phase() says it
  bool is_over = false;
  std::optional<progress::ItemProgress> items;  // none before it has begun
  std::int64_t errors = 0;
  std::int64_t warnings = 0;
  std::vector<VolumeView> volumes;
  std::vector<LogMessage> messages;  // the newest
  std::string notice;                // why nothing happens
  std::string trouble;               // why it may be out of date
};
OperationView view_of(const OperationState& state, const Context& context);

// For a terminal so many columns wide: a bar for the items and one for each volume that is not done, the step,
// outcomes, what is being done now, problems, and why it stalls.
std::vector<terminal::StyledLine> view_lines(const OperationView& view, WallTime now, int columns);

// For a pipe: all of it in one line, without its end.
std::string view_text(const OperationView& view, WallTime now);

// For `-o json`:
//   {"time", "kind", "namespace", "name", "phase", "isOver", "errors", "warnings",
//    "progress": status.progress as it is, "volumes": [{"kind", "name", "volume", "phase", "totalBytes", "bytesDone"}],
//    "messages": [{"level", "text"}], "canceled", "failureReason", "validationErrors", "notice", "trouble"}
// Fields that have nothing to say are left out, but for those before "progress".
json::Json view_document(const OperationState& state, WallTime now);

}  // namespace landfall::cli
