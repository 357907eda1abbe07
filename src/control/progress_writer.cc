#include "control/progress_writer.h"

#include <utility>

#include "api/progress_fields.h"
#include "json/access.h"
#include "json/patch.h"
#include "k8s/object_view.h"

namespace landfall::control {

ProgressWriter::ProgressWriter(kube::Resource objects, const json::Json& object, Set set)
    : objects_(std::move(objects)),
      name_(k8s::ObjectView(object).name()),
      uid_(k8s::ObjectView(object).uid()),
      set_(set) {
  if (const json::Json* progress = json::find(object, {"status", "progress"}))
    written_["status"]["progress"] = *progress;
  if (const auto shown = api::read_item_progress(object)) shown_ = shown->items;
}

bool ProgressWriter::is_behind(const progress::ItemCounts& counts) const {
  return shown_.total && (!counts.total || *counts.total < *shown_.total || counts.done < shown_.done);
}

Status ProgressWriter::write(const progress::ItemProgress& progress, const std::stop_token& stop) {
  if (is_behind(progress.items)) return {};
  json::Json now = json::Json::object();
  TRY("", set_(now, progress));
  json::Json patch = json::create_merge_patch(written_, now);
  if (patch.empty()) return {};
  patch["metadata"]["uid"] = uid_;
  TRY("", objects_.patch(name_, kube::PatchType::kMerge, patch, stop));
  written_ = std::move(now);
  return {};
}

}  // namespace landfall::control
