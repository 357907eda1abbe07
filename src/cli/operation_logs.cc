#include "cli/operation_logs.h"

#include <fmt/format.h>

#include <chrono>
#include <memory>
#include <utility>

#include "api/phases.h"
#include "api/status.h"
#include "base/random.h"
#include "base/strings.h"
#include "cli/artifacts.h"
#include "cli/cluster.h"
#include "cli/find_objects.h"
#include "cli/object_watch.h"
#include "cli/operation_words.h"
#include "json/json.h"
#include "k8s/object_view.h"
#include "terminal/printable_writer.h"

namespace landfall::cli {
namespace {

using json::Json;

struct Flags {
  std::string name;
  bool follow = false;
  Duration timeout = std::chrono::minutes(1);
  ArtifactFlags artifacts;
};

// Velero's server has a log only at the end. Its scripts wait for these phases, which both kinds have.
bool has_stored_log(const Json& operation) {
  using enum api::BackupPhase;
  const auto phase = api::phase_of<api::BackupPhase>(operation);
  return phase == kCompleted || phase == kFailed || phase == kPartiallyFailed || phase == kWaitingForPluginOperations ||
         phase == kWaitingForPluginOperationsPartiallyFailed;
}

// One that is followed may not have begun.
Result<Json> await_begin(const kube::Resource& operations, Json operation, const std::string& name,
                         const Context& context) {
  if (has_begun(operation)) return operation;
  ObjectWatch watch(operations, name, std::string(k8s::ObjectView(operation).uid()), system_random());
  const auto on_seen = [&](Json& object) {
    operation = std::move(object);
    return !has_begun(operation);
  };
  TRY("", watch.follow(on_seen, [](const Error&) {}, context.stop));
  return operation;
}

Error no_log(const Json& operation, const std::string& name, const Noun& noun, const Context& context) {
  if (api::phase_of<api::BackupPhase>(operation) == api::BackupPhase::kFailedValidation) {
    return {Code::kNotFound, fmt::format("{0} {1} was refused before it began, so it has no log: '{2} {0} describe "
                                         "{3}' says why",
                                         noun.word, quote(name), context.program, name)};
  }
  return {Code::kNotFound, fmt::format("there is no log of {} {} (phase {}) yet, or none any more", noun.word,
                                       quote(name), shown_phase(operation, context))};
}

Status logs(const Flags& flags, const Noun& noun, const GlobalFlags& global, const Context& context) {
  TRY_ASSIGN(const auto cluster, "", Cluster::of(global, context));
  const ObjectFinder operations(cluster->client(), noun, global.namespace_name, context);
  TRY_ASSIGN(Json operation, "", operations.one(flags.name));
  if (context.called_as_velero() && !flags.follow && !has_stored_log(operation)) {
    return fail(Code::kNotFound, fmt::format("logs of {} {} are not available until it has ended; wait until its phase "
                                             "is Completed, PartiallyFailed or Failed",
                                             noun.word, quote(flags.name)));
  }
  const Artifacts artifacts(cluster->client(), global.namespace_name, flags.artifacts, context);
  const auto target = noun.kind == api::kBackup ? api::DownloadTarget::kBackupLog : api::DownloadTarget::kRestoreLog;
  terminal::PrintableWriter safe(context.out);
  io::Writer& to = context.out_terminal.is_terminal ? static_cast<io::Writer&>(safe) : context.out;
  Status done;
  if (flags.follow) {
    TRY_ASSIGN(operation, fmt::format("{} {}", noun.word, flags.name),
               await_begin(operations.resource(), std::move(operation), flags.name, context));
    done = artifacts.follow(target, flags.name, flags.timeout, to);
  } else {
    done = artifacts.read(target, flags.name, flags.timeout, [&](io::Reader& text) -> Status {
      TRY("", io::copy(text, to));
      return {};
    });
  }
  TRY("", safe.close());
  if (!done && done.error().code() == Code::kNotFound) {
    return tl::unexpected(no_log(operation, flags.name, noun, context));
  }
  TRY(fmt::format("log of {} {}", noun.word, flags.name), done);
  return {};
}

}  // namespace

Command add_operation_logs(const Command& group, const std::string& word, const Noun& noun) {
  const auto flags = std::make_shared<Flags>();
  const Command command = group.leaf(word, fmt::format("Print the log of a {}, also while it runs", noun.word));
  command.argument("NAME", flags->name, fmt::format("The {}", noun.word));
  command.flag("-f,--follow", flags->follow, fmt::format("Go on as it grows, until the {} ends", noun.word));
  command.flag("--timeout", flags->timeout, "How long to wait for the log to come (1m)");
  add_artifact_flags(command, flags->artifacts);
  command.action(
      [flags, noun](const Context& context, const GlobalFlags& global) { return logs(*flags, noun, global, context); });
  return command;
}

}  // namespace landfall::cli
