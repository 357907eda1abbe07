#include "selection/backup_filter.h"

#include "base/strings.h"
#include "selection/resource_names.h"
#include "selection/resource_policies.h"

namespace landfall::selection {
namespace {

const k8s::GroupResource kNamespaces = {"", "namespaces"};
const k8s::GroupResource kDefinitions = {"apiextensions.k8s.io", "customresourcedefinitions"};

Verdict labelled_out() {
  return Verdict::out(Reason::kExcludedByLabel, "it has the label " + std::string(kExcludeFromBackupLabel) + "=true");
}

Verdict being_deleted() { return Verdict::out(Reason::kBeingDeleted, "it is being deleted"); }

}  // namespace

Result<BackupFilter> BackupFilter::make(const BackupFilterSpec& spec, const ResourcePolicies* policies,
                                        const kube::Discovery& discovery, const std::vector<LiveNamespace>& live) {
  if (const Messages problems = backup_filter_problems(spec, policies, live); !problems.empty()) {
    return fail(Code::kInvalid, join(problems, "; "));
  }
  const ResourceNames names(discovery);
  TRY_ASSIGN(NamespaceFilter namespaces, "",
             NamespaceFilter::make(spec.included_namespaces, spec.excluded_namespaces, live));
  const ScopedLists* lists = policies != nullptr && policies->include_exclude ? &*policies->include_exclude : nullptr;
  TRY_ASSIGN(BackupResourceRules rules, "", BackupResourceRules::make(spec, lists, names, namespaces.is_everything()));
  TRY_ASSIGN(FilterRules policy, "resource policies",
             FilterRules::make(policies == nullptr ? FilterPolicies() : policies->filters, names));
  return BackupFilter(std::move(namespaces), std::move(rules), std::move(policy),
                      LabelFilter(spec.label_selector, spec.or_label_selectors));
}

Verdict BackupFilter::resource(const kube::ApiResource& resource) const {
  return rules_.listed(resource.id.group_resource(), resource.is_namespaced);
}

std::vector<ListCall> BackupFilter::list_calls(const kube::ApiResource& resource) const {
  const k8s::GroupResource id = resource.id.group_resource();
  std::vector<ListCall> calls;
  const auto add = [&](const std::string& name_space, const LabelFilter& labels) {
    for (std::string& query : labels.queries()) {
      calls.push_back({name_space, std::move(query)});
    }
  };
  if (id == kNamespaces) {
    add("", LabelFilter());  // a Namespace may be in without matching labels
  } else if (!resource.is_namespaced) {
    const KindFilter* filter = policy_.cluster_scoped(id, resource.kind);
    add("", filter == nullptr ? labels_ : filter->labels);
  } else if (namespaces_.lists_all_at_once()) {
    // A policy replaces the selectors of the backup in some namespaces, so the server cannot apply them to all.
    add("", policy_.has_namespaced() ? LabelFilter() : labels_);
  } else {
    for (const std::string& name_space : namespaces_.to_list()) {
      const FilterRules::InNamespace found = policy_.in_namespace(name_space, id, resource.kind);
      if (!found.applies || found.filter != nullptr) {
        add(name_space, found.applies ? found.filter->labels : labels_);
      }
    }
  }
  return calls;
}

Verdict BackupFilter::item(const ItemFacts& item, Met met) const {
  if (met != Met::kAsMustInclude) {
    if (has_exclude_label(item)) {
      return labelled_out();
    }
    if (!item.name_space.empty()) {
      if (Verdict verdict = namespaces_.ask(item.name_space); !verdict) {
        return verdict;
      }
    }
    if (Verdict verdict = kind_of(item, met); !verdict) {
      return verdict;
    }
    if (Verdict verdict = by_policy_and_labels(item, met); !verdict) {
      return verdict;
    }
  }
  return item.is_being_deleted ? being_deleted() : Verdict::in();
}

Verdict BackupFilter::kind_of(const ItemFacts& item, Met met) const {
  if (!item.name_space.empty()) {
    return rules_.listed(item.resource, true);
  }
  if (item.resource == kNamespaces) {
    return Verdict::in();
  }
  return met == Met::kDirectly ? rules_.listed(item.resource, false) : rules_.allowed(item.resource, false);
}

Verdict BackupFilter::by_policy_and_labels(const ItemFacts& item, Met met) const {
  if (item.resource == kNamespaces) {
    return Verdict::in();
  }
  const bool counts_labels = met == Met::kDirectly;
  const FilterRules::InNamespace found = policy_.of(item);
  if (found.applies) {
    // As in Velero, an additional item of a kind that the policy does not list passes: something needs it.
    if (found.filter == nullptr) {
      return counts_labels ? not_in_policy(item) : Verdict::in();
    }
    return found.filter->ask(item, counts_labels);
  }
  if (counts_labels && !labels_.matches(labels_of(item))) {
    return Verdict::out(Reason::kLabelsDoNotMatch, "its labels do not match " + quote(labels_.to_string()));
  }
  return Verdict::in();
}

Verdict BackupFilter::namespace_object(const ItemFacts& item, bool is_active, bool has_items) const {
  if (Verdict verdict = rules_.listed(kNamespaces, false); !verdict) {
    return verdict;
  }
  if (has_exclude_label(item)) {
    return labelled_out();
  }
  if (item.is_being_deleted) {
    return being_deleted();
  }
  if (has_items) {
    return Verdict::in();
  }
  if (!is_active) {
    return Verdict::out(Reason::kNamespaceNotActive, "namespace " + quote(item.name) + " is not active");
  }
  if (labels_.is_given() && labels_.matches(labels_of(item))) {
    return Verdict::in();
  }
  if (labels_.is_given() && namespaces_.is_everything()) {
    return Verdict::out(Reason::kLabelsDoNotMatch, "its labels do not match " + quote(labels_.to_string()) +
                                                       ", and nothing in it is in the backup");
  }
  return namespaces_.ask(item.name);
}

bool BackupFilter::adds_definitions() const {
  // With a selector the list of definitions holds only those whose own labels match.
  return (!rules_.listed(kDefinitions, false) || labels_.is_given()) && rules_.allowed(kDefinitions, false).is_in();
}

}  // namespace landfall::selection
