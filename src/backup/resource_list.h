#pragma once

#include <string>
#include <vector>

#include "backup/item_table.h"
#include "base/result.h"
#include "io/spool_file.h"
#include "k8s/object_ref.h"
#include "kube/discovery.h"

namespace landfall::backup {

// Writes `NAME-resource-list.json.gz`: {"apps/v1/Deployment": ["shop/web"], …}, of every object that the backup has
// handled, failed ones too: those are what the archive lacks. One kind at a time is held in memory.
Result<io::SpoolFile> write_resource_list(const ItemTable& table, const std::vector<k8s::ObjectRef>& related,
                                          const kube::Discovery& discovery, const std::string& directory);

}  // namespace landfall::backup
