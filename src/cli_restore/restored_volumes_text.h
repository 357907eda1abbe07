#pragma once

#include <string>

#include "base/clock.h"
#include "cli_restore/restore_describe_text.h"
#include "cli_restore/restored_volumes.h"

namespace landfall::cli {

// Landfall's own part of `describe`: what became of each volume. Lines before terminal::align_tabs().
//
// How many were restored, and with details which, how and how long it took; how far those are that are under way; why
// the others have no data. From the rows of the restore's volume information and from live objects, each volume once;
// from live objects alone where there are no rows, and then it is said why.
std::string restored_volumes_part(const RestoreDescription& description, WallTime now);

// "shop/books (pv-1): native snapshot snap-1, 4.0 GiB in 1m20s"
// "shop/data (pv-2): files of pod shop/db-0, volume data (restic), transferring 1.5 GiB/4.0 GiB (37 %), 52.1 MiB/s"
// "shop/cache: the backup has no data of it"
std::string volume_entry_text(const VolumeEntry& entry, WallTime now);

}  // namespace landfall::cli
