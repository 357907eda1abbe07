#include <algorithm>
#include <array>
#include <set>
#include <string>
#include <string_view>

#include "base/quantity.h"
#include "base/quote.h"
#include "base/strings.h"
#include "json/json.h"
#include "json/parse.h"
#include "k8s/names.h"
#include "sandbox_kinds/document_parts.h"
#include "sandbox_kinds/validation_causes.h"
#include "sandbox_kinds/validation_kinds.h"

// Config maps, secrets, services, volumes and claims.
namespace landfall::sandbox {
namespace {

using json::Json;

constexpr std::size_t kDataMax = std::size_t{1} << 20;

const Json& spec_of(const Json& object) {
  static const Json nothing = Json::object();
  const Json* const spec = object_in(object, "spec");
  return spec == nullptr ? nothing : *spec;
}

void check_keys(Causes& causes, const std::string& field, const Json& object) {
  const Json* const map = object_in(object, field);
  if (map == nullptr) {
    return;
  }
  for (const auto& [key, value] : map->items()) {
    add_problems(causes, field + "[" + key + "]", key, k8s::config_key_problems(key));
  }
}

std::size_t text_bytes(const Json& object, std::string_view field) {
  std::size_t bytes = 0;
  if (const Json* const map = object_in(object, field)) {
    for (const Json& value : *map) {
      bytes += value.is_string() ? value.get_ref<const std::string&>().size() : 0;
    }
  }
  return bytes;
}

// What base64 holds: three bytes for four characters.
std::size_t decoded_bytes(std::size_t text) { return text / 4 * 3; }

struct TypedSecret {
  std::string_view type;
  std::array<std::string_view, 2> keys;
  bool any_is_enough;
};
constexpr std::array kTypedSecrets = {
    TypedSecret{"kubernetes.io/tls", {"tls.crt", "tls.key"}, false},
    TypedSecret{"kubernetes.io/dockerconfigjson", {".dockerconfigjson", ""}, false},
    TypedSecret{"kubernetes.io/dockercfg", {".dockercfg", ""}, false},
    TypedSecret{"kubernetes.io/basic-auth", {"username", "password"}, true},
    TypedSecret{"kubernetes.io/ssh-auth", {"ssh-privatekey", ""}, false},
};

void check_typed_secret(Causes& causes, const Json& object) {
  const Json nothing = Json::object();
  const Json* data = object_in(object, "data");
  data = data == nullptr ? &nothing : data;
  const auto* const rule = std::ranges::find(kTypedSecrets, text_in(object, "type"), &TypedSecret::type);
  if (rule == kTypedSecrets.end()) {
    return;
  }
  Causes missing;
  std::size_t present = 0;
  for (const std::string_view key : rule->keys) {
    if (!key.empty() && data->contains(key)) {
      ++present;
    } else if (!key.empty()) {
      missing.push_back(required_cause("data[" + std::string(key) + "]"));
    }
  }
  if (!rule->any_is_enough || present == 0) {
    causes.insert(causes.end(), missing.begin(), missing.end());
  }
}

void check_service_port(Causes& causes, const std::string& field, const Json& port, bool needs_name,
                        std::set<std::string>& names) {
  const std::string name(text_in(port, "name"));
  if (name.empty()) {
    if (needs_name) {
      causes.push_back(required_cause(field + ".name"));
    }
  } else {
    add_problems(causes, field + ".name", name, k8s::dns1123_label_problems(name));
    if (!names.insert(name).second) {
      causes.push_back(duplicate_cause(field + ".name", name));
    }
  }
  const Json* const number = value_in(port, "port");
  const Json zero = 0;
  if (number == nullptr || (number->is_number() && !is_port_number(*number))) {
    causes.push_back(bad_port_cause(field + ".port", number == nullptr ? zero : *number));
  }
  add_if_unsupported(causes, field + ".", port, "protocol", {"SCTP", "TCP", "UDP"});
  if (const Json* const target = value_in(port, "targetPort")) {
    if (target->is_string()) {
      const auto& text = target->get_ref<const std::string&>();
      add_problems(causes, field + ".targetPort", text, k8s::port_name_problems(text));
    } else if (target->is_number() && !is_port_number(*target)) {
      causes.push_back(bad_port_cause(field + ".targetPort", *target));
    }
  }
}

void check_service_ports(Causes& causes, const Json& spec) {
  const Json* const ports = value_in(spec, "ports");
  const std::size_t count = ports != nullptr && ports->is_array() ? ports->size() : 0;
  const bool may_be_empty = text_in(spec, "clusterIP") == "None" || text_in(spec, "type") == "ExternalName";
  if (count == 0 && !may_be_empty) {
    causes.push_back(required_cause("spec.ports"));
  }
  std::set<std::string> names;
  std::set<std::string> taken;
  std::size_t index = 0;
  each_object(spec, "ports", [&](const Json& port) {
    const std::string field = "spec.ports[" + std::to_string(index++) + "]";
    check_service_port(causes, field, port, count > 1, names);
    const std::string protocol(text_in(port, "protocol"));
    const Json* const number = value_in(port, "port");
    if (number != nullptr && number->is_number_integer() && !taken.insert(protocol + json::dump(*number)).second) {
      // Printed as the Go struct of a port of which only these two are set.
      causes.push_back({"FieldValueDuplicate",
                        "Duplicate value: {\"Name\":\"\",\"Protocol\":" + quote(protocol) +
                            ",\"AppProtocol\":null,\"Port\":" + json::dump(*number) +
                            ",\"TargetPort\":0,\"NodePort\":0}",
                        field});
    }
    if (text_in(spec, "type") == "ClusterIP" && value_in(port, "nodePort") != nullptr) {
      causes.push_back(forbidden_cause(field + ".nodePort", "may not be used when `type` is 'ClusterIP'"));
    }
  });
}

// The sandbox has IPv4 alone.
void check_families(Causes& causes, const Json& spec) {
  // A headless service without a selector may have any: whoever writes its endpoints knows.
  if (text_in(spec, "clusterIP") == "None" && value_in(spec, "selector") == nullptr) {
    return;
  }
  if (text_in(spec, "ipFamilyPolicy") == "RequireDualStack") {
    causes.push_back(invalid_cause("spec.ipFamilyPolicy", Json("RequireDualStack"),
                                   "this cluster is not configured for dual-stack services"));
  }
  const Json* const families = value_in(spec, "ipFamilies");
  if (families == nullptr || !families->is_array()) {
    return;
  }
  for (std::size_t i = 0; i < families->size(); ++i) {
    if ((*families)[i] == "IPv6") {
      causes.push_back(invalid_cause("spec.ipFamilies[" + std::to_string(i) + "]", (*families)[i],
                                     "not configured on this cluster"));
    }
  }
}

bool is_address(std::string_view text) {
  const auto parts = split(text, '.');
  return contains(text, ":") || (parts.size() == 4 && std::ranges::all_of(parts, [](std::string_view part) {
                                   const auto number = parse_uint64(part);
                                   return number && *number < 256;
                                 }));
}

void check_cluster_ip(Causes& causes, const Json& spec) {
  const std::string_view address = text_in(spec, "clusterIP");
  if (!address.empty() && address != "None" && !is_address(address)) {
    causes.push_back(invalid_cause("spec.clusterIPs[0]", Json(std::string(address)),
                                   "must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)"));
  }
}

bool is_access_mode(std::string_view mode) {
  return mode == "ReadOnlyMany" || mode == "ReadWriteMany" || mode == "ReadWriteOnce" || mode == "ReadWriteOncePod";
}

void check_access_modes(Causes& causes, const Json& spec, std::string_view detail) {
  const Json* const modes = value_in(spec, "accessModes");
  if (modes == nullptr || !modes->is_array() || modes->empty()) {
    causes.push_back(required_cause("spec.accessModes", detail));
    return;
  }
  for (const Json& mode : *modes) {
    if (mode.is_string() && !is_access_mode(mode.get_ref<const std::string&>())) {
      causes.push_back(unsupported_cause("spec.accessModes", mode,
                                         {"ReadOnlyMany", "ReadWriteMany", "ReadWriteOnce", "ReadWriteOncePod"}));
    }
  }
}

void check_size(Causes& causes, const std::string& field, const Json* amounts) {
  const Json* const size = amounts == nullptr ? nullptr : value_in(*amounts, "storage");
  if (size == nullptr) {
    return;
  }
  const auto quantity = size->is_string() ? Quantity::parse(size->get_ref<const std::string&>()) : Quantity::of(1);
  if (quantity && *quantity <= Quantity()) {
    causes.push_back(invalid_cause(field, *size, "must be greater than zero"));
  }
}

bool is_volume_source(std::string_view key) {
  constexpr std::array<std::string_view, 9> kOther = {"accessModes",
                                                      "capacity",
                                                      "claimRef",
                                                      "mountOptions",
                                                      "nodeAffinity",
                                                      "volumeMode",
                                                      "storageClassName",
                                                      "persistentVolumeReclaimPolicy",
                                                      "volumeAttributesClassName"};
  return std::ranges::find(kOther, key) == kOther.end();
}

void check_volume_sources(Causes& causes, const Json& spec) {
  std::size_t sources = 0;
  for (const auto& [key, value] : spec.items()) {
    if (is_volume_source(key) && !value.is_null() && ++sources > 1) {
      causes.push_back(forbidden_cause("spec." + key, "may not specify more than 1 volume type"));
    }
  }
  for (const std::string_view local : {"hostPath", "local"}) {
    const Json* const source = object_in(spec, local);
    if (source != nullptr && text_in(*source, "path").empty()) {
      causes.push_back(required_cause("spec." + std::string(local) + ".path"));
    }
  }
  if (object_in(spec, "local") != nullptr && value_in(spec, "nodeAffinity") == nullptr) {
    causes.push_back(required_cause("spec.nodeAffinity", "Local volume requires node affinity"));
  }
  if (sources == 0) {
    causes.push_back(required_cause("spec", "must specify a volume type"));
  }
}

}  // namespace

void check_config_map(Causes& causes, const Json& object) {
  check_keys(causes, "data", object);
  const Json* const data = object_in(object, "data");
  const Json* const binary = object_in(object, "binaryData");
  if (data != nullptr && binary != nullptr) {
    for (const auto& [key, value] : data->items()) {
      if (binary->contains(key)) {
        causes.push_back(invalid_cause("data[" + key + "]", key, "duplicate of key present in binaryData"));
      }
    }
  }
  check_keys(causes, "binaryData", object);
  if (text_bytes(object, "data") + decoded_bytes(text_bytes(object, "binaryData")) > kDataMax) {
    causes.push_back(too_long_cause("", kDataMax));
  }
}

void check_secret(Causes& causes, const Json& object) {
  check_keys(causes, "data", object);
  if (decoded_bytes(text_bytes(object, "data")) > kDataMax) {
    causes.push_back(too_long_cause("data", kDataMax));
  }
  if (text_in(object, "type") == "kubernetes.io/service-account-token") {
    constexpr std::string_view kAccount = "kubernetes.io/service-account.name";
    const Json* const metadata = object_in(object, "metadata");
    const Json* const annotations = metadata == nullptr ? nullptr : object_in(*metadata, "annotations");
    if (annotations == nullptr || text_in(*annotations, kAccount).empty()) {
      causes.push_back(required_cause("metadata.annotations[" + std::string(kAccount) + "]"));
    }
  }
  check_typed_secret(causes, object);
}

void check_service(Causes& causes, const Json& object) {
  const Json& spec = spec_of(object);
  check_service_ports(causes, spec);
  check_families(causes, spec);
  check_cluster_ip(causes, spec);
  check_labels(causes, "spec.selector", object_in(spec, "selector"));
  add_if_unsupported(causes, "spec.", spec, "sessionAffinity", {"ClientIP", "None"});
  const std::string_view address = text_in(spec, "clusterIP");
  constexpr std::string_view kDigits = "0123456789abcdefABCDEF.:";
  if (!address.empty() && address != "None" &&
      (address.find_first_not_of(kDigits) != std::string_view::npos ||
       address.find_first_of(".:") == std::string_view::npos)) {
    causes.push_back(
        invalid_cause("spec.clusterIPs[0]", address, "must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)"));
  }
  if (text_in(spec, "type") == "ExternalName" && text_in(spec, "externalName").empty()) {
    causes.push_back(required_cause("spec.externalName"));
  }
  add_if_unsupported(causes, "spec.", spec, "type", {"ClusterIP", "ExternalName", "LoadBalancer", "NodePort"});
  add_if_unsupported(causes, "spec.", spec, "externalTrafficPolicy", {"Cluster", "Local"});
}

void check_claim(Causes& causes, const Json& object) {
  const Json& spec = spec_of(object);
  check_access_modes(causes, spec, "at least 1 access mode is required");
  const Json* const resources = object_in(spec, "resources");
  const Json* const requests = resources == nullptr ? nullptr : object_in(*resources, "requests");
  if (requests == nullptr || value_in(*requests, "storage") == nullptr) {
    causes.push_back(required_cause("spec.resources[storage]"));
  }
  check_size(causes, "spec.resources[storage]", requests);
  if (const std::string_view name = text_in(spec, "storageClassName"); !name.empty()) {
    add_problems(causes, "spec.storageClassName", name, k8s::dns1123_subdomain_problems(name));
  }
  add_if_unsupported(causes, "spec.", spec, "volumeMode", {"Block", "Filesystem"});
}

void check_volume(Causes& causes, const Json& object) {
  const Json& spec = spec_of(object);
  check_access_modes(causes, spec, "");
  const Json* const capacity = object_in(spec, "capacity");
  if (capacity == nullptr || capacity->empty()) {
    causes.push_back(required_cause("spec.capacity"));
  }
  if (capacity == nullptr || value_in(*capacity, "storage") == nullptr || capacity->size() > 1) {
    causes.push_back(unsupported_cause("spec.capacity", capacity == nullptr ? Json() : *capacity, {"storage"}));
  }
  check_size(causes, "spec.capacity[storage]", capacity);
  add_if_unsupported(causes, "spec.", spec, "persistentVolumeReclaimPolicy", {"Delete", "Recycle", "Retain"});
  check_volume_sources(causes, spec);
  if (const std::string_view name = text_in(spec, "storageClassName"); !name.empty()) {
    add_problems(causes, "spec.storageClassName", name, k8s::dns1123_subdomain_problems(name));
  }
  add_if_unsupported(causes, "spec.", spec, "volumeMode", {"Block", "Filesystem"});
}

}  // namespace landfall::sandbox
