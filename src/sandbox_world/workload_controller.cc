#include "sandbox_world/workload_controller.h"

#include <algorithm>

#include "base/digest.h"
#include "base/rfc3339.h"
#include "json/access.h"
#include "json/json.h"
#include "json/parse.h"
#include "k8s/label_selector_json.h"
#include "k8s/object_view.h"

namespace landfall::sandbox {
namespace {

using json::Json;

bool is_unowned(const StoredObject& object) { return object.bytes.find("\"controller\":true") == std::string::npos; }

}  // namespace

bool WorkloadController::follows(const k8s::GroupResource& resource) const {
  return resource == kind_.storage || resource == child_.storage;
}

void WorkloadController::observe(const k8s::GroupResource& resource, const Change& change, WorkQueue& queue) {
  const StoredObject& object = *change.object;
  if (resource == kind_.storage) {
    if (change.type != ChangeType::kDeleted) queue.add(object.key);
    return;
  }
  if (is_unowned(object)) {
    if (change.type != ChangeType::kAdded) return;
    for (const ObjectPtr& owner : cluster_.api().store().list(kind_.storage, object.name_space()).objects) {
      queue.add(owner->key);
    }
    return;
  }
  const Json child = decode(child_, object);
  const auto owner = k8s::ObjectView(child).controller();
  if (owner && owner->kind == kind_.kind) queue.add(object_key(object.name_space(), owner->name));
}

Status WorkloadController::reconcile(const std::string& key, WorkQueue& queue) {
  const auto [name_space, name] = split_key(key);
  const std::optional<Json> object = cluster_.get(kind_, name_space, name);
  if (!object || k8s::ObjectView(*object).is_being_deleted()) return {};
  const ObjectPtr place = cluster_.api().store().get(kinds().namespaces.storage, "", name_space);
  if (!place || place->is_deleting) return {};
  return sync(key, *object, queue);
}

Result<std::vector<Json>> WorkloadController::children(const Json& object) const {
  const k8s::ObjectView view(object);
  TRY_ASSIGN(const k8s::LabelSelector selector, "read the selector",
             k8s::label_selector_from_json(json::find(object, {"spec", "selector"})));
  std::vector<Json> out;
  for (const ObjectPtr& stored : cluster_.api().store().list(child_.storage, view.name_space()).objects) {
    const bool may_be_mine = stored->bytes.find(view.uid()) != std::string::npos;
    if (!may_be_mine && !is_unowned(*stored)) continue;
    Json child = decode(child_, *stored);
    if (is_controlled_by(child, view.uid())) {
      out.push_back(std::move(child));
      continue;
    }
    if (stored->is_deleting || k8s::ObjectView(child).controller() || !selector.matches_object(child)) continue;
    const Json reference = controller_reference(kind_, object);
    TRY("take over " + stored->key, cluster_.modify(child_, child, [&](Json& live) -> Status {
      Json& references = live["metadata"]["ownerReferences"];
      if (!references.is_array()) references = Json::array();
      references.push_back(reference);
      return {};
    }));
    out.push_back(std::move(child));
  }
  return out;
}

Status WorkloadController::create_pod(const Json& object, Json pod) const {
  pod["metadata"]["ownerReferences"] = Json::array({controller_reference(kind_, object)});
  const auto made = cluster_.create(kinds().pods, k8s::ObjectView(object).name_space(), std::move(pod));
  if (!made && made.error().code() != Code::kAlreadyExists) return fail("create a pod", made.error());
  return {};
}

Json pod_from_template(const Json& object) {
  Json pod = Json::object();
  if (const Json* spec = json::find(object, {"spec", "template", "spec"})) pod["spec"] = *spec;
  pod["metadata"] = Json::object();
  for (const std::string_view field : {"labels", "annotations", "finalizers"}) {
    if (const Json* value = json::find(object, {"spec", "template", "metadata", field}))
      pod["metadata"][field] = *value;
  }
  return pod;
}

bool is_active(const Json& pod) {
  const std::string phase = json::string_or(pod, {"status", "phase"}, "");
  return phase != "Succeeded" && phase != "Failed" && !k8s::ObjectView(pod).is_being_deleted();
}

bool is_ready(const Json& pod) { return k8s::ObjectView(pod).is_condition_true("Ready"); }

PodCounts count_pods(const std::vector<Json>& pods, const Json& object, WallTime now) {
  const auto least = std::chrono::seconds(json::int_or(object, {"spec", "minReadySeconds"}, 0));
  PodCounts counts;
  for (const Json& pod : pods) {
    if (!is_active(pod) || !is_ready(pod)) continue;
    ++counts.ready;
    const Json* condition = k8s::ObjectView(pod).condition("Ready");
    const auto since = parse_rfc3339(json::string_or(*condition, {"lastTransitionTime"}, ""));
    if (least.count() == 0 || (since && now - *since >= least)) ++counts.available;
  }
  return counts;
}

void put_count(Json& status, const char* field, std::int64_t count) {
  if (count == 0) {
    status.erase(field);
  } else {
    status[field] = count;
  }
}

std::int64_t scaled(const Json* value, std::int64_t total, bool round_up) {
  if (value == nullptr) return 0;
  if (value->is_number_integer()) return value->get<std::int64_t>();
  if (!value->is_string()) return 0;
  std::int64_t percent = 0;
  for (const char digit : value->get_ref<const std::string&>()) {
    if (digit < '0' || digit > '9') break;
    percent = std::min<std::int64_t>(percent * 10 + (digit - '0'), 100'000);
  }
  return (total * percent + (round_up ? 99 : 0)) / 100;
}

std::string template_hash(const Json& pod_template) {
  static constexpr std::string_view kLetters = "bcdfghjklmnpqrstvwxz2456789";
  const Sha256Digest digest = sha256(json::dump(pod_template));
  std::string out;
  for (std::size_t i = 0; i < 10; ++i) out += kLetters[digest.at(i) % kLetters.size()];
  return out;
}

bool is_same_template(Json a, Json b) {
  for (Json* pod_template : {&a, &b}) {
    json::erase_at(*pod_template, {"metadata", "creationTimestamp"});
    json::erase_at(*pod_template, {"metadata", "labels", "pod-template-hash"});
    json::erase_at(*pod_template, {"metadata", "labels", "controller-revision-hash"});
    json::erase_at(*pod_template, {"$patch"});
  }
  return a == b;
}

}  // namespace landfall::sandbox
