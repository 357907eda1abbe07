#include "sandbox/resource_handler.h"

#include <fmt/format.h>

#include <utility>

#include "base/quote.h"
#include "base/rfc3339.h"
#include "base/strings.h"
#include "json/access.h"
#include "json/json.h"
#include "json/parse.h"
#include "json/strategic_merge.h"
#include "json/yaml.h"
#include "sandbox/api_error.h"
#include "sandbox/body.h"
#include "sandbox/delete_options.h"
#include "sandbox/listing.h"
#include "sandbox/managed_fields.h"
#include "sandbox/media_type.h"
#include "sandbox/output.h"
#include "sandbox/reviews.h"
#include "sandbox/subresources.h"
#include "sandbox/write_steps.h"
#include "sandbox_kinds/validation_causes.h"

namespace landfall::sandbox {
namespace {

using json::Json;

Result<PatchType> patch_type(const http::Request& raw, const KindInfo& kind) {
  const std::string type = parse_media_type(raw.headers.get("Content-Type").value_or(std::string_view())).type;
  if (type == "application/json-patch+json") return PatchType::kJson;
  if (type == "application/merge-patch+json") return PatchType::kMerge;
  if (type == "application/apply-patch+yaml") return PatchType::kApply;
  if (type == "application/strategic-merge-patch+json" && !kind.is_custom()) return PatchType::kStrategic;
  if (kind.is_custom()) {
    return fail("", unsupported_media_type("the body of the request was in an unknown format - accepted media types "
                                           "include: application/json-patch+json, application/merge-patch+json, "
                                           "application/apply-patch+yaml"));
  }
  return fail("", patch_type_not_supported());
}

Result<Json> parse_patch(const std::string& body, PatchType type) {
  // JSON is YAML, and quicker to read.
  const bool is_json = type != PatchType::kApply || trim(body).starts_with('{');
  auto parsed = is_json ? json::parse(body) : json::parse_yaml(body);
  if (!parsed && type == PatchType::kApply) {
    return fail("", bad_request("error decoding YAML: " + parsed.error().message()));
  }
  if (!parsed) return fail("", bad_request("error decoding patch: " + go_json_message(parsed.error().message())));
  const bool wants_list = type == PatchType::kJson;
  if (wants_list ? parsed->is_array() : parsed->is_object()) return parsed;
  const std::string_view got = parsed->is_array()    ? "array"
                               : parsed->is_object() ? "object"
                               : parsed->is_string() ? "string"
                                                     : "number";
  return fail(
      "", bad_request("error decoding patch: json: cannot unmarshal " + std::string(got) + " into Go value of type " +
                      (wants_list ? "[]handlers.jsonPatchOp" : "map[string]interface {}")));
}

Status check_patch_options(const ApiRequest& request, PatchType type) {
  const auto refuse = [](Cause cause) {
    return fail("", invalid(k8s::GroupKind{"meta.k8s.io", "PatchOptions"}, "", {std::move(cause)}));
  };
  if (type != PatchType::kApply) {
    if (request.has_force) return refuse(forbidden_cause("force", "may not be specified for non-apply patch"));
    return {};
  }
  if (!request.has_field_manager) return refuse(required_cause("fieldManager", "is required for apply patch"));
  return {};
}

}  // namespace

struct ResourceHandler::Call {
  const ApiRequest& request;
  const http::Request& raw;
  const User& user;
  const KindSetPtr& kinds;
  const std::shared_ptr<http::Responder>& responder;

