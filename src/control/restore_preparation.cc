#include "control/restore_preparation.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "api/field_reader.h"
#include "api/labels.h"
#include "api/phases.h"
#include "api/restore.h"
#include "api/status.h"
#include "base/quote.h"
#include "base/strings.h"
#include "control/references.h"
#include "control/synced_objects.h"
#include "hooks/restore_hooks.h"
#include "json/access.h"
#include "k8s/names.h"
#include "k8s/object_view.h"
#include "kube/resource.h"

namespace landfall::control {
namespace {

using api::BackupPhase;
using k8s::ObjectView;

// Its files are not all there yet, or are about to change.
bool is_being_made(BackupPhase phase) { return !is_final(phase) && phase != BackupPhase::kDeleting; }

class Preparation {
 public:
  Preparation(const Context& context, const RestoreSettings& settings, json::Json restore, bool is_second_try,
              const std::stop_token& stop)
      : context_(context), settings_(settings), is_second_try_(is_second_try), stop_(stop) {
    prepared_.restore = std::move(restore);
  }

  Result<PreparedRestore> run(kube::DiscoveryCache& discovery) {
    TRY_ASSIGN(prepared_.discovery, "discovery", discovery.refresh(stop_));
    TRY("", fill_in());
    if (!is_readable_) return std::move(prepared_);
    TRY("", read_policies());
    TRY("", read_modifiers());
    check_filter();
    if (auto hooks = hooks::RestoreHooks::make(spec_.hooks, *prepared_.discovery); !hooks) {
      note(hooks.error().message());
    }
    TRY("", find_backup());
    if (!prepared_.backup.is_null()) TRY("", look_at_backup());
    return std::move(prepared_);
  }

 private:
  void note(std::string problem) { prepared_.problems.push_back(std::move(problem)); }

  Status fill_in() {
    json::Json& restore = prepared_.restore;
    if (json::find(restore, {"spec"}) == nullptr) restore["spec"] = json::Json::object();
    auto spec = api::read_restore_spec(restore);
    if (!spec) {
      prepared_.problems = api::problems_of(spec.error());
      is_readable_ = false;
      return {};
    }
    spec_ = *std::move(spec);
    if (spec_.item_operation_timeout < Duration::zero()) {
      note("spec.itemOperationTimeout: must not be negative; leave it out for the server's default");
    }
    const std::string& policy = spec_.existing_resource_policy;
    if (!policy.empty() && policy != "none" && policy != "update") {
      note("spec.existingResourcePolicy: " + quote(policy) + " is neither none nor update");
    }
    return api::apply_restore_defaults(restore, spec_, settings_.defaults);
  }

  void check_filter() {
    selection::Messages unreadable;  // found before: both readers read the same fields
    selection::RestoreFilterSpec filter = selection::read_restore_filter_spec(prepared_.restore["spec"], unreadable);
    for (std::string& problem :
         selection::restore_filter_problems(filter, prepared_.policies ? &*prepared_.policies : nullptr)) {
      note(std::move(problem));
    }
    prepared_.filter = selection::completed(std::move(filter));
    prepared_.restore["spec"]["excludedResources"] = prepared_.filter.excluded_resources;
  }

  // Nothing, and a problem, when there is no such ConfigMap.
  Result<std::optional<json::Json>> config_map(const std::string& what, const std::string& name) {
    const kube::Resource maps(context_.client, {"", "v1", "configmaps"}, context_.name_space);
    auto map = maps.get(name, stop_);
    if (map) return std::optional<json::Json>(*std::move(map));
    if (is_passing(map.error())) return fail(what, std::move(map).error());
    const bool is_missing = map.error().code() == Code::kNotFound;
    note(what + ": ConfigMap " + context_.name_space + "/" + name +
         (is_missing ? " does not exist" : ": " + map.error().message()));
    return std::optional<json::Json>();
  }

  Status read_policies() {
    const auto& reference = spec_.resource_policy;
    if (!reference) return {};
    if (!is_config_map(reference->kind)) {
      note("spec.resourcePolicy.kind: " + reference->kind + " is not known; resource policies are in a ConfigMap");
      return {};
    }
    TRY_ASSIGN(const auto map, "", config_map("resource policies", reference->name));
    if (!map) return {};
    auto policies = selection::read_resource_policies(*map);
    if (!policies) {
      note("resource policies: " + policies.error().message());
      return {};
    }
    for (const std::string& warning : policies->warnings) prepared_.warnings.push_back(warning);
    prepared_.policies.emplace(*std::move(policies));
    return {};
  }

  Status read_modifiers() {
    const auto& reference = spec_.resource_modifier;
    if (!reference) return {};
    if (!is_config_map(reference->kind)) {
      // Velero takes no notice of it.
      prepared_.warnings.push_back("spec.resourceModifier.kind: " + reference->kind +
                                   " is not known, so nothing is modified; modifiers are in a ConfigMap");
      return {};
    }
    TRY_ASSIGN(const auto map, "", config_map("resource modifiers", reference->name));
    if (!map) return {};
    auto modifiers = modifiers::ResourceModifiers::from_config_map(*map);
    if (!modifiers) {
      note("resource modifiers: " + modifiers.error().message());
      return {};
    }
    prepared_.modifiers.emplace(*std::move(modifiers));
    return {};
  }

