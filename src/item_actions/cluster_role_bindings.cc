#include "item_actions/cluster_role_bindings.h"

#include <utility>

#include "json/access.h"
#include "json/json.h"
#include "json/parse.h"
#include "k8s/object_view.h"
#include "kube/raw_list.h"

namespace landfall::item_actions {
namespace {

const k8s::GroupResource kBindings{"rbac.authorization.k8s.io", "clusterrolebindings"};
const k8s::GroupResource kRoles{"rbac.authorization.k8s.io", "clusterroles"};

// Longer than any list takes; whoever lists ends by the client's deadlines.
constexpr Duration kPatience = std::chrono::minutes(10);

}  // namespace

ClusterRoleBindings::ClusterRoleBindings(kube::Client& client, const kube::Discovery& discovery) : client_(client) {
  if (const kube::ApiResource* served = discovery.find(kBindings)) {
    resource_ = served->id;
    return;
  }
  for (const auto& [group_version, error] : discovery.failures()) {
    if (group_version.group == kBindings.group) unknown_ = error;
  }
}

Result<std::vector<k8s::ObjectRef>> ClusterRoleBindings::naming(const k8s::NamespacedName& service_account,
                                                                const std::stop_token& stop) {
  TRY_ASSIGN(const std::shared_ptr<const Index> index, "list cluster role bindings", get(stop));
  std::vector<k8s::ObjectRef> refs;
  const auto found = index->find(service_account);
  if (found == index->end()) return refs;
  for (const std::string& name : found->second.bindings) refs.push_back({.resource = kBindings, .name = name});
  for (const std::string& name : found->second.roles) refs.push_back({.resource = kRoles, .name = name});
  return refs;
}

ClusterRoleBindings::Listed ClusterRoleBindings::get(const std::stop_token& stop) {
  std::optional<Listed> listed;
  const bool is_over = state_.wait_then(
      client_.clock(), stop, client_.clock().after(kPatience),
      [](const State& state) { return state.step != Step::kListing; },
      [&](State& state) {
        listed = state.listed;
        if (!listed) state.step = Step::kListing;
      });
  if (!is_over) {
    if (stop.stop_requested()) return fail(Code::kCancelled, "stopped");
    return fail(Code::kTimeout, "another item's list did not end");
  }
  if (listed) return *std::move(listed);

  // No lock is held here: the others wait for the step.
  Listed made = list(stop);
  state_.update([&](State& state) {
    const bool was_stopped = !made && made.error().code() == Code::kCancelled;
    state.step = was_stopped ? Step::kUnlisted : Step::kListed;
    if (!was_stopped) state.listed = made;
  });
  return made;
}

ClusterRoleBindings::Listed ClusterRoleBindings::list(const std::stop_token& stop) const {
  if (unknown_) return tl::unexpected(*unknown_);
  auto index = std::make_shared<Index>();
  if (!resource_) return index;
  // Page by page, and only names are kept: a cluster may have tens of thousands.
  kube::RawList pages(kube::Resource(client_, *resource_), {});
  while (true) {
    TRY_ASSIGN(const kube::RawList::Next next, "", pages.next(stop));
    if (next.started_over) index->clear();
    if (!next.page) return index;
    for (const kube::RawItem& item : next.page->items()) {
      TRY_ASSIGN(const json::Json binding, std::string(item.name), json::parse(item.json));
      add(binding, *index);
    }
  }
}

void ClusterRoleBindings::add(const json::Json& binding, Index& index) {
  const json::Json* subjects = json::find(binding, {"subjects"});
  if (subjects == nullptr || !subjects->is_array()) return;
  const std::string role = json::string_or(binding, {"roleRef", "name"}, "");
  for (const json::Json& subject : *subjects) {
    if (json::string_or(subject, {"kind"}, "") != "ServiceAccount") continue;
    Grants& grants = index[{json::string_or(subject, {"namespace"}, ""), json::string_or(subject, {"name"}, "")}];
    grants.bindings.emplace(k8s::ObjectView(binding).name());
    if (!role.empty()) grants.roles.insert(role);
  }
}

}  // namespace landfall::item_actions
