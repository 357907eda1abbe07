#pragma once

#include <cstddef>
#include <map>

#include "json/json_fwd.h"
#include "k8s/object_ref.h"
#include "volume_info/volume_info.h"

namespace landfall::volume_info {

// The rows of a backup while those who have taken the data of volumes fill them in: at first there is one for each
// PersistentVolume in the backup, which says that nobody has.
class BackupRows {
 public:
  // The document is borrowed, and changed by nobody else meanwhile. One that is no list stays as it is.
  explicit BackupRows(json::Json& rows);

  // Puts in what was done for a claim. PersistentVolume and traits are those of the row that the claim has; the row is
  // replaced if it said that the volume was skipped. False when no PersistentVolume of that claim is in the backup:
  // then there is no row, as in Velero.
  bool put(BackedUpVolume volume);

 private:
  json::Json& rows_;
  std::map<k8s::NamespacedName, std::size_t> by_claim_;
};

}  // namespace landfall::volume_info
