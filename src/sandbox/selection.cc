#include "sandbox/selection.h"

#include <algorithm>
#include <array>
#include <string>
#include <utility>
#include <vector>

#include "base/quote.h"
#include "base/strings.h"
#include "json/access.h"
#include "json/json.h"
#include "json/parse.h"
#include "sandbox/api_error.h"

namespace landfall::sandbox {
namespace {

using json::Json;

struct Selectable {
  std::string_view group;
  std::string_view kind;
  std::string_view fields;  // besides metadata.name and metadata.namespace, between spaces
};

constexpr auto kSelectable = std::to_array<Selectable>({
    {"", "Pod",
     "spec.nodeName spec.restartPolicy spec.schedulerName spec.serviceAccountName spec.hostNetwork status.phase "
     "status.podIP status.podIPs status.nominatedNodeName spec.host"},
    {"", "Node", "spec.unschedulable"},
    {"", "ReplicationController", "status.replicas"},
    {"apps", "ReplicaSet", "status.replicas"},
    {"", "Event",
     "involvedObject.kind involvedObject.namespace involvedObject.name involvedObject.uid involvedObject.apiVersion "
     "involvedObject.resourceVersion involvedObject.fieldPath reason reportingComponent source type"},
    {"events.k8s.io", "Event",
     "regarding.kind regarding.namespace regarding.name regarding.uid regarding.apiVersion regarding.resourceVersion "
     "regarding.fieldPath reason reportingController type"},
    {"", "Namespace", "status.phase"},
    {"", "Secret", "type"},
    {"", "Service", "spec.clusterIP spec.type"},
    {"batch", "Job", "status.successful"},
    {"certificates.k8s.io", "CertificateSigningRequest", "spec.signerName"},
});

const Selectable* selectable_of(const KindInfo& kind) {
  const auto row = std::ranges::find_if(
      kSelectable, [&](const Selectable& s) { return s.group == kind.id.group && s.kind == kind.kind; });
  return row == kSelectable.end() ? nullptr : &*row;
}

std::string value_of(const Json& document, std::string_view field) {
  if (field == "spec.host") field = "spec.nodeName";
  if (field == "status.successful") field = "status.succeeded";
  if (field == "source") field = "source.component";
  std::string stored(field);
  if (const auto rest = strip_prefix(field, "regarding.")) stored = "involvedObject." + std::string(*rest);
  if (field == "reportingController") stored = "reportingComponent";
  const std::vector<std::string_view> keys = split(stored, '.');
  const Json* value = json::find(document, json::Path(keys));
  if (value == nullptr) return field == "spec.unschedulable" || field == "spec.hostNetwork" ? "false" : "";
  return value->is_string() ? value->get_ref<const std::string&>() : json::dump(*value);
}

bool is_metadata(std::string_view field) { return field == "metadata.name" || field == "metadata.namespace"; }

}  // namespace

Selection::Selection(k8s::LabelSelector labels, k8s::FieldSelector fields)
    : labels_(std::move(labels)), fields_(std::move(fields)) {
  needs_document_ = std::ranges::any_of(fields_.terms(), [](const auto& term) { return !is_metadata(term.field); });
}

Status Selection::check_fields(const KindInfo& kind, const k8s::FieldSelector& fields) {
  const Selectable* offered = selectable_of(kind);
  for (const k8s::FieldSelector::Term& term : fields.terms()) {
    if (term.field == "metadata.name" || (term.field == "metadata.namespace" && kind.is_namespaced)) continue;
    if (offered == nullptr) {
      if (term.field == "metadata.namespace" && !kind.is_custom()) continue;
      if (kind.is_custom()) return fail("", bad_request("field label not supported: " + term.field));
      return fail("", bad_request(quote(term.field) +
                                  " is not a known field selector: only \"metadata.name\", \"metadata.namespace\""));
    }
    if ((" " + std::string(offered->fields) + " ").find(" " + term.field + " ") != std::string::npos) continue;
    if (kind.kind == "Job") {
      return fail("", bad_request("field label " + quote(term.field) + " not supported for Job"));
    }
    return fail("", bad_request("field label not supported: " + term.field));
  }
  return {};
}

bool Selection::matches(const StoredObject& object) const {
  if (!labels_.empty()) {
    const Json labels =
        object.labels_size == 0 ? Json::object() : json::parse(object.labels()).value_or(Json::object());
    const bool match = labels_.matches([&](const std::string& key) -> std::optional<std::string_view> {
      const auto found = labels.find(key);
      if (found == labels.end() || !found->is_string()) return std::nullopt;
      return std::string_view(found->get_ref<const std::string&>());
    });
    if (!match) return false;
  }
  return fields_.empty() || fields_match(object);
}

bool Selection::fields_match(const StoredObject& object) const {
  const Json document = needs_document_ ? json::parse(object.bytes).value_or(Json::object()) : Json::object();
  return fields_.matches([&](std::string_view field) -> std::string {
    if (field == "metadata.name") return std::string(object.name());
    if (field == "metadata.namespace") return std::string(object.name_space());
    return value_of(document, field);
  });
}

}  // namespace landfall::sandbox
