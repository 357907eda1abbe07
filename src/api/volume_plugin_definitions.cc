#include <utility>

#include "api/definition.h"
#include "api/schema_parts.h"

namespace landfall::api {
namespace {

// What both have in their specs.
Schema spec(const std::vector<Field>& more) {
  return object({
                    {"backup", text().required().help("The backup that the snapshot belongs to.")},
                    {"plugin", text().required().help("The volume snapshotter that does the work.")},
                    {"pluginSpecific", map_of(text()).help("What the plugin wants users to know.")},
                    {"volumeSnapshotLocation", text().help("Where the snapshot is kept.")},
                    {"cancel", boolean().help("Set by the server when the plugin should stop.")},
                })
      .with(more);
}

Schema status(const std::vector<Field>& more) {
  // Spelled as a plugin writes them whose Go fields carry no names for JSON; read when the others are missing.
  const std::vector<Field> capitals = {{"BytesDone", int64()}, {"TotalBytes", int64()}};
  return object({
                    {"phase", text().help("New, InProgress, Completed, Failed, Canceled, or the plugin's own word.")},
                    {"message", text()},
                    {"startTimestamp", time()},
                    {"completionTimestamp", time()},
                    {"progress", byte_progress().with(capitals)},
                })
      .with(more);
}

std::vector<Column> columns(Column last) {
  std::vector<Column> all = transfer_columns();
  all.insert(all.end(), {{"Plugin", "string", ".spec.plugin"}, std::move(last), age_column()});
  return all;
}

}  // namespace

Definition volume_plugin_backup_definition() {
  return {.kind = kVolumePluginBackup,
          .help = "How far a volume snapshotter plugin is with one snapshot; written by the plugin or on its behalf.",
          .short_name = "vpb",
          .spec = spec({{"volume", text().required().help("The PersistentVolume that is saved.")}}),
          .status = status({{"snapshotID", text().help("What the plugin calls the snapshot.")}}),
          .columns = columns({"Volume", "string", ".spec.volume"})};
}

Definition volume_plugin_restore_definition() {
  return {.kind = kVolumePluginRestore,
          .help = "How far a volume snapshotter plugin is with one volume made from a snapshot.",
          .short_name = "vpr",
          .spec = spec({{"snapshotID", text().required().help("The snapshot that the volume is made from.")}}),
          .status = status({{"volumeID", text().help("The PersistentVolume that was made.")}}),
          .columns = columns({"Volume", "string", ".status.volumeID"})};
}

}  // namespace landfall::api
