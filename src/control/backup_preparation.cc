#include "control/backup_preparation.h"

#include <algorithm>
#include <set>
#include <utility>

#include "api/field_reader.h"
#include "api/labels.h"
#include "api/status.h"
#include "base/go_duration.h"
#include "control/references.h"
#include "control/snapshot_locations.h"
#include "hooks/backup_hooks.h"
#include "json/access.h"
#include "json/parse.h"
#include "k8s/names.h"
#include "k8s/object_view.h"
#include "kube/resource.h"
#include "selection/glob.h"
#include "selection/resource_names.h"

namespace landfall::control {
namespace {

constexpr std::string_view kGlobalPolicyAnnotation = "velero.io/global-backup-volume-policy-configmap";

class Preparation {
 public:
  Preparation(const Context& context, const BackupSettings& settings, json::Json backup, const std::stop_token& stop)
      : context_(context), settings_(settings), stop_(stop) {
    prepared_.backup = std::move(backup);
  }

  Result<PreparedBackup> run(kube::DiscoveryCache& discovery) {
    TRY_ASSIGN(prepared_.discovery, "discovery", discovery.refresh(stop_));
    TRY("", fill_in());
    if (!is_readable_) return std::move(prepared_);
    TRY("", find_location());
    TRY("", annotate());
    TRY("", read_policies());
    TRY("", make_filter());
    if (auto hooks = hooks::BackupHooks::make(prepared_.spec.hooks, *prepared_.discovery); !hooks) {
      prepared_.problems.push_back(hooks.error().message());
    }
    return std::move(prepared_);
  }

 private:
  Status fill_in() {
    json::Json& backup = prepared_.backup;
    if (json::find(backup, {"spec"}) == nullptr) backup["spec"] = json::Json::object();
    TRY("", api::set_status_count(backup, api::field::kVersion, api::kBackupVersion));
    TRY("", api::set_status_text(backup, api::field::kFormatVersion, api::kBackupFormatVersion));
    auto spec = api::read_backup_spec(backup);
    if (!spec) {
      prepared_.problems = api::problems_of(spec.error());
      is_readable_ = false;
      return set_expiration(settings_.defaults.ttl);
    }
    if (spec->ttl < Duration::zero()) {
      prepared_.problems.emplace_back("spec.ttl: must not be negative; leave it out for the server's default");
    }
    TRY("", api::apply_backup_defaults(backup, *spec, settings_.defaults));
    TRY_ASSIGN(prepared_.spec, "", api::read_backup_spec(backup));
    return set_expiration(prepared_.spec.ttl < Duration::zero() ? settings_.defaults.ttl : prepared_.spec.ttl);
  }

  Status set_expiration(Duration ttl) {
    if (api::status_time(prepared_.backup, api::field::kExpiration)) return {};  // it is run again
    return api::set_status_time(prepared_.backup, api::field::kExpiration, context_.clock.wall_now() + ttl);
  }

  Status find_location() {
    std::string name = prepared_.spec.storage_location;
    if (name.empty()) {
      TRY_ASSIGN(name, "", default_location());
      TRY("", json::set_at(prepared_.backup, {"spec", "storageLocation"}, name));
      prepared_.spec.storage_location = name;
    }
    TRY("", k8s::set_label(prepared_.backup, api::label::kStorageLocation, k8s::label_safe(name)));
    auto found = context_.locations.find(name, stop_);
    if (!found) {
      if (is_passing(found.error())) return fail("", std::move(found).error());
      prepared_.problems.push_back(found.error().code() == Code::kNotFound
                                       ? "backup storage location " + name + " does not exist"
                                       : found.error().message());
      return {};
    }
    if (found->view.is_read_only) {
      prepared_.problems.push_back("backup storage location " + name + " is read-only");
    }
    if (!found->view.is_available) {
      prepared_.is_location_away = true;
      const std::string why = api::status_text(found->object, api::field::kMessage);
      prepared_.problems.push_back("backup storage location " + name + " is not available" +
                                   (why.empty() ? "" : ": " + why));
    }
    prepared_.location = *std::move(found);
    return {};
  }

