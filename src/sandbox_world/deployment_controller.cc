#include "sandbox_world/deployment_controller.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "json/access.h"
#include "json/json.h"
#include "k8s/object_view.h"
#include "sandbox_world/rollout.h"

namespace landfall::sandbox {
namespace {

using json::Json;

constexpr std::string_view kRevision = "deployment.kubernetes.io/revision";
constexpr std::string_view kDesired = "deployment.kubernetes.io/desired-replicas";
constexpr std::string_view kMost = "deployment.kubernetes.io/max-replicas";
constexpr std::string_view kHash = "pod-template-hash";

std::int64_t revision_of(const Json& object) {
  const std::string_view text = k8s::ObjectView(object).annotations().get(std::string(kRevision)).value_or("0");
  std::int64_t revision = 0;
  std::from_chars(text.data(), text.data() + text.size(), revision);
  return revision;
}

SetSize size_of(const Json& set) {
  return {.wanted = json::int_or(set, {"spec", "replicas"}, 1),
          .there = json::int_or(set, {"status", "replicas"}, 0),
          .available = json::int_or(set, {"status", "availableReplicas"}, 0)};
}

std::vector<SetSize> sizes_of(const std::vector<Json>& sets) {
  std::vector<SetSize> out(sets.size());
  std::transform(sets.begin(), sets.end(), out.begin(), size_of);
  return out;
}

RolloutRules rules_of(const Json& deployment) {
  RolloutRules rules{.replicas = json::int_or(deployment, {"spec", "replicas"}, 1)};
  rules.recreates = json::string_or(deployment, {"spec", "strategy", "type"}, "") == "Recreate";
  rules.surge = scaled(json::find(deployment, {"spec", "strategy", "rollingUpdate", "maxSurge"}), rules.replicas, true);
  rules.unavailable =
      scaled(json::find(deployment, {"spec", "strategy", "rollingUpdate", "maxUnavailable"}), rules.replicas, false);
  // Neither more nor less than asked for: nothing could ever move.
  if (rules.surge == 0 && rules.unavailable == 0) rules.unavailable = 1;
  rules.unavailable = std::min(rules.unavailable, rules.replicas);
  return rules;
}

const Json& template_of(const Json& object) {
  static const Json none = Json::object();
  const Json* found = json::find(object, {"spec", "template"});
  return found == nullptr ? none : *found;
}

// The oldest that has the Deployment's template.
std::size_t find_current(const std::vector<Json>& sets, const Json& deployment) {
  std::size_t best = sets.size();
  for (std::size_t i = 0; i < sets.size(); ++i) {
    if (!is_same_template(template_of(sets[i]), template_of(deployment))) continue;
    if (best == sets.size() || json::string_or(sets[i], {"metadata", "creationTimestamp"}, "") <
                                   json::string_or(sets[best], {"metadata", "creationTimestamp"}, "")) {
      best = i;
    }
  }
  return best;
}

Status annotate_size(Json& set, const RolloutRules& rules) {
  TRY("", k8s::set_annotation(set, kDesired, std::to_string(rules.replicas)));
  return k8s::set_annotation(set, kMost, std::to_string(rules.replicas + (rules.recreates ? 0 : rules.surge)));
}

}  // namespace

Status DeploymentController::sync(const std::string&, const Json& deployment, WorkQueue&) {
  TRY_ASSIGN(std::vector<Json> sets, "", children(deployment));
  const RolloutRules rules = rules_of(deployment);
  std::size_t at = find_current(sets, deployment);
  const bool is_paused = json::bool_or(deployment, {"spec", "paused"}, false);
  if (at == sets.size() && is_paused) return set_status(deployment, nullptr, sets, "");
  if (at == sets.size()) {
    const std::int64_t replicas = next_sizes({}, sizes_of(sets), rules).front();
    TRY_ASSIGN(Json made, "create a ReplicaSet", create_set(deployment, replicas));
    sets.push_back(std::move(made));
    at = sets.size() - 1;
  }
  const Json current = sets[at];
  sets.erase(sets.begin() + static_cast<std::ptrdiff_t>(at));
  TRY_ASSIGN(const std::string revision, "", set_revision(current, sets));
  const std::vector<std::int64_t> next = next_sizes(size_of(current), sizes_of(sets), rules);
  TRY("", scale(deployment, current, next[0]));
  if (!is_paused) {
    for (std::size_t i = 0; i < sets.size(); ++i) TRY("", scale(deployment, sets[i], next[i + 1]));
    TRY("", drop_history(deployment, sets));
  }
  return set_status(deployment, &current, sets, revision);
}

Result<Json> DeploymentController::create_set(const Json& deployment, std::int64_t replicas) const {
  const k8s::ObjectView view(deployment);
  const std::string hash = template_hash(template_of(deployment));
  Json pod_template = template_of(deployment);
  pod_template["metadata"]["labels"][kHash] = hash;
  Json selector = copy_or(deployment, {"spec", "selector"}, Json::object());
  selector["matchLabels"][kHash] = hash;
  Json set = {{"metadata",
               {{"name", fmt::format("{}-{}", view.name(), hash)},
                {"labels", pod_template["metadata"]["labels"]},
                {"ownerReferences", Json::array({controller_reference(kind(), deployment)})}}},
              {"spec", {{"replicas", replicas}, {"selector", selector}, {"template", pod_template}}}};
  if (const Json* least = json::find(deployment, {"spec", "minReadySeconds"})) set["spec"]["minReadySeconds"] = *least;
  for (const auto& [key, value] : view.annotations().copy()) {
    if (key == "kubectl.kubernetes.io/last-applied-configuration" || key == kRevision) continue;
    TRY("", k8s::set_annotation(set, key, value));
  }
  TRY("", annotate_size(set, rules_of(deployment)));
  return cluster().create(kinds().replica_sets, view.name_space(), std::move(set));
}

Result<std::string> DeploymentController::set_revision(const Json& current, const std::vector<Json>& others) const {
  std::int64_t newest = 0;
  for (const Json& set : others) newest = std::max(newest, revision_of(set));
  const std::string revision = std::to_string(std::max(revision_of(current), newest + 1));
  TRY("", cluster().modify(kinds().replica_sets, current,
                           [&](Json& live) { return k8s::set_annotation(live, kRevision, revision); }));
  return revision;
}

Status DeploymentController::scale(const Json& deployment, const Json& set, std::int64_t replicas) const {
  return cluster().modify(kinds().replica_sets, set, [&](Json& live) -> Status {
    live["spec"]["replicas"] = replicas;
    return replicas == 0 ? Status() : annotate_size(live, rules_of(deployment));
  });
}

Status DeploymentController::drop_history(const Json& deployment, std::vector<Json> others) const {
  const std::int64_t kept = json::int_or(deployment, {"spec", "revisionHistoryLimit"}, 10);
  std::erase_if(others, [](const Json& set) {
    const SetSize size = size_of(set);
    return size.wanted > 0 || size.there > 0 || k8s::ObjectView(set).is_being_deleted();
  });
  std::sort(others.begin(), others.end(), [](const Json& a, const Json& b) { return revision_of(a) < revision_of(b); });
  for (std::size_t i = 0; i + static_cast<std::size_t>(std::max<std::int64_t>(kept, 0)) < others.size(); ++i) {
    TRY("", cluster().remove(kinds().replica_sets, others[i]));
  }
  return {};
}

Status DeploymentController::set_status(const Json& deployment, const Json* current, const std::vector<Json>& others,
                                        const std::string& revision) const {
  const RolloutRules rules = rules_of(deployment);
  const SetSize updated = current == nullptr ? SetSize{} : size_of(*current);
  SetSize total = updated;
  std::int64_t ready = current == nullptr ? 0 : json::int_or(*current, {"status", "readyReplicas"}, 0);
  for (const Json& set : others) {
    total.there += size_of(set).there;
    total.available += size_of(set).available;
    ready += json::int_or(set, {"status", "readyReplicas"}, 0);
  }
  const bool is_available = total.available >= rules.replicas - rules.unavailable;
  const bool is_complete = updated.there == rules.replicas && total.there == rules.replicas &&
                           total.available == rules.replicas && updated.wanted == rules.replicas;
  const std::string now = cluster().now_text();
  return cluster().modify_status(kind(), deployment, [&](Json& live) -> Status {
    // Through the status, as a cluster does it: any other change of an annotation counts as a new generation.
    if (!revision.empty()) TRY("", k8s::set_annotation(live, kRevision, revision));
    Json& status = live["status"];
    status["observedGeneration"] = json::int_or(deployment, {"metadata", "generation"}, 0);
    put_count(status, "replicas", total.there);
    put_count(status, "updatedReplicas", updated.there);
    put_count(status, "readyReplicas", ready);
    put_count(status, "availableReplicas", total.available);
    put_count(status, "unavailableReplicas",
              std::max<std::int64_t>(std::max(total.there, rules.replicas) - total.available, 0));
    set_condition(
        live, "Available", is_available, is_available ? "MinimumReplicasAvailable" : "MinimumReplicasUnavailable",
        is_available ? "Deployment has minimum availability." : "Deployment does not have minimum availability.", now);
    if (current != nullptr) {
      set_condition(live, "Progressing", true, is_complete ? "NewReplicaSetAvailable" : "ReplicaSetUpdated",
                    fmt::format("ReplicaSet \"{}\" {}", k8s::ObjectView(*current).name(),
                                is_complete ? "has successfully progressed." : "is progressing."),
                    now);
    }
    for (Json& condition : live["status"]["conditions"]) {
      if (!condition.contains("lastUpdateTime")) condition["lastUpdateTime"] = now;
    }
    return {};
  });
}

}  // namespace landfall::sandbox
