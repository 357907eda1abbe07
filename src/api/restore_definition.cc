#include "api/definition.h"
#include "api/phases.h"
#include "api/schema_parts.h"

namespace landfall::api {
namespace {

// What is run in restored pods, or put before their containers.
Schema hooks() {
  const Schema exec = object({
      {"command", texts().at_least(1).required()},
      {"container", text()},
      {"onError", hook_error_mode()},
      {"execTimeout", duration()},
      {"waitTimeout", duration()},
      {"waitForReady", tristate()},
  });
  const Schema init = object({
      // Containers as pods have them: whatever Kubernetes knows about them is kept.
      {"initContainers", list_of(object({}).keep_unknown()).keep_unknown()},
      {"timeout", duration()},
  });
  const Schema resource =
      object(hook_filters()).with({{"postHooks", list_of(object({{"exec", exec}, {"init", init}}))}});
  return object({{"resources", list_of(resource)}});
}

Schema spec() {
  return object({
      {"backupName", text()},
      {"scheduleName", text()},
      {"includedNamespaces", texts().nullable()},
      {"excludedNamespaces", texts().nullable()},
      {"includedResources", texts().nullable()},
      {"excludedResources", texts().nullable()},
      {"includeClusterResources", tristate()},
      {"namespaceMapping", map_of(text())},
      {"labelSelector", label_selector().nullable()},
      {"orLabelSelectors", list_of(label_selector()).nullable()},
      {"restorePVs", tristate()},
      {"restoreStatus",
       object({{"includedResources", texts().nullable()}, {"excludedResources", texts().nullable()}}).nullable()},
      {"preserveNodePorts", tristate()},
      {"hooks", hooks()},
      {"existingResourcePolicy", text().nullable()},
      {"itemOperationTimeout", duration()},
      {"resourceModifier", typed_local_reference().nullable()},
      {"resourcePolicy", typed_local_reference().nullable()},
      {"uploaderConfig", object({{"writeSparseFiles", tristate()}, {"parallelFilesDownload", count()}}).nullable()},
      {"cancel", boolean().help("Stop the restore. What has been restored by then stays.")},
      {"preview", boolean().help("Only find out what would be restored; change nothing in the cluster.")},
  });
}

Schema progress() {
  const Schema outcomes = object({
      {"created", count()},
      {"updated", count()},
      {"unchanged", count()},
      {"skipped", count()},
      {"failed", count()},
  });
  return item_progress({
      {"itemsRestored", count()},
      {"itemsInBackup", count().help("Items that the backup holds.")},
      {"itemsNotSelected", count().help("Items of the backup that this restore leaves alone.")},
      {"notSelected", map_of(count()).help("Why items are left alone, and how many for each reason.")},
      {"outcomes", outcomes.help("What became of the items handled so far; adds up to itemsRestored.")},
  });
}

Schema status() {
  return object({
      {"phase", name_of<RestorePhase>()},
      {"validationErrors", texts().nullable()},
      {"startTimestamp", time()},
      {"completionTimestamp", time()},
      {"restoreItemOperationsAttempted", count()},
      {"restoreItemOperationsCompleted", count()},
      {"restoreItemOperationsFailed", count()},
      {"failureReason", text()},
      {"warnings", count()},
      {"errors", count()},
      {"hookStatus", hook_status()},
      {"progress", progress()},
      {"canceled", boolean().help("The restore was stopped because spec.cancel asked for it.")},
  });
}

}  // namespace

Definition restore_definition() {
  return {.kind = kRestore,
          .help = "A restore: which backup, what of it, and how far it is.",
          .spec = spec(),
          .status = status()};
}

}  // namespace landfall::api
