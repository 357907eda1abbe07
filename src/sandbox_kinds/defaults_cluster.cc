#include <algorithm>
#include <initializer_list>
#include <string>
#include <string_view>

#include "base/encoding.h"
#include "json/json.h"
#include "sandbox_kinds/defaults_kinds.h"
#include "sandbox_kinds/document_parts.h"

namespace landfall::sandbox {
namespace {

using json::Json;

constexpr std::string_view kRbacGroup = "rbac.authorization.k8s.io";

void default_service_port(Json& port) {
  put_text(port, "protocol", "TCP");
  const Json* const target = value_in(port, "targetPort");
  const Json* const number = value_in(port, "port");
  if (number != nullptr && (target == nullptr || *target == 0 || is_empty_text(*target))) {
    port["targetPort"] = Json(*number);
  }
  if (const Json* const node_port = value_in(port, "nodePort"); node_port != nullptr && *node_port == 0) {
    drop(port, "nodePort");
  }
}

Json policy(std::string_view type, int value) {
  constexpr int kPeriodSeconds = 15;
  return {{"type", type}, {"value", value}, {"periodSeconds", kPeriodSeconds}};
}

// The whole behaviour is filled in as soon as any of it is given.
void default_scaling_behaviour(Json& behaviour) {
  constexpr int kPods = 4;
  constexpr int kAll = 100;
  if (Json* const up = make_object(behaviour, "scaleUp")) {
    put_missing(*up, "stabilizationWindowSeconds", 0);
    put_missing(*up, "selectPolicy", "Max");
    put_missing(*up, "policies", Json::array({policy("Pods", kPods), policy("Percent", kAll)}));
  }
  if (Json* const down = make_object(behaviour, "scaleDown")) {
    put_missing(*down, "selectPolicy", "Max");
    put_missing(*down, "policies", Json::array({policy("Percent", kAll)}));
  }
}

Json cpu_metric(int percent) {
  return {{"type", "Resource"},
          {"resource", {{"name", "cpu"}, {"target", {{"type", "Utilization"}, {"averageUtilization", percent}}}}}};
}

}  // namespace

void default_service(Json& object) {
  constexpr int kAffinitySeconds = 10800;
  Json* const spec = make_object(object, "spec");
  if (spec == nullptr) {
    return;
  }
  put_text(*spec, "type", "ClusterIP");
  put_text(*spec, "sessionAffinity", "None");
  const std::string type(text_in(*spec, "type"));
  if (text_in(*spec, "sessionAffinity") == "ClientIP") {
    if (Json* const config = make_object(*spec, "sessionAffinityConfig")) {
      if (Json* const client = make_object(*config, "clientIP")) {
        put_missing(*client, "timeoutSeconds", kAffinitySeconds);
      }
    }
  } else {
    drop(*spec, "sessionAffinityConfig");
  }
  each_object(*spec, "ports", default_service_port);
  if (Json* const status = object_in(object, "status")) {
    if (Json* const balancer = object_in(*status, "loadBalancer")) {
      each_object(*balancer, "ingress", [](Json& entry) {
        if (!text_in(entry, "ip").empty()) put_missing(entry, "ipMode", "VIP");
      });
    }
  }
  if (type == "NodePort" || type == "LoadBalancer") {
    put_text(*spec, "externalTrafficPolicy", "Cluster");
  }
  if (type == "LoadBalancer") {
    put_missing(*spec, "allocateLoadBalancerNodePorts", true);
  }
  if (type != "ExternalName") {
    put_missing(*spec, "internalTrafficPolicy", "Cluster");
  }
}

void default_secret(Json& object) {
  put_text(object, "type", "Opaque");
  if (const Json* const texts = object_in(object, "stringData"); texts != nullptr && !texts->empty()) {
    const Json plain = *texts;
    Json* const data = make_object(object, "data");
    for (const auto& [key, value] : plain.items()) {
      if (data != nullptr && value.is_string()) {
        (*data)[key] = base64_encode(value.get_ref<const std::string&>());
      }
    }
  }
  drop(object, "stringData");
}

void default_persistent_volume(Json& object) {
  Json* const spec = make_object(object, "spec");
  if (spec == nullptr) {
    return;
  }
  put_text(*spec, "persistentVolumeReclaimPolicy", "Retain");
  put_text(*spec, "volumeMode", "Filesystem");
  normalize_quantities(*spec, "capacity");
  if (Json* const host = object_in(*spec, "hostPath")) {
    put_missing(*host, "type", "");
  }
  if (Json* const iscsi = object_in(*spec, "iscsi")) {
    put_text(*iscsi, "iscsiInterface", "default");
  }
  if (Json* const status = make_object(object, "status")) {
    put_text(*status, "phase", "Pending");
  }
}

void default_persistent_volume_claim(Json& object) {
  if (Json* const spec = make_object(object, "spec")) {
    default_claim_spec(*spec);
  }
  if (Json* const status = make_object(object, "status")) {
    put_text(*status, "phase", "Pending");
    normalize_quantities(*status, "capacity");
  }
}

// What a container may use at most is its default limit, and what it is limited to, or must have, its default request.
void default_limit_range(Json& object) {
  Json* const spec = object_in(object, "spec");
  if (spec == nullptr) {
    return;
  }
  each_object(*spec, "limits", [](Json& limit) {
    for (const char* const field : {"max", "min", "default", "defaultRequest", "maxLimitRequestRatio"}) {
      normalize_quantities(limit, field);
    }
    if (text_in(limit, "type") != "Container") {
      return;
    }
    const auto fill = [&limit](std::string_view target, std::string_view source) {
      const Json* const from = object_in(limit, source);
      if (from == nullptr || from->empty()) {
        return;
      }
      const Json copy = *from;
      Json* const to = make_object(limit, target);
      for (const auto& [name, amount] : copy.items()) {
        if (to != nullptr) {
          put_missing(*to, name, amount);
        }
      }
    };
    fill("default", "max");
    fill("defaultRequest", "default");
    fill("defaultRequest", "min");
  });
}

void default_resource_quota(Json& object) {
  if (Json* const spec = make_object(object, "spec")) {
    normalize_quantities(*spec, "hard");
  }
}

void default_endpoints(Json& object) {
  each_object(object, "subsets", [](Json& subset) {
    each_object(subset, "ports", [](Json& port) { put_text(port, "protocol", "TCP"); });
  });
}

void default_endpoint_slice(Json& object) {
  each_object(object, "ports", [](Json& port) {
    put_missing(port, "name", "");
    put_missing(port, "protocol", "TCP");
  });
  each_object(object, "endpoints", [](Json& endpoint) { make_object(endpoint, "conditions"); });
}

void default_ingress_class(Json& object) {
  Json* const spec = make_object(object, "spec");
  Json* const parameters = spec == nullptr ? nullptr : object_in(*spec, "parameters");
  if (parameters != nullptr) {
    put_missing(*parameters, "scope", "Cluster");
  }
}

void default_network_policy(Json& object) {
  Json* const spec = make_object(object, "spec");
  if (spec == nullptr) {
    return;
  }
  make_object(*spec, "podSelector");
  for (const std::string_view direction : {"ingress", "egress"}) {
    each_object(*spec, direction, [](Json& rule) {
      each_object(rule, "ports", [](Json& port) { put_missing(port, "protocol", "TCP"); });
    });
  }
  if (value_in(*spec, "policyTypes") == nullptr) {
    Json types = Json::array({"Ingress"});
    if (value_in(*spec, "egress") != nullptr) {
      types.push_back("Egress");
    }
    (*spec)["policyTypes"] = std::move(types);
  }
}

// A role without rules says so.
void default_role(Json& object) {
  if (value_in(object, "rules") == nullptr) {
    object["rules"] = nullptr;
  }
}

void default_role_binding(Json& object) {
  if (Json* const role = make_object(object, "roleRef")) {
    put_text(*role, "apiGroup", kRbacGroup);
  }
  each_object(object, "subjects", [](Json& subject) {
    const std::string_view kind = text_in(subject, "kind");
    if (kind == "User" || kind == "Group") {
      put_text(subject, "apiGroup", kRbacGroup);
    }
  });
}

void default_storage_class(Json& object) {
  put_missing(object, "reclaimPolicy", "Delete");
  put_missing(object, "volumeBindingMode", "Immediate");
}

void default_csi_driver(Json& object) {
  Json* const spec = make_object(object, "spec");
  if (spec == nullptr) {
    return;
  }
  put_missing(*spec, "attachRequired", true);
  put_missing(*spec, "fsGroupPolicy", "ReadWriteOnceWithFSType");
  put_missing(*spec, "volumeLifecycleModes", Json::array({"Persistent"}));
  for (const std::string_view off : {"podInfoOnMount", "storageCapacity", "requiresRepublish", "seLinuxMount"}) {
    put_missing(*spec, off, false);
  }
}

void default_priority_class(Json& object) {
  put_missing(object, "preemptionPolicy", "PreemptLowerPriority");
  put_missing(object, "value", 0);
}

void default_autoscaler_v1(Json& object) {
  if (Json* const spec = make_object(object, "spec")) {
    put_missing(*spec, "minReplicas", 1);
  }
}

void default_autoscaler_v2(Json& object) {
  constexpr int kCpuPercent = 80;
  Json* const spec = make_object(object, "spec");
  if (spec == nullptr) {
    return;
  }
  put_missing(*spec, "minReplicas", 1);
  put_missing(*spec, "metrics", Json::array({cpu_metric(kCpuPercent)}));
  if (Json* const behaviour = object_in(*spec, "behavior")) {
    default_scaling_behaviour(*behaviour);
  }
}

}  // namespace landfall::sandbox
