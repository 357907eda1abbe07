#include "item_actions/restore_csi_names.h"

#include "base/digest.h"
#include "json/json.h"
#include "k8s/object_view.h"

namespace landfall::item_actions {

std::string restored_snapshot_name(const json::Json& restore, std::string_view name_in_backup) {
  return sha256_hex(std::string(k8s::ObjectView(restore).uid()) + "/" + std::string(name_in_backup));
}

}  // namespace landfall::item_actions
