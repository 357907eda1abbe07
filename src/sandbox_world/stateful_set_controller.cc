#include "sandbox_world/stateful_set_controller.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <ranges>

#include "json/access.h"
#include "json/json.h"
#include "k8s/object_view.h"
#include "sandbox_world/revision.h"

namespace landfall::sandbox {
namespace {

using json::Json;

constexpr const char* kRevisionLabel = "controller-revision-hash";

// The number behind the set's name; -1 when the pod is not named like one of its.
std::int64_t ordinal_of(std::string_view set, std::string_view pod) {
  if (!pod.starts_with(set) || pod.size() < set.size() + 2 || pod[set.size()] != '-') return -1;
  const std::string_view digits = pod.substr(set.size() + 1);
  std::int64_t ordinal = -1;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), ordinal);
  return error == std::errc() && end == digits.data() + digits.size() ? ordinal : -1;
}

struct Range {
  std::int64_t first = 0;
  std::int64_t end = 0;
};

Range range_of(const Json& set) {
  const std::int64_t first = json::int_or(set, {"spec", "ordinals", "start"}, 0);
  return {.first = first, .end = first + json::int_or(set, {"spec", "replicas"}, 1)};
}

bool is_parallel(const Json& set) { return json::string_or(set, {"spec", "podManagementPolicy"}, "") == "Parallel"; }

std::string claim_name(const Json& claim_template, std::string_view pod) {
  return fmt::format("{}-{}", json::string_or(claim_template, {"metadata", "name"}, ""), pod);
}

Json claim_templates(const Json& set) {
  const Json* templates = json::find(set, {"spec", "volumeClaimTemplates"});
  return templates != nullptr && templates->is_array() ? *templates : Json::array();
}

// The pod of a number: the template, its name, and its claims in place of volumes of the same name.
Json numbered_pod(const Json& set, std::int64_t ordinal, const std::string& revision) {
  Json pod = pod_from_template(set);
  const std::string name = fmt::format("{}-{}", k8s::ObjectView(set).name(), ordinal);
  pod["metadata"]["name"] = name;
  Json& labels = pod["metadata"]["labels"];
  labels["statefulset.kubernetes.io/pod-name"] = name;
  labels["apps.kubernetes.io/pod-index"] = std::to_string(ordinal);
  labels[kRevisionLabel] = revision;
  pod["spec"]["hostname"] = name;
  if (const std::string service = json::string_or(set, {"spec", "serviceName"}, ""); !service.empty()) {
    pod["spec"]["subdomain"] = service;
  }
  Json volumes = Json::array();
  const Json templates = claim_templates(set);
  for (const Json& claim : templates) {
    volumes.push_back({{"name", json::string_or(claim, {"metadata", "name"}, "")},
                       {"persistentVolumeClaim", {{"claimName", claim_name(claim, name)}}}});
  }
  for (const Json& volume : copy_or(pod, {"spec", "volumes"}, Json::array())) {
    const bool is_replaced = std::any_of(templates.begin(), templates.end(), [&](const Json& claim) {
      return json::string_or(claim, {"metadata", "name"}, "") == json::string_or(volume, {"name"}, "");
    });
    if (!is_replaced) volumes.push_back(volume);
  }
  if (!volumes.empty()) pod["spec"]["volumes"] = std::move(volumes);
  return pod;
}

std::string revision_of(const Json& pod) {
  return std::string(k8s::ObjectView(pod).labels().get(kRevisionLabel).value_or(""));
}

bool is_finished(const Json& pod) {
  const std::string phase = json::string_or(pod, {"status", "phase"}, "");
  return phase == "Succeeded" || phase == "Failed";
}

}  // namespace

Status StatefulSetController::sync(const std::string& key, const Json& set, WorkQueue& queue) {
  TRY_ASSIGN(std::vector<Json> children_found, "", children(set));
  TRY_ASSIGN(const Revision revision, "", ensure_revision(cluster(), kind(), set));
  Pods pods;
  for (Json& pod : children_found) {
    const std::int64_t ordinal = ordinal_of(k8s::ObjectView(set).name(), k8s::ObjectView(pod).name());
    if (ordinal >= 0) pods.emplace(ordinal, std::move(pod));
  }
  TRY("", bring_up(set, pods, revision.name));
  TRY("", bring_down(set, pods));
  TRY("", update(set, pods, revision.name));
  return set_status(set, pods, revision.name, queue, key);
}

