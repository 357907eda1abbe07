#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "archive/archive_index.h"
#include "base/result.h"
#include "io/spool_file.h"
#include "restore/item_book.h"
#include "restore/namespace_keeper.h"
#include "selection/restore_filter.h"
#include "volume_info/handled_object.h"

namespace landfall::restore {

// Writes `restore-NAME-resource-list.json.gz`: {"apps/v1/Deployment": ["shop/web(created)"], …}, of every item that has
// ended and every namespace that was created. One kind at a time is held in memory.
Result<io::SpoolFile> write_resource_list(const ItemBook& book, const archive::ArchiveIndex& index,
                                          const selection::RestoreFilter& filter, const NamespaceKeeper& namespaces,
                                          const std::string& directory);

// What became of the objects of one kind ("v1/PersistentVolumeClaim"), with their names there and here; as the list has
// them.
std::vector<volume_info::HandledObject> handled_objects(std::string_view type, const ItemBook& book,
                                                        const archive::ArchiveIndex& index,
                                                        const selection::RestoreFilter& filter);

}  // namespace landfall::restore
