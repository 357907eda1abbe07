#include <algorithm>
#include <string>
#include <string_view>

#include "base/strings.h"
#include "json/json.h"
#include "k8s/kinds.h"
#include "k8s/names.h"
#include "sandbox_kinds/document_parts.h"
#include "sandbox_kinds/validation_causes.h"
#include "sandbox_kinds/validation_kinds.h"

// Roles, networking, budgets, classes and what components report.
namespace landfall::sandbox {
namespace {

using json::Json;

constexpr std::string_view kRbacGroup = "rbac.authorization.k8s.io";

const Json& object_or_nothing(const Json& parent, std::string_view key) {
  static const Json nothing = Json::object();
  const Json* const object = object_in(parent, key);
  return object == nullptr ? nothing : *object;
}

bool is_empty_list(const Json& parent, std::string_view key) {
  const Json* const list = value_in(parent, key);
  return list == nullptr || !list->is_array() || list->empty();
}

void check_rule(Causes& causes, const std::string& field, const Json& rule, bool is_namespaced) {
  if (is_empty_list(rule, "verbs")) {
    causes.push_back(required_cause(field + ".verbs", "verbs must contain at least one value"));
  }
  if (!is_empty_list(rule, "nonResourceURLs")) {
    if (is_namespaced) {
      causes.push_back(invalid_cause(field + ".nonResourceURLs", rule["nonResourceURLs"],
                                     "namespaced rules cannot apply to non-resource URLs"));
    }
    return;
  }
  if (is_empty_list(rule, "apiGroups")) {
    causes.push_back(required_cause(field + ".apiGroups", "resource rules must supply at least one api group"));
  }
  if (is_empty_list(rule, "resources")) {
    causes.push_back(required_cause(field + ".resources", "resource rules must supply at least one resource"));
  }
}

void check_rules(Causes& causes, const Json& object, bool is_namespaced) {
  std::size_t index = 0;
  each_object(object, "rules", [&](const Json& rule) {
    check_rule(causes, "rules[" + std::to_string(index++) + "]", rule, is_namespaced);
  });
}

void check_subject(Causes& causes, const std::string& field, const Json& subject, bool needs_namespace) {
  const std::string_view name = text_in(subject, "name");
  if (name.empty()) {
    causes.push_back(required_cause(field + ".name"));
  }
  const std::string_view kind = text_in(subject, "kind");
  if (kind == "ServiceAccount") {
    if (!name.empty()) {
      add_problems(causes, field + ".name", name, k8s::dns1123_subdomain_problems(name));
    }
    if (needs_namespace && text_in(subject, "namespace").empty()) {
      causes.push_back(required_cause(field + ".namespace"));
    }
  } else if (kind == "User" || kind == "Group") {
    if (text_in(subject, "apiGroup") != kRbacGroup) {
      causes.push_back(unsupported_cause(field + ".apiGroup", text_in(subject, "apiGroup"), {kRbacGroup}));
    }
  } else {
    causes.push_back(unsupported_cause(field + ".kind", kind, {"ServiceAccount", "User", "Group"}));
  }
}

void check_binding(Causes& causes, const Json& object, std::initializer_list<std::string_view> kinds,
                   bool needs_namespace) {
  const Json& role = object_or_nothing(object, "roleRef");
  if (text_in(role, "apiGroup") != kRbacGroup) {
    causes.push_back(unsupported_cause("roleRef.apiGroup", text_in(role, "apiGroup"), {kRbacGroup}));
  }
  if (std::ranges::find(kinds, text_in(role, "kind")) == kinds.end()) {
    causes.push_back(unsupported_cause("roleRef.kind", text_in(role, "kind"), kinds));
  }
  const std::string_view name = text_in(role, "name");
  if (name.empty()) {
    causes.push_back(required_cause("roleRef.name"));
  } else {
    add_problems(causes, "roleRef.name", name, k8s::path_segment_problems(name));
  }
  std::size_t index = 0;
  each_object(object, "subjects", [&](const Json& subject) {
    check_subject(causes, "subjects[" + std::to_string(index++) + "]", subject, needs_namespace);
  });
}

void check_backend(Causes& causes, const std::string& field, const Json& backend) {
  const Json* const service = object_in(backend, "service");
  if (service == nullptr && object_in(backend, "resource") == nullptr) {
    causes.push_back(invalid_cause(field, "", "resource or service backend is required"));
    return;
  }
  if (service == nullptr) {
    return;
  }
  const std::string_view name = text_in(*service, "name");
  if (name.empty()) {
    causes.push_back(required_cause(field + ".service.name"));
  } else {
    add_problems(causes, field + ".service.name", name, k8s::dns1035_label_problems(name));
  }
  const Json& port = object_or_nothing(*service, "port");
  const bool has_name = !text_in(port, "name").empty();
  const Json* const number = value_in(port, "number");
  const bool has_number = number != nullptr && *number != 0;
  if (has_name && has_number) {
    causes.push_back(invalid_cause(field, "", "cannot set both port name & port number"));
  } else if (!has_name && !has_number) {
    causes.push_back(required_cause(field, "port name or number is required"));
  } else if (has_number && !is_port_number(*number)) {
    causes.push_back(bad_port_cause(field + ".service.port.number", *number));
  }
}

void check_ingress_path(Causes& causes, const std::string& field, const Json& path) {
  const Json* const type = value_in(path, "pathType");
  if (type == nullptr) {
    causes.push_back(required_cause(field + ".pathType", "pathType must be specified"));
    return;
  }
  const std::string_view text = text_in(path, "path");
  if ((*type == "Exact" || *type == "Prefix") && !text.starts_with('/')) {
    causes.push_back(invalid_cause(field + ".path", text, "must be an absolute path"));
  }
  add_if_unsupported(causes, field + ".", path, "pathType", {"Exact", "ImplementationSpecific", "Prefix"});
  check_backend(causes, field + ".backend", object_or_nothing(path, "backend"));
}

void check_ingress_rule(Causes& causes, const std::string& field, const Json& rule) {
  const std::string_view host = text_in(rule, "host");
  if (!host.empty()) {
    const std::string_view name = host.starts_with("*.") ? host.substr(2) : host;
    for (const std::string& problem : k8s::dns1123_subdomain_problems(name)) {
      causes.push_back(invalid_cause(field + ".host", host, problem));
    }
  }
  std::size_t index = 0;
  each_object(object_or_nothing(rule, "http"), "paths", [&](const Json& path) {
    check_ingress_path(causes, field + ".http.paths[" + std::to_string(index++) + "]", path);
  });
}

void check_policy_rule(Causes& causes, const std::string& field, const Json& rule, std::string_view peers) {
  std::size_t index = 0;
  each_object(rule, "ports", [&](const Json& port) {
    const std::string place = field + ".ports[" + std::to_string(index++) + "]";
    add_if_unsupported(causes, place + ".", port, "protocol", {"TCP", "UDP", "SCTP"});
    if (const Json* const number = value_in(port, "port");
        number != nullptr && number->is_number() && !is_port_number(*number)) {
      causes.push_back(bad_port_cause(place + ".port", *number));
    }
  });
  index = 0;
  each_object(rule, peers, [&](const Json& peer) {
    const std::string place = field + "." + std::string(peers) + "[" + std::to_string(index++) + "]";
    if (peer.empty()) {
      causes.push_back(required_cause(place, "must specify a peer"));
    }
  });
}

bool is_percent(std::string_view text) {
  return text.size() > 1 && text.ends_with('%') &&
         text.substr(0, text.size() - 1).find_first_not_of("0123456789") == std::string_view::npos;
}

void check_int_or_percent(Causes& causes, const std::string& field, const Json& spec, std::string_view key) {
  const Json* const value = value_in(spec, key);
  if (value != nullptr && value->is_string() && !is_percent(value->get_ref<const std::string&>())) {
    causes.push_back(invalid_cause(field + std::string(key), *value,
                                   "a valid percent string must be a numeric string followed by an ending '%' (e.g. "
                                   "'1%',  or '93%', regex used for validation is '[0-9]+%')"));
  }
  add_if_negative(causes, field, spec, key);
}

}  // namespace

void check_role(Causes& causes, const Json& object) { check_rules(causes, object, true); }
void check_cluster_role(Causes& causes, const Json& object) { check_rules(causes, object, false); }

void check_role_binding(Causes& causes, const Json& object) {
  check_binding(causes, object, {"Role", "ClusterRole"}, false);
}

void check_cluster_role_binding(Causes& causes, const Json& object) {
  check_binding(causes, object, {"ClusterRole"}, true);
}

void check_ingress(Causes& causes, const Json& object) {
  const Json& spec = object_or_nothing(object, "spec");
  if (is_empty_list(spec, "rules") && object_in(spec, "defaultBackend") == nullptr) {
    causes.push_back(invalid_cause("spec", Json(), "either `defaultBackend` or `rules` must be specified"));
  }
  std::size_t index = 0;
  each_object(spec, "rules", [&](const Json& rule) {
    check_ingress_rule(causes, "spec.rules[" + std::to_string(index++) + "]", rule);
  });
  if (const Json* const backend = object_in(spec, "defaultBackend")) {
    check_backend(causes, "spec.defaultBackend", *backend);
  }
}

void check_network_policy(Causes& causes, const Json& object) {
  const Json& spec = object_or_nothing(object, "spec");
  check_label_selector(causes, "spec.podSelector", object_or_nothing(spec, "podSelector"));
  std::size_t index = 0;
  each_object(spec, "ingress", [&](const Json& rule) {
    check_policy_rule(causes, "spec.ingress[" + std::to_string(index++) + "]", rule, "from");
  });
  index = 0;
  each_object(spec, "egress", [&](const Json& rule) {
    check_policy_rule(causes, "spec.egress[" + std::to_string(index++) + "]", rule, "to");
  });
  const Json* const types = value_in(spec, "policyTypes");
  for (std::size_t i = 0; types != nullptr && types->is_array() && i < types->size(); ++i) {
    if ((*types)[i] != "Ingress" && (*types)[i] != "Egress") {
      causes.push_back(
          unsupported_cause("spec.policyTypes[" + std::to_string(i) + "]", (*types)[i], {"Ingress", "Egress"}));
    }
  }
}

void check_disruption_budget(Causes& causes, const Json& object) {
  const Json& spec = object_or_nothing(object, "spec");
  const Json* const least = value_in(spec, "minAvailable");
  const Json* const most = value_in(spec, "maxUnavailable");
  if (least != nullptr && most != nullptr) {
    causes.push_back(invalid_cause("spec", spec, "minAvailable and maxUnavailable cannot be both set"));
  }
  check_int_or_percent(causes, "spec.", spec, "minAvailable");
  check_int_or_percent(causes, "spec.", spec, "maxUnavailable");
  if (const Json* const selector = object_in(spec, "selector")) {
    check_label_selector(causes, "spec.selector", *selector);
  }
}

void check_autoscaler(Causes& causes, const Json& object) {
  const Json& spec = object_or_nothing(object, "spec");
  const Json zero = 0;
  const Json* const most = value_in(spec, "maxReplicas");
  const Json& limit = most == nullptr ? zero : *most;
  if (limit.is_number() && limit < 1) {
    causes.push_back(invalid_cause("spec.maxReplicas", limit, "must be greater than 0"));
  }
  if (const Json* const least = value_in(spec, "minReplicas"); least != nullptr && least->is_number()) {
    if (*least < 1) {
      causes.push_back(invalid_cause("spec.minReplicas", *least, "must be greater than or equal to 1"));
    } else if (limit.is_number() && limit < *least) {
      causes.push_back(invalid_cause("spec.maxReplicas", limit, "must be greater than or equal to `minReplicas`"));
    }
  }
  const Json& target = object_or_nothing(spec, "scaleTargetRef");
  for (const std::string_view field : {"kind", "name"}) {
    if (text_in(target, field).empty()) {
      causes.push_back(required_cause("spec.scaleTargetRef." + std::string(field)));
    }
  }
  const std::string_view version = text_in(target, "apiVersion");
  if (version.empty()) {
    causes.push_back(invalid_cause("spec.scaleTargetRef.apiVersion", version, "apiVersion must specify API group"));
  }
}

void check_storage_class(Causes& causes, const Json& object) {
  const std::string_view provisioner = text_in(object, "provisioner");
  if (provisioner.empty()) {
    causes.push_back(required_cause("provisioner"));
  } else {
    add_problems(causes, "provisioner", provisioner, k8s::qualified_name_problems(to_lower(provisioner)));
  }
  add_if_unsupported(causes, "", object, "reclaimPolicy", {"Delete", "Retain"});
  add_if_unsupported(causes, "", object, "volumeBindingMode", {"Immediate", "WaitForFirstConsumer"});
}

void check_priority_class(Causes& causes, const Json& object) {
  constexpr std::int64_t kUserMax = 1000000000;
  const std::string_view name = text_in(object_or_nothing(object, "metadata"), "name");
  const bool is_system = name.starts_with("system-");
  if (is_system && name != "system-cluster-critical" && name != "system-node-critical") {
    causes.push_back(forbidden_cause("metadata.name",
                                     "priority class names with 'system-' prefix are reserved for system use only. "
                                     "error: " +
                                         std::string(name) + " is not a known system priority class"));
  }
  const Json* const value = value_in(object, "value");
  if (!is_system && value != nullptr && value->is_number() && *value > kUserMax) {
    causes.push_back(forbidden_cause("value", "maximum allowed value of a user defined priority is 1000000000"));
  }
  add_if_unsupported(causes, "", object, "preemptionPolicy", {"PreemptLowerPriority", "Never"});
}

void check_lease(Causes& causes, const Json& object) {
  const Json& spec = object_or_nothing(object, "spec");
  if (const Json* const seconds = value_in(spec, "leaseDurationSeconds");
      seconds != nullptr && seconds->is_number() && *seconds <= 0) {
    causes.push_back(invalid_cause("spec.leaseDurationSeconds", *seconds, "must be greater than 0"));
  }
  add_if_negative(causes, "spec.", spec, "leaseTransitions");
}

// An event about an object without a namespace may be anywhere.
void check_event(Causes& causes, const Json& object) {
  const std::string_view about = text_in(object_or_nothing(object, "involvedObject"), "namespace");
  if (!about.empty() && about != text_in(object_or_nothing(object, "metadata"), "namespace")) {
    causes.push_back(invalid_cause("involvedObject.namespace", about, "does not match event.namespace"));
  }
}

void check_api_service(Causes& causes, const Json& object) {
  const Json& spec = object_or_nothing(object, "spec");
  const std::string wanted = std::string(text_in(spec, "version")) + "." + std::string(text_in(spec, "group"));
  const std::string_view name = text_in(object_or_nothing(object, "metadata"), "name");
  if (name != wanted) {
    causes.push_back(
        invalid_cause("metadata.name", name, "must be `spec.version+\".\"+spec.group`: \"" + wanted + "\""));
  }
}

}  // namespace landfall::sandbox
