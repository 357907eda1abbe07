#pragma once

#include <optional>

#include "base/result.h"
#include "json/json_fwd.h"
#include "progress/progress.h"

// status.progress of every kind that has one: progress as values, and as fields. A writer touches only the fields that
// it owns and removes those that have nothing to say, so that a patch made from the difference says so too. They fail
// only where `status` or `progress` is something else than an object.
namespace landfall::api {

// {totalItems, itemsBackedUp} and Landfall's additions.
Status set_backup_progress(json::Json& backup, const progress::ItemProgress& progress);
// {totalItems, itemsRestored} and Landfall's additions, with what the backup holds and what became of the items.
Status set_restore_progress(json::Json& restore, const progress::ItemProgress& progress);
// {totalBytes, bytesDone} of PodVolume*, VolumePlugin*, DataUpload and DataDownload.
Status set_byte_progress(json::Json& object, const progress::ByteProgress& progress);

// What a Backup or Restore says; nothing when it has no progress yet. One that Velero wrote has counts only. Fields of
// a wrong type count as missing. How many items were added from outside the backup follows from the other counts.
std::optional<progress::ItemProgress> read_item_progress(const json::Json& object);
// As above. A volume plugin may have written TotalBytes and BytesDone: they count where the other names are missing.
std::optional<progress::ByteProgress> read_byte_progress(const json::Json& object);

}  // namespace landfall::api
