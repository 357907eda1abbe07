#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "base/result.h"
#include "io/spool_file.h"
#include "operation/item_operation.h"
#include "operation/results.h"
#include "restore/plan.h"
#include "restore/restore_job.h"
#include "volume_info/handled_object.h"

namespace landfall::restore {

// What a run leaves to be stored.
struct RestoreProduct {
  operation::Results results;
  io::SpoolFile resource_list;  // restore-NAME-resource-list.json.gz, as it is stored
  std::vector<operation::ItemOperation> operations;
  // Of these what became of each, by the resource list.
  std::vector<volume_info::HandledObject> claims;
  std::vector<volume_info::HandledObject> volumes;
  // The stop came before everything was done: this is what was done, and what was not is in the results.
  bool is_cut_off = false;
};

// Restores: collects and plans, stores the plan, creates the objects, and waits for pod volumes. Exec hooks are begun,
// not waited for. Progress is published all along; finish() of the reporter is the caller's. start() is the caller's,
// too, of a restore that nobody has begun; one that goes on starts it once what was done before is counted, so that
// what is published never goes back.
//
// Goes on where an earlier process stopped, by the stored plan and what the journal found. What goes wrong with single
// objects is in the results and in the log. An error means that the restore could not be done: an archive that cannot
// be planned from, a plan that cannot be stored, a cluster that cannot be asked.
Result<RestoreProduct> run_restore(const RestoreJob& job, RestoreTools& tools, const std::stop_token& stop);

// Plans, and looks what each item would become, without changing the cluster. Kinds whose definition is only in the
// backup are judged by that. The journal and hooks are not used, the plan is not saved.
Result<Plan> preview_restore(const RestoreJob& job, RestoreTools& tools, const std::stop_token& stop);

}  // namespace landfall::restore
