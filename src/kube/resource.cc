#include "kube/resource.h"

#include "base/strings.h"
#include "json/access.h"
#include "json/json.h"
#include "json/parse.h"
#include "k8s/object_view.h"
#include "k8s/rest_path.h"
#include "kube/page_walk.h"

namespace landfall::kube {
namespace {

io::QueryParameters write_query(const WriteOptions& options) {
  io::QueryParameters query;
  if (options.dry_run) {
    query.emplace_back("dryRun", "All");
  }
  if (!options.field_manager.empty()) {
    query.emplace_back("fieldManager", options.field_manager);
  }
  if (!options.field_validation.empty()) {
    query.emplace_back("fieldValidation", options.field_validation);
  }
  if (options.force) {
    query.emplace_back("force", "true");
  }
  return query;
}

std::string content_type_of(PatchType type) {
  switch (type) {
    case PatchType::kJson:
      return "application/json-patch+json";
    case PatchType::kMerge:
      return "application/merge-patch+json";
    case PatchType::kStrategic:
      return "application/strategic-merge-patch+json";
    case PatchType::kApply:
      return "application/apply-patch+yaml";
  }
  return "application/json";
}

std::string delete_body(const DeleteOptions& options) {
  json::Json body = {{"apiVersion", "v1"}, {"kind", "DeleteOptions"}};
  switch (options.propagation) {
    case Propagation::kServerDefault:
      break;
    case Propagation::kOrphan:
      body["propagationPolicy"] = "Orphan";
      break;
    case Propagation::kBackground:
      body["propagationPolicy"] = "Background";
      break;
    case Propagation::kForeground:
      body["propagationPolicy"] = "Foreground";
      break;
  }
  if (options.grace_period_seconds) {
    body["gracePeriodSeconds"] = *options.grace_period_seconds;
  }
  if (!options.uid.empty()) {
    body["preconditions"]["uid"] = options.uid;
  }
  if (!options.resource_version.empty()) {
    body["preconditions"]["resourceVersion"] = options.resource_version;
  }
  if (options.dry_run) {
    body["dryRun"] = {"All"};
  }
  return json::dump(body);
}

// Moves a page's items over, each with the type that the list has for all of them: a PodList holds Pods.
Status take_items(json::Json& page, ObjectList& list) {
  const std::string api_version = json::string_or(page, {"apiVersion"}, "");
  const std::string list_kind = json::string_or(page, {"kind"}, "");
  const std::string kind(strip_suffix(list_kind, "List").value_or(list_kind));
  json::Json* items = json::find(page, {"items"});
  if (items == nullptr || (!items->is_array() && !items->is_null())) {
    return fail(Code::kDataLoss, "the answer is not a list: it has no items");
  }
  for (json::Json& item : *items) {
    if (!item.is_object()) {
      return fail(Code::kDataLoss, "the answer is not a list of objects");
    }
    if (!item.contains("kind")) {
      item["apiVersion"] = api_version;
      item["kind"] = kind;
    }
    list.items.push_back(std::move(item));
  }
  return {};
}

}  // namespace

io::QueryParameters selector_query(const ListOptions& options) {
  io::QueryParameters query;
  if (!options.label_selector.empty()) {
    query.emplace_back("labelSelector", options.label_selector);
  }
  if (!options.field_selector.empty()) {
    query.emplace_back("fieldSelector", options.field_selector);
  }
  return query;
}

Resource::Resource(Client& client, k8s::GroupVersionResource resource, std::string name_space)
    : client_(&client), resource_(std::move(resource)), name_space_(std::move(name_space)) {}

Resource Resource::in(std::string name_space) const {
  Resource other = *this;
  other.name_space_ = std::move(name_space);
  return other;
}

Resource Resource::within(Duration timeout) const {
  Resource other = *this;
  other.timeout_ = timeout;
  return other;
}

Result<json::Json> Resource::call(Call call, const std::stop_token& stop) const {
  call.timeout = timeout_;
  TRY_ASSIGN(const Answer answer, "", client_->call(call, stop));
  auto parsed = json::parse(answer.body, {.max_bytes = answer.body.size()});
  if (!parsed) {
    // What the server sends is JSON: if it is not, something between us has cut or changed it.
    return fail(Code::kDataLoss,
                call.method + " " + call.path + ": the answer cannot be read: " + parsed.error().message());
  }
  return parsed;
}

Result<json::Json> Resource::get(const std::string& name, const std::stop_token& stop,
                                 const std::string& subresource) const {
  TRY_ASSIGN(const std::string path, "", k8s::object_path(resource_, name_space_, name, subresource));
  return call({.path = path}, stop);
}

Result<ObjectList> Resource::list(const ListOptions& options, const std::stop_token& stop) const {
  TRY_ASSIGN(const std::string path, "", k8s::collection_path(resource_, name_space_));
  ObjectList list;
  PageWalk walk(options);
  while (!walk.is_ended()) {
    auto page = call({.path = path, .query = walk.query()}, stop);
    if (!page) {
      TRY("", walk.failed(page.error()));
      list.items.clear();
      continue;
    }
    const std::size_t before = list.items.size();
    TRY("GET " + path, take_items(*page, list));
    TRY("GET " + path, walk.took(json::string_or(*page, {"metadata", "continue"}, ""), list.items.size() - before));
    if (list.items.size() > options.max_items) {
      return fail(Code::kTooLarge, "GET " + path + ": more than " + std::to_string(options.max_items) + " objects");
    }
    list.resource_version = json::string_or(*page, {"metadata", "resourceVersion"}, "");
  }
  return list;
}

Result<json::Json> Resource::create(const json::Json& object, const std::stop_token& stop,
                                    const WriteOptions& options) const {
  const k8s::ObjectView view(object);
  // A subresource of an existing object (a pod's eviction, a service account's token) is made below its name.
  TRY_ASSIGN(const std::string path, "",
             options.subresource.empty() ? k8s::collection_path(resource_, name_space_)
                                         : k8s::object_path(resource_, name_space_, view.name(), options.subresource));
  return call({.method = "POST", .path = path, .query = write_query(options), .body = json::dump(object)}, stop);
}

Result<json::Json> Resource::update(const json::Json& object, const std::stop_token& stop,
                                    const WriteOptions& options) const {
  const k8s::ObjectView view(object);
  TRY_ASSIGN(const std::string path, "", k8s::object_path(resource_, name_space_, view.name(), options.subresource));
  return call({.method = "PUT", .path = path, .query = write_query(options), .body = json::dump(object)}, stop);
}

Result<json::Json> Resource::patch(const std::string& name, PatchType type, const json::Json& patch,
                                   const std::stop_token& stop, const WriteOptions& options) const {
  TRY_ASSIGN(const std::string path, "", k8s::object_path(resource_, name_space_, name, options.subresource));
  return call({.method = "PATCH",
               .path = path,
               .query = write_query(options),
               .content_type = content_type_of(type),
               .body = json::dump(patch),
               // The same fields set twice are the same fields: only JSON patches count.
               .is_repeatable = type != PatchType::kJson},
              stop);
}

Result<json::Json> Resource::remove(const std::string& name, const std::stop_token& stop,
                                    const DeleteOptions& options) const {
  TRY_ASSIGN(const std::string path, "", k8s::object_path(resource_, name_space_, name));
  return call({.method = "DELETE", .path = path, .body = delete_body(options)}, stop);
}

Status Resource::remove_all(const ListOptions& which, const std::stop_token& stop, const DeleteOptions& options) const {
  TRY_ASSIGN(const std::string path, "", k8s::collection_path(resource_, name_space_));
  TRY("", call({.method = "DELETE",
                .path = path,
                .query = selector_query(which),
                .body = delete_body(options),
                .is_repeatable = true},
               stop));
  return {};
}

}  // namespace landfall::kube
