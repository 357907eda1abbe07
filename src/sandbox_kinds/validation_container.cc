#include <algorithm>
#include <array>
#include <set>
#include <string>
#include <string_view>

#include "base/quantity.h"
#include "base/strings.h"
#include "json/json.h"
#include "k8s/names.h"
#include "sandbox_kinds/document_parts.h"
#include "sandbox_kinds/validation_causes.h"
#include "sandbox_kinds/validation_kinds.h"

namespace landfall::sandbox {
namespace {

using json::Json;

std::string at(const std::string& field, std::size_t index) { return field + "[" + std::to_string(index) + "]"; }

bool is_one_of(std::string_view word, std::initializer_list<std::string_view> words) {
  return std::ranges::find(words, word) != words.end();
}

void check_port(Causes& causes, const std::string& field, const Json& port, std::set<std::string>& names) {
  if (const std::string name(text_in(port, "name")); !name.empty()) {
    const auto problems = k8s::port_name_problems(name);
    add_problems(causes, field + ".name", name, problems);
    if (problems.empty() && !names.insert(name).second) {
      causes.push_back(duplicate_cause(field + ".name", name));
    }
  }
  const Json* const number = value_in(port, "containerPort");
  if (number == nullptr || *number == 0) {
    causes.push_back(required_cause(field + ".containerPort"));
  } else if (number->is_number() && !is_port_number(*number)) {
    causes.push_back(bad_port_cause(field + ".containerPort", *number));
  }
  if (const Json* const host = value_in(port, "hostPort");
      host != nullptr && host->is_number() && *host != 0 && !is_port_number(*host)) {
    causes.push_back(bad_port_cause(field + ".hostPort", *host));
  }
  add_if_unsupported(causes, field + ".", port, "protocol", {"SCTP", "TCP", "UDP"});
}

void check_ports(Causes& causes, const std::string& field, const Json& container) {
  std::set<std::string> names;
  std::size_t index = 0;
  each_object(container, "ports", [&](const Json& port) {
    check_port(causes, at(field + ".ports", index), port, names);
    ++index;
  });
}

// The fields of a pod that its containers may read.
bool is_readable_field(std::string_view path) {
  return is_one_of(path,
                   {"metadata.name", "metadata.namespace", "metadata.uid", "spec.nodeName", "spec.serviceAccountName",
                    "status.hostIP", "status.hostIPs", "status.podIP", "status.podIPs"}) ||
         path.starts_with("metadata.labels['") || path.starts_with("metadata.annotations['");
}

void check_field_source(Causes& causes, const std::string& field, const Json& source) {
  const Json* const reference = object_in(source, "fieldRef");
  const std::string_view path = reference == nullptr ? "" : text_in(*reference, "fieldPath");
  if (reference != nullptr && path.empty()) {
    causes.push_back(required_cause(field + ".fieldRef.fieldPath"));
  } else if (reference != nullptr && !is_readable_field(path)) {
    causes.push_back(invalid_cause(field + ".fieldRef.fieldPath", path,
                                   "error converting fieldPath: field label not supported: " + std::string(path)));
  }
}

bool is_variable_name(std::string_view name) {
  return std::ranges::all_of(name, [](char c) { return c >= ' ' && c <= '~' && c != '='; });
}

void check_env(Causes& causes, const std::string& field, const Json& container) {
  std::size_t index = 0;
  each_object(container, "env", [&](const Json& variable) {
    const std::string place = at(field + ".env", index);
    const std::string_view name = text_in(variable, "name");
    if (name.empty()) {
      causes.push_back(required_cause(place + ".name"));
    } else if (!is_variable_name(name)) {
      causes.push_back(invalid_cause(place + ".name", name,
                                     "a valid environment variable name must consist only of printable ASCII "
                                     "characters other than '='"));
    }
    const Json* const source = object_in(variable, "valueFrom");
    if (source != nullptr) {
      check_field_source(causes, place + ".valueFrom", *source);
    }
    if (source != nullptr && !text_in(variable, "value").empty()) {
      causes.push_back(invalid_cause(place + ".valueFrom", "", "may not be specified when `value` is not empty"));
    } else if (source != nullptr && source->empty()) {
      causes.push_back(invalid_cause(place + ".valueFrom", "",
                                     "must specify one of: `fieldRef`, `resourceFieldRef`, `configMapKeyRef`, "
                                     "`secretKeyRef` or `fileKeyRef`"));
    }
    ++index;
  });
}

bool is_container_resource(std::string_view name) {
  return is_one_of(name, {"cpu", "memory", "ephemeral-storage"}) || name.starts_with("hugepages-");
}

void check_amounts(Causes& causes, const std::string& field, const Json& list) {
  for (const auto& [name, amount] : list.items()) {
    const std::string place = field + "[" + name + "]";
    const auto quantity = amount.is_string() ? Quantity::parse(amount.get_ref<const std::string&>()) : Quantity();
    if (quantity && *quantity < Quantity()) {
      causes.push_back(invalid_cause(place, amount, "must be greater than or equal to 0"));
    }
    if (!contains(name, "/") && !is_container_resource(name)) {
      causes.push_back(invalid_cause(place, name, "must be a standard resource type or fully qualified"));
      causes.push_back(invalid_cause(place, name, "must be a standard resource for containers"));
    }
  }
}

void check_resources(Causes& causes, const std::string& field, const Json& container) {
  const Json* const resources = object_in(container, "resources");
  if (resources == nullptr) {
    return;
  }
  const Json* const limits = object_in(*resources, "limits");
  const Json* const requests = object_in(*resources, "requests");
  if (limits != nullptr) {
    check_amounts(causes, field + ".resources.limits", *limits);
  }
  if (requests == nullptr) {
    return;
  }
  check_amounts(causes, field + ".resources.requests", *requests);
  for (const auto& [name, amount] : requests->items()) {
    const std::string_view limit_text = limits == nullptr ? std::string_view() : text_in(*limits, name);
    if (limit_text.empty() || !amount.is_string()) {
      continue;
    }
    const auto limit = Quantity::parse(limit_text);
    const auto request = Quantity::parse(amount.get_ref<const std::string&>());
    if (limit && request && *request > *limit) {
      causes.push_back(invalid_cause(field + ".resources.requests", amount,
                                     "must be less than or equal to " + name + " limit of " + limit->to_string()));
    }
  }
}

void check_mounts(Causes& causes, const std::string& field, const Json& container,
                  const std::set<std::string>& volumes) {
  std::size_t index = 0;
  std::set<std::string> paths;
  each_object(container, "volumeMounts", [&](const Json& mount) {
    const std::string place = at(field + ".volumeMounts", index);
    const std::string name(text_in(mount, "name"));
    if (name.empty()) {
      causes.push_back(required_cause(place + ".name"));
    }
    if (!volumes.contains(name)) {
      causes.push_back(not_found_cause(place + ".name", name));
    }
    const std::string path(text_in(mount, "mountPath"));
    if (path.empty()) {
      causes.push_back(required_cause(place + ".mountPath"));
    }
    if (!paths.insert(path).second) {
      causes.push_back(invalid_cause(place + ".mountPath", path, "must be unique"));
    }
    ++index;
  });
}

void check_probe(Causes& causes, const std::string& field, const Json& container, std::string_view key) {
  const Json* const probe = object_in(container, key);
  if (probe == nullptr) {
    return;
  }
  const auto has = [probe](std::string_view handler) { return object_in(*probe, handler) != nullptr; };
  if (!has("exec") && !has("httpGet") && !has("tcpSocket") && !has("grpc")) {
    causes.push_back(required_cause(field + "." + std::string(key), "must specify a handler type"));
  }
}

struct Names {
  std::set<std::string> containers;
  std::set<std::string> volumes;
};

void check_container(Causes& causes, const std::string& field, const Json& container, Names& names) {
  const std::string name(text_in(container, "name"));
  if (name.empty()) {
    causes.push_back(required_cause(field + ".name"));
  } else {
    add_problems(causes, field + ".name", name, k8s::dns1123_label_problems(name));
    if (!names.containers.insert(name).second) {
      causes.push_back(duplicate_cause(field + ".name", name));
    }
  }
  const std::string_view image = text_in(container, "image");
  if (image.empty()) {
    causes.push_back(required_cause(field + ".image"));
  } else if (trim(image).size() != image.size()) {
    causes.push_back(invalid_cause(field + ".image", image, "must not have leading or trailing whitespace"));
  }
  for (const std::string_view probe : {"livenessProbe", "readinessProbe", "startupProbe"}) {
    check_probe(causes, field, container, probe);
  }
  add_if_unsupported(causes, field + ".", container, "terminationMessagePolicy", {"File", "FallbackToLogsOnError"});
  check_ports(causes, field, container);
  check_env(causes, field, container);
  check_mounts(causes, field, container, names.volumes);
  add_if_unsupported(causes, field + ".", container, "imagePullPolicy", {"Always", "IfNotPresent", "Never"});
  check_resources(causes, field, container);
}

}  // namespace

void check_containers(Causes& causes, const std::string& spec_field, const Json& spec) {
  Names names;
  each_object(spec, "volumes", [&](const Json& volume) { names.volumes.emplace(text_in(volume, "name")); });
  const Json* const containers = value_in(spec, "containers");
  if (containers == nullptr || (containers->is_array() && containers->empty())) {
    causes.push_back(required_cause(spec_field + ".containers"));
  }
  for (const std::string_view list : {"containers", "initContainers"}) {
    std::size_t index = 0;
    each_object(spec, list, [&](const Json& container) {
      check_container(causes, at(spec_field + "." + std::string(list), index), container, names);
      ++index;
    });
  }
}

}  // namespace landfall::sandbox