  Result<std::string> default_location() {
    TRY_ASSIGN(const kube::ObjectList all, "", context_.objects(api::kBackupStorageLocation).list({}, stop_));
    for (const json::Json& one : all.items) {
      if (json::bool_or(one, {"spec", "default"}, false)) return std::string(k8s::ObjectView(one).name());
    }
    return settings_.default_location;
  }

  Status annotate() {
    TRY_ASSIGN(const SnapshotLocations chosen, "",
               choose_snapshot_locations(context_, prepared_.spec.snapshot_locations,
                                         settings_.default_snapshot_locations, stop_));
    prepared_.problems.insert(prepared_.problems.end(), chosen.problems.begin(), chosen.problems.end());
    if (!chosen.names.empty()) {
      TRY("", json::set_at(prepared_.backup, {"spec", "volumeSnapshotLocations"}, chosen.names));
    }
    TRY_ASSIGN(const kube::Answer answer, "version of the server", context_.client.call({.path = "/version"}, stop_));
    TRY_ASSIGN(const json::Json version, "version of the server", json::parse(answer.body));
    const auto note = [&](std::string_view annotation, std::string_view field) {
      return k8s::set_annotation(prepared_.backup, annotation, json::string_or(version, {field}, ""));
    };
    TRY("", note(api::annotation::kSourceGitVersion, "gitVersion"));
    TRY("", note(api::annotation::kSourceMajorVersion, "major"));
    TRY("", note(api::annotation::kSourceMinorVersion, "minor"));
    return k8s::set_annotation(prepared_.backup, api::annotation::kResourceTimeout,
                               format_go_duration(settings_.resource_timeout));
  }

  Result<std::optional<selection::ResourcePolicies>> policies_of(const std::string& config_map) {
    const kube::Resource maps(context_.client, {"", "v1", "configmaps"}, context_.name_space);
    auto map = maps.get(config_map, stop_);
    if (!map && is_passing(map.error())) return fail("resource policies", std::move(map).error());
    if (!map) {
      prepared_.problems.push_back("resource policies: ConfigMap " + context_.name_space + "/" + config_map + ": " +
                                   map.error().message());
      return std::optional<selection::ResourcePolicies>();
    }
    auto policies = selection::read_resource_policies(*map);
    if (!policies) {
      prepared_.problems.push_back("resource policies: " + policies.error().message());
      return std::optional<selection::ResourcePolicies>();
    }
    return std::optional<selection::ResourcePolicies>(*std::move(policies));
  }

  Status read_policies() {
    std::optional<selection::ResourcePolicies> own;
    std::optional<selection::ResourcePolicies> global;
    if (const auto& reference = prepared_.spec.resource_policy) {
      if (!is_config_map(reference->kind)) {
        prepared_.problems.push_back("spec.resourcePolicy.kind: " + reference->kind +
                                     " is not known; resource policies are in a ConfigMap");
      } else {
        TRY_ASSIGN(own, "", policies_of(reference->name));
      }
    }
    if (!settings_.global_policies.empty()) {
      TRY_ASSIGN(global, "", policies_of(settings_.global_policies));
      TRY("", k8s::set_annotation(prepared_.backup, kGlobalPolicyAnnotation, settings_.global_policies));
    }
    prepared_.policies = selection::merged_policies(own ? &*own : nullptr, global ? &*global : nullptr);
    for (const std::string& warning : prepared_.policies.warnings) prepared_.warnings.push_back(warning);
    return {};
  }

