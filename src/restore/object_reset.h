#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "json/json_fwd.h"

// What is taken off an object on its way into another cluster, and put on.
namespace landfall::restore {

// Takes off what belonged to the object where it was: its identity, owners, times and status. Labels, annotations,
// finalizers and managedFields stay. kInvalid for an object without metadata.
Status reset_metadata_and_status(json::Json& object);

// velero.io/backup-name and velero.io/restore-name.
Status add_restore_labels(json::Json& object, std::string_view restore, std::string_view backup);
void remove_restore_labels(json::Json& object);

// What ties a PersistentVolume or a claim to its other half.
void reset_volume_binding(json::Json& object);

// Whether somebody applies the object with server-side apply: then its managedFields matter.
bool has_applied_fields(const json::Json& object);

// "apps/v1/Deployment": the title in a resource list.
std::string type_of(const json::Json& object);

}  // namespace landfall::restore
