#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "api/restore.h"
#include "base/log.h"
#include "base/result.h"
#include "cli/context.h"
#include "cli_restore/restore_source.h"
#include "hooks/hook_runner.h"
#include "json/json_fwd.h"
#include "kube/client.h"
#include "kube/discovery.h"
#include "modifiers/resource_modifiers.h"
#include "progress/progress.h"
#include "restore/restore_run.h"
#include "selection/resource_policies.h"
#include "selection/restore_filter_spec.h"

namespace landfall::cli {

struct LocalRestoreOptions {
  std::string name_space;  // that a server would be in: its ConfigMaps set up some of the work
  std::vector<std::string> features;
  restore::ManagedFields managed_fields = restore::ManagedFields::kApplied;
  // Where the plan goes before anything is restored. May be empty.
  std::function<Status(const restore::Plan&)> save_plan;
  bool has_colors = false;  // on a terminal
};

// A restore that this process runs itself, without a server and without its kinds in the cluster. It has no node agents
// and no snapshotters: the data of volumes stays out, and that is said for each. Nobody can go on with it.
//
// The Restore, the source, the client and the context are borrowed. Used once, by one thread.
class LocalRestore {
 public:
  LocalRestore(json::Json& restore, const RestoreSource& source, kube::Client& client, LocalRestoreOptions options,
               Logger log, const Context& context);
  ~LocalRestore();
  LocalRestore(const LocalRestore&) = delete;
  LocalRestore& operator=(const LocalRestore&) = delete;

  // Reads and checks what the Restore says, and writes into it what follows, as the server does. kInvalid says what is
  // wrong.
  Status prepare();

  // What would become of each item. Changes nothing.
  Result<restore::Plan> preview();

  struct Outcome {
    restore::RestoreProduct product;
    progress::ItemProgress progress;  // the last
    hooks::HookCounts hooks;
    std::unique_ptr<json::Json> volume_infos;  // a row for each claim
  };
  // Restores, with a live line, until the hooks in pods are over; or until ctrl-c, after which no new item is begun.
  Result<Outcome> run();

 private:
  struct Parts;
  // As a server does it: every claim has a row, and one that lacks what the backup has of it is an error.
  json::Json account_for_volumes(restore::RestoreProduct& product) const;

  json::Json& restore_;
  const RestoreSource& source_;
  kube::Client& client_;
  const LocalRestoreOptions options_;
  const Logger log_;
  const Context& context_;
  std::unique_ptr<Parts> parts_;
};

}  // namespace landfall::cli