  Status make_filter() {
    TRY_ASSIGN(const kube::ObjectList all, "",
               kube::Resource(context_.client, {"", "v1", "namespaces"}).list({}, stop_));
    std::vector<selection::LiveNamespace> live;
    std::set<std::string> of_argo;
    for (const json::Json& one : all.items) {
      const k8s::ObjectView view(one);
      live.push_back({.name = std::string(view.name()),
                      .has_exclude_label =
                          view.labels().get(std::string(api::label::kExcludeFromBackup)) == std::string_view("true")});
      if (view.labels().contains(std::string(api::label::kArgoManagedBy))) of_argo.emplace(view.name());
    }
    selection::Messages unreadable;
    const selection::BackupFilterSpec spec = selection::read_backup_filter_spec(prepared_.backup["spec"], unreadable);
    // What cannot be read was found before: both readers read the same fields.
    const auto problems = selection::backup_filter_problems(spec, &prepared_.policies, live);
    prepared_.problems.insert(prepared_.problems.end(), problems.begin(), problems.end());
    if (!prepared_.problems.empty()) return {};
    TRY("", write_back(selection::completed(spec, live)));
    auto filter = selection::BackupFilter::make(spec, &prepared_.policies, *prepared_.discovery, live);
    if (!filter) {
      prepared_.problems.push_back(filter.error().message());
      return {};
    }
    prepared_.filter.emplace(*std::move(filter));
    warn_of_unknown(spec);
    for (const std::string& name : of_argo) {
      if (prepared_.filter->namespaces().ask(name)) {
        prepared_.warnings.push_back("namespace " + name +
                                     " is managed by Argo CD, which may interfere with a later restore of it");
      }
    }
    return {};
  }

  // What would otherwise be missing without a word.
  void warn_of_unknown(const selection::BackupFilterSpec& spec) {
    const selection::ResourceNames names(*prepared_.discovery);
    for (const selection::Names* list :
         {&spec.included_resources, &spec.excluded_resources, &spec.scoped.included_cluster_scoped,
          &spec.scoped.excluded_cluster_scoped, &spec.scoped.included_namespace_scoped,
          &spec.scoped.excluded_namespace_scoped}) {
      for (const std::string& name : *list) {
        if (selection::has_wildcard(name) || selection::is_excluded_automatically(name) ||
            names.find(name) != nullptr) {
          continue;
        }
        prepared_.warnings.push_back("the filters name " + name + ", and the server knows no such resource");
      }
    }
    const bool has_pattern = std::ranges::any_of(
        spec.included_namespaces, [](const std::string& name) { return name != "*" && selection::has_wildcard(name); });
    if (has_pattern && prepared_.filter->namespaces().to_list().empty()) {
      prepared_.warnings.emplace_back("the patterns of included namespaces match no namespace");
    }
    for (const auto& [group, error] : prepared_.discovery->failures()) {
      prepared_.warnings.push_back("the server could not say what is in " + group.group + "/" + group.version +
                                   "; its objects are not in the backup: " + error.message());
    }
  }

  // The lists as they are after completion; an empty one is not written.
  Status write_back(const selection::BackupFilterSpec& completed) {
    const auto put = [&](std::string_view field, const selection::Names& names) -> Status {
      if (names.empty()) {
        json::erase_at(prepared_.backup, {"spec", field});
        return {};
      }
      return json::set_at(prepared_.backup, {"spec", field}, names);
    };
    TRY("", put("includedNamespaces", completed.included_namespaces));
    TRY("", put("excludedNamespaces", completed.excluded_namespaces));
    TRY("", put("includedResources", completed.included_resources));
    TRY("", put("excludedResources", completed.excluded_resources));
    TRY("", put("includedClusterScopedResources", completed.scoped.included_cluster_scoped));
    TRY("", put("excludedClusterScopedResources", completed.scoped.excluded_cluster_scoped));
    TRY("", put("includedNamespaceScopedResources", completed.scoped.included_namespace_scoped));
    return put("excludedNamespaceScopedResources", completed.scoped.excluded_namespace_scoped);
  }

  const Context& context_;
  const BackupSettings& settings_;
  const std::stop_token& stop_;
  bool is_readable_ = true;  // the spec
  PreparedBackup prepared_;
};

}  // namespace

Result<PreparedBackup> prepare_backup(const Context& context, const BackupSettings& settings,
                                      kube::DiscoveryCache& discovery, json::Json backup, const std::stop_token& stop) {
  return Preparation(context, settings, std::move(backup), stop).run(discovery);
}

}  // namespace landfall::control
