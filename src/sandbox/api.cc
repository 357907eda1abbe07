#include "sandbox/api.h"

#include <algorithm>
#include <array>
#include <utility>

#include "base/rfc3339.h"
#include "base/strings.h"
#include "json/access.h"
#include "json/json.h"
#include "k8s/object_view.h"
#include "sandbox/api_error.h"
#include "sandbox/body.h"
#include "sandbox/managed_fields.h"
#include "sandbox/write_steps.h"
#include "sandbox_kinds/convert.h"
#include "sandbox_kinds/crd_schema.h"
#include "sandbox_kinds/defaults.h"
#include "sandbox_kinds/prepare.h"
#include "sandbox_kinds/prepare_kinds.h"
#include "sandbox_kinds/validation.h"

namespace landfall::sandbox {
namespace {

using json::Json;

// Of a generated name, and how often another is tried.
constexpr std::size_t kGeneratedBase = 58;
constexpr int kNameTries = 8;

// What a client may not say about a new object.
void wipe_system_fields(Json& metadata) {
  for (const char* field :
       {"deletionTimestamp", "deletionGracePeriodSeconds", "selfLink", "uid", "creationTimestamp", "resourceVersion"}) {
    metadata.erase(field);
  }
}

// Zero stands for no version, and so does what is no number.
bool sets_version(const Json& metadata) {
  return parse_uint64(json::string_or(metadata, {"resourceVersion"}, "")).value_or(0) != 0;
}

}  // namespace

k8s::GroupResource group_resource(const KindInfo& kind) { return kind.id.group_resource(); }

Api::Api(Store& store, Registry& registry, Clock& clock, Random& random)
    : store_(store), registry_(registry), clock_(clock), random_(random), addresses_(store, random) {}

std::string Api::now_text() const { return format_rfc3339(clock_.wall_now()); }

Result<ObjectPtr> Api::get(const KindInfo& kind, std::string_view name_space, std::string_view name) const {
  ObjectPtr object = store_.get(kind.storage, name_space, name);
  if (!object) return fail("", not_found(group_resource(kind), name));
  return object;
}

Result<Json> Api::read(const KindInfo& kind, std::string_view name_space, std::string_view name) const {
  TRY_ASSIGN(const ObjectPtr object, "", get(kind, name_space, name));
  return decode(kind, *object);
}

Status Api::admit_new(const KindInfo& kind, std::string_view name_space, std::string_view name) const {
  if (!kind.is_namespaced) return {};
  static const k8s::GroupResource kNamespaces{"", "namespaces"};
  const ObjectPtr home = store_.get(kNamespaces, "", name_space);
  if (!home) return fail("", not_found(kNamespaces, name_space));
  if (!home->is_deleting) return {};
  const std::string where(name_space);
  return fail("", forbidden_by(
                      group_resource(kind), name,
                      "unable to create new content in namespace " + where + " because it is being terminated",
                      {{"NamespaceTerminating", "namespace " + where + " is being terminated", "metadata.namespace"}}));
}

Result<Json> Api::prepare_new(const KindInfo& kind, std::string_view name_space, Json object,
                              const WriteOptions& options) {
  TRY("", check_type(*registry_.kinds(), kind, object));
  object["apiVersion"] = to_string(kind.id.group_version());
  object["kind"] = kind.kind;
  if (!object.contains("metadata") || object["metadata"].is_null()) object["metadata"] = Json::object();
  Json& metadata = object["metadata"];
  if (sets_version(metadata)) {
    return fail("", server_error("resourceVersion should not be set on objects to be created"));
  }
  wipe_system_fields(metadata);
  TRY("", check_namespace(kind, name_space, metadata));
  TRY("", prune_unknown(kind, object, options));
  set_defaults(kind, object);
  return object;
}

Result<ObjectPtr> Api::create(const KindInfo& kind, std::string_view name_space, Json object,
                              const WriteOptions& options) {
  TRY_ASSIGN(Json fresh, "", prepare_new(kind, name_space, std::move(object), options));
  // The label of a namespace counts as its creator's; what admission adds elsewhere does not.
  if (kind.kind == "Namespace" && kind.id.group.empty()) admit(kind, fresh);
  // So do the annotation that counts the templates of a daemon set, and the second form of a node's range.
  if (kind.kind == "DaemonSet" || kind.kind == "Node") prepare_kind_for_create(kind, fresh);
  if (kind.kind == "Service" && kind.id.group.empty() && options.warnings != nullptr &&
      json::string_or(fresh, {"spec", "clusterIP"}, "") == "None" &&
      json::string_or(fresh, {"spec", "sessionAffinity"}, "None") != "None") {
    options.warnings->emplace_back("spec.SessionAffinity is ignored for headless services");
  }
  Json tracked = fresh;
  if (kind.has_status) tracked.erase("status");
  track_update(kind, Json::object(), tracked,
               {options.manager, to_string(kind.id.group_version()), options.subresource, now_text()});
  if (const Json* managers = json::find(tracked, {"metadata", "managedFields"})) {
    fresh["metadata"]["managedFields"] = *managers;
  } else {
    fresh["metadata"].erase("managedFields");
  }
  return store_new(kind, std::move(fresh), options);
}

Result<ObjectPtr> Api::store_new(const KindInfo& kind, Json object, const WriteOptions& options) {
  const std::string base = json::string_or(object, {"metadata", "generateName"}, "");
  const std::string given = json::string_or(object, {"metadata", "name"}, "");
  const std::string name_space = json::string_or(object, {"metadata", "namespace"}, "");
  TRY("", admit_new(kind, name_space, given));
  Json& metadata = object["metadata"];
  metadata["uid"] = uuid4(random_);
  metadata["creationTimestamp"] = now_text();
  admit(kind, object);
  prepare_for_create(kind, object);
  const bool is_service = kind.kind == "Service" && kind.id.group.empty();
  for (int attempt = 0; attempt < kNameTries; ++attempt) {
    if (given.empty() && !base.empty()) metadata["name"] = base.substr(0, kGeneratedBase) + name_suffix(random_);
    const std::string name = json::string_or(metadata, {"name"}, "");
    if (const Causes causes = validate_create(kind, object); !causes.empty()) {
      return fail("", invalid(kind, name, causes));
    }
    // A name that is taken is refused as such, whatever addresses are asked for.
    if (const ObjectPtr there = store_.get(kind.storage, name_space, name)) {
      if (given.empty() && !base.empty()) continue;
      return fail("", already_exists(group_resource(kind), name, there->is_deleting));
    }
    if (is_service) {
      const Causes causes = addresses_.allocate(object, nullptr, options.dry_run);
      if (!causes.empty()) return fail("", invalid(kind, name, causes));
    }
    Json stored = object;
    convert_to_storage(kind, stored);
    StoredObject draft = encode(stored);
    if (options.dry_run) return without_revision(std::move(draft));
    const std::string key = draft.key;
    if (auto created = store_.create(kind.storage, std::move(draft))) return *created;
    if (is_service) addresses_.settle(key);
    if (given.empty() && !base.empty()) continue;
    return fail("", already_exists(group_resource(kind), name));
  }
  return fail("", already_exists(group_resource(kind), json::string_or(metadata, {"name"}, "")));
}

}  // namespace landfall::sandbox
