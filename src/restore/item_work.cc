#include "restore/item_work.h"

#include <chrono>
#include <optional>
#include <utility>

#include "api/labels.h"
#include "base/strings.h"
#include "hooks/restore_hook_run.h"
#include "json/access.h"
#include "json/json.h"
#include "k8s/object_view.h"
#include "restore/journal_lines.h"
#include "restore/object_reset.h"
#include "restore/snapshot_volume.h"

namespace landfall::restore {
namespace {

using progress::Outcome;

const k8s::GroupResource kPods{"", "pods"};
const k8s::GroupResource kVolumes{"", "persistentvolumes"};
const k8s::GroupResource kClaims{"", "persistentvolumeclaims"};
constexpr Duration kReadyPoll = std::chrono::seconds(1);

}  // namespace

ItemWork::ItemWork(ItemRestorer& restorer, const archive::IndexedItem& item, std::string target_namespace,
                   std::unique_ptr<json::Json> document, ItemBook::Worker worker)
    : world_(restorer.world_),
      restorer_(restorer),
      item_(item),
      target_namespace_(std::move(target_namespace)),
      title_(to_string(item.resource()) + " " + (target_namespace_.empty() ? "" : target_namespace_ + "/") +
             std::string(item.name())),
      object_(std::move(document)),
      worker_(worker) {
  end_.type = type_of(*object_);
}

ItemWork::~ItemWork() = default;

ItemWork::Next ItemWork::fail_with(std::string text) {
  end_.outcome = Outcome::kFailed;
  end_.listed = Listed::kFailed;
  if (world_.is_preview) end_.forecast = PlannedGroup::Forecast{.prediction = Prediction::kFail, .reason = text};
  end_.findings.push_back(error_in(target_namespace_, title_ + ": " + std::move(text)));
  return Next::kOver;
}

ItemWork::Next ItemWork::skip(std::string reason) {
  end_.outcome = Outcome::kSkipped;
  end_.listed = end_.findings.empty() ? Listed::kSkipped : Listed::kFailed;
  if (world_.is_preview) {
    end_.forecast = PlannedGroup::Forecast{.prediction = Prediction::kSkip, .reason = std::move(reason)};
  }
  return Next::kOver;
}

Status ItemWork::run(const std::stop_token& stop) {
  if (!target_namespace_.empty()) {
    const Status ready = world_.namespaces.ensure(target_namespace_, std::string(item_.namespace_name()), stop);
    if (!ready && ready.error().code() == Code::kCancelled) return ready;
    if (!ready) {
      fail_with("not restored: " + ready.error().message());
      return {};
    }
  }
  TRY_ASSIGN(const Next next, "", steps(stop));
  return next == Next::kGoOn ? put(stop) : Status();
}

Result<ItemWork::Next> ItemWork::steps(const std::stop_token& stop) {
  kind_ = json::string_or(*object_, {"kind"}, "");
  if (world_.actions.sees(item_.resource())) from_backup_ = std::make_unique<json::Json>(*object_);
  if (item_.resource() == kVolumes) {
    TRY_ASSIGN(const Next next, "", decide_volume(stop));
    if (next == Next::kOver) return next;
  }
  if (json::Json* status = json::find(*object_, {"status"})) status_ = std::make_unique<json::Json>(std::move(*status));
  if (const Status reset = reset_metadata_and_status(*object_); !reset) return fail_with(reset.error().message());
  if (from_backup_) {
    TRY_ASSIGN(const Next next, "", run_actions(stop));
    if (next == Next::kOver) return next;
  }
  if (item_.resource() == kClaims) adjust_claim();
  if (world_.job.modifiers != nullptr && world_.job.modifiers->sees(item_.resource())) {
    for (const std::string& problem : world_.job.modifiers->apply(item_.resource(), *object_)) {
      end_.findings.push_back(error_in(target_namespace_, title_ + ": resource modifier: " + problem));
    }
  }
  if (!object_->is_object()) return fail_with("what is left of it is no object");
  if (!target_namespace_.empty()) {
    if (const Status set = json::set_at(*object_, {"metadata", "namespace"}, target_namespace_); !set) {
      return fail_with(set.error().message());
    }
  }
  const Status labelled =
      add_restore_labels(*object_, k8s::ObjectView(world_.job.restore).name(), world_.job.spec.backup_name);
  return labelled ? Next::kGoOn : fail_with(labelled.error().message());
}

Result<ItemWork::Next> ItemWork::decide_volume(const std::stop_token& stop) {
  const std::string name(item_.name());
  const VolumeDecision decision = world_.volumes.of(*object_);
  switch (decision.fate) {
    case VolumeFate::kProvisioned:
      world_.tools.log.info("PersistentVolume is not restored, its claim gets a new one",
                            {{"name", name}, {"reason", decision.why}});
      if (!world_.is_preview) world_.tools.journal.add(provisioned_line(name));
      world_.volume_book.provision(name);
      return skip("its claim gets a new volume: " + std::string(decision.why));
    case VolumeFate::kAsItIs:
      map_claim_namespace(*object_, world_.job.spec.namespace_mapping);
      reset_volume_binding(*object_);
      return Next::kGoOn;
    case VolumeFate::kFromSnapshot:
      break;
  }
  if (world_.is_preview) return Next::kGoOn;
  const auto new_name = volume_from_snapshot(*object_, world_.job, world_.tools, stop);
  if (!new_name) {
    if (stop.stop_requested()) return fail(Code::kCancelled, "stopped");
    return fail_with(new_name.error().message());
  }
  if (*new_name != name) {
    world_.tools.journal.add(renamed_line(name, *new_name));
    world_.volume_book.rename(name, *new_name);
  }
  return Next::kGoOn;
}

Result<ItemWork::Next> ItemWork::run_actions(const std::stop_token& stop) {
  for (extension::RestoreItemAction* action : world_.actions.all_for(item_.resource())) {
    if (!world_.actions.matches(action, item_.resource(), target_namespace_, *object_)) continue;
    TRY_ASSIGN(const Next next, "", run_action(*action, stop));
    if (next == Next::kOver) return next;
  }
  return Next::kGoOn;
}

Result<ItemWork::Next> ItemWork::run_action(extension::RestoreItemAction& action, const std::stop_token& stop) {
  if (world_.is_preview && action.changes_cluster()) {
    return skip("item action " + action.name() + " acts on the cluster, and is not run for a preview");
  }
  auto result = action.execute({.item = *object_, .from_backup = *from_backup_, .restore = world_.job.restore}, stop);
  if (!result) {
    if (stop.stop_requested()) return fail(Code::kCancelled, "stopped");
    return fail_with("item action " + action.name() + ": " + result.error().message());
  }
  if (!result->operation_id.empty() && !world_.is_preview) {
    const k8s::ObjectView restore(world_.job.restore);
    restorer_.remember({.owner_name = std::string(restore.name()),
                        .owner_uid = std::string(restore.uid()),
                        .action = action.name(),
                        .operation_id = result->operation_id,
                        .item = {item_.resource(), target_namespace_, std::string(item_.name())},
                        .created = world_.tools.clock.wall_now()});
  }
  if (result->skip) return skip("item action " + action.name() + " leaves it out");
  if (result->changed) object_ = std::move(result->changed);
  const bool must_include = takes_must_include_note();
  TRY("", restore_additional(action, *result, must_include, stop));
  return Next::kGoOn;
}

// The note never gets into the cluster, whatever it says.
bool ItemWork::takes_must_include_note() {
  const auto note =
      k8s::ObjectView(*object_).annotations().get(std::string(api::annotation::kMustRestoreAdditionalItems));
  const bool is_set = note == std::string_view("true");
  if (note) k8s::remove_annotation(*object_, api::annotation::kMustRestoreAdditionalItems);
  return is_set;
}

Status ItemWork::restore_additional(extension::RestoreItemAction& action, const extension::RestoreActionResult& result,
                                    bool must_include, const std::stop_token& stop) {
  std::vector<k8s::ObjectRef> there;
  for (const k8s::ObjectRef& ref : result.additional) {
    const auto item = world_.job.archive.index().find(ref.resource, ref.name_space, ref.name);
    if (!item || !item->content()) {
      end_.findings.push_back(warning_in(ref.name_space, title_ + ": " + action.name() + " asks for " + to_string(ref) +
                                                             ", which is not in the backup"));
      continue;
    }
    TRY_ASSIGN(
        const bool exists, "",
        restorer_.restore(*item, must_include ? selection::Met::kAsMustInclude : selection::Met::kAsAdditionalItem,
                          worker_, stop));
    if (exists) there.push_back(ref);
  }
  if (!result.waits_for_additional || there.empty() || world_.is_preview) return {};
  return wait_for_additional(action, result, there, stop);
}

Status ItemWork::wait_for_additional(extension::RestoreItemAction& action, const extension::RestoreActionResult& result,
                                     const std::vector<k8s::ObjectRef>& there, const std::stop_token& stop) {
  const Duration timeout =
      result.additional_timeout > Duration::zero() ? result.additional_timeout : world_.tools.options.resource_timeout;
  const SteadyTime deadline = world_.tools.clock.after(timeout);
  while (true) {
    const auto ready = action.are_ready(there, world_.job.restore, stop);
    if (stop.stop_requested()) return fail(Code::kCancelled, "stopped");
    if (!ready) {
      end_.findings.push_back(error_in(
          target_namespace_, title_ + ": " + action.name() +
                                 " cannot say whether its additional items are ready: " + ready.error().message()));
      return {};
    }
    if (*ready) return {};
    if (world_.tools.clock.now() >= deadline) break;
    world_.tools.progress.blame("waiting for additional items", title_);
    if (!world_.tools.clock.sleep_for(kReadyPoll, stop)) return fail(Code::kCancelled, "stopped");
  }
  end_.findings.push_back(
      error_in(target_namespace_, title_ + ": the additional items of " + action.name() + " are not ready in time"));
  return {};
}

void ItemWork::adjust_claim() {
  const std::string volume = json::string_or(*object_, {"spec", "volumeName"}, "");
  if (volume.empty()) return;
  reset_volume_binding(*object_);
  if (world_.volume_book.is_provisioned(volume)) json::erase_at(*object_, {"spec", "volumeName"});
  if (const auto new_name = world_.volume_book.new_name(volume)) (*object_)["spec"]["volumeName"] = *new_name;
}

// Where it goes. Kinds and versions that the cluster does not serve end here, with a reason.
Result<ItemWork::Next> ItemWork::resolve(k8s::GroupVersionResource& resource) {
  const k8s::GroupVersionKind type = k8s::ObjectView(*object_).group_version_kind();
  resource = {type.group, type.version, item_.resource().resource};
  const std::shared_ptr<const kube::Discovery> discovery = world_.discovery.copy();
  if (type.kind != kind_) {
    const kube::ApiResource* changed = discovery->find(type);
    if (changed != nullptr) resource = changed->id;
  }
  if (discovery->find(resource) != nullptr) return Next::kGoOn;
  // A group that did not answer when it was asked: the server's answer to the object itself decides.
  if (discovery->failures().contains({type.group, type.version})) return Next::kGoOn;
  if (const kube::ApiResource* other = discovery->find(resource.group_resource())) {
    return fail_with("the cluster does not serve " + to_string(type.group_version()) + " of this kind, only " +
                     other->id.version +
                     " and the like; back up with the feature EnableAPIGroupVersions, so that the "
                     "backup has that version too");
  }
  end_.findings.push_back(warning_in(target_namespace_, title_ + ": not restored: the cluster has no kind " +
                                                            type.kind + " in " + to_string(type.group_version()) +
                                                            "; install its definition and restore this item again"));
  return skip("the cluster has no such kind");
}

Status ItemWork::put(const std::stop_token& stop) {
  k8s::GroupVersionResource resource;
  TRY_ASSIGN(const Next next, "", resolve(resource));
  if (next == Next::kOver) return {};
  const k8s::ObjectView view(*object_);
  const bool with_status =
      status_ && world_.filter.restores_status(item_.resource(),
                                               view.annotations().get(std::string(api::annotation::kRestoreStatus)));
  const Candidate candidate{.resource = resource,
                            .name_space = target_namespace_,
                            .name = std::string(view.name()),
                            .object = *object_,
                            .status = with_status ? status_.get() : nullptr,
                            .source = title_};
  if (candidate.name != item_.name()) end_.created_name = candidate.name;
  const bool is_pod = resource == k8s::GroupVersionResource{"", "v1", "pods"};
  TRY_ASSIGN(const std::unique_ptr<json::Json> created, "", world_.target.put(candidate, is_pod, end_, stop));
  if (is_pod && created && !world_.is_preview) return after_pod(*created, stop);
  return {};
}

// Nobody is to take an empty volume, or half of one, for a restored one.
void ItemWork::note_damaged_volumes(const std::string& original_namespace) {
  const std::string name(item_.name());
  for (const auto& [volume, damaged] : world_.volumes.damaged_pod_volumes(original_namespace, name)) {
    const std::string why = damaged.why.empty() ? "" : ": " + damaged.why;
    if (damaged.has_data) {
      end_.findings.push_back(
          warning_in(target_namespace_, title_ + ": the backup does not have all files of its volume " + volume + why));
    } else {
      end_.findings.push_back(
          error_in(target_namespace_, title_ + ": its volume " + volume + " stays empty: its backup failed" + why));
    }
  }
}

Status ItemWork::after_pod(const json::Json& pod, const std::stop_token& stop) {
  const std::string original(item_.namespace_name());
  // As in Velero, who leaves out claims or volumes leaves out their data as well.
  const bool takes_data =
      world_.filter.resource({"", "persistentvolumeclaims"}) && world_.filter.resource({"", "persistentvolumes"});
  std::vector<std::string> volumes;
  if (takes_data) volumes = world_.volumes.pod_volumes(original, std::string(item_.name()));
  if (!volumes.empty() && world_.tools.pod_volumes == nullptr) {
    end_.findings.push_back(error_in(target_namespace_, title_ + ": no data for its volumes " + join(volumes, ", ") +
                                                            ": nothing here restores pod volumes, so they are empty"));
  } else if (!volumes.empty()) {
    const Status begun = world_.tools.pod_volumes->begin(pod, original, stop);
    if (!begun && stop.stop_requested()) return fail(Code::kCancelled, "stopped");
    if (!begun) end_.findings.push_back(error_in(target_namespace_, title_ + ": " + begun.error().message()));
  }
  if (takes_data) note_damaged_volumes(original);
  if (world_.tools.hooks != nullptr && world_.tools.hooks->add(pod)) {
    const k8s::ObjectView view(pod);
    world_.tools.journal.add(hooks_line(std::string(view.name_space()), std::string(view.name())));
  }
  return {};
}

}  // namespace landfall::restore