  const KindInfo& kind() const { return *request.kind; }
  WriteOptions write_options(std::vector<std::string>& warnings) const {
    return {.subresource = request.subresource,
            .manager = request.field_manager,
            .dry_run = request.dry_run,
            .force = request.force,
            .field_validation = request.field_validation,
            .warnings = &warnings};
  }
};

void send_error(const Error& error, http::Responder& responder) {
  http::Response response{.status = http_status_of(error),
                          .headers = {{"Content-Type", "application/json"}, {"Cache-Control", "no-cache, private"}},
                          .body = json::dump(status_document(error))};
  if (const auto* failure = error.detail<ApiFailure>(); failure != nullptr && failure->retry_after_seconds > 0) {
    response.headers.add("Retry-After", std::to_string(failure->retry_after_seconds));
  }
  responder.send(std::move(response));
}

ResourceHandler::ResourceHandler(Api& api, const Authenticator& authenticator, WatchHub& watches,
                                 http::WorkerPool& pool)
    : api_(api), authenticator_(authenticator), watches_(watches), pool_(pool) {}

bool ResourceHandler::is_slow(const ApiRequest& request) {
  return request.verb == Verb::kDeleteCollection || request.verb == Verb::kList;
}

void ResourceHandler::handle(const ApiRequest& request, const http::Request& raw, const User& user,
                             const KindSetPtr& kinds, const std::shared_ptr<http::Responder>& responder) {
  const Call call{request, raw, user, kinds, responder};
  if (request.verb == Verb::kWatch) return watches_.open(request, responder);
  if (request.verb == Verb::kList) return list(call);
  if (request.verb == Verb::kDeleteCollection) return remove_all(call);
  // A document of a shape that a step did not expect makes the library throw: it is this request's fault alone.
  try {
    auto result = answer(call);
    if (!result) return send_error(result.error(), *responder);
    if (request.subresource == "log") {  // no container runs here: it has said nothing
      return responder->send({.headers = {{"Content-Type", "text/plain"}}});
    }
    send(call, *result);
  } catch (const Json::exception& e) {
    send_error(bad_request(std::string("the object cannot be handled: ") + e.what()), *responder);
  }
}

Result<ResourceHandler::Answer> ResourceHandler::answer(const Call& call) {
  switch (call.request.verb) {
    case Verb::kGet:
      return get(call);
    case Verb::kCreate:
      return create(call);
    case Verb::kUpdate:
      return update(call);
    case Verb::kPatch:
      return patch(call);
    default:
      return remove(call);
  }
}

void ResourceHandler::send(const Call& call, const Answer& answer) const {
  const OutputFormat& format = call.request.output;
  http::Response response{.status = answer.status,
                          .headers = {{"Content-Type", content_type(format)}, {"Cache-Control", "no-cache, private"}}};
  if (call.kind().kind == "Endpoints" && call.kind().id.group.empty()) {
    response.headers.add("Warning", "299 - " + quote("v1 Endpoints is deprecated in v1.33+; use discovery.k8s.io/v1 "
                                                     "EndpointSlice"));
  }
  for (const std::string& warning : answer.warnings) response.headers.add("Warning", "299 - " + quote(warning));
  response.body = answer.object ? object_body(call.kind(), *answer.object, format, api_.clock().wall_now())
                                : body_text(*answer.other, format);
  call.responder->send(std::move(response));
}

Result<ResourceHandler::Answer> ResourceHandler::get(const Call& call) {
  const ApiRequest& request = call.request;
  if (request.kind->kind == "ComponentStatus") {
    for (const Json& item : component_statuses()["items"]) {
      if (json::string_or(item, {"metadata", "name"}, "") != request.name) continue;
      Json one = item;
      one["kind"] = "ComponentStatus";
      one["apiVersion"] = "v1";
      return Answer{.other = std::make_shared<const Json>(std::move(one))};
    }
    return fail("", not_found(group_resource(call.kind()), request.name));
  }
  if (request.subresource == "scale") {
    TRY_ASSIGN(Json scale, "", get_scale(api_, call.kind(), request.name_space, request.name));
    return Answer{.other = std::make_shared<const Json>(std::move(scale))};
  }
  if (request.subresource == "exec" || request.subresource == "attach" || request.subresource == "portforward" ||
      request.subresource == "proxy") {
    return fail("", bad_request("the sandbox runs no containers: there is nothing to connect to"));
  }
  TRY_ASSIGN(ObjectPtr object, "", api_.get(call.kind(), request.name_space, request.name));
  return Answer{.object = std::move(object)};
}

namespace {

// A body for a subresource with a kind of its own may leave the kind out, but not be another.
Status check_subresource_type(const KindInfo& kind, const std::string& subresource, const Json& body) {
  const SubresourceInfo info = subresource_info(kind, subresource);
  const auto given = k8s::kind_of(json::string_or(body, {"apiVersion"}, ""), json::string_or(body, {"kind"}, ""));
  if (given.kind.empty() || info.kind.empty() || given.kind == info.kind) return {};
  const std::string group = info.group.empty() ? "core" : info.group.substr(0, info.group.find('.'));
  return fail("", bad_request(fmt::format("{} in version {} cannot be handled as a {}: converting ({}.{}) to ({}.{}): "
                                          "unknown conversion",
                                          given.kind, quote(given.version), info.kind, given.version, given.kind, group,
                                          info.kind)));
}

}  // namespace

Result<Json> ResourceHandler::read_body(const Call& call, std::vector<std::string>& warnings) const {
  TRY_ASSIGN(const BodyFormat format, "", body_format(call.raw));
  const std::string& subresource = call.request.subresource;
  const std::string what = subresource.empty() ? call.kind().kind : subresource_info(call.kind(), subresource).kind;
  TRY_ASSIGN(Json body, "", parse_body(call.raw.body, format, what));
  if (!subresource.empty() && subresource != "status") TRY("", check_subresource_type(call.kind(), subresource, body));
  if (format == BodyFormat::kJson && call.request.field_validation != FieldValidation::kIgnore) {
    std::vector<std::string> twice = duplicate_fields(call.raw.body);
    for (std::string& path : twice) path = "duplicate field " + quote(path);
    TRY("", report_fields(call.kind(), twice, call.request.field_validation, &warnings));
  }
  return body;
}

Result<ResourceHandler::Answer> ResourceHandler::create(const Call& call) {
  const ApiRequest& request = call.request;
  std::vector<std::string> warnings;
  TRY_ASSIGN(Json body, "", read_body(call, warnings));
  if (!request.subresource.empty()) return create_subresource(call, std::move(body));
  if (!request.kind->is_stored()) {
    if (request.kind->kind == "Binding") {
      const std::string name = json::string_or(body, {"metadata", "name"}, "");
      TRY_ASSIGN(Json done, "", bind_pod(api_, request.name_space, name, body, request.dry_run));
      return Answer{.status = 201, .other = std::make_shared<const Json>(std::move(done))};
    }
    TRY("", check_type(*call.kinds, call.kind(), body));
    if (!body.contains("metadata")) body["metadata"] = Json::object();
    if (body.contains("spec") && request.kind->kind != "SelfSubjectRulesReview") {
      track_update(call.kind(), Json::object(), body,
                   {request.field_manager, to_string(request.kind->id.group_version()), "",
                    format_rfc3339(api_.clock().wall_now())});
    }
    TRY_ASSIGN(Json done, "",
               answer_review(call.kind(), request.name_space, std::move(body), call.user, authenticator_,
                             api_.clock().wall_now()));
    return Answer{.status = 201, .other = std::make_shared<const Json>(std::move(done))};
  }
  TRY_ASSIGN(ObjectPtr object, "",
             api_.create(call.kind(), request.name_space, std::move(body), call.write_options(warnings)));
  return Answer{.status = 201, .object = std::move(object), .warnings = std::move(warnings)};
}

Result<ResourceHandler::Answer> ResourceHandler::create_subresource(const Call& call, Json body) {
  const ApiRequest& request = call.request;
  Result<Json> done = fail("", bad_request("the sandbox runs no containers: there is nothing to connect to"));
  if (request.subresource == "binding") {
    done = bind_pod(api_, request.name_space, request.name, body, request.dry_run);
  } else if (request.subresource == "eviction") {
    done = evict_pod(api_, request.name_space, request.name, body, request.dry_run);
  } else if (request.subresource == "token") {
    done = request_token(api_, authenticator_, request.name_space, request.name, std::move(body));
  }
  TRY("", done);
  return Answer{.status = 201, .other = std::make_shared<const Json>(*std::move(done))};
}

Result<ResourceHandler::Answer> ResourceHandler::update(const Call& call) {
  const ApiRequest& request = call.request;
  std::vector<std::string> warnings;
  TRY_ASSIGN(Json body, "", read_body(call, warnings));
  if (request.subresource == "scale") {
    TRY_ASSIGN(Json scale, "",
               write_scale(
                   api_, call.kind(), request.name_space, request.name,
                   [&](const Json&) -> Result<Json> { return body; }, call.write_options(warnings)));
    return Answer{.other = std::make_shared<const Json>(std::move(scale))};
  }
  if (request.subresource == "finalize") {
    TRY_ASSIGN(Written done, "", finalize_namespace(api_, request.name, body, request.dry_run));
    return Answer{.object = std::move(done.object)};
  }
  TRY_ASSIGN(Written done, "",
             api_.update(call.kind(), request.name_space, request.name, std::move(body), call.write_options(warnings)));
  return Answer{
      .status = done.was_created ? 201 : 200, .object = std::move(done.object), .warnings = std::move(warnings)};
}

Result<ResourceHandler::Answer> ResourceHandler::patch(const Call& call) {
  const ApiRequest& request = call.request;
  TRY_ASSIGN(const PatchType type, "", patch_type(call.raw, call.kind()));
  TRY("", check_patch_options(request, type));
  TRY_ASSIGN(const Json body, "", parse_patch(call.raw.body, type));
  std::vector<std::string> warnings;
  if (request.subresource == "scale") {
    TRY_ASSIGN(Json scale, "",
               write_scale(
                   api_, call.kind(), request.name_space, request.name,
                   [&](const Json& now) -> Result<Json> {
                     return patched(now, type == PatchType::kJson ? type : PatchType::kMerge, body);
                   },
                   call.write_options(warnings)));
    return Answer{.other = std::make_shared<const Json>(std::move(scale))};
  }
  WriteOptions options = call.write_options(warnings);
  if (request.field_validation != FieldValidation::kIgnore && type != PatchType::kApply) {
    options.field_problems = duplicate_fields(call.raw.body);
    for (std::string& path : options.field_problems) path = "duplicate field " + quote(path);
  }
  TRY_ASSIGN(Written done, "", api_.patch(call.kind(), request.name_space, request.name, type, body, options));
  return Answer{
      .status = done.was_created ? 201 : 200, .object = std::move(done.object), .warnings = std::move(warnings)};
}

Result<ResourceHandler::Answer> ResourceHandler::remove(const Call& call) {
  const ApiRequest& request = call.request;
  TRY_ASSIGN(const DeleteOptions options, "", read_delete_options(*call.kinds, request, call.raw));
  TRY_ASSIGN(Removed removed, "", api_.remove(call.kind(), request.name_space, request.name, options));
  Answer out;
  if (request.kind->id.group == "batch" && request.kind->kind == "Job" && options.propagation.empty() &&
      !options.orphan_dependents) {
    out.warnings.emplace_back(
        "child pods are preserved by default when jobs are deleted; set propagationPolicy=Background to remove them or "
        "set propagationPolicy=Orphan to suppress this warning");
  }
  if (!removed.is_gone || returns_deleted_object(call.kind())) {
    const bool is_pending = !removed.is_gone && options.orphan_dependents && !*options.orphan_dependents;
    out.status = is_pending ? 202 : 200;
    out.object = std::move(removed.object);
    return out;
  }
  out.other =
      std::make_shared<const Json>(success_document(group_resource(call.kind()), request.name, removed.object->uid));
  return out;
}

void ResourceHandler::list(const Call& call) {
  const ApiRequest& request = call.request;
  if (request.kind->kind == "ComponentStatus") {
    return send(call, Answer{.other = std::make_shared<const Json>(component_statuses())});
  }
  auto page = list_page(api_.store(), call.kind(), request.name_space, request.list);
  if (!page) return send_error(page.error(), *call.responder);
  send_page(request.kind, *std::move(page), request.output, api_.clock().wall_now(), pool_, call.responder);
}

void ResourceHandler::remove_all(const Call& call) {
  const ApiRequest& request = call.request;
  const auto options = read_delete_options(*call.kinds, request, call.raw);
  if (!options) return send_error(options.error(), *call.responder);
  auto page = list_page(api_.store(), call.kind(), request.name_space, request.list);
  if (!page) return send_error(page.error(), *call.responder);
  for (const ObjectPtr& object : page->objects) {
    // Only what the list showed: an object that was made anew meanwhile is another one.
    DeleteOptions one = *options;
    if (one.uid.empty()) one.uid = object->uid;
    const auto removed = api_.remove(call.kind(), object->name_space(), object->name(), one);
    if (!removed && removed.error().code() != Code::kNotFound && removed.error().code() != Code::kConflict) {
      return send_error(removed.error(), *call.responder);
    }
  }
  send_page(request.kind, *std::move(page), request.output, api_.clock().wall_now(), pool_, call.responder);
}

}  // namespace landfall::sandbox
