#include <string>
#include <string_view>

#include "base/quantity.h"
#include "json/json.h"
#include "json/parse.h"
#include "sandbox_kinds/defaults.h"
#include "sandbox_kinds/defaults_kinds.h"
#include "sandbox_kinds/document_parts.h"

namespace landfall::sandbox {
namespace {

using json::Json;

constexpr int kDefaultFileMode = 0644;

// ":latest", no tag at all: look for a newer one at each start. A digest or another tag names one image for good.
std::string_view pull_policy(std::string_view image) {
  if (image.find('@') != std::string_view::npos) {
    return "IfNotPresent";
  }
  const std::size_t slash = image.rfind('/');
  const std::string_view last = slash == std::string_view::npos ? image : image.substr(slash + 1);
  const std::size_t colon = last.find(':');
  return colon == std::string_view::npos || last.substr(colon + 1) == "latest" ? "Always" : "IfNotPresent";
}

void normalize_amount(Json& amount) {
  if (!amount.is_string() && !amount.is_number()) {
    return;
  }
  const std::string text = amount.is_string() ? amount.get<std::string>() : json::dump(amount);
  if (const auto quantity = Quantity::parse(text)) {
    amount = quantity->to_string();
  }
}

void default_http_get(Json& holder) {
  if (Json* const http = object_in(holder, "httpGet")) {
    put_text(*http, "path", "/");
    put_text(*http, "scheme", "HTTP");
  }
}

void put_count(Json& parent, std::string_view key, int value) {
  const Json* const there = value_in(parent, key);
  if (there == nullptr || *there == 0) {
    parent[std::string(key)] = value;
  }
}

void default_probe(Json& container, std::string_view key) {
  Json* const probe = object_in(container, key);
  if (probe == nullptr) {
    return;
  }
  constexpr int kPeriodSeconds = 10;
  constexpr int kFailures = 3;
  put_count(*probe, "timeoutSeconds", 1);
  put_count(*probe, "periodSeconds", kPeriodSeconds);
  put_count(*probe, "successThreshold", 1);
  put_count(*probe, "failureThreshold", kFailures);
  default_http_get(*probe);
  if (Json* const grpc = object_in(*probe, "grpc")) {
    put_missing(*grpc, "service", "");
  }
}

// A reference to a field of the pod, in an environment variable or a file of the downward API.
void default_field_source(Json& holder) {
  if (Json* const field = object_in(holder, "fieldRef")) {
    put_text(*field, "apiVersion", "v1");
  }
  if (Json* const resource = object_in(holder, "resourceFieldRef")) {
    put_missing(*resource, "divisor", "0");
  }
}

void default_env(Json& container) {
  each_object(container, "env", [](Json& variable) {
    if (text_in(variable, "value").empty()) {
      drop(variable, "value");
    }
    if (Json* const source = object_in(variable, "valueFrom")) {
      default_field_source(*source);
    }
  });
}

void default_container(Json& container) {
  put_text(container, "imagePullPolicy", pull_policy(text_in(container, "image")));
  put_text(container, "terminationMessagePath", "/dev/termination-log");
  put_text(container, "terminationMessagePolicy", "File");
  if (Json* const resources = make_object(container, "resources")) {
    normalize_quantities(*resources, "limits");
    normalize_quantities(*resources, "requests");
  }
  each_object(container, "ports", [](Json& port) { put_text(port, "protocol", "TCP"); });
  for (const std::string_view probe : {"livenessProbe", "readinessProbe", "startupProbe"}) {
    default_probe(container, probe);
  }
  if (Json* const lifecycle = object_in(container, "lifecycle")) {
    for (const std::string_view hook : {"postStart", "preStop"}) {
      if (Json* const handler = object_in(*lifecycle, hook)) {
        default_http_get(*handler);
      }
    }
  }
  default_env(container);
}

void default_downward_items(Json& source) {
  each_object(source, "items", [](Json& item) { default_field_source(item); });
}

void default_projected(Json& projected) {
  static constexpr int kTokenSeconds = 3600;
  put_missing(projected, "defaultMode", kDefaultFileMode);
  each_object(projected, "sources", [](Json& source) {
    if (Json* const token = object_in(source, "serviceAccountToken")) {
      put_missing(*token, "expirationSeconds", kTokenSeconds);
    }
    if (Json* const downward = object_in(source, "downwardAPI")) {
      default_downward_items(*downward);
    }
  });
}

void default_remote_volume(Json& volume) {
  if (Json* const iscsi = object_in(volume, "iscsi")) {
    put_text(*iscsi, "iscsiInterface", "default");
  }
  if (Json* const rbd = object_in(volume, "rbd")) {
    put_text(*rbd, "pool", "rbd");
    put_text(*rbd, "user", "admin");
    put_text(*rbd, "keyring", "/etc/ceph/keyring");
  }
}

void default_volume(Json& volume) {
  if (volume.size() == (volume.contains("name") ? 1U : 0U)) {
    volume["emptyDir"] = Json::object();
    return;
  }
  for (const std::string_view source : {"secret", "configMap"}) {
    if (Json* const files = object_in(volume, source)) {
      put_missing(*files, "defaultMode", kDefaultFileMode);
    }
  }
  if (Json* const empty = object_in(volume, "emptyDir")) {
    if (Json* const limit = value_in(*empty, "sizeLimit")) {
      normalize_amount(*limit);
    }
  }
  if (Json* const downward = object_in(volume, "downwardAPI")) {
    put_missing(*downward, "defaultMode", kDefaultFileMode);
    default_downward_items(*downward);
  }
  if (Json* const projected = object_in(volume, "projected")) {
    default_projected(*projected);
  }
  if (Json* const host = object_in(volume, "hostPath")) {
    put_missing(*host, "type", "");
  }
  if (Json* const ephemeral = object_in(volume, "ephemeral")) {
    if (Json* const claim = object_in(*ephemeral, "volumeClaimTemplate")) {
      make_object(*claim, "metadata");
      if (Json* const spec = object_in(*claim, "spec")) {
        default_claim_spec(*spec);
      }
    }
  }
  default_remote_volume(volume);
}

// A container asks for at least what it is limited to.
void request_the_limits(Json& container) {
  Json* const resources = object_in(container, "resources");
  const Json* const limits = resources == nullptr ? nullptr : object_in(*resources, "limits");
  if (limits == nullptr || limits->empty()) {
    return;
  }
  const Json copy = *limits;  // making `requests` may move its neighbour
  Json* const requests = make_object(*resources, "requests");
  if (requests == nullptr) {
    return;
  }
  for (const auto& [name, amount] : copy.items()) {
    put_missing(*requests, name, amount);
  }
}

void use_host_ports(Json& container) {
  each_object(container, "ports", [](Json& port) {
    const Json* const number = value_in(port, "containerPort");
    if (number != nullptr) {
      put_missing(port, "hostPort", *number);
    }
  });
}

}  // namespace

void normalize_quantities(Json& parent, std::string_view key) {
  if (Json* const list = object_in(parent, key)) {
    for (Json& amount : *list) {
      normalize_amount(amount);
    }
  }
}

void default_claim_spec(Json& spec) {
  put_text(spec, "volumeMode", "Filesystem");
  for (const std::string_view source : {"dataSource", "dataSourceRef"}) {
    Json* const reference = object_in(spec, source);
    if (reference != nullptr && !reference->contains("apiGroup")) {
      (*reference)["apiGroup"] = nullptr;  // written even when it is nothing
    }
  }
  if (Json* const resources = make_object(spec, "resources")) {
    normalize_quantities(*resources, "limits");
    normalize_quantities(*resources, "requests");
  }
}

void set_pod_spec_defaults(Json& spec) {
  constexpr int kGraceSeconds = 30;
  put_text(spec, "restartPolicy", "Always");
  put_text(spec, "dnsPolicy", "ClusterFirst");
  put_text(spec, "schedulerName", "default-scheduler");
  put_missing(spec, "terminationGracePeriodSeconds", kGraceSeconds);
  if (spec["terminationGracePeriodSeconds"].is_number() && spec["terminationGracePeriodSeconds"] < 0) {
    spec["terminationGracePeriodSeconds"] = 1;
  }
  make_object(spec, "securityContext");
  // The old name of the field is kept equal to the new one.
  if (const std::string account(text_in(spec, "serviceAccountName")); !account.empty()) {
    spec["serviceAccount"] = account;
  } else if (const std::string old(text_in(spec, "serviceAccount")); !old.empty()) {
    spec["serviceAccountName"] = old;
  }
  for (const std::string_view list : {"initContainers", "containers", "ephemeralContainers"}) {
    each_object(spec, list, default_container);
  }
  each_object(spec, "volumes", default_volume);
  normalize_quantities(spec, "overhead");
}

void default_pod_template(Json& holder) {
  Json* const pod_template = make_object(holder, "template");
  if (pod_template == nullptr) {
    return;
  }
  make_object(*pod_template, "metadata");
  if (Json* const spec = make_object(*pod_template, "spec")) {
    set_pod_spec_defaults(*spec);
  }
}

void default_pod(Json& pod) {
  Json* const spec = make_object(pod, "spec");
  if (spec == nullptr) {
    return;
  }
  set_pod_spec_defaults(*spec);
  if (Json* const status = object_in(pod, "status"); status != nullptr && !text_in(*status, "podIP").empty()) {
    put_missing(*status, "podIPs", Json::array({{{"ip", (*status)["podIP"]}}}));
  }
  put_missing(*spec, "enableServiceLinks", true);
  for (const std::string_view list : {"initContainers", "containers"}) {
    each_object(*spec, list, request_the_limits);
    if (is_true_in(*spec, "hostNetwork")) {
      each_object(*spec, list, use_host_ports);
    }
  }
}

}  // namespace landfall::sandbox
