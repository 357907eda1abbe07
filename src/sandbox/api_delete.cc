#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>
#include <utility>
#include <vector>

#include "base/rfc3339.h"
#include "json/access.h"
#include "json/json.h"
#include "k8s/object_view.h"
#include "sandbox/api.h"
#include "sandbox/api_error.h"
#include "sandbox/write_steps.h"
#include "sandbox_kinds/convert.h"

namespace landfall::sandbox {
namespace {

using json::Json;

constexpr int kTries = 100;

bool is_core(const KindInfo& kind, std::string_view name) { return kind.id.group.empty() && kind.kind == name; }

Status check_preconditions(const KindInfo& kind, const StoredObject& before, const DeleteOptions& options) {
  // As the server has it: the kind where other errors have the resource.
  const k8s::GroupResource about{kind.id.group, kind.kind};
  if (!options.uid.empty() && options.uid != before.uid) {
    return fail("", conflict(about, before.name(),
                             fmt::format("the UID in the precondition ({}) does not match the UID in record ({}). The "
                                         "object might have been deleted and then recreated",
                                         options.uid, before.uid)));
  }
  if (!options.resource_version.empty() && options.resource_version != std::to_string(before.revision)) {
    return fail("", conflict(about, before.name(),
                             fmt::format("the ResourceVersion in the precondition ({}) does not match the "
                                         "ResourceVersion in record ({}). The object might have been modified",
                                         options.resource_version, before.revision)));
  }
  return {};
}

// The finalizers that the way of deleting dependents asks for.
std::vector<std::string> wanted_finalizers(const KindInfo& kind, const Json& live, const DeleteOptions& options) {
  const k8s::ObjectView view(live);
  bool orphan = view.has_finalizer("orphan");
  bool foreground = view.has_finalizer("foregroundDeletion");
  if (options.orphan_dependents) {
    orphan = *options.orphan_dependents;
    foreground = false;
  } else if (!options.propagation.empty()) {
    orphan = options.propagation == "Orphan";
    foreground = options.propagation == "Foreground";
  } else if (!orphan && !foreground) {
    // Kept from the days before garbage collection.
    orphan = is_core(kind, "ReplicationController") || (kind.id.group == "batch" && kind.kind == "Job");
  }
  if (kind.kind == "Event") orphan = foreground = false;
  std::vector<std::string> out;
  for (const std::string_view name : view.finalizers()) {
    if (name != "orphan" && name != "foregroundDeletion") out.emplace_back(name);
  }
  if (orphan) out.emplace_back("orphan");
  if (foreground) out.emplace_back("foregroundDeletion");
  return out;
}

// How long a pod gets, when it gets time at all.
std::optional<std::int64_t> pod_grace(const Json& pod, const DeleteOptions& options) {
  std::int64_t grace = json::int_or(pod, {"spec", "terminationGracePeriodSeconds"}, 30);
  if (options.grace_period_seconds) grace = *options.grace_period_seconds < 0 ? 1 : *options.grace_period_seconds;
  const std::string phase = json::string_or(pod, {"status", "phase"}, "");
  if (json::string_or(pod, {"spec", "nodeName"}, "").empty() || phase == "Succeeded" || phase == "Failed") grace = 0;
  return grace;
}

void count_generation(Json& metadata) {
  const std::int64_t generation = json::int_or(metadata, {"generation"}, 0);
  if (generation > 0) metadata["generation"] = generation + 1;
}

// Marks the object. Returns false when it was marked so already.
bool mark(Json& metadata, WallTime now, std::int64_t grace) {
  if (metadata.contains("deletionTimestamp")) {
    const std::int64_t had = json::int_or(metadata, {"deletionGracePeriodSeconds"}, 0);
    if (had == 0 || grace >= had) return false;
    // A shorter time counts from when the deletion was asked for, but is never over already.
    const auto until = parse_rfc3339(json::string_or(metadata, {"deletionTimestamp"}, ""));
    WallTime next = until.value_or(now) - std::chrono::seconds(had - grace);
    if (next < now) next = now;
    metadata["deletionTimestamp"] = format_rfc3339(next);
    metadata["deletionGracePeriodSeconds"] = grace;
    return true;
  }
  metadata["deletionTimestamp"] = format_rfc3339(now + std::chrono::seconds(grace));
  metadata["deletionGracePeriodSeconds"] = grace;
  count_generation(metadata);
  return true;
}

Status check_namespace_deletion(const KindInfo& kind, std::string_view name) {
  if (!is_core(kind, "Namespace")) return {};
  if (name != "default" && name != "kube-system" && name != "kube-public") return {};
  return fail("", forbidden_by(group_resource(kind), name, "this namespace may not be deleted"));
}

}  // namespace

Result<std::optional<Removed>> Api::try_remove(const KindInfo& kind, const ObjectPtr& before,
                                               const DeleteOptions& options) {
  const Json live = decode(kind, *before);
  Json next = live;
  Json& metadata = next["metadata"];
  const std::vector<std::string> finalizers = wanted_finalizers(kind, live, options);
  if (finalizers.empty()) {
    metadata.erase("finalizers");
  } else {
    metadata["finalizers"] = finalizers;
  }
  const std::int64_t grace = is_core(kind, "Pod") ? pod_grace(live, options).value_or(0) : 0;
  bool must_stay = grace > 0 || !finalizers.empty();
  if (is_core(kind, "Pod") && before->is_deleting && grace > 0 && !options.grace_period_seconds) {
    return std::optional<Removed>(Removed{.object = before});  // the time that it has is still running
  }
  if (is_core(kind, "Namespace")) {
    const Json* content = json::find(live, {"spec", "finalizers"});
    must_stay = must_stay || (content != nullptr && !content->empty()) || !before->is_deleting;
  }
  if (!must_stay) {
    ObjectPtr last = before;
    // A pod that goes at once is marked first, so that whoever watches sees why.
    if (is_core(kind, "Pod") && mark(metadata, clock_.wall_now(), 0)) {
      TRY_ASSIGN(const std::optional<Written> marked, "", commit(kind, before, live, next, options.dry_run));
      if (!marked) return std::optional<Removed>();
      last = marked->object;
    }
    if (options.dry_run) return std::optional<Removed>(Removed{.object = last, .is_gone = true});
    auto removed = store_.remove(kind.storage, last);
    if (!removed) return std::optional<Removed>();
    return std::optional<Removed>(Removed{.object = *removed, .is_gone = true});
  }
  mark(metadata, clock_.wall_now(), grace);
  if (is_core(kind, "Namespace")) {
    metadata.erase("deletionGracePeriodSeconds");
    next["status"]["phase"] = "Terminating";
  }
  TRY_ASSIGN(const std::optional<Written> written, "", commit(kind, before, live, next, options.dry_run));
  if (!written) return std::optional<Removed>();
  return std::optional<Removed>(Removed{.object = written->object});
}

Result<Removed> Api::remove(const KindInfo& kind, std::string_view name_space, std::string_view name,
                            const DeleteOptions& options) {
  TRY("", check_namespace_deletion(kind, name));
  for (int attempt = 0; attempt < kTries; ++attempt) {
    TRY_ASSIGN(const ObjectPtr before, "", get(kind, name_space, name));
    TRY("", check_preconditions(kind, *before, options));
    TRY_ASSIGN(std::optional<Removed> removed, "", try_remove(kind, before, options));
    if (removed) return *removed;
  }
  return fail("", modified_meanwhile(group_resource(kind), name));
}

}  // namespace landfall::sandbox
