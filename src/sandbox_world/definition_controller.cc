#include "sandbox_world/definition_controller.h"

#include <algorithm>
#include <set>

#include "json/access.h"
#include "json/json.h"
#include "k8s/object_view.h"
#include "sandbox_kinds/crd.h"

namespace landfall::sandbox {
namespace {

using json::Json;

constexpr std::string_view kCleanup = "customresourcecleanup.apiextensions.k8s.io";
constexpr Duration kLookAgain = std::chrono::seconds(5);

std::set<std::string> resource_names(const Json& names) {
  std::set<std::string> out = {json::string_or(names, {"plural"}, ""), json::string_or(names, {"singular"}, "")};
  if (const auto more = json::string_list_at(names, {"shortNames"})) out.insert(more->begin(), more->end());
  out.erase("");
  return out;
}

std::set<std::string> kind_names(const Json& names) {
  std::set<std::string> out = {json::string_or(names, {"kind"}, ""), json::string_or(names, {"listKind"}, "")};
  out.erase("");
  return out;
}

// The first of the wanted names that is taken; empty: none.
std::string first_common(const std::set<std::string>& wanted, const std::set<std::string>& taken) {
  for (const std::string& name : wanted) {
    if (taken.contains(name)) return name;
  }
  return {};
}

}  // namespace

bool DefinitionController::follows(const k8s::GroupResource& resource) const {
  return resource == kinds().definitions.storage || by_resource_.contains(resource);
}

void DefinitionController::observe(const k8s::GroupResource& resource, const Change& change, WorkQueue& queue) {
  if (resource == kinds().definitions.storage) {
    queue.add(std::string(change.object->name()));
    return;
  }
  // A definition that is going waits for the last of its objects.
  const auto at = by_resource_.find(resource);
  if (at == by_resource_.end() || change.type != ChangeType::kDeleted) return;
  const ObjectPtr definition = cluster_.api().store().get(kinds().definitions.storage, "", at->second);
  if (!definition || definition->is_deleting) queue.add(at->second);
}

Status DefinitionController::reconcile(const std::string& key, WorkQueue& queue) {
  const std::optional<Json> definition = cluster_.get(kinds().definitions, "", key);
  const auto at = served_.find(key);
  if (at != served_.end() && (!definition || k8s::ObjectView(*definition).uid() != at->second.uid)) {
    // It went without waiting for us.
    TRY_ASSIGN(const bool is_empty, "", remove_objects(at->second.kind, true));
    static_cast<void>(is_empty);
    withdraw(key);
  }
  if (!definition) return {};
  if (k8s::ObjectView(*definition).is_being_deleted()) return end(key, *definition, queue);
  return establish(key, *definition);
}

std::string DefinitionController::conflict_of(const std::string& name, const Json& definition) const {
  const Json* mine = json::find(definition, {"spec", "names"});
  const std::string group = json::string_or(definition, {"spec", "group"}, "");
  for (const auto& [other_name, other] : served_) {
    if (other_name == name || other.kind.id.group != group) continue;
    const std::optional<Json> taken = cluster_.get(kinds().definitions, "", other_name);
    const Json* theirs = taken ? json::find(*taken, {"status", "acceptedNames"}) : nullptr;
    if (theirs == nullptr || mine == nullptr) continue;
    for (const std::string& clash : {first_common(resource_names(*mine), resource_names(*theirs)),
                                     first_common(kind_names(*mine), kind_names(*theirs))}) {
      if (!clash.empty()) return clash;
    }
  }
  return {};
}

Status DefinitionController::establish(const std::string& name, const Json& definition) {
  const std::string now = cluster_.now_text();
  if (const std::string taken = conflict_of(name, definition); !taken.empty() && !served_.contains(name)) {
    return cluster_.modify_status(kinds().definitions, definition, [&](Json& live) -> Status {
      set_condition(live, "NamesAccepted", false, "NameConflict", "\"" + taken + "\" is already in use", now);
      set_condition(live, "Established", false, "NotAccepted", "not all names are accepted", now);
      return {};
    });
  }
  const std::int64_t generation = json::int_or(definition, {"metadata", "generation"}, 0);
  const auto at = served_.find(name);
  if (at == served_.end() || at->second.generation != generation) {
    TRY_ASSIGN(std::vector<KindInfo> served, "serve " + name, kinds_of_crd(definition));
    if (served.empty()) return {};
    const KindInfo first = served.front();
    cluster_.api().registry().serve(name, std::move(served));
    served_.insert_or_assign(
        name, Served{.uid = std::string(k8s::ObjectView(definition).uid()), .generation = generation, .kind = first});
    by_resource_[first.storage] = name;
    follow_(first.storage);
  }
  return cluster_.modify_status(kinds().definitions, definition, [&](Json& live) -> Status {
    establish_crd(live, now);
    return {};
  });
}

Result<bool> DefinitionController::remove_objects(const KindInfo& kind, bool by_force) const {
  Store& store = cluster_.api().store();
  bool is_empty = true;
  for (const ObjectPtr& object : store.list(kind.storage, "").objects) {
    if (!object->is_deleting) {
      const auto removed = cluster_.api().remove(kind, object->name_space(), object->name());
      if (!removed && removed.error().code() != Code::kNotFound) return fail(object->key, removed.error());
    }
    ObjectPtr left = store.get(kind.storage, object->name_space(), object->name());
    if (left && by_force) {
      // Nobody could ever finish it: its kind is not served any more.
      if (const auto removed = store.remove(kind.storage, left); removed) left = nullptr;
    }
    is_empty = is_empty && !left;
  }
  return is_empty;
}

Status DefinitionController::end(const std::string& name, const Json& definition, WorkQueue& queue) {
  if (const auto at = served_.find(name); at != served_.end()) {
    TRY("", cluster_.modify_status(kinds().definitions, definition, [&](Json& live) -> Status {
      set_condition(live, "Terminating", true, "InstanceDeletionInProgress", "CustomResource deletion is in progress",
                    cluster_.now_text());
      return {};
    }));
    TRY_ASSIGN(const bool is_empty, "remove the objects of " + name, remove_objects(at->second.kind, false));
    if (!is_empty) {
      queue.add_after(name, kLookAgain);
      return {};
    }
  }
  // Other finalizers may keep the definition; it is served as long as it is there.
  if (!k8s::ObjectView(definition).has_finalizer(kCleanup)) return {};
  if (k8s::ObjectView(definition).finalizers().size() == 1) withdraw(name);
  return cluster_.rewrite(kinds().definitions, definition, [](Json& live) -> Status {
    k8s::remove_finalizer(live, kCleanup);
    return {};
  });
}

void DefinitionController::withdraw(const std::string& name) {
  const auto at = served_.find(name);
  if (at == served_.end()) return;
  const k8s::GroupResource resource = at->second.kind.storage;
  cluster_.api().registry().withdraw(name);
  cluster_.api().store().close(resource);
  by_resource_.erase(resource);
  served_.erase(at);
  unfollow_(resource);
}

}  // namespace landfall::sandbox
