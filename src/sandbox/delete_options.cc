#include "sandbox/delete_options.h"

#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include "base/quote.h"
#include "base/strings.h"
#include "json/access.h"
#include "json/json.h"
#include "json/parse.h"
#include "sandbox/api_error.h"
#include "sandbox/body.h"
#include "sandbox/request_options.h"
#include "sandbox_kinds/validation_causes.h"

namespace landfall::sandbox {
namespace {

using json::Json;

Error invalid_options(Cause cause) {
  return invalid(k8s::GroupKind{"meta.k8s.io", "DeleteOptions"}, "", {std::move(cause)});
}

Status check_kind(const KindSet& kinds, const Json& body) {
  const std::string kind = json::string_or(body, {"kind"}, "");
  const std::string version = json::string_or(body, {"apiVersion"}, "");
  if (kind.empty() && version.empty()) return {};
  const auto given = k8s::kind_of(version.empty() ? "v1" : version, kind.empty() ? "DeleteOptions" : kind);
  const bool known = given.group == "meta.k8s.io" || kinds.has_version(given.group, given.version);
  if (given.kind == "DeleteOptions" && known) return {};
  return fail("", server_error("no kind " + quote(given.kind) + " is registered for version " +
                               quote(to_string(given.group_version())) + " in scheme \"pkg/runtime/scheme.go:110\""));
}

Result<DeleteOptions> from_body(const KindSet& kinds, const http::Request& raw) {
  TRY_ASSIGN(const BodyFormat format, "", body_format(raw));
  if (format == BodyFormat::kJson) {
    // Not refused as another body is: the server's own words, and its own fault.
    if (const auto parsed = json::parse(raw.body); !parsed) {
      return fail("", server_error("couldn't get version/kind; json parse error: " +
                                   go_json_message(parsed.error().message())));
    }
  }
  TRY_ASSIGN(const Json body, "", parse_body(raw.body, format, "DeleteOptions"));
  TRY("", check_kind(kinds, body));
  DeleteOptions out;
  const auto grace = json::optional_int_at(body, {"gracePeriodSeconds"});
  const auto orphan = json::optional_bool_at(body, {"orphanDependents"});
  const auto policy = json::optional_string_at(body, {"propagationPolicy"});
  if (!grace || !orphan || !policy) {
    return fail("", bad_request("DeleteOptions: " + (!grace    ? grace.error()
                                                     : !orphan ? orphan.error()
                                                               : policy.error())
                                                        .message()));
  }
  out.grace_period_seconds = *grace;
  out.orphan_dependents = *orphan;
  out.propagation = policy->value_or("");
  out.uid = json::string_or(body, {"preconditions", "uid"}, "");
  out.resource_version = json::string_or(body, {"preconditions", "resourceVersion"}, "");
  const auto dry_run = json::string_list_at(body, {"dryRun"});
  for (const std::string& value : dry_run.value_or(std::vector<std::string>{})) {
    if (value != "All") {
      return fail("", invalid_options(unsupported_cause("dryRun", Json(*dry_run), {"All"})));
    }
    out.dry_run = true;
  }
  return out;
}

Result<DeleteOptions> from_query(const http::Query& query) {
  DeleteOptions out;
  if (const auto text = query.get("gracePeriodSeconds"); text && !text->empty()) {
    const auto value = parse_int64(*text);
    if (!value) return fail("", bad_request("strconv.ParseInt: parsing " + quote(*text) + ": invalid syntax"));
    out.grace_period_seconds = *value;
  }
  if (query.contains("orphanDependents")) out.orphan_dependents = is_true(query, "orphanDependents");
  out.propagation = std::string(query.get("propagationPolicy").value_or(std::string_view()));
  return out;
}

Status check(const DeleteOptions& options) {
  if (!options.propagation.empty() && options.orphan_dependents) {
    return fail("", invalid_options(invalid_cause("propagationPolicy", Json(options.propagation),
                                                  "orphanDependents and deletionPropagation cannot be both set")));
  }
  if (options.propagation.empty() || options.propagation == "Foreground" || options.propagation == "Background" ||
      options.propagation == "Orphan") {
    return {};
  }
  return fail("", invalid_options(unsupported_cause("propagationPolicy", Json(options.propagation),
                                                    {"Foreground", "Background", "Orphan", "nil"})));
}

}  // namespace

Result<DeleteOptions> read_delete_options(const KindSet& kinds, const ApiRequest& request, const http::Request& raw) {
  TRY_ASSIGN(DeleteOptions out, "", trim(raw.body).empty() ? from_query(raw.query) : from_body(kinds, raw));
  TRY("", check(out));
  out.dry_run = out.dry_run || request.dry_run;
  return out;
}

bool returns_deleted_object(const KindInfo& kind) {
  static constexpr auto kCore =
      std::to_array<std::string_view>({"ResourceQuota", "PersistentVolume", "ServiceAccount", "PersistentVolumeClaim",
                                       "Namespace", "Pod", "Service", "PodTemplate"});
  static constexpr auto kStorage = std::to_array<std::string_view>(
      {"CSIDriver", "StorageClass", "VolumeAttachment", "CSINode", "VolumeAttributesClass"});
  if (kind.id.group.empty()) return std::ranges::find(kCore, kind.kind) != kCore.end();
  if (kind.id.group == "storage.k8s.io") return std::ranges::find(kStorage, kind.kind) != kStorage.end();
  return kind.id.group == "resource.k8s.io";
}

}  // namespace landfall::sandbox
