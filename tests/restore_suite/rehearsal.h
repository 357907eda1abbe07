#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "archive/spooled_archive.h"
#include "base/random.h"
#include "extension/item_action.h"
#include "json/json.h"
#include "kube/client.h"
#include "operation/journal.h"
#include "operation/memory_records.h"
#include "progress/progress.h"
#include "restore/restore_run.h"

// Restores by the engine alone, without a server: what tests of the engine share.
namespace landfall::restore_suite {

// What to restore, and how. Everything has a default that works.
struct Script {
  json::Json backup = {{"metadata", {{"name", "backup"}}}};
  json::Json restore_spec = json::Json::object();  // spec of the Restore; backupName is filled in
  std::string restore_name = "restore";
  json::Json volume_infos;  // null: none
  int workers = 8;
  std::string modifiers;  // YAML; empty: none
  std::vector<std::string> found_lines;
  std::optional<restore::Plan> stored_plan;
  // Changes what the tools say.
  std::function<void(restore::RestoreTools&)> with_tools;
  bool has_actions = true;
  // Actions of the test, beside the built-in ones.
  std::function<std::vector<std::unique_ptr<extension::RestoreItemAction>>()> more_actions;
};

// What came of it.
struct Outcome {
  json::Json results;        // {"errors": …, "warnings": …}
  json::Json resource_list;  // {"v1/ConfigMap": ["shop/a(created)"]}
  progress::ItemProgress last;
  std::vector<progress::ItemProgress> published;
  std::optional<restore::Plan> plan;
  std::vector<std::string> journal;  // lines that were written
  bool is_cut_off = false;
};

// Runs a restore to its end. Throws std::runtime_error when it could not be done.
Outcome restore_all(kube::Client& client, const archive::SpooledArchive& archive, const Script& script,
                    const std::stop_token& stop = {});
// The same, with what went wrong as an error.
Result<Outcome> try_restore(kube::Client& client, const archive::SpooledArchive& archive, const Script& script,
                            const std::stop_token& stop = {});
restore::Plan preview(kube::Client& client, const archive::SpooledArchive& archive, const Script& script);

// An archive of these objects, by their resource: {"configmaps", {…}}. Scope follows from metadata.namespace.
archive::SpooledArchive archive_of(const std::vector<std::pair<std::string, json::Json>>& objects);
// An archive of one object in several versions of its kind, the one that the source cluster preferred first.
archive::SpooledArchive archive_of_versions(const std::string& resource, const std::vector<json::Json>& forms);
// The archive of a stored backup in a folder of tests/data.
archive::SpooledArchive stored_archive(const std::string& path);

// A JSON file, as it is or compressed.
json::Json stored_document(const std::string& path);
json::Json stored_list(const std::string& path);

// A ConfigMap, for restores that are about something else.
json::Json config_map(const std::string& name_space, const std::string& name, const std::string& value = "x");

}  // namespace landfall::restore_suite
