#include "control/delete_actions.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "archive/spooled_archive.h"
#include "json/json.h"
#include "json/parse.h"
#include "k8s/label_selector.h"
#include "k8s/object_view.h"
#include "kube/discovery.h"
#include "selection/includes_excludes.h"
#include "selection/resource_names.h"

namespace landfall::control {
namespace {

using json::Json;

// An action, and which items it is for.
struct Scoped {
  extension::DeleteItemAction* action;
  selection::IncludesExcludes resources;
  selection::IncludesExcludes namespaces;
  k8s::LabelSelector labels;

  bool wants(const k8s::GroupResource& resource) const { return resources.is_in(k8s::to_string(resource)); }
  // As in Velero, an action that is only for some namespaces is not for objects without one.
  bool wants_namespace(std::string_view name_space) const {
    return name_space.empty() ? namespaces.is_everything() : namespaces.is_in(name_space);
  }
};

Result<std::vector<Scoped>> resolve(const DeleteActionsInput& input, const std::stop_token& stop) {
  TRY_ASSIGN(const kube::Discovery discovery, "discover what the server serves", kube::discover(input.client, stop));
  const selection::ResourceNames names(discovery);
  std::vector<Scoped> scoped;
  for (extension::DeleteItemAction* action : input.actions) {
    const extension::ActionScope scope = action->scope();
    const std::string context = "delete action " + action->name();
    TRY_ASSIGN(auto resources, context,
               selection::IncludesExcludes::make(names.resolve_all(scope.included_resources),
                                                 names.resolve_all(scope.excluded_resources)));
    TRY_ASSIGN(auto namespaces, context,
               selection::IncludesExcludes::make(scope.included_namespaces, scope.excluded_namespaces));
    TRY_ASSIGN(auto labels, context, k8s::LabelSelector::parse(scope.label_selector));
    scoped.push_back({.action = action,
                      .resources = std::move(resources),
                      .namespaces = std::move(namespaces),
                      .labels = std::move(labels)});
  }
  return scoped;
}

class Run {
 public:
  Run(const archive::SpooledArchive& archive, const Json& backup, ProblemList& problems, const std::stop_token& stop)
      : archive_(archive), backup_(backup), problems_(problems), stop_(stop) {}

  Status over(const archive::IndexedResource& resource, const std::vector<const Scoped*>& actions) {
    for (const archive::IndexedItem& item : archive_.index().items(resource)) {
      if (stop_.stop_requested()) return fail(Code::kCancelled, "stopped");
      const bool is_wanted =
          std::ranges::any_of(actions, [&](const Scoped* one) { return one->wants_namespace(item.namespace_name()); });
      if (!is_wanted || !item.content()) continue;
      TRY_ASSIGN(const std::string text, item.path(), archive_.content(item));
      const auto object = json::parse(text);
      if (object) {
        offer(item, *object, actions);
      } else {
        problems_.add(fmt::format("{}: {}", item.path(), object.error().message()));
      }
    }
    return {};
  }

 private:
  void offer(const archive::IndexedItem& item, const Json& object, const std::vector<const Scoped*>& actions) {
    for (const Scoped* one : actions) {
      if (!one->wants_namespace(item.namespace_name()) || !one->labels.matches_object(object)) continue;
      const Status done = one->action->execute(object, backup_, stop_);
      if (!done) problems_.add(fmt::format("{}: {}: {}", one->action->name(), item.path(), done.error().message()));
    }
  }

  const archive::SpooledArchive& archive_;
  const Json& backup_;
  ProblemList& problems_;
  const std::stop_token& stop_;
};

}  // namespace

Status run_delete_actions(const DeleteActionsInput& input, ProblemList& problems, const std::stop_token& stop) {
  if (input.actions.empty()) return {};
  const auto reader = input.store.open(k8s::ObjectView(input.backup).name(), bucket::BackupArtifact::kContents, stop);
  if (!reader && reader.error().code() == Code::kNotFound) return {};
  if (!reader) return fail("", reader.error());
  TRY_ASSIGN(const archive::SpooledArchive archive, "read the items of the backup",
             archive::SpooledArchive::read(**reader, {.directory = input.spool_directory}, stop, {}));
  TRY_ASSIGN(const std::vector<Scoped> scoped, "", resolve(input, stop));
  Run run(archive, input.backup, problems, stop);
  for (const archive::IndexedResource& resource : archive.index().resources()) {
    std::vector<const Scoped*> wanting;
    for (const Scoped& one : scoped) {
      if (one.wants(resource.resource)) wanting.push_back(&one);
    }
    if (!wanting.empty()) TRY("", run.over(resource, wanting));
  }
  return {};
}

}  // namespace landfall::control
