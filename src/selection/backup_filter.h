#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "kube/discovery.h"
#include "selection/backup_filter_spec.h"
#include "selection/backup_resource_rules.h"
#include "selection/filter_policy.h"
#include "selection/item_facts.h"
#include "selection/label_filter.h"
#include "selection/namespace_filter.h"
#include "selection/verdict.h"

namespace landfall::selection {

// How an object came to be looked at. Additional items are asked for by actions and by other objects.
enum class Met { kDirectly, kAsAdditionalItem, kAsMustInclude };

// One list request: all pages of it.
struct ListCall {
  std::string name_space;      // empty: the whole cluster
  std::string label_selector;  // empty: everything

  friend bool operator==(const ListCall&, const ListCall&) = default;
};

// Decides what a backup holds. Made when a backup starts, from what it asks for and from what the cluster has at that
// moment; immutable then, and safe to ask from several threads.
class BackupFilter {
 public:
  // `policies` may be null. kInvalid with all messages of backup_filter_problems in one text when there are any.
  static Result<BackupFilter> make(const BackupFilterSpec& spec, const ResourcePolicies* policies,
                                   const kube::Discovery& discovery, const std::vector<LiveNamespace>& live);

  // Whether objects of the kind are looked for at all.
  Verdict resource(const kube::ApiResource& resource) const;

  // The lists to make for a kind that is in. What they bring may hold more than is in: ask item() for each object. With
  // several selectors an object may come more than once.
  std::vector<ListCall> list_calls(const kube::ApiResource& resource) const;

  // Whether an object goes into the backup. Directly: everything counts. As an additional item the label selectors do
  // not count, and a cluster-scoped kind needs only not to be excluded. As a must-include item only deletion counts.
  Verdict item(const ItemFacts& item, Met met) const;

  // The same for a Namespace that was listed. `has_items`: something else in the backup lives in it. As in Velero, a
  // Namespace whose labels match the selector is in whatever its name is.
  Verdict namespace_object(const ItemFacts& item, bool is_active, bool has_items) const;

  // Whether the CustomResourceDefinitions of the custom resources that are in have to be added: the filters name CRDs
  // neither way.
  bool adds_definitions() const;

  const NamespaceFilter& namespaces() const { return namespaces_; }

 private:
  BackupFilter(NamespaceFilter namespaces, BackupResourceRules rules, FilterRules policy, LabelFilter labels)
      : namespaces_(std::move(namespaces)),
        rules_(std::move(rules)),
        policy_(std::move(policy)),
        labels_(std::move(labels)) {}

  Verdict kind_of(const ItemFacts& item, Met met) const;
  Verdict by_policy_and_labels(const ItemFacts& item, Met met) const;

  NamespaceFilter namespaces_;
  BackupResourceRules rules_;
  FilterRules policy_;
  LabelFilter labels_;
};

}  // namespace landfall::selection
