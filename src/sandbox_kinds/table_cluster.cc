#include <algorithm>
#include <array>
#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/strings.h"
#include "json/access.h"
#include "json/json.h"
#include "sandbox_kinds/document_parts.h"
#include "sandbox_kinds/printer_values.h"
#include "sandbox_kinds/table_kinds.h"

// Networking, roles, storage and the other groups without pods.
namespace landfall::sandbox {
namespace {

using json::Json;

// The values of a list of texts, or "<unset>" when there are none.
std::string list_text(const Json& parent, std::string_view key) {
  std::vector<std::string> parts;
  const Json* const list = value_in(parent, key);
  for (std::size_t i = 0; list != nullptr && list->is_array() && i < list->size(); ++i) {
    parts.push_back((*list)[i].is_string() ? (*list)[i].get<std::string>() : (*list)[i].dump());
  }
  return parts.empty() ? "<unset>" : join(parts, ",");
}

std::string text_or_unset(std::string_view text) { return text.empty() ? "<unset>" : std::string(text); }

void print_ingress(const Json& object, WallTime now, Json& cells) {
  const Json& spec = part_in(object, "spec");
  std::vector<std::string> hosts;
  each_object(spec, "rules", [&](const Json& rule) {
    if (const std::string_view host = text_in(rule, "host"); !host.empty()) {
      hosts.emplace_back(host);
    }
  });
  std::vector<std::string> addresses;
  each_object(part_in(part_in(object, "status"), "loadBalancer"), "ingress", [&](const Json& entry) {
    const std::string_view ip = text_in(entry, "ip");
    addresses.emplace_back(ip.empty() ? text_in(entry, "hostname") : ip);
  });
  cells.push_back(text_or_none(text_in(spec, "ingressClassName")));
  cells.push_back(hosts.empty() ? "*" : join(hosts, ","));
  cells.push_back(join(addresses, ","));
  cells.push_back(size_in(spec, "tls") != 0 ? "80, 443" : "80");
  cells.push_back(age_of(object, now));
}

void print_ingress_class(const Json& object, WallTime now, Json& cells) {
  const Json& spec = part_in(object, "spec");
  const Json& parameters = part_in(spec, "parameters");
  std::string text = "<none>";
  if (!parameters.empty()) {
    const std::string_view group = text_in(parameters, "apiGroup");
    text = std::string(text_in(parameters, "kind")) + (group.empty() ? "" : "." + std::string(group)) + "/" +
           std::string(text_in(parameters, "name"));
  }
  cells.push_back(text_in(spec, "controller"));
  cells.push_back(text);
  cells.push_back(age_of(object, now));
}

void print_network_policy(const Json& object, WallTime now, Json& cells) {
  cells.push_back(selector_text(json::find(object, {"spec", "podSelector"})));
  cells.push_back(age_of(object, now));
}

void print_ip_address(const Json& object, WallTime now, Json& cells) {
  const Json& parent = part_in(part_in(object, "spec"), "parentRef");
  std::vector<std::string> parts;
  for (const std::string_view field : {"group", "resource", "namespace", "name"}) {
    if (const std::string_view text = text_in(parent, field); !text.empty()) {
      parts.emplace_back(text);
    }
  }
  cells.push_back(join(parts, "/"));
  cells.push_back(age_of(object, now));
}

void print_service_cidr(const Json& object, WallTime now, Json& cells) {
  cells.push_back(list_text(part_in(object, "spec"), "cidrs"));
  cells.push_back(age_of(object, now));
}

void print_endpoint_slice(const Json& object, WallTime now, Json& cells) {
  constexpr std::size_t kShown = 3;
  std::vector<std::string> ports;
  each_object(object, "ports", [&](const Json& port) {
    const Json* const number = value_in(port, "port");
    ports.push_back(number == nullptr ? "*" : number->dump());
  });
  std::vector<std::string> addresses;
  each_object(object, "endpoints", [&](const Json& endpoint) {
    if (const Json* const first = json::find(endpoint, {"addresses", "0"}); first != nullptr && first->is_string()) {
      addresses.push_back(first->get<std::string>());
    }
  });
  const auto shown = [](std::vector<std::string> parts) {
    const std::size_t more = parts.size() > kShown ? parts.size() - kShown : 0;
    parts.resize(parts.size() - more);
    return parts.empty() ? "<unset>" : join(parts, ",") + (more == 0 ? "" : " + " + std::to_string(more) + " more...");
  };
  cells.push_back(text_in(object, "addressType"));
  cells.push_back(shown(ports));
  cells.push_back(shown(addresses));
  cells.push_back(age_of(object, now));
}

void print_role_binding(const Json& object, WallTime now, Json& cells) {
  const Json& role = part_in(object, "roleRef");
  cells.push_back(std::string(text_in(role, "kind")) + "/" + std::string(text_in(role, "name")));
  cells.push_back(age_of(object, now));
  for (const std::string_view kind : {"User", "Group", "ServiceAccount"}) {
    std::vector<std::string> names;
    each_object(object, "subjects", [&](const Json& subject) {
      if (text_in(subject, "kind") == kind) {
        const std::string prefix = kind == "ServiceAccount" ? std::string(text_in(subject, "namespace")) + "/" : "";
        names.push_back(prefix + std::string(text_in(subject, "name")));
      }
    });
    cells.push_back(join(names, ", "));
  }
}

void print_storage_class(const Json& object, WallTime now, Json& cells) {
  const std::string_view policy = text_in(object, "reclaimPolicy");
  const std::string_view mode = text_in(object, "volumeBindingMode");
  cells.push_back(text_in(object, "provisioner"));
  cells.push_back(policy.empty() ? "Delete" : std::string(policy));
  cells.push_back(mode.empty() ? "<unset>" : std::string(mode));
  cells.push_back(is_true_in(object, "allowVolumeExpansion"));
  cells.push_back(age_of(object, now));
}

void print_csi_driver(const Json& object, WallTime now, Json& cells) {
  const Json& spec = part_in(object, "spec");
  std::vector<std::string> tokens;
  each_object(spec, "tokenRequests", [&](const Json& token) { tokens.emplace_back(text_in(token, "audience")); });
  cells.push_back(is_true_in(spec, "attachRequired"));
  cells.push_back(is_true_in(spec, "podInfoOnMount"));
  cells.push_back(is_true_in(spec, "storageCapacity"));
  cells.push_back(tokens.empty() ? "<unset>" : join(tokens, ","));
  cells.push_back(is_true_in(spec, "requiresRepublish"));
  cells.push_back(list_text(spec, "volumeLifecycleModes"));
  cells.push_back(age_of(object, now));
}

void print_csi_node(const Json& object, WallTime now, Json& cells) {
  cells.push_back(size_in(part_in(object, "spec"), "drivers"));
  cells.push_back(age_of(object, now));
}

void print_volume_attachment(const Json& object, WallTime now, Json& cells) {
  const Json& spec = part_in(object, "spec");
  cells.push_back(text_in(spec, "attacher"));
  cells.push_back(text_in(part_in(spec, "source"), "persistentVolumeName"));
  cells.push_back(text_in(spec, "nodeName"));
  cells.push_back(is_true_in(part_in(object, "status"), "attached"));
  cells.push_back(age_of(object, now));
}

void print_volume_attributes_class(const Json& object, WallTime now, Json& cells) {
  cells.push_back(text_in(object, "driverName"));
  cells.push_back(age_of(object, now));
}

void print_webhooks(const Json& object, WallTime now, Json& cells) {
  cells.push_back(size_in(object, "webhooks"));
  cells.push_back(age_of(object, now));
}

void print_admission_policy(const Json& object, WallTime now, Json& cells) {
  const Json& spec = part_in(object, "spec");
  const Json& kind = part_in(spec, "paramKind");
  cells.push_back(size_in(spec, "validations"));
  cells.push_back(kind.empty() ? "<unset>"
                               : std::string(text_in(kind, "apiVersion")) + "/" + std::string(text_in(kind, "kind")));
  cells.push_back(age_of(object, now));
}

void print_admission_binding(const Json& object, WallTime now, Json& cells) {
  const Json& spec = part_in(object, "spec");
  cells.push_back(text_in(spec, "policyName"));
  cells.push_back(text_or_unset(text_in(part_in(spec, "paramRef"), "name")));
  cells.push_back(age_of(object, now));
}

void print_priority_class(const Json& object, WallTime now, Json& cells) {
  cells.push_back(json::int_or(object, {"value"}, 0));
  cells.push_back(is_true_in(object, "globalDefault"));
  cells.push_back(age_of(object, now));
  cells.push_back(text_in(object, "preemptionPolicy"));
}

void print_lease(const Json& object, WallTime now, Json& cells) {
  cells.push_back(text_in(part_in(object, "spec"), "holderIdentity"));
  cells.push_back(age_of(object, now));
}

void print_runtime_class(const Json& object, WallTime now, Json& cells) {
  cells.push_back(text_in(object, "handler"));
  cells.push_back(age_of(object, now));
}

void print_age(const Json& object, WallTime now, Json& cells) { cells.push_back(age_of(object, now)); }

void print_resource_claim(const Json& object, WallTime now, Json& cells) {
  const Json& status = part_in(object, "status");
  std::string state = value_in(status, "allocation") == nullptr ? "pending" : "allocated";
  state += size_in(status, "reservedFor") == 0 ? "" : ",reserved";
  const bool is_going = value_in(part_in(object, "metadata"), "deletionTimestamp") != nullptr;
  cells.push_back(is_going ? "deleted," + state : state);
  cells.push_back(age_of(object, now));
}

void print_resource_slice(const Json& object, WallTime now, Json& cells) {
  const Json& spec = part_in(object, "spec");
  cells.push_back(text_in(spec, "nodeName"));
  cells.push_back(text_in(spec, "driver"));
  cells.push_back(text_in(part_in(spec, "pool"), "name"));
  cells.push_back(age_of(object, now));
}

void print_flow_schema(const Json& object, WallTime now, Json& cells) {
  const Json& spec = part_in(object, "spec");
  cells.push_back(text_in(part_in(spec, "priorityLevelConfiguration"), "name"));
  cells.push_back(json::int_or(spec, {"matchingPrecedence"}, 0));
  cells.push_back(text_or_none(text_in(part_in(spec, "distinguisherMethod"), "type")));
  cells.push_back(age_of(object, now));
  std::string missing = "?";
  each_object(part_in(object, "status"), "conditions", [&](const Json& condition) {
    missing = text_in(condition, "type") == "Dangling" ? std::string(text_in(condition, "status")) : missing;
  });
  cells.push_back(missing);
}

void print_priority_level(const Json& object, WallTime now, Json& cells) {
  const Json& spec = part_in(object, "spec");
  const Json& limited = part_in(spec, "limited");
  const Json& queuing = part_in(part_in(limited, "limitResponse"), "queuing");
  const auto number_or_none = [](const Json* value) { return value == nullptr ? Json("<none>") : *value; };
  cells.push_back(text_in(spec, "type"));
  cells.push_back(number_or_none(value_in(limited, "nominalConcurrencyShares")));
  for (const std::string_view field : {"queues", "handSize", "queueLengthLimit"}) {
    cells.push_back(number_or_none(value_in(queuing, field)));
  }
  cells.push_back(age_of(object, now));
}

void print_api_service(const Json& object, WallTime now, Json& cells) {
  const Json& service = part_in(part_in(object, "spec"), "service");
  std::string available = "Unknown";
  each_object(part_in(object, "status"), "conditions", [&](const Json& condition) {
    if (text_in(condition, "type") == "Available") {
      available = text_in(condition, "status");
      available += available == "True" ? "" : " (" + std::string(text_in(condition, "reason")) + ")";
    }
  });
  cells.push_back(service.empty()
                      ? "Local"
                      : std::string(text_in(service, "namespace")) + "/" + std::string(text_in(service, "name")));
  cells.push_back(available);
  cells.push_back(age_of(object, now));
}

void print_signing_request(const Json& object, WallTime now, Json& cells) {
  const Json& spec = part_in(object, "spec");
  std::string condition = "Pending";
  each_object(part_in(object, "status"), "conditions", [&](const Json& one) {
    const std::string_view type = text_in(one, "type");
    condition = type.empty() ? condition : std::string(type);
  });
  condition += text_in(part_in(object, "status"), "certificate").empty() ? "" : ",Issued";
  const Json* const seconds = value_in(spec, "expirationSeconds");
  cells.push_back(age_of(object, now));
  cells.push_back(text_or_none(text_in(spec, "signerName")));
  cells.push_back(text_in(spec, "username"));
  cells.push_back(seconds != nullptr && seconds->is_number_integer()
                      ? human_duration(std::chrono::seconds(seconds->get<std::int32_t>()))
                      : "<none>");
  cells.push_back(condition);
}

constexpr std::string_view kBindingColumns = "Role|Age|Users*|Groups*|ServiceAccounts*";

constexpr std::array kPrinters = {
    TablePrinter{"admissionregistration.k8s.io", "MutatingWebhookConfiguration", "Webhooks:integer|Age",
                 print_webhooks},
    TablePrinter{"admissionregistration.k8s.io", "ValidatingAdmissionPolicy", "Validations:integer|ParamKind|Age",
                 print_admission_policy},
    TablePrinter{"admissionregistration.k8s.io", "ValidatingAdmissionPolicyBinding", "PolicyName|ParamRef|Age",
                 print_admission_binding},
    TablePrinter{"admissionregistration.k8s.io", "ValidatingWebhookConfiguration", "Webhooks:integer|Age",
                 print_webhooks},
    TablePrinter{"apiregistration.k8s.io", "APIService", "Service|Available|Age", print_api_service},
    TablePrinter{"certificates.k8s.io", "CertificateSigningRequest",
                 "Age|SignerName|Requestor|RequestedDuration|Condition", print_signing_request},
    TablePrinter{"coordination.k8s.io", "Lease", "Holder|Age", print_lease},
    TablePrinter{"discovery.k8s.io", "EndpointSlice", "AddressType|Ports|Endpoints|Age", print_endpoint_slice},
    TablePrinter{"flowcontrol.apiserver.k8s.io", "FlowSchema",
                 "PriorityLevel|MatchingPrecedence|DistinguisherMethod|Age|MissingPL", print_flow_schema},
    TablePrinter{"flowcontrol.apiserver.k8s.io", "PriorityLevelConfiguration",
                 "Type|NominalConcurrencyShares|Queues|HandSize|QueueLengthLimit|Age", print_priority_level},
    TablePrinter{"networking.k8s.io", "IPAddress", "ParentRef|Age", print_ip_address},
    TablePrinter{"networking.k8s.io", "Ingress", "Class|Hosts|Address|Ports|Age", print_ingress},
    TablePrinter{"networking.k8s.io", "IngressClass", "Controller|Parameters|Age", print_ingress_class},
    TablePrinter{"networking.k8s.io", "NetworkPolicy", "Pod-Selector|Age", print_network_policy},
    TablePrinter{"networking.k8s.io", "ServiceCIDR", "CIDRs|Age", print_service_cidr},
    TablePrinter{"node.k8s.io", "RuntimeClass", "Handler|Age", print_runtime_class},
    TablePrinter{"rbac.authorization.k8s.io", "ClusterRoleBinding", kBindingColumns, print_role_binding},
    TablePrinter{"rbac.authorization.k8s.io", "RoleBinding", kBindingColumns, print_role_binding},
    TablePrinter{"resource.k8s.io", "DeviceClass", "Age", print_age},
    TablePrinter{"resource.k8s.io", "ResourceClaim", "State|Age", print_resource_claim},
    TablePrinter{"resource.k8s.io", "ResourceClaimTemplate", "Age", print_age},
    TablePrinter{"resource.k8s.io", "ResourceSlice", "Node|Driver|Pool|Age", print_resource_slice},
    TablePrinter{"scheduling.k8s.io", "PriorityClass", "Value:integer|Global-Default:boolean|Age|PreemptionPolicy",
                 print_priority_class},
    TablePrinter{"storage.k8s.io", "CSIDriver",
                 "AttachRequired:boolean|PodInfoOnMount:boolean|StorageCapacity:boolean|TokenRequests|"
                 "RequiresRepublish:boolean|Modes|Age",
                 print_csi_driver},
    TablePrinter{"storage.k8s.io", "CSINode", "Drivers:integer|Age", print_csi_node},
    TablePrinter{"storage.k8s.io", "StorageClass",
                 "Provisioner|ReclaimPolicy|VolumeBindingMode|AllowVolumeExpansion|Age", print_storage_class},
    TablePrinter{"storage.k8s.io", "VolumeAttachment", "Attacher|PV|Node|Attached:boolean|Age",
                 print_volume_attachment},
    TablePrinter{"storage.k8s.io", "VolumeAttributesClass", "DriverName|Age", print_volume_attributes_class},
};

}  // namespace

std::span<const TablePrinter> cluster_printers() { return kPrinters; }

}  // namespace landfall::sandbox
