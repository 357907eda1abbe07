#pragma once

#include <memory>
#include <optional>

#include "base/clock.h"
#include "base/result.h"
#include "cli/context.h"
#include "cli/operation_feed.h"

namespace landfall::cli {

// What is seen while one waits for an operation. Not thread-safe.
class OperationDisplay {
 public:
  virtual ~OperationDisplay() = default;

  virtual Status begin() { return {}; }
  // As it is now: after each change, and now and then.
  virtual Status show(const OperationState& state) = 0;
  // Nothing more will be shown; other output follows.
  virtual Status end() { return {}; }

  // How long what is shown stays true without a change: it tells of time, and windows are resized.
  virtual Duration refresh() const = 0;
  // What it can make use of.
  virtual FeedOptions wants() const { return {}; }
};

// Whether lines that are redrawn may have colours: neither NO_COLOR nor --colorized=false. In a pipe there are none.
bool has_live_colors(std::optional<bool> colorized, const Context& context);

enum class DisplayForm { kForPeople, kJson };

// The one that fits: Velero's dots when called as `velero`; one JSON document a line; lines that are redrawn on a
// terminal; in a pipe a plain line at most every ten seconds, and the last state.
std::unique_ptr<OperationDisplay> make_display(DisplayForm form, bool has_colors, const Context& context);

}  // namespace landfall::cli
