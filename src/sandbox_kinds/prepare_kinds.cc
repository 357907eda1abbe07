#include "sandbox_kinds/prepare_kinds.h"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <utility>

#include "base/strings.h"
#include "json/json.h"
#include "sandbox_kinds/crd.h"
#include "sandbox_kinds/document_parts.h"
#include "sandbox_kinds/prepare.h"

namespace landfall::sandbox {
namespace {

using json::Json;

bool list_contains(const Json& list, std::string_view text) {
  return list.is_array() && std::ranges::any_of(list, [&](const Json& element) { return element == text; });
}

void add_finalizer(Json& object, std::string_view name) {
  Json* const metadata = make_object(object, "metadata");
  if (metadata == nullptr) {
    return;
  }
  put_missing(*metadata, "finalizers", Json::array());
  Json& finalizers = (*metadata)["finalizers"];
  if (finalizers.is_array() && !list_contains(finalizers, name)) {
    finalizers.push_back(name);
  }
}

// A pod leaves a node that is not ready or not reachable after five minutes, unless it says something about that.
void add_default_tolerations(Json& spec) {
  constexpr int kSeconds = 300;
  for (const std::string_view key : {"node.kubernetes.io/not-ready", "node.kubernetes.io/unreachable"}) {
    bool is_there = false;
    each_object(spec, "tolerations", [&](const Json& toleration) {
      const std::string_view its_key = text_in(toleration, "key");
      const std::string_view effect = text_in(toleration, "effect");
      is_there = is_there || ((its_key == key || its_key.empty()) && (effect == "NoExecute" || effect.empty()));
    });
    if (is_there) {
      continue;
    }
    put_missing(spec, "tolerations", Json::array());
    if (spec["tolerations"].is_array()) {
      spec["tolerations"].push_back(
          {{"key", key}, {"operator", "Exists"}, {"effect", "NoExecute"}, {"tolerationSeconds", kSeconds}});
    }
  }
}

void admit_pod(Json& pod) {
  Json* const spec = object_in(pod, "spec");
  if (spec == nullptr) {
    return;
  }
  add_default_tolerations(*spec);
  // With a class the priority is that of the class, which only the caller can look up.
  if (text_in(*spec, "priorityClassName").empty()) {
    put_missing(*spec, "priority", 0);
    put_missing(*spec, "preemptionPolicy", "PreemptLowerPriority");
  }
}

void admit_namespace(Json& object) {
  Json* const metadata = object_in(object, "metadata");
  const std::string name(metadata == nullptr ? "" : text_in(*metadata, "name"));
  if (name.empty()) {
    return;
  }
  if (Json* const labels = make_object(*metadata, "labels")) {
    (*labels)["kubernetes.io/metadata.name"] = name;
  }
}

void prepare_namespace(Json& object) {
  Json* const spec = make_object(object, "spec");
  if (spec == nullptr) {
    return;
  }
  put_missing(*spec, "finalizers", Json::array());
  Json& finalizers = (*spec)["finalizers"];
  if (finalizers.is_array() && !list_contains(finalizers, "kubernetes")) {
    finalizers.push_back("kubernetes");
  }
}

// The pods of a job carry the job's uid, and the job selects them by it, unless it says that it takes care itself.
void prepare_job(Json& job) {
  Json* const spec = object_in(job, "spec");
  const Json* const metadata = object_in(job, "metadata");
  if (spec == nullptr || metadata == nullptr || is_true_in(*spec, "manualSelector")) {
    return;
  }
  const std::string uid(text_in(*metadata, "uid"));
  const std::string name(text_in(*metadata, "name"));
  Json* const pod_template = object_in(*spec, "template");
  Json* const template_metadata = pod_template == nullptr ? nullptr : make_object(*pod_template, "metadata");
  Json* const labels = template_metadata == nullptr ? nullptr : make_object(*template_metadata, "labels");
  if (uid.empty() || labels == nullptr) {
    return;
  }
  const std::array<std::pair<const char*, const std::string*>, 4> own = {{
      {"controller-uid", &uid},
      {"job-name", &name},
      {"batch.kubernetes.io/controller-uid", &uid},
      {"batch.kubernetes.io/job-name", &name},
  }};
  for (const auto& [key, value] : own) {
    put_missing(*labels, key, *value);
  }
  // A job without labels of its own shows those of its pods.
  if (object_in(*metadata, "labels") == nullptr) {
    job["metadata"]["labels"] = *labels;
  }
  if (Json* const selector = make_object(*spec, "selector")) {
    if (Json* const match = make_object(*selector, "matchLabels")) {
      put_missing(*match, "batch.kubernetes.io/controller-uid", uid);
    }
  }
}

constexpr const char* kTemplateGeneration = "deprecated.daemonset.template.generation";

void set_template_generation(Json& object, std::int64_t generation) {
  Json* const metadata = make_object(object, "metadata");
  Json* const annotations = metadata == nullptr ? nullptr : make_object(*metadata, "annotations");
  if (annotations != nullptr) {
    (*annotations)[kTemplateGeneration] = std::to_string(generation);
  }
}

// The annotation counts the changes of the template, for clients that are older than metadata.generation.
void update_daemon_set(const Json& old, Json& next) {
  const Json* const metadata = object_in(old, "metadata");
  const Json* const annotations = metadata == nullptr ? nullptr : object_in(*metadata, "annotations");
  const std::string_view before = annotations == nullptr ? "" : text_in(*annotations, kTemplateGeneration);
  const Json* const old_spec = object_in(old, "spec");
  const Json* const spec = object_in(std::as_const(next), "spec");
  const bool is_new =
      old_spec != nullptr && spec != nullptr && old_spec->value("template", Json()) != spec->value("template", Json());
  set_template_generation(next, parse_int64(before).value_or(1) + (is_new ? 1 : 0));
}

// One family, unless a headless service without a selector leaves it to whoever writes its endpoints.
void prepare_service(Json& object) {
  Json* const spec = object_in(object, "spec");
  if (spec == nullptr || text_in(*spec, "type") == "ExternalName") {
    return;
  }
  const std::string address(text_in(*spec, "clusterIP"));
  if (!address.empty()) {
    put_missing(*spec, "clusterIPs", Json::array({address}));
  }
  const Json* const selector = object_in(*spec, "selector");
  const bool takes_any = address == "None" && (selector == nullptr || selector->empty());
  put_missing(*spec, "ipFamilyPolicy", takes_any ? "RequireDualStack" : "SingleStack");
  put_missing(*spec, "ipFamilies", takes_any ? Json::array({"IPv4", "IPv6"}) : Json::array({"IPv4"}));
}

bool has_cluster_ip(std::string_view type) { return type != "ExternalName"; }
bool has_node_ports(std::string_view type) { return type == "NodePort" || type == "LoadBalancer"; }

// Ports that the client did not name keep their numbers.
void keep_node_ports(const Json& old_spec, Json& spec) {
  each_object(spec, "ports", [&](Json& port) {
    each_object(old_spec, "ports", [&](const Json& before) {
      const Json* const number = value_in(before, "nodePort");
      const Json* const a = value_in(before, "port");
      const Json* const b = value_in(port, "port");
      const bool is_same_port =
          a != nullptr && b != nullptr && *a == *b && text_in(before, "protocol") == text_in(port, "protocol");
      if (number != nullptr && is_same_port) {
        put_missing(port, "nodePort", *number);
      }
    });
  });
}

void drop_node_ports(const Json& old_spec, Json& spec) {
  each_object(spec, "ports", [&](Json& port) {
    const Json* const number = value_in(port, "nodePort");
    bool was_there = false;
    each_object(old_spec, "ports", [&](const Json& before) {
      const Json* const old_number = value_in(before, "nodePort");
      was_there = was_there || (number != nullptr && old_number != nullptr && *number == *old_number);
    });
    if (was_there) {
      drop(port, "nodePort");
    }
  });
  drop(spec, "externalTrafficPolicy");
  drop(spec, "allocateLoadBalancerNodePorts");
}

void update_service(const Json& old, Json& next) {
  const Json* const old_spec = object_in(old, "spec");
  Json* const spec = object_in(next, "spec");
  if (old_spec == nullptr || spec == nullptr) {
    return;
  }
  const std::string old_type(text_in(*old_spec, "type"));
  const std::string type(text_in(*spec, "type"));
  if (has_cluster_ip(old_type) && has_cluster_ip(type)) {
    // One of the two fields is enough, the other follows.
    if (!text_in(*spec, "clusterIP").empty() && text_in(*spec, "clusterIP") != text_in(*old_spec, "clusterIP") &&
        value_in(*spec, "clusterIPs") != nullptr && value_in(*old_spec, "clusterIPs") != nullptr &&
        *value_in(*spec, "clusterIPs") == *value_in(*old_spec, "clusterIPs")) {
      (*spec)["clusterIPs"] = Json::array({text_in(*spec, "clusterIP")});
    }
    for (const std::string_view field : {"clusterIP", "clusterIPs", "ipFamilies", "ipFamilyPolicy"}) {
      if (const Json* const value = value_in(*old_spec, field)) {
        put_missing(*spec, field, *value);
      }
    }
  }
  if (has_cluster_ip(old_type) && !has_cluster_ip(type)) {
    for (const std::string_view field :
         {"clusterIP", "clusterIPs", "ipFamilies", "ipFamilyPolicy", "internalTrafficPolicy"}) {
      drop(*spec, field);
    }
  }
  if (has_node_ports(old_type) && has_node_ports(type)) {
    keep_node_ports(*old_spec, *spec);
  } else if (has_node_ports(old_type)) {
    drop_node_ports(*old_spec, *spec);
  }
  prepare_service(next);
}

// A bound claim may leave out the name of its volume only by removing the claim; priorities were looked up at creation.
void update_pod(const Json& old, Json& next) {
  const Json* const old_spec = object_in(old, "spec");
  Json* const spec = object_in(next, "spec");
  if (old_spec == nullptr || spec == nullptr) {
    return;
  }
  for (const std::string_view field : {"priority", "preemptionPolicy"}) {
    if (const Json* const value = value_in(*old_spec, field)) {
      put_missing(*spec, field, *value);
    }
  }
  add_default_tolerations(*spec);
}

void prepare_claim(Json& claim) {
  Json* const spec = object_in(claim, "spec");
  if (spec == nullptr) {
    return;
  }
  // Two names of one thing, the old and the new one, for sources that both can express.
  if (const Json* const source = object_in(*spec, "dataSource")) {
    put_missing(*spec, "dataSourceRef", Json(*source));
  } else if (const Json* const reference = object_in(*spec, "dataSourceRef");
             reference != nullptr && text_in(*reference, "namespace").empty()) {
    const std::string_view kind = text_in(*reference, "kind");
    if (kind == "PersistentVolumeClaim" || kind == "VolumeSnapshot") {
      put_missing(*spec, "dataSource", Json(*reference));
    }
  }
}

void prepare_volume(Json& object) {
  const Json* const metadata = object_in(object, "metadata");
  const std::string time(metadata == nullptr ? "" : text_in(*metadata, "creationTimestamp"));
  if (Json* const status = object_in(object, "status"); status != nullptr && !time.empty()) {
    (*status)["lastPhaseTransitionTime"] = time;
  }
}

void prepare_node(Json& object) {
  Json* const spec = make_object(object, "spec");
  if (spec == nullptr) {
    return;
  }
  if (const std::string range(text_in(*spec, "podCIDR")); !range.empty()) {
    put_missing(*spec, "podCIDRs", Json::array({range}));
  }
}

}  // namespace

void admit(const KindInfo& kind, Json& object) {
  if (kind.is_custom()) {
    return;
  }
  if (kind.id.group.empty() && kind.kind == "Pod") {
    admit_pod(object);
  } else if (kind.id.group.empty() && kind.kind == "Namespace") {
    admit_namespace(object);
  } else if (kind.kind == "PersistentVolumeClaim") {
    add_finalizer(object, "kubernetes.io/pvc-protection");
  } else if (kind.kind == "PersistentVolume") {
    add_finalizer(object, "kubernetes.io/pv-protection");
  } else if (kind.kind == "VolumeAttributesClass") {
    add_finalizer(object, "kubernetes.io/vac-protection");
  }
}

void prepare_kind_for_create(const KindInfo& kind, Json& object) {
  if (kind.kind == "Pod") {
    const Json* const spec = object_in(object, "spec");
    object["status"]["qosClass"] = spec == nullptr ? "BestEffort" : quality_of_service(*spec);
  } else if (kind.kind == "Namespace") {
    prepare_namespace(object);
  } else if (kind.kind == "Job") {
    prepare_job(object);
  } else if (kind.kind == "DaemonSet") {
    set_template_generation(object, 1);
  } else if (kind.kind == "Service") {
    prepare_service(object);
  } else if (kind.kind == "PersistentVolumeClaim") {
    prepare_claim(object);
  } else if (kind.kind == "PersistentVolume") {
    prepare_volume(object);
  } else if (kind.kind == "Node") {
    prepare_node(object);
  }
}

void prepare_kind_for_update(const KindInfo& kind, const Json& old, Json& next) {
  if (kind.kind == "Namespace") {
    // Only /finalize takes finalizers away.
    if (const Json* const spec = value_in(old, "spec")) {
      next["spec"] = *spec;
    }
  } else if (kind.kind == "Service") {
    update_service(old, next);
  } else if (kind.kind == "Pod") {
    update_pod(old, next);
  } else if (kind.kind == "PersistentVolumeClaim") {
    prepare_claim(next);
  } else if (kind.kind == "CustomResourceDefinition") {
    add_stored_version(next);
  } else if (kind.kind == "DaemonSet") {
    update_daemon_set(old, next);
  }
}

}  // namespace landfall::sandbox
