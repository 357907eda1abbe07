#include "selection/restore_filter_spec.h"

#include <algorithm>

#include "base/strings.h"
#include "json/json.h"
#include "k8s/names.h"
#include "selection/resource_policies.h"
#include "selection/spec_reader.h"

namespace landfall::selection {
namespace {

bool has(const Names& names, std::string_view name) { return std::ranges::find(names, name) != names.end(); }

}  // namespace

const Names& never_restored() {
  static const Names kNames = {"nodes",
                               "events",
                               "events.events.k8s.io",
                               "backups.velero.io",
                               "restores.velero.io",
                               "resticrepositories.velero.io",
                               "csinodes.storage.k8s.io",
                               "volumeattachments.storage.k8s.io",
                               "backuprepositories.velero.io"};
  return kNames;
}

const Names& always_restored() {
  static const Names kNames = {"datauploads.velero.io"};
  return kNames;
}

RestoreFilterSpec read_restore_filter_spec(const json::Json& spec, Messages& problems) {
  const SpecReader read(spec, problems);
  RestoreFilterSpec filters;
  filters.included_namespaces = read.names("includedNamespaces");
  filters.excluded_namespaces = read.names("excludedNamespaces");
  filters.included_resources = read.names("includedResources");
  filters.excluded_resources = read.names("excludedResources");
  filters.include_cluster_resources = read.flag("includeClusterResources");
  filters.namespace_mapping = read.map("namespaceMapping");
  filters.label_selector = read.selector("labelSelector");
  filters.or_label_selectors = read.selectors("orLabelSelectors");
  const json::Json* status = json::find(spec, {"restoreStatus"});
  if (status != nullptr && !status->is_object()) {
    problems.push_back("spec.restoreStatus: expected an object, got " + std::string(json::type_name(*status)));
  } else if (status != nullptr) {
    const SpecReader lists(*status, problems);
    filters.restore_status = {.included_resources = lists.names("includedResources"),
                              .excluded_resources = lists.names("excludedResources")};
  }
  return filters;
}

Messages restore_filter_problems(const RestoreFilterSpec& spec, const ResourcePolicies* policies) {
  Messages problems;
  Names excludes = spec.excluded_resources;
  for (const std::string& name : never_restored()) {
    std::erase(excludes, name);
    if (has(spec.included_resources, name)) {
      problems.push_back("included/excluded resources: " + quote(name) + " are never restored; remove them");
    }
  }
  add_problems(problems, "included/excluded resources", list_problems(spec.included_resources, excludes));
  add_problems(problems, "included/excluded namespaces",
               list_problems(spec.included_namespaces, spec.excluded_namespaces));
  if (spec.restore_status) {
    add_problems(problems, "restoreStatus",
                 list_problems(spec.restore_status->included_resources, spec.restore_status->excluded_resources));
  }
  if (spec.label_selector && !spec.or_label_selectors.empty()) {
    problems.emplace_back("labelSelector and orLabelSelectors cannot be used together; use either");
  }
  for (const auto& [from, to] : spec.namespace_mapping) {
    if (const auto wrong = k8s::dns1123_label_problems(to); !wrong.empty()) {
      problems.push_back("namespaceMapping: " + quote(from) + " to " + quote(to) + ": " + k8s::joined(wrong));
    }
  }
  if (policies != nullptr) {
    if (const Status fits = fit_for_restore(*policies); !fits) {
      problems.push_back("resource policies: " + fits.error().message());
    }
  }
  return problems;
}

RestoreFilterSpec completed(RestoreFilterSpec spec) {
  for (const std::string& name : never_restored()) {
    if (!has(spec.excluded_resources, name)) {
      spec.excluded_resources.push_back(name);
    }
  }
  return spec;
}

}  // namespace landfall::selection
