#include "control/progress_writer.h"

#include <utility>

#include "api/progress_fields.h"
#include "json/patch.h"

namespace landfall::control {

Status ProgressWriter::write(const progress::ItemProgress& progress, const std::stop_token& stop) {
  json::Json now = json::Json::object();
  TRY("", api::set_backup_progress(now, progress));
  json::Json patch = json::create_merge_patch(written_, now);
  if (patch.empty()) return {};
  patch["metadata"]["uid"] = uid_;
  TRY("", backups_.patch(name_, kube::PatchType::kMerge, patch, stop));
  written_ = std::move(now);
  return {};
}

}  // namespace landfall::control
