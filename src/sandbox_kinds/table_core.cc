#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/strings.h"
#include "json/access.h"
#include "json/json.h"
#include "sandbox_kinds/document_parts.h"
#include "sandbox_kinds/printer_values.h"
#include "sandbox_kinds/table_kinds.h"

// The core group, pods aside.
namespace landfall::sandbox {
namespace {

using json::Json;

std::string text_at(const Json& object, std::string_view section, std::string_view field) {
  return std::string(text_in(part_in(object, section), field));
}

void print_config_map(const Json& object, WallTime now, Json& cells) {
  cells.push_back(size_in(object, "data") + size_in(object, "binaryData"));
  cells.push_back(age_of(object, now));
}

void print_secret(const Json& object, WallTime now, Json& cells) {
  cells.push_back(text_in(object, "type"));
  cells.push_back(size_in(object, "data"));
  cells.push_back(age_of(object, now));
}

void print_service_account(const Json& object, WallTime now, Json& cells) {
  cells.push_back(size_in(object, "secrets"));
  cells.push_back(age_of(object, now));
}

void print_namespace(const Json& object, WallTime now, Json& cells) {
  cells.push_back(text_at(object, "status", "phase"));
  cells.push_back(age_of(object, now));
}

// "80:31234/TCP,443/TCP"
std::string service_ports(const Json& spec) {
  std::vector<std::string> parts;
  each_object(spec, "ports", [&](const Json& port) {
    std::string text = std::to_string(json::int_or(port, {"port"}, 0));
    if (const std::int64_t node = json::int_or(port, {"nodePort"}, 0); node > 0) {
      text += ":" + std::to_string(node);
    }
    parts.push_back(text + "/" + std::string(text_in(port, "protocol")));
  });
  return parts.empty() ? "<none>" : join(parts, ",");
}

std::vector<std::string> texts_in(const Json& parent, std::string_view key) {
  std::vector<std::string> out;
  const Json* const list = value_in(parent, key);
  for (std::size_t i = 0; list != nullptr && list->is_array() && i < list->size(); ++i) {
    if ((*list)[i].is_string()) {
      out.push_back((*list)[i].get<std::string>());
    }
  }
  return out;
}

std::string external_address(const Json& object) {
  const Json& spec = part_in(object, "spec");
  const std::string_view type = text_in(spec, "type");
  std::vector<std::string> addresses = texts_in(spec, "externalIPs");
  if (type == "ExternalName") {
    return std::string(text_in(spec, "externalName"));
  }
  if (type == "LoadBalancer") {
    std::vector<std::string> given;
    each_object(part_in(part_in(object, "status"), "loadBalancer"), "ingress", [&](const Json& entry) {
      const std::string_view ip = text_in(entry, "ip");
      given.emplace_back(ip.empty() ? text_in(entry, "hostname") : ip);
    });
    given.insert(given.end(), addresses.begin(), addresses.end());
    return given.empty() ? "<pending>" : join(given, ",");
  }
  return addresses.empty() ? "<none>" : join(addresses, ",");
}

void print_service(const Json& object, WallTime now, Json& cells) {
  const Json& spec = part_in(object, "spec");
  const std::vector<std::string> addresses = texts_in(spec, "clusterIPs");
  cells.push_back(text_in(spec, "type"));
  cells.push_back(addresses.empty() ? "<none>" : addresses.front());
  cells.push_back(external_address(object));
  cells.push_back(service_ports(spec));
  cells.push_back(age_of(object, now));
  cells.push_back(labels_text(object_in(spec, "selector")));
}

// The first three, and how many more there are.
std::string first_three(const std::vector<std::string>& parts) {
  constexpr std::size_t kShown = 3;
  if (parts.empty()) {
    return "<none>";
  }
  std::string text =
      join(std::vector<std::string>(parts.begin(),
                                    parts.begin() + static_cast<std::ptrdiff_t>(std::min(kShown, parts.size()))),
           ",");
  if (parts.size() > kShown) {
    text += " + " + std::to_string(parts.size() - kShown) + " more...";
  }
  return text;
}

void print_endpoints(const Json& object, WallTime now, Json& cells) {
  std::vector<std::string> parts;
  each_object(object, "subsets", [&](const Json& subset) {
    each_object(subset, "addresses", [&](const Json& address) {
      if (size_in(subset, "ports") == 0) {
        parts.emplace_back(text_in(address, "ip"));
      }
      each_object(subset, "ports", [&](const Json& port) {
        parts.push_back(std::string(text_in(address, "ip")) + ":" + std::to_string(json::int_or(port, {"port"}, 0)));
      });
    });
  });
  cells.push_back(first_three(parts));
  cells.push_back(age_of(object, now));
}

std::string node_status(const Json& object) {
  std::string text = "Unknown";
  each_object(part_in(object, "status"), "conditions", [&](const Json& condition) {
    if (text_in(condition, "type") == "Ready") {
      text = text_in(condition, "status") == "True" ? "Ready" : "NotReady";
    }
  });
  return is_true_in(part_in(object, "spec"), "unschedulable") ? text + ",SchedulingDisabled" : text;
}

std::string node_roles(const Json& object) {
  constexpr std::string_view kPrefix = "node-role.kubernetes.io/";
  std::vector<std::string> roles;
  for (const auto& [key, value] : part_in(part_in(object, "metadata"), "labels").items()) {
    if (const auto role = strip_prefix(key, kPrefix); role && !role->empty()) {
      roles.emplace_back(*role);
    } else if (key == "kubernetes.io/role" && value.is_string()) {
      roles.push_back(value.get<std::string>());
    }
  }
  std::ranges::sort(roles);
  return roles.empty() ? "<none>" : join(roles, ",");
}

void print_node(const Json& object, WallTime now, Json& cells) {
  const Json& info = part_in(part_in(object, "status"), "nodeInfo");
  cells.push_back(node_status(object));
  cells.push_back(node_roles(object));
  cells.push_back(age_of(object, now));
  cells.push_back(text_in(info, "kubeletVersion"));
  for (const std::string_view type : {"InternalIP", "ExternalIP"}) {
    std::string address = "<none>";
    each_object(part_in(object, "status"), "addresses", [&](const Json& entry) {
      if (text_in(entry, "type") == type) {
        address = text_in(entry, "address");
      }
    });
    cells.push_back(address);
  }
  for (const std::string_view field : {"osImage", "kernelVersion", "containerRuntimeVersion"}) {
    const std::string_view text = text_in(info, field);
    cells.push_back(text.empty() ? "<unknown>" : std::string(text));
  }
}

std::string class_or_unset(const Json& spec) {
  const std::string_view name = text_in(spec, "volumeAttributesClassName");
  return name.empty() ? "<unset>" : std::string(name);
}

void print_volume(const Json& object, WallTime now, Json& cells) {
  const Json& spec = part_in(object, "spec");
  const Json& claim = part_in(spec, "claimRef");
  const bool is_going = value_in(part_in(object, "metadata"), "deletionTimestamp") != nullptr;
  cells.push_back(text_in(part_in(spec, "capacity"), "storage"));
  cells.push_back(access_modes_text(value_in(spec, "accessModes")));
  cells.push_back(text_in(spec, "persistentVolumeReclaimPolicy"));
  cells.push_back(is_going ? "Terminating" : text_at(object, "status", "phase"));
  cells.push_back(claim.empty() ? ""
                                : std::string(text_in(claim, "namespace")) + "/" + std::string(text_in(claim, "name")));
  cells.push_back(text_in(spec, "storageClassName"));
  cells.push_back(class_or_unset(spec));
  cells.push_back(text_at(object, "status", "reason"));
  cells.push_back(age_of(object, now));
  const std::string_view mode = text_in(spec, "volumeMode");
  cells.push_back(mode.empty() ? "<unset>" : std::string(mode));
}

void print_claim(const Json& object, WallTime now, Json& cells) {
  const Json& spec = part_in(object, "spec");
  const Json& status = part_in(object, "status");
  const bool is_going = value_in(part_in(object, "metadata"), "deletionTimestamp") != nullptr;
  const bool is_bound = !text_in(spec, "volumeName").empty();
  cells.push_back(is_going ? "Terminating" : std::string(text_in(status, "phase")));
  cells.push_back(text_in(spec, "volumeName"));
  cells.push_back(is_bound ? text_in(part_in(status, "capacity"), "storage") : "");
  cells.push_back(is_bound ? access_modes_text(value_in(status, "accessModes")) : "");
  cells.push_back(text_in(spec, "storageClassName"));
  cells.push_back(class_or_unset(spec));
  cells.push_back(age_of(object, now));
  const std::string_view mode = text_in(spec, "volumeMode");
  cells.push_back(mode.empty() ? "<unset>" : std::string(mode));
}

void print_quota(const Json& object, WallTime now, Json& cells) {
  const Json& status = part_in(object, "status");
  std::vector<std::string> requests;
  std::vector<std::string> limits;
  for (const auto& [name, hard] : part_in(status, "hard").items()) {
    const std::string_view used = text_in(part_in(status, "used"), name);
    const std::string text = name + ": " + (used.empty() ? "0" : std::string(used)) + "/" +
                             (hard.is_string() ? hard.get<std::string>() : hard.dump());
    (name.starts_with("limits") ? limits : requests).push_back(text);
  }
  cells.push_back(join(requests, ", "));
  cells.push_back(join(limits, ", "));
  cells.push_back(age_of(object, now));
}

void print_component(const Json& object, WallTime /*now*/, Json& cells) {
  std::string status = "Unknown";
  std::string message;
  std::string error;
  each_object(object, "conditions", [&](const Json& condition) {
    if (text_in(condition, "type") == "Healthy") {
      status = text_in(condition, "status") == "True" ? "Healthy" : "Unhealthy";
      message = text_in(condition, "message");
      error = text_in(condition, "error") == "nil" ? "" : text_in(condition, "error");
    }
  });
  cells.push_back(status);
  cells.push_back(message);
  cells.push_back(error);
}

// The first of several fields that says anything; both forms of events are read.
std::string_view first_text(const Json& object, std::initializer_list<std::string_view> fields) {
  for (const std::string_view field : fields) {
    if (const std::string_view text = text_in(object, field); !text.empty()) {
      return text;
    }
  }
  return {};
}

std::string event_source(const Json& object) {
  const Json& old = part_in(object, value_in(object, "source") != nullptr ? "source" : "deprecatedSource");
  std::string component(text_in(old, "component"));
  if (component.empty()) {
    component = first_text(object, {"reportingComponent", "reportingController"});
  }
  std::string_view host = text_in(old, "host");
  host = host.empty() ? text_in(object, "reportingInstance") : host;
  return host.empty() ? component : component + ", " + std::string(host);
}

void print_event(const Json& object, WallTime now, Json& cells) {
  const Json& about = part_in(object, value_in(object, "involvedObject") != nullptr ? "involvedObject" : "regarding");
  const std::string_view time = text_in(object, "eventTime");
  std::string_view first = first_text(object, {"firstTimestamp", "deprecatedFirstTimestamp"});
  std::string_view last = first_text(object, {"lastTimestamp", "deprecatedLastTimestamp"});
  first = first.empty() ? time : first;
  last = last.empty() ? first : last;
  const std::int64_t count = std::max(json::int_or(object, {"count"}, 0), json::int_or(object, {"deprecatedCount"}, 0));
  cells.push_back(age_text(last, now));
  cells.push_back(text_in(object, "type"));
  cells.push_back(text_in(object, "reason"));
  cells.push_back(to_lower(text_in(about, "kind")) + "/" + std::string(text_in(about, "name")));
  cells.push_back(text_in(about, "fieldPath"));
  cells.push_back(event_source(object));
  cells.push_back(std::string(trim(first_text(object, {"message", "note"}))));
  cells.push_back(age_text(first, now));
  cells.push_back(std::max<std::int64_t>(count, 1));
  cells.push_back(text_at(object, "metadata", "name"));
}

constexpr std::string_view kEventColumns =
    "Last Seen|Type|Reason|Object|Subobject*|Source*|Message|First Seen*|Count*|#Name*";

constexpr std::array kPrinters = {
    TablePrinter{"", "ComponentStatus", "Status|Message|Error", print_component},
    TablePrinter{"", "ConfigMap", "Data|Age", print_config_map},
    TablePrinter{"", "Endpoints", "Endpoints|Age", print_endpoints},
    TablePrinter{"", "Event", kEventColumns, print_event},
    TablePrinter{"", "Namespace", "Status|Age", print_namespace},
    TablePrinter{"", "Node",
                 "Status|Roles|Age|Version|Internal-IP*|External-IP*|OS-Image*|Kernel-Version*|Container-Runtime*",
                 print_node},
    TablePrinter{"", "PersistentVolume",
                 "Capacity|Access Modes|Reclaim Policy|Status|Claim|StorageClass|VolumeAttributesClass|Reason|Age|"
                 "VolumeMode*",
                 print_volume},
    TablePrinter{"", "PersistentVolumeClaim",
                 "Status|Volume|Capacity|Access Modes|StorageClass|VolumeAttributesClass|Age|VolumeMode*", print_claim},
    TablePrinter{"", "ResourceQuota", "Request|Limit|Age", print_quota},
    TablePrinter{"", "Secret", "Type|Data|Age", print_secret},
    TablePrinter{"", "Service", "Type|Cluster-IP|External-IP|Port(s)|Age|Selector*", print_service},
    TablePrinter{"", "ServiceAccount", "Secrets|Age", print_service_account},
    TablePrinter{"events.k8s.io", "Event", kEventColumns, print_event},
};

}  // namespace

std::span<const TablePrinter> core_printers() { return kPrinters; }

}  // namespace landfall::sandbox
