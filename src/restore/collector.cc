#include "restore/collector.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>

#include "json/access.h"
#include "json/json.h"
#include "json/parse.h"
#include "k8s/object_view.h"
#include "restore/version_choice.h"
#include "selection/resource_names.h"
#include "selection/restore_priorities.h"

namespace landfall::restore {
namespace {

const k8s::GroupResource kNamespaces{"", "namespaces"};
const k8s::GroupResource kDefinitions{"apiextensions.k8s.io", "customresourcedefinitions"};
const k8s::GroupResource kPods{"", "pods"};
const k8s::GroupResource kJobs{"batch", "jobs"};

// An item whose contents are read when somebody asks for a label.
class LazyLabels {
 public:
  // `unreadable` gets whether the item was asked and could not be read.
  LazyLabels(const archive::SpooledArchive& archive, const archive::IndexedItem& item, bool& unreadable)
      : archive_(&archive), item_(item), unreadable_(&unreadable) {}

  std::optional<std::string_view> operator()(const std::string& key) const {
    if (!document_) {
      const auto text = archive_->content(item_);
      auto parsed = text ? json::parse(*text) : Result<json::Json>(json::Json());
      document_ = std::make_shared<const json::Json>(parsed ? *std::move(parsed) : json::Json());
      if (!document_->is_object()) *unreadable_ = true;
    }
    return k8s::ObjectView(*document_).labels().get(key);
  }

