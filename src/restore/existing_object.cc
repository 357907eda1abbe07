#include "restore/existing_object.h"

#include <algorithm>
#include <utility>

#include "api/labels.h"
#include "json/access.h"
#include "json/json.h"
#include "json/patch.h"
#include "k8s/object_view.h"
#include "restore/object_reset.h"

namespace landfall::restore {
namespace {

constexpr std::size_t kShownDifferences = 4;

// What both have, by name: those of the live object first, then those it lacks.
void add_missing_references(json::Json& live, const json::Json& desired, std::string_view field) {
  const json::Json* wanted = json::find(desired, {field});
  if (wanted == nullptr || !wanted->is_array()) return;
  json::Json& there = live[std::string(field)];
  if (!there.is_array()) there = json::Json::array();
  for (const json::Json& one : *wanted) {
    const std::string name = json::string_or(one, {"name"}, "");
    const bool is_there = std::ranges::any_of(
        there, [&](const json::Json& other) { return json::string_or(other, {"name"}, "") == name; });
    if (!is_there) there.push_back(one);
  }
  if (there.empty()) live.erase(std::string(field));
}

void add_missing_members(json::Json& live, const json::Json& desired, std::string_view field) {
  const json::Json* wanted = json::find(desired, {"metadata", field});
  if (wanted == nullptr || !wanted->is_object()) return;
  json::Json& there = live["metadata"][std::string(field)];
  if (!there.is_object()) there = json::Json::object();
  for (const auto& [key, value] : wanted->items()) {
    if (!there.contains(key)) there[key] = value;
  }
}

json::Json merged_service_account(const json::Json& live, const json::Json& desired) {
  json::Json merged = live;
  add_missing_references(merged, desired, "secrets");
  add_missing_references(merged, desired, "imagePullSecrets");
  add_missing_members(merged, desired, "labels");
  add_missing_members(merged, desired, "annotations");
  return merged;
}

}  // namespace

struct ExistingObject::Patches {
  json::Json patch = json::Json::object();
  json::Json label_patch = json::Json::object();
};

ExistingObject::ExistingObject() : patches_(std::make_unique<Patches>()) {}
ExistingObject::ExistingObject(ExistingObject&&) noexcept = default;
ExistingObject& ExistingObject::operator=(ExistingObject&&) noexcept = default;
ExistingObject::~ExistingObject() = default;

const json::Json& ExistingObject::patch() const { return patches_->patch; }
const json::Json& ExistingObject::label_patch() const { return patches_->label_patch; }

Result<ExistingObject> ExistingObject::compare(json::Json live, const json::Json& desired,
                                               const k8s::GroupResource& resource, std::string_view policy) {
  TRY("", reset_metadata_and_status(live));
  json::erase_at(live, {"metadata", "managedFields"});
  json::Json wanted = desired;
  json::erase_at(wanted, {"metadata", "managedFields"});
  wanted.erase("status");

  // The labels of a restore never count as a difference.
  json::Json labelled = live;
  for (const std::string_view label : {api::label::kBackupName, api::label::kRestoreName}) {
    const auto value = k8s::ObjectView(wanted).labels().get(std::string(label));
    if (value) TRY("", k8s::set_label(labelled, label, *value));
  }
  ExistingObject result;
  remove_restore_labels(live);
  result.patches_->label_patch = json::create_merge_patch(live, labelled);
  const bool updates = policy == "update";
  if (labelled == wanted) {
    result.fate_ = updates ? ExistingFate::kRelabel : ExistingFate::kUnchanged;
    if (updates) result.patches_->patch = result.patches_->label_patch;
    return result;
  }
  if (resource == k8s::GroupResource{"", "serviceaccounts"}) {
    result.patches_->patch = json::create_merge_patch(labelled, merged_service_account(labelled, wanted));
    result.fate_ = result.patches_->patch.empty() ? ExistingFate::kUnchanged : ExistingFate::kMerge;
    return result;
  }
  result.differences_ = json::differences(labelled, wanted, kShownDifferences);
  if (updates) {
    result.fate_ = ExistingFate::kUpdate;
    result.patches_->patch = json::create_merge_patch(live, wanted);
  } else {
    result.fate_ = ExistingFate::kConflict;
  }
  return result;
}

}  // namespace landfall::restore
