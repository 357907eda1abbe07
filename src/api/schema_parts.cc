#include "api/schema_parts.h"

#include "api/phases.h"

namespace landfall::api {
namespace {

Schema stalled() {
  return object({
                    {"since", time().help("When something last moved.")},
                    {"reason", text().help("Why it waits, where that is known.")},
                    {"item", text().help("What it waits for.")},
                })
      .help("There when nothing has moved for a while.");
}

// Landfall's additions that every progress has.
std::vector<Field> pace(const std::string& rate, std::string_view rate_help) {
  return {
      {"step", text().help("What is being done now.")},
      {"current", text().help("What is being worked on, for people.")},
      {rate, int64().help(rate_help)},
      {"estimatedCompletionTimestamp", time().help("When the step is expected to end, if that can be told.")},
      {"stalled", stalled()},
  };
}

}  // namespace

Schema label_selector() {
  const Schema expression = object({
      {"key", text().required()},
      {"operator", text().required()},
      {"values", texts().atomic()},
  });
  return object({
                    {"matchExpressions", list_of(expression).atomic()},
                    {"matchLabels", map_of(text())},
                })
      .atomic();
}

Schema object_reference() {
  return object({
                    {"apiVersion", text()},
                    {"fieldPath", text()},
                    {"kind", text()},
                    {"name", text()},
                    {"namespace", text()},
                    {"resourceVersion", text()},
                    {"uid", text()},
                })
      .atomic();
}

Schema typed_local_reference() {
  return object({
                    {"apiGroup", text()},
                    {"kind", text().required()},
                    {"name", text().required()},
                })
      .atomic();
}

Schema secret_key() {
  return object({
                    {"key", text().required()},
                    {"name", text().with_default("")},
                    {"optional", boolean()},
                })
      .atomic();
}

std::vector<Field> hook_filters() {
  return {
      {"name", text().required()},
      {"includedNamespaces", texts().nullable()},
      {"excludedNamespaces", texts().nullable()},
      {"includedResources", texts().nullable()},
      {"excludedResources", texts().nullable()},
      {"labelSelector", label_selector().nullable()},
  };
}

Schema hook_error_mode() { return one_of({"Continue", "Fail"}); }

Schema hook_status() { return object({{"hooksAttempted", count()}, {"hooksFailed", count()}}).nullable(); }

Schema item_progress(const std::vector<Field>& more) {
  return object({{"totalItems", count()}})
      .with(more)
      .with(pace("itemsPerMinute", "How fast items are being handled."))
      .nullable();
}

Schema byte_progress() {
  return object({{"bytesDone", int64()}, {"totalBytes", int64()}})
      .with(pace("bytesPerSecond", "How fast bytes are being moved."));
}

Schema transfer_status(const std::vector<Field>& more) {
  return object({
                    {"phase", name_of<TransferPhase>()},
                    {"message", text()},
                    {"acceptedTimestamp", time()},
                    {"startTimestamp", time()},
                    {"completionTimestamp", time()},
                    {"progress", byte_progress()},
                })
      .with(more);
}

}  // namespace landfall::api