 private:
  const archive::SpooledArchive* archive_;
  archive::IndexedItem item_;
  bool* unreadable_;
  mutable std::shared_ptr<const json::Json> document_;  // shared by copies of the function
};

}  // namespace

Collector::Collector(const RestoreJob& job, const RestoreTools& tools, const kube::Discovery& discovery,
                     const selection::RestoreFilter& filter, const std::set<std::string>& namespaces)
    : job_(job), tools_(tools), discovery_(discovery), filter_(filter), namespaces_(namespaces) {
  const std::string format = json::string_or(job.backup, {"status", "formatVersion"}, "");
  if (!tools.options.chooses_versions || format < "1.1.0") return;
  const auto priorities = parse_version_priorities(tools.options.version_priorities);
  for (const archive::IndexedResource& resource : job.archive.index().resources()) {
    const std::string name = to_string(resource.resource);
    const auto user = priorities.find(name);
    versions_[name] =
        choose_version(resource, discovery, user == priorities.end() ? std::vector<std::string>() : user->second);
  }
}

PlannedResource Collector::head_of(const archive::IndexedResource& resource) {
  PlannedResource head;
  head.resource = resource.resource;
  if (const auto chosen = versions_.find(to_string(resource.resource)); chosen != versions_.end()) {
    head.from_version = chosen->second;
  }
  head.version = head.from_version;
  for (const archive::ResourceVersion& version : resource.versions) {
    if (head.version.empty() && version.is_preferred) head.version = version.version;
  }
  const kube::ApiResource* served =
      discovery_.find(k8s::GroupVersionResource{resource.resource.group, head.version, resource.resource.resource});
  if (served == nullptr) served = discovery_.find(resource.resource);
  if (served != nullptr) {
    if (head.version.empty()) head.version = served->id.version;
    head.kind = served->kind;
    head.is_namespaced = served->is_namespaced;
  } else {
    const auto spaces = job_.archive.index().namespaces(resource);
    head.is_namespaced = std::ranges::any_of(spaces, [](std::string_view name) { return !name.empty(); });
  }
  return head;
}

// One that cannot be read is in, whatever its labels would say: it fails when it is restored.
selection::Verdict Collector::verdict_on(const archive::IndexedItem& item, const PlannedResource& planned) const {
  bool unreadable = false;
  selection::ItemFacts facts{.resource = planned.resource,
                             .kind = planned.kind,
                             .name_space = item.namespace_name(),
                             .name = item.name(),
                             .label = LazyLabels(job_.archive, item, unreadable)};
  if (planned.resource == kPods || planned.resource == kJobs) {
    const auto text = job_.archive.content(item);
    const auto document = text ? json::parse(*text) : Result<json::Json>(json::Json());
    if (document && document->is_object()) {
      selection::ItemFacts whole = selection::item_facts(planned.resource, *document);
      whole.name_space = item.namespace_name();
      whole.name = item.name();
      return filter_.item(whole, selection::Met::kDirectly);
    }
  }
  selection::Verdict verdict = filter_.item(facts, selection::Met::kDirectly);
  const bool is_by_contents = verdict.reason() == selection::Reason::kLabelsDoNotMatch ||
                              verdict.reason() == selection::Reason::kExcludedByPolicy;
  return unreadable && is_by_contents ? selection::Verdict::in() : verdict;
}

void Collector::leave(Plan& plan, const archive::IndexedItem& item, std::string_view reason) {
  const auto fits = [&](const NotSelected& one) {
    return one.reason == reason && one.resource == item.resource() && one.original_namespace == item.namespace_name();
  };
  // Items come namespace by namespace, so that what fits is near the end.
  const std::size_t looked_at = std::min<std::size_t>(plan.not_selected.size(), 16);
  const auto found = std::find_if(plan.not_selected.rbegin(),
                                  plan.not_selected.rbegin() + static_cast<std::ptrdiff_t>(looked_at), fits);
  if (found != plan.not_selected.rbegin() + static_cast<std::ptrdiff_t>(looked_at)) {
    found->names.emplace_back(item.name());
    return;
  }
  plan.not_selected.push_back({.resource = item.resource(),
                               .original_namespace = std::string(item.namespace_name()),
                               .reason = std::string(reason),
                               .names = {std::string(item.name())}});
}

Status Collector::collect_resource(const archive::IndexedResource& resource, Plan& plan, const std::stop_token& stop) {
  PlannedResource planned = head_of(resource);
  std::set<std::pair<std::string, std::string>> taken;  // target namespace and name, where several namespaces meet
  for (const std::string_view original : job_.archive.index().namespaces(resource)) {
    if (stop.stop_requested()) return fail(Code::kCancelled, "stopped");
    PlannedGroup group{.original_namespace = std::string(original),
                       .target_namespace = original.empty() ? "" : filter_.target_namespace(original)};
    const bool may_meet = !job_.spec.namespace_mapping.empty() && !original.empty();
    for (const archive::IndexedItem item : job_.archive.index().items(resource, original)) {
      if (!item.content()) continue;
      if (const selection::Verdict verdict = verdict_on(item, planned); !verdict) {
        leave(plan, item, to_string(verdict.reason()));
      } else if (may_meet && !taken.emplace(group.target_namespace, item.name()).second) {
        leave(plan, item, kAlreadyCovered);
      } else {
        group.names.emplace_back(item.name());
      }
    }
    if (group.names.empty()) continue;
    if (!original.empty()) {
      std::vector<std::string>& originals = wanted_[group.target_namespace];
      if (std::ranges::find(originals, original) == originals.end()) originals.emplace_back(original);
    }
    planned.groups.push_back(std::move(group));
  }
  if (!planned.groups.empty()) plan.resources.push_back(std::move(planned));
  return {};
}

// Namespaces are no stage: they are made because they are selected, or because something goes into them.
void Collector::collect_namespace_items(const archive::IndexedResource& resource) {
  const PlannedResource head = head_of(resource);
  for (const archive::IndexedItem item : job_.archive.index().items(resource)) {
    if (!item.content()) continue;
    const selection::Verdict verdict = verdict_on(item, head);
    const std::string original(item.name());
    selected_namespaces_[original] = verdict ? "" : std::string(to_string(verdict.reason()));
    if (!verdict) continue;
    std::vector<std::string>& originals = wanted_[filter_.target_namespace(original)];
    if (std::ranges::find(originals, original) == originals.end()) originals.push_back(original);
  }
}

void Collector::plan_namespaces(Plan& plan) {
  const archive::ArchiveIndex& index = job_.archive.index();
  std::set<std::string, std::less<>> used;  // Namespaces of the archive that are made
  for (const auto& [target, originals] : wanted_) {
    if (namespaces_.contains(target)) continue;
    PlannedNamespace planned{.name = target, .original = originals.front()};
    for (const std::string& original : originals) {
      if (!index.find(kNamespaces, "", original)) continue;
      planned.original = original;
      planned.is_in_backup = true;
      used.insert(original);
      break;
    }
    plan.namespaces.push_back(std::move(planned));
  }
  const archive::IndexedResource* resource = index.find(kNamespaces);
  if (resource == nullptr) return;
  for (const archive::IndexedItem item : index.items(*resource)) {
    if (!item.content() || used.contains(item.name())) continue;
    const auto found = selected_namespaces_.find(item.name());
    const std::string reason = found == selected_namespaces_.end() ? "" : found->second;
    if (!reason.empty()) {
      leave(plan, item, reason);
    } else {
      leave(plan, item,
            namespaces_.contains(filter_.target_namespace(item.name())) ? kNamespaceExists : kAlreadyCovered);
    }
  }
}

Result<PlannedResource> Collector::definitions(const std::stop_token& stop) {
  const archive::IndexedResource* resource = job_.archive.index().find(kDefinitions);
  Plan plan;
  if (resource != nullptr) TRY("", collect_resource(*resource, plan, stop));
  return plan.resources.empty() ? PlannedResource{.resource = kDefinitions} : std::move(plan.resources.front());
}

Result<Plan> Collector::collect(const std::stop_token& stop) {
  const archive::ArchiveIndex& index = job_.archive.index();
  Plan plan;
  plan.restore = k8s::ObjectView(job_.restore).name();
  plan.restore_uid = k8s::ObjectView(job_.restore).uid();
  plan.backup = k8s::ObjectView(job_.backup).name();
  plan.items_in_backup = index.item_count();
  plan.total_of_backup = json::int_or(job_.backup, {"status", "progress", "totalItems"}, 0);

  std::vector<k8s::GroupResource> all;
  for (const archive::IndexedResource& resource : index.resources()) all.push_back(resource.resource);
  for (const k8s::GroupResource& resource :
       selection::restore_order(tools_.options.priorities, all, selection::ResourceNames(discovery_))) {
    const archive::IndexedResource* indexed = index.find(resource);
    if (indexed == nullptr) continue;
    if (resource == kNamespaces) {
      collect_namespace_items(*indexed);
    } else {
      TRY("", collect_resource(*indexed, plan, stop));
    }
  }
  plan_namespaces(plan);
  return plan;
}

}  // namespace landfall::restore
