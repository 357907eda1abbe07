#include "sandbox/request_options.h"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <string>
#include <utility>

#include "base/quote.h"
#include "base/strings.h"
#include "json/json.h"
#include "sandbox/api_error.h"
#include "sandbox/media_type.h"
#include "sandbox/selection.h"
#include "sandbox_kinds/validation_causes.h"

namespace landfall::sandbox {
namespace {

using json::Json;

constexpr std::string_view kAvailable = "application/json, application/yaml, application/vnd.kubernetes.protobuf";

std::string text_of(const http::Query& query, std::string_view name) {
  return std::string(query.get(name).value_or(std::string_view()));
}

Error bad_number(std::string_view text) {
  return bad_request("strconv.ParseInt: parsing " + quote(text) + ": invalid syntax");
}

Result<std::optional<std::int64_t>> number_of(const http::Query& query, std::string_view name) {
  const auto text = query.get(name);
  if (!text || text->empty()) return std::optional<std::int64_t>();
  const auto value = parse_int64(*text);
  if (!value) return fail("", bad_number(*text));
  return std::optional<std::int64_t>(*value);
}

Error invalid_options(std::string_view kind, Cause cause) {
  return invalid(k8s::GroupKind{"meta.k8s.io", std::string(kind)}, "", {std::move(cause)});
}

Status check_match(const ListOptions& list, bool is_watch) {
  const auto refuse = [](std::string_view why) {
    return fail("", invalid_options("ListOptions", forbidden_cause("resourceVersionMatch", why)));
  };
  if (list.send_initial_events) {
    if (!is_watch) {
      return fail("", invalid_options("ListOptions",
                                      forbidden_cause("sendInitialEvents", "sendInitialEvents is forbidden for list")));
    }
    if (list.resource_version_match != "NotOlderThan") {
      return refuse("sendInitialEvents requires setting resourceVersionMatch to NotOlderThan");
    }
    return {};
  }
  if (list.resource_version_match.empty()) return {};
  if (is_watch) return refuse("resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided");
  if (list.resource_version.empty()) {
    return refuse("resourceVersionMatch is forbidden unless resourceVersion is provided");
  }
  if (!list.continue_token.empty()) return refuse("resourceVersionMatch is forbidden when continue is provided");
  if (list.resource_version_match != "Exact" && list.resource_version_match != "NotOlderThan") {
    return fail(
        "", invalid_options("ListOptions", unsupported_cause("resourceVersionMatch", Json(list.resource_version_match),
                                                             {"Exact", "NotOlderThan", ""})));
  }
  if (list.resource_version_match == "Exact" && list.resource_version == "0") {
    return refuse("resourceVersionMatch \"exact\" is forbidden for resourceVersion \"0\"");
  }
  return {};
}

Status read_list(const http::Query& query, ApiRequest& out) {
  ListOptions& list = out.list;
  const auto labels = k8s::LabelSelector::parse(text_of(query, "labelSelector"));
  if (!labels) return fail("", bad_request(labels.error().message()));
  list.labels = *labels;
  const auto fields = k8s::FieldSelector::parse(text_of(query, "fieldSelector"));
  if (!fields) return fail("", bad_request(fields.error().message()));
  list.fields = *fields;
  TRY("", Selection::check_fields(*out.kind, list.fields));
  TRY_ASSIGN(const auto limit, "", number_of(query, "limit"));
  list.limit = limit.value_or(0);
  TRY_ASSIGN(list.timeout_seconds, "", number_of(query, "timeoutSeconds"));
  list.continue_token = text_of(query, "continue");
  list.resource_version = text_of(query, "resourceVersion");
  list.resource_version_match = text_of(query, "resourceVersionMatch");
  list.allow_bookmarks = is_true(query, "allowWatchBookmarks");
  if (query.contains("sendInitialEvents")) list.send_initial_events = is_true(query, "sendInitialEvents");
  return check_match(list, out.verb == Verb::kWatch);
}

std::string_view options_kind(Verb verb) {
  switch (verb) {
    case Verb::kCreate:
      return "CreateOptions";
    case Verb::kUpdate:
      return "UpdateOptions";
    case Verb::kPatch:
      return "PatchOptions";
    default:
      return "DeleteOptions";
  }
}

Status read_dry_run(const http::Query& query, ApiRequest& out) {
  const auto values = query.all("dryRun");
  for (const std::string_view value : values) {
    if (value == "All") {
      out.dry_run = true;
    } else if (!value.empty()) {
      Json given = Json::array();
      for (const std::string_view each : values) given.push_back(std::string(each));
      return fail("", invalid_options(options_kind(out.verb), unsupported_cause("dryRun", given, {"All"})));
    }
  }
  return {};
}

Status read_write(const http::Request& request, ApiRequest& out) {
  const http::Query& query = request.query;
  const std::string_view kind = options_kind(out.verb);
  TRY("", read_dry_run(query, out));
  out.field_manager = text_of(query, "fieldManager");
  out.has_field_manager = !out.field_manager.empty();
  if (out.field_manager.size() > 128) {
    return fail("", invalid_options(kind, too_long_cause("fieldManager", 128)));
  }
  for (std::size_t i = 0; i < out.field_manager.size(); ++i) {
    const auto byte = static_cast<unsigned char>(out.field_manager[i]);
    if (byte >= 0x20 && byte != 0x7f) continue;
    return fail("", invalid_options(kind, {"FieldValueInvalid",
                                           fmt::format("Invalid value: {}: invalid character U+{:04X} (at position {})",
                                                       quote(out.field_manager), byte, i),
                                           "fieldManager"}));
  }
  if (!out.has_field_manager) {
    out.field_manager = manager_of_agent(request.headers.get("User-Agent").value_or(std::string_view()));
  }
  const std::string validation = text_of(query, "fieldValidation");
  if (validation == "Ignore") {
    out.field_validation = FieldValidation::kIgnore;
  } else if (validation == "Strict") {
    out.field_validation = FieldValidation::kStrict;
  } else if (!validation.empty() && validation != "Warn") {
    return fail("", invalid_options(kind, unsupported_cause("fieldValidation", Json(validation),
                                                            {"", "Ignore", "Strict", "Warn"})));
  }
  out.has_force = query.contains("force");
  out.force = is_true(query, "force");
  return {};
}

}  // namespace

bool is_true(const http::Query& query, std::string_view name) {
  const auto value = query.get(name);
  return value && to_lower(*value) != "false" && *value != "0";
}

Status read_options(const http::Request& request, ApiRequest& out) {
  switch (out.verb) {
    case Verb::kList:
    case Verb::kWatch:
    case Verb::kDeleteCollection:
      TRY("", read_list(request.query, out));
      return out.verb == Verb::kDeleteCollection ? read_dry_run(request.query, out) : Status();
    case Verb::kGet:
      out.list.resource_version = text_of(request.query, "resourceVersion");
      return {};
    case Verb::kDelete:
      return read_dry_run(request.query, out);
    default:
      return read_write(request, out);
  }
}

Result<OutputFormat> negotiate_output(const http::Request& request, bool allow_table) {
  OutputFormat out;
  out.is_pretty = is_true(request.query, "pretty");
  out.include_object = text_of(request.query, "includeObject");
  const auto headers = request.headers.all("Accept");
  std::string accept;
  for (const std::string_view header : headers) accept.append(accept.empty() ? "" : ",").append(header);
  if (trim(accept).empty()) return out;
  bool is_shaped = false;
  for (const MediaType& type : parse_accept(accept)) {
    const bool is_json = type.type == "application/json" || type.type == "*/*" || type.type == "application/*";
    const bool is_yaml = type.type == "application/yaml";
    if (!is_json && !is_yaml) continue;
    const std::string_view as = type.parameter("as");
    const std::string_view version = type.parameter("v");
    out.is_yaml = is_yaml;
    if (as.empty()) return out;
    is_shaped = true;
    if (type.parameter("g") != "meta.k8s.io" || (version != "v1" && version != "v1beta1")) continue;
    out.meta_version = version;
    if (as == "Table" && allow_table) {
      out.shape = OutputFormat::Shape::kTable;
      return out;
    }
    if (as == "PartialObjectMetadata" || as == "PartialObjectMetadataList") {
      out.is_list_shape = as == "PartialObjectMetadataList";
      out.shape = OutputFormat::Shape::kPartialMetadata;
      return out;
    }
  }
  if (is_shaped) {
    return fail("", not_acceptable_shape("only the following media types are accepted: " + std::string(kAvailable)));
  }
  return fail("", not_acceptable(kAvailable));
}

Result<BodyFormat> body_format(const http::Request& request) {
  const MediaType type = parse_media_type(request.headers.get("Content-Type").value_or(std::string_view()));
  if (type.type.empty() || type.type == "application/json") return BodyFormat::kJson;
  if (type.type == "application/yaml") return BodyFormat::kYaml;
  if (type.type == "application/vnd.kubernetes.protobuf") return BodyFormat::kProtobuf;
  return fail("", unsupported_media_type("the body of the request was in an unknown format - accepted media types "
                                         "include: application/json, application/yaml, "
                                         "application/vnd.kubernetes.protobuf"));
}

}  // namespace landfall::sandbox
