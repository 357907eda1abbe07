#include "cli/operation_watch.h"

#include <fmt/format.h>

#include <memory>

#include "cli/cluster.h"
#include "cli/find_objects.h"
#include "cli/operation_wait.h"
#include "json/json.h"

namespace landfall::cli {
namespace {

using json::Json;

struct Flags {
  std::string name;
  std::string format;
};

Status watch(const Flags& flags, const Noun& noun, const GlobalFlags& global, const Context& context) {
  TRY_ASSIGN(const auto cluster, "", Cluster::of(global, context));
  const ObjectFinder operations(cluster->client(), noun, global.namespace_name, context);
  TRY_ASSIGN(const Json operation, "", operations.one(flags.name));
  const auto form = flags.format == "json" ? DisplayForm::kJson : DisplayForm::kForPeople;
  return wait_and_report(operations.resource(), operation, context, {.colorized = global.colorized, .form = form});
}

}  // namespace

Command add_operation_watch(const Command& group, const std::string& word, const Noun& noun) {
  const auto flags = std::make_shared<Flags>();
  const Command command =
      group.leaf(word, fmt::format("Show how far a {} is, until it ends; ctrl-c ends the watching alone", noun.word));
  command.argument("NAME", flags->name, fmt::format("The {}", noun.word));
  command.choice(
      "-o,--output", flags->format, {"json"},
      "One JSON object a line for each change: time, kind, namespace, name, phase, isOver, errors, warnings, "
      "progress (as in the status), volumes (kind, name, volume, phase, totalBytes, bytesDone), messages "
      "(level, text), canceled, failureReason, validationErrors, notice, trouble");
  command.action([flags, noun](const Context& context, const GlobalFlags& global) {
    return watch(*flags, noun, global, context);
  });
  return command;
}

}  // namespace landfall::cli
