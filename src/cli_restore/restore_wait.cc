#include "cli_restore/restore_wait.h"

#include <chrono>
#include <memory>
#include <utility>

#include "api/progress_fields.h"
#include "cli_restore/restore_words.h"
#include "json/json.h"
#include "k8s/object_view.h"
#include "terminal/live_line.h"

namespace landfall::cli {

using json::Json;

namespace {

constexpr Duration kBetweenLooks = std::chrono::seconds(1);

// What is seen while one waits.
class Display {
 public:
  explicit Display(const Context& context)
      : context_(context), line_(context.err, context.err_terminal, context.clock) {}

  Status begin() {
    if (context_.called_as_velero()) {
      return context_.out.write(
          "Waiting for restore to complete. You may safely press ctrl-c to stop waiting - your restore will continue "
          "in the background.\n");
    }
    if (!context_.err_terminal.is_terminal) return {};
    return context_.err.write("Ctrl-c stops the waiting; the restore goes on.\n");
  }
  Status show(const Json& restore) {
    if (context_.called_as_velero()) return context_.out.write(".");
    const auto progress = api::read_item_progress(restore);
    return line_.show(progress ? live_text(*progress, context_) : "waiting: " + shown_phase(restore, context_));
  }
  Status trouble(const Error& error) { return line_.show("trying again: " + error.message()); }
  Status end() { return context_.called_as_velero() ? context_.out.write("\n") : line_.clear(); }

 private:
  const Context& context_;
  terminal::LiveLine line_;
};

}  // namespace

Result<Json> await_restore(const kube::Resource& restores, const Json& restore, const Context& context) {
  const k8s::ObjectView view(restore);
  const std::string name(view.name());
  Display display(context);
  TRY("", display.begin());
  Json now = restore;
  while (!is_over(now)) {
    if (!context.clock.sleep_for(kBetweenLooks, context.stop)) {
      TRY("", display.end());
      return fail(Code::kCancelled, "stopped waiting; restore " + name + " goes on: " + more_text(name, context));
    }
    auto found = restores.get(name, context.stop);
    if (found && k8s::ObjectView(*found).uid() == view.uid()) {
      now = *std::move(found);
      TRY("", display.show(now));
      continue;
    }
    if (found || found.error().code() == Code::kNotFound) {
      TRY("", display.end());
      return fail(Code::kNotFound, "restore " + name + " was deleted before it had ended");
    }
    if (context.stop.stop_requested()) continue;
    if (!is_retryable(found.error().code())) {
      TRY("", display.end());
      return fail("restore " + name, std::move(found).error());
    }
    TRY("", display.trouble(found.error()));
  }
  TRY("", display.end());
  return now;
}

}  // namespace landfall::cli
