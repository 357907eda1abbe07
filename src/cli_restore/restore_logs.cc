#include <chrono>
#include <memory>
#include <string>

#include "api/names.h"
#include "api/phases.h"
#include "api/status.h"
#include "base/strings.h"
#include "cli/artifacts.h"
#include "cli/cluster.h"
#include "cli/find_objects.h"
#include "cli_restore/restore_commands.h"
#include "cli_restore/restore_words.h"
#include "json/json.h"

namespace landfall::cli {
namespace {

using api::RestorePhase;
using json::Json;

constexpr Duration kBetweenLooks = std::chrono::milliseconds(500);

struct Flags {
  std::string name;
  bool follow = false;
  Duration timeout = std::chrono::minutes(1);
  ArtifactFlags artifacts;
};

// Velero's server has a log only at the end. Its scripts wait for these phases.
bool has_stored_log(const Json& restore) {
  using enum RestorePhase;
  const auto phase = api::phase_of<RestorePhase>(restore);
  return phase == kCompleted || phase == kFailed || phase == kPartiallyFailed || phase == kWaitingForPluginOperations ||
         phase == kWaitingForPluginOperationsPartiallyFailed;
}

// One that is followed may not have begun.
Result<Json> await_begin(const ObjectFinder& restores, Json restore, const std::string& name, const Context& context) {
  while (api::phase_of<RestorePhase>(restore) == RestorePhase::kNew) {
    if (!context.clock.sleep_for(kBetweenLooks, context.stop)) return fail(Code::kCancelled, "stopped");
    TRY_ASSIGN(restore, "", restores.one(name));
  }
  return restore;
}

Status no_log(const Json& restore, const std::string& name, const Context& context) {
  if (api::phase_of<RestorePhase>(restore) == RestorePhase::kFailedValidation) {
    return fail(Code::kNotFound, "restore " + quote(name) + " was refused before it began, so it has no log: '" +
                                     context.program + " restore describe " + name + "' says why");
  }
  return fail(Code::kNotFound, "there is no log of restore " + quote(name) + " (phase " +
                                   shown_phase(restore, context) + ") yet, or none any more");
}

Status logs(const Flags& flags, const GlobalFlags& global, const Context& context) {
  TRY_ASSIGN(const auto cluster, "", Cluster::of(global, context));
  const ObjectFinder restores(cluster->client(), kRestores, global.namespace_name, context);
  TRY_ASSIGN(Json restore, "", restores.one(flags.name));
  if (context.called_as_velero() && !flags.follow && !has_stored_log(restore)) {
    return fail(Code::kNotFound, "logs of restore " + quote(flags.name) +
                                     " are not available until it has ended; wait until its phase is Completed, "
                                     "PartiallyFailed or Failed");
  }
  const Artifacts artifacts(cluster->client(), global.namespace_name, flags.artifacts, context);
  constexpr auto kLog = api::DownloadTarget::kRestoreLog;
  Status done;
  if (flags.follow) {
    TRY_ASSIGN(restore, "", await_begin(restores, std::move(restore), flags.name, context));
    done = artifacts.follow(kLog, flags.name, flags.timeout, context.out);
  } else {
    done = artifacts.read(kLog, flags.name, flags.timeout, [&](io::Reader& text) -> Status {
      TRY("", io::copy(text, context.out));
      return {};
    });
  }
  if (!done && done.error().code() == Code::kNotFound) return no_log(restore, flags.name, context);
  TRY("log of restore " + flags.name, done);
  return {};
}

}  // namespace

Command add_restore_logs(const Command& group, const std::string& word) {
  const auto flags = std::make_shared<Flags>();
  const Command command = group.leaf(word, "Print the log of a restore, also while it runs");
  command.argument("NAME", flags->name, "The restore");
  command.flag("-f,--follow", flags->follow, "Go on as it grows, until the restore ends");
  command.flag("--timeout", flags->timeout, "How long to wait for the log to come (1m)");
  add_artifact_flags(command, flags->artifacts);
  command.action([flags](const Context& context, const GlobalFlags& global) { return logs(*flags, global, context); });
  return command;
}

}  // namespace landfall::cli
