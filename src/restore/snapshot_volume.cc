#include "restore/snapshot_volume.h"

#include <chrono>

#include "api/labels.h"
#include "json/access.h"
#include "json/json.h"
#include "k8s/object_view.h"
#include "kube/resource.h"
#include "restore/object_reset.h"

namespace landfall::restore {
namespace {

constexpr Duration kPollInterval = std::chrono::seconds(1);

class SnapshotVolume {
 public:
  SnapshotVolume(json::Json& volume, const RestoreJob& job, RestoreTools& tools, const std::stop_token& stop)
      : volume_(volume), job_(job), tools_(tools), stop_(stop), name_(k8s::ObjectView(volume).name()) {}

  Result<std::string> run() {
    TRY_ASSIGN(const bool is_renamed, "", needs_new_name());
    map_claim_namespace(volume_, job_.spec.namespace_mapping);
    bool is_free = is_renamed;
    if (!is_free) {
      TRY_ASSIGN(is_free, "wait for PersistentVolume " + name_, wait_until_clear());
    }
    if (is_free) {
      reset_volume_binding(volume_);
      if (job_.spec.restore_volumes.value_or(true)) TRY("", make_volume());
    }
    std::string now(k8s::ObjectView(volume_).name());
    if (!is_renamed && now == name_) return now;
    if (now == name_) now = "velero-clone-" + random_uuid();
    TRY("", json::set_at(volume_, {"metadata", "name"}, now));
    TRY("", k8s::set_annotation(volume_, api::annotation::kOriginalPvName, name_));
    return now;
  }

 private:
  Status make_volume() {
    if (tools_.snapshots == nullptr) {
      return fail(Code::kUnsupported,
                  "it has a snapshot, and nothing here can make a volume of it; set restorePVs: false to restore the "
                  "object with its old volume");
    }
    return tools_.snapshots->restore(volume_, stop_);
  }

  Result<bool> needs_new_name() {
    const std::string claim_namespace = json::string_or(volume_, {"spec", "claimRef", "namespace"}, "");
    if (!job_.spec.namespace_mapping.contains(claim_namespace)) return false;
    TRY_ASSIGN(const bool is_there, "", exists({"", "v1", "persistentvolumes"}, "", name_, nullptr));
    return is_there;
  }

  // Whether it is there; `object` gets it.
  Result<bool> exists(const k8s::GroupVersionResource& resource, const std::string& name_space, const std::string& name,
                      json::Json* object) {
    auto live = kube::Resource(tools_.client, resource, name_space).get(name, stop_);
    if (!live && live.error().code() == Code::kNotFound) return false;
    if (!live) return fail("", std::move(live).error());
    if (object != nullptr) *object = *std::move(live);
    return true;
  }

  // True once there is no volume of that name; false when there is one that stays.
  Result<bool> wait_until_clear() {
    const SteadyTime deadline = tools_.clock.after(tools_.options.terminating_timeout);
    while (true) {
      json::Json live;
      TRY_ASSIGN(const bool is_there, "", exists({"", "v1", "persistentvolumes"}, "", name_, &live));
      if (!is_there) return true;
      TRY_ASSIGN(const bool is_going, "", is_on_its_way_out(live));
      if (!is_going) return false;
      if (tools_.clock.now() >= deadline) return fail(Code::kTimeout, "it is still being deleted");
      if (!tools_.clock.sleep_for(kPollInterval, stop_)) return fail(Code::kCancelled, "stopped");
    }
  }

  Result<bool> is_on_its_way_out(const json::Json& live) {
    if (k8s::ObjectView(live).is_being_deleted()) return true;
    if (json::string_or(live, {"status", "phase"}, "") == "Released") return true;
    const std::string name_space = json::string_or(live, {"spec", "claimRef", "namespace"}, "");
    const std::string claim = json::string_or(live, {"spec", "claimRef", "name"}, "");
    if (claim.empty()) return false;
    json::Json other;
    TRY_ASSIGN(const bool has_claim, "", exists({"", "v1", "persistentvolumeclaims"}, name_space, claim, &other));
    if (!has_claim || k8s::ObjectView(other).is_being_deleted()) return true;
    TRY_ASSIGN(const bool has_namespace, "", exists({"", "v1", "namespaces"}, "", name_space, &other));
    return !has_namespace || k8s::ObjectView(other).is_being_deleted();
  }

  std::string random_uuid() {
    static constexpr std::string_view kDigits = "0123456789abcdef";
    std::string text = "xxxxxxxx-xxxx-4xxx-8xxx-xxxxxxxxxxxx";
    for (char& c : text) {
      if (c == 'x') c = kDigits[tools_.random.bits() % kDigits.size()];
    }
    return text;
  }

  json::Json& volume_;
  const RestoreJob& job_;
  RestoreTools& tools_;
  const std::stop_token& stop_;
  const std::string name_;
};

}  // namespace

void map_claim_namespace(json::Json& volume, const json::StringMap& mapping) {
  json::Json* name_space = json::find(volume, {"spec", "claimRef", "namespace"});
  if (name_space == nullptr || !name_space->is_string()) return;
  const auto target = mapping.find(name_space->get<std::string>());
  if (target != mapping.end()) *name_space = target->second;
}

Result<std::string> volume_from_snapshot(json::Json& volume, const RestoreJob& job, RestoreTools& tools,
                                         const std::stop_token& stop) {
  return SnapshotVolume(volume, job, tools, stop).run();
}

}  // namespace landfall::restore
