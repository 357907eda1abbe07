#include "volume_info/backup_rows.h"

#include <utility>

namespace landfall::volume_info {

using json::Json;

BackupRows::BackupRows(Json& rows) : rows_(rows) {
  if (!rows_.is_array()) return;
  for (std::size_t i = 0; i < rows_.size(); ++i) {
    const BackedUpVolume row = read_backed_up(rows_[i]);
    if (!row.claim.name.empty()) by_claim_.try_emplace(row.claim, i);
  }
}

bool BackupRows::put(BackedUpVolume volume) {
  const auto found = by_claim_.find(volume.claim);
  if (found == by_claim_.end()) return false;
  BackedUpVolume before = read_backed_up(rows_[found->second]);
  volume.volume = std::move(before.volume);
  volume.traits = std::move(before.traits);
  if (before.is_skipped) {
    rows_[found->second] = to_json(volume);
  } else {
    rows_.push_back(to_json(volume));
  }
  return true;
}

}  // namespace landfall::volume_info