  Status find_backup() {
    const bool has_one = spec_.backup_name.empty() != spec_.schedule_name.empty();
    // Both are filled in when it is begun.
    if (!has_one && (!is_second_try_ || spec_.backup_name.empty())) {
      note(spec_.backup_name.empty()
               ? "spec: name what to restore, either a backup (backupName) or a schedule (scheduleName)"
               : "spec: name either a backup (backupName) or a schedule (scheduleName), not both");
      return {};
    }
    return spec_.backup_name.empty() ? find_newest_backup() : find_named_backup();
  }

  Status find_named_backup() {
    const std::string& name = spec_.backup_name;
    if (const auto wrong = k8s::dns1123_subdomain_problems(name); !wrong.empty()) {
      note("spec.backupName: " + k8s::joined(wrong));
      return {};
    }
    auto backup = context_.objects(api::kBackup).get(name, stop_);
    if (!backup && is_passing(backup.error())) return fail("read backup " + name, std::move(backup).error());
    if (!backup) {
      note(backup.error().code() == Code::kNotFound ? "backup " + name + " does not exist" : backup.error().message());
      return {};
    }
    prepared_.backup = *std::move(backup);
    return {};
  }

  Status find_newest_backup() {
    const std::string& schedule = spec_.schedule_name;
    if (const auto wrong = k8s::dns1123_subdomain_problems(schedule); !wrong.empty()) {
      note("spec.scheduleName: " + k8s::joined(wrong));
      return {};
    }
    const std::string selector = std::string(api::label::kScheduleName) + "=" + k8s::label_safe(schedule);
    TRY_ASSIGN(const kube::ObjectList all, "backups of schedule " + schedule,
               context_.objects(api::kBackup).list({.label_selector = selector}, stop_));
    const json::Json* newest = nullptr;
    const auto started = [](const json::Json& backup) {
      return api::status_time(backup, api::field::kStartTimestamp).value_or(WallTime::min());
    };
    for (const json::Json& one : all.items) {
      if (api::phase_of<BackupPhase>(one) != BackupPhase::kCompleted || ObjectView(one).is_being_deleted()) continue;
      if (newest == nullptr || started(one) > started(*newest)) newest = &one;
    }
    if (newest == nullptr) {
      note(all.items.empty() ? "schedule " + schedule + " has no backups"
                             : "schedule " + schedule +
                                   " has no backup that is Completed; to restore another one, "
                                   "name it as spec.backupName");
      return {};
    }
    prepared_.backup = *newest;
    return json::set_at(prepared_.restore, {"spec", "backupName"}, std::string(ObjectView(*newest).name()));
  }

  Status look_at_backup() {
    const ObjectView backup(prepared_.backup);
    const std::string name(backup.name());
    const auto phase = api::phase_of<BackupPhase>(prepared_.backup);
    if (backup.is_being_deleted() || phase == BackupPhase::kDeleting) {
      note("backup " + name + " is being deleted");
    } else if (phase && is_being_made(*phase)) {
      note("backup " + name + " is not finished yet (phase " + std::string(to_string(*phase)) +
           "): restore it when it is");
    }
    if (backup.annotations().contains(std::string(kSyncIncomplete))) {
      note("backup " + name + " is not completely read from its bucket yet: try again in a minute");
    }
    if (spec_.schedule_name.empty()) {
      const auto schedule = backup.labels().get(std::string(api::label::kScheduleName));
      if (schedule && !schedule->empty()) {
        TRY("", json::set_at(prepared_.restore, {"spec", "scheduleName"}, std::string(*schedule)));
      }
    }
    return find_location();
  }

  Status find_location() {
    const std::string name = json::string_or(prepared_.backup, {"spec", "storageLocation"}, "");
    auto found = context_.locations.find(name, stop_);
    if (!found) {
      if (is_passing(found.error())) return fail("backup storage location " + name, std::move(found).error());
      note(found.error().code() == Code::kNotFound
               ? "backup storage location " + quote(name) + " of the backup does not exist"
               : found.error().message());
      return {};
    }
    if (!found->view.is_available) {
      prepared_.is_location_away = true;
      const std::string why = api::status_text(found->object, api::field::kMessage);
      note("backup storage location " + name + " is not available" + (why.empty() ? "" : ": " + why));
    }
    prepared_.location = *std::move(found);
    return {};
  }

  const Context& context_;
  const RestoreSettings& settings_;
  const bool is_second_try_;
  const std::stop_token& stop_;
  bool is_readable_ = true;  // the spec
  api::RestoreSpec spec_;    // as the user wrote it
  PreparedRestore prepared_;
};

}  // namespace

Result<PreparedRestore> prepare_restore(const Context& context, const RestoreSettings& settings,
                                        kube::DiscoveryCache& discovery, json::Json restore, bool is_second_try,
                                        const std::stop_token& stop) {
  return Preparation(context, settings, std::move(restore), is_second_try, stop).run(discovery);
}

}  // namespace landfall::control
