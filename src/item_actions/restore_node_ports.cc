#include "item_actions/restore_node_ports.h"

#include <functional>
#include <optional>
#include <string_view>

#include "base/strings.h"
#include "json/access.h"
#include "json/json.h"
#include "json/parse.h"

namespace landfall::item_actions {
namespace {

using json::Json;

constexpr std::string_view kAnnotation = "kubectl.kubernetes.io/last-applied-configuration";

tl::unexpected<Error> wrong_type(std::string_view where, std::string_view expected, const Json& got) {
  return fail(Code::kInvalid, std::string(where) + ": expected " + std::string(expected) + ", got " +
                                  std::string(json::type_name(got)));
}

// What was applied: an object, nothing without the annotation.
Result<std::optional<Json>> applied_to(const Json& service) {
  const std::string* text = json::find_string(service, {"metadata", "annotations", kAnnotation});
  if (text == nullptr) return std::nullopt;
  const std::string context = "annotation " + std::string(kAnnotation);
  TRY_ASSIGN(Json applied, context, json::parse(*text));
  if (applied.is_null()) applied = Json::object();  // as in Go: an object without members
  if (!applied.is_object()) return wrong_type(context, "an object", applied);
  if (json::has(applied, {"spec"})) TRY(context, json::object_at(applied, {"spec"}));
  return applied;
}

// The object there, null when there is none; anything else in its place is an error.
Result<const Json*> optional_object(const Json& document, const json::Path& path) {
  if (!json::has(document, path)) return nullptr;
  return json::object_at(document, path);
}

// Visits what each manager of the Service has set in its spec.
Status for_each_managed(const Json& service, const std::function<Status(const Json& spec)>& visit) {
  const Json* managers = json::find(service, {"metadata", "managedFields"});
  if (managers == nullptr || !managers->is_array()) return {};
  for (const Json& manager : *managers) {
    TRY_ASSIGN(const Json* fields, "metadata.managedFields", optional_object(manager, {"fieldsV1"}));
    if (fields == nullptr) continue;
    TRY_ASSIGN(const Json* spec, "metadata.managedFields", optional_object(*fields, {"f:spec"}));
    if (spec != nullptr) TRY("metadata.managedFields: f:spec", visit(*spec));
  }
  return {};
}

// 0: none was chosen. A number loses its fraction, as in Go. kInvalid for a text that is no number.
Result<std::int64_t> node_port_of(const Json& port) {
  const Json* value = json::find(port, {"nodePort"});
  if (value == nullptr) return 0;
  if (const std::string* text = json::find_string(port, {"nodePort"})) {
    TRY_ASSIGN(const std::int64_t number, "nodePort", parse_int64(*text));
    return number;
  }
  if (!value->is_number()) return 0;
  const auto number = value->get<double>();
  return number >= 1 && number <= 65535 ? static_cast<std::int64_t>(number) : 0;
}

}  // namespace

Result<ChosenPorts> ChosenPorts::of(const Json& service) {
  ChosenPorts chosen;
  TRY_ASSIGN(const std::optional<Json> applied, "", applied_to(service));
  if (!applied) {
    TRY("", for_each_managed(service, [&](const Json& spec) { return chosen.add_managed(spec); }));
    return chosen;
  }
  chosen.is_applied_ = true;
  if (!json::has(*applied, {"spec", "ports"})) return chosen;
  const std::string context = "annotation " + std::string(kAnnotation);
  TRY_ASSIGN(const Json* ports, context, json::array_at(*applied, {"spec", "ports"}));
  for (const Json& port : *ports) {
    if (port.is_object()) TRY(context + ": spec.ports", chosen.add_applied(port));
  }
  return chosen;
}

Status ChosenPorts::add_applied(const Json& port) {
  TRY_ASSIGN(const std::int64_t number, "", node_port_of(port));
  if (number <= 0) return {};
  const auto name = port.find("name");
  if (name == port.end()) {
    numbers_.insert(number);
    return {};
  }
  if (!name->is_string()) return wrong_type("name", "a string", *name);
  // As in Velero, an empty name counts as a name; no port of the Service has it, so that its node port goes.
  names_.insert(name->get_ref<const std::string&>());
  return {};
}

Status ChosenPorts::add_managed(const Json& fields) {
  TRY_ASSIGN(const Json* ports, "", optional_object(fields, {"f:ports"}));
  if (ports == nullptr) return {};
  for (const auto& [key, port] : ports->get_ref<const Json::object_t&>()) {
    if (port.is_object() && port.contains("f:nodePort")) managed_keys_.insert(key);
  }
  return {};
}

bool ChosenPorts::has(const Json& port) const {
  if (!is_applied_) {
    const std::string key = "k:{\"port\":" + std::to_string(json::int_or(port, {"port"}, 0)) + ",\"protocol\":\"" +
                            json::string_or(port, {"protocol"}, "") + "\"}";
    return managed_keys_.contains(key);
  }
  const std::string name = json::string_or(port, {"name"}, "");
  return name.empty() ? numbers_.contains(json::int_or(port, {"nodePort"}, 0)) : names_.contains(name);
}

Result<bool> is_health_check_port_chosen(const Json& service) {
  TRY_ASSIGN(const std::optional<Json> applied, "", applied_to(service));
  if (applied) {
    const Json* port = json::find(*applied, {"spec", "healthCheckNodePort"});
    if (port != nullptr && !port->is_number()) {
      return wrong_type("annotation " + std::string(kAnnotation) + ": spec.healthCheckNodePort", "a number", *port);
    }
    if (port != nullptr && port->get<double>() != 0) return true;
  }
  bool is_chosen = false;
  TRY("", for_each_managed(service, [&](const Json& spec) -> Status {
        TRY_ASSIGN(const Json* port, "", optional_object(spec, {"f:healthCheckNodePort"}));
        is_chosen = is_chosen || port != nullptr;
        return {};
      }));
  return is_chosen;
}

}  // namespace landfall::item_actions