Status StatefulSetController::bring_up(const Json& set, const Pods& pods, const std::string& revision) const {
  const Range range = range_of(set);
  for (std::int64_t i = range.first; i < range.end; ++i) {
    const auto at = pods.find(i);
    if (at == pods.end()) {
      const Json pod = numbered_pod(set, i, revision);
      TRY("", create_claims(set, pod));
      TRY("", create_pod(set, pod));
    } else if (is_finished(at->second) && is_active(at->second)) {
      TRY("", cluster().remove(kinds().pods, at->second));
    }
    const bool is_up = at != pods.end() && is_active(at->second) && is_ready(at->second);
    if (!is_up && !is_parallel(set)) return {};
  }
  return {};
}

Status StatefulSetController::create_claims(const Json& set, const Json& pod) const {
  const k8s::ObjectView view(set);
  for (const Json& claim_template : claim_templates(set)) {
    const std::string name = claim_name(claim_template, k8s::ObjectView(pod).name());
    if (cluster().get(kinds().claims, view.name_space(), name)) continue;
    Json claim = {{"metadata", {{"name", name}}}, {"spec", copy_or(claim_template, {"spec"}, Json::object())}};
    for (const std::string_view field : {"labels", "annotations"}) {
      if (const Json* value = json::find(claim_template, {"metadata", field})) claim["metadata"][field] = *value;
    }
    if (const auto selector = json::string_map_at(set, {"spec", "selector", "matchLabels"})) {
      for (const auto& [key, value] : *selector) TRY("", k8s::set_label(claim, key, value));
    }
    const auto made = cluster().create(kinds().claims, view.name_space(), std::move(claim));
    if (!made && made.error().code() != Code::kAlreadyExists) return fail("create claim " + name, made.error());
  }
  return {};
}

Status StatefulSetController::bring_down(const Json& set, const Pods& pods) const {
  const Range range = range_of(set);
  for (const auto& [ordinal, pod] : std::views::reverse(pods)) {
    if (ordinal >= range.first && ordinal < range.end) continue;
    if (!k8s::ObjectView(pod).is_being_deleted()) TRY("", cluster().remove(kinds().pods, pod));
    if (!is_parallel(set)) return {};
  }
  return {};
}

Status StatefulSetController::update(const Json& set, const Pods& pods, const std::string& revision) const {
  if (json::string_or(set, {"spec", "updateStrategy", "type"}, "RollingUpdate") != "RollingUpdate") return {};
  const Range range = range_of(set);
  const std::int64_t partition = json::int_or(set, {"spec", "updateStrategy", "rollingUpdate", "partition"}, 0);
  // A pod that is on its way, old or new, is waited for before the next one is replaced.
  for (std::int64_t i = range.first; i < range.end; ++i) {
    const auto at = pods.find(i);
    if (at == pods.end() || !is_active(at->second)) return {};
  }
  for (const auto& [ordinal, pod] : std::ranges::reverse_view(pods)) {
    if (ordinal < range.first + partition || ordinal >= range.end) continue;
    if (revision_of(pod) != revision) return cluster().remove(kinds().pods, pod);
    if (!is_ready(pod)) return {};
  }
  return {};
}

Status StatefulSetController::set_status(const Json& set, const Pods& pods, const std::string& revision,
                                         WorkQueue& queue, const std::string& key) const {
  std::vector<Json> active;
  std::int64_t updated = 0;
  for (const auto& [ordinal, pod] : pods) {
    if (!is_active(pod)) continue;
    active.push_back(pod);
    if (revision_of(pod) == revision) ++updated;
  }
  const PodCounts counts = count_pods(active, set, cluster().api().clock().wall_now());
  if (counts.available < counts.ready) queue.add_after(key, std::chrono::seconds(1));
  const auto replicas = static_cast<std::int64_t>(active.size());
  return cluster().modify_status(kind(), set, [&](Json& live) -> Status {
    Json& status = live["status"];
    const std::string before = json::string_or(status, {"currentRevision"}, revision);
    const bool is_complete = updated == replicas && counts.ready == replicas;
    status["observedGeneration"] = json::int_or(set, {"metadata", "generation"}, 0);
    status["replicas"] = replicas;
    status["availableReplicas"] = counts.available;
    status["collisionCount"] = 0;
    status["updateRevision"] = revision;
    status["currentRevision"] = is_complete ? revision : before;
    put_count(status, "readyReplicas", counts.ready);
    put_count(status, "updatedReplicas", updated);
    put_count(status, "currentReplicas", is_complete || before == revision ? updated : replicas - updated);
    return {};
  });
}

}  // namespace landfall::sandbox
