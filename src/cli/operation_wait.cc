#include "cli/operation_wait.h"

#include <chrono>
#include <memory>
#include <string>
#include <utility>

#include "cli/operation_feed.h"
#include "cli/operation_words.h"
#include "json/json.h"
#include "k8s/object_view.h"
#include "terminal/text_width.h"

namespace landfall::cli {

using json::Json;

namespace {

// Nobody can see more than this, however fast things change.
constexpr Duration kBetweenDrawings = std::chrono::milliseconds(50);

// "restore r1".
std::string subject_of(const Json& operation) {
  return std::string(noun_of(operation).word) + " " + terminal::printable(k8s::ObjectView(operation).name());
}

Error stopped(const Json& operation, const Context& context) {
  return {Code::kCancelled, "stopped waiting; " + subject_of(operation) + " goes on: '" +
                                watch_words(operation, context) + "' shows it again"};
}

Error lost(const Json& operation, const Error& failure) {
  if (failure.code() != Code::kNotFound) return Error(failure).with_context(subject_of(operation));
  return {Code::kNotFound, subject_of(operation) + " was deleted before it had ended"};
}

Result<Json> watch_to_end(OperationFeed& feed, OperationDisplay& display, const Context& context) {
  while (true) {
    const OperationState state = feed.now();
    TRY("", display.show(state));
    if (is_over(*state.operation)) return *state.operation;
    if (state.failure) return tl::unexpected(lost(*state.operation, *state.failure));
    if (context.stop.stop_requested()) return tl::unexpected(stopped(*state.operation, context));
    context.clock.sleep_for(kBetweenDrawings, context.stop);
    feed.wait_change(state.changes, context.clock.after(display.refresh()), context.stop);
  }
}

}  // namespace

Result<Json> await_operation(const kube::Resource& operations, const Json& operation, const Context& context,
                             const WaitOptions& options) {
  const auto display = make_display(options.form, has_live_colors(options.colorized, context), context);
  // One that is over has nothing to watch; programs want to see it all the same.
  if (is_over(operation) && options.form == DisplayForm::kForPeople) return operation;
  OperationFeed feed(operations, operation, context);
  TRY("", display->begin());
  if (!is_over(operation)) feed.start(display->wants());
  auto ended = watch_to_end(feed, *display, context);
  TRY("", display->end());
  return ended;
}

Status wait_and_report(const kube::Resource& operations, const Json& operation, const Context& context,
                       const WaitOptions& options) {
  TRY_ASSIGN(const Json ended, "", await_operation(operations, operation, context, options));
  return options.form == DisplayForm::kJson ? ending_status(ended, context) : report_ending(ended, context);
}

}  // namespace landfall::cli
