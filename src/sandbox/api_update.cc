#include <fmt/format.h>

#include <string>
#include <utility>
#include <vector>

#include "base/quote.h"
#include "base/strings.h"
#include "json/access.h"
#include "json/json.h"
#include "json/parse.h"
#include "json/patch.h"
#include "json/strategic_merge.h"
#include "k8s/object_view.h"
#include "sandbox/api.h"
#include "sandbox/api_error.h"
#include "sandbox/body.h"
#include "sandbox/field_set.h"
#include "sandbox/managed_fields.h"
#include "sandbox/write_steps.h"
#include "sandbox_kinds/convert.h"
#include "sandbox_kinds/defaults.h"
#include "sandbox_kinds/known_fields.h"
#include "sandbox_kinds/prepare.h"
#include "sandbox_kinds/validation.h"

namespace landfall::sandbox {
namespace {

using json::Json;

// How often a change is tried again when others change the same object.
constexpr int kTries = 100;

Status check_name(const Json& next, std::string_view name) {
  const std::string given = json::string_or(next, {"metadata", "name"}, "");
  if (given == name) return {};
  if (given.empty()) {
    return fail("", bad_request(fmt::format(
                        "the name of the object ({} based on URL) was undeterminable: name must be provided", name)));
  }
  return fail(
      "", bad_request(fmt::format("the name of the object ({}) does not match the name on the URL ({})", given, name)));
}

// The revision and the uid that the client has seen, if it says so.
Status check_preconditions(const KindInfo& kind, const StoredObject& before, const Json& next, bool is_update) {
  const k8s::ObjectView view(next);
  if (!view.uid().empty() && view.uid() != before.uid) {
    return fail("",
                conflict(group_resource(kind), before.name(),
                         fmt::format("StorageError: invalid object, Code: 4, Key: /registry/{}/{}, ResourceVersion: "
                                     "0, AdditionalErrorMsg: Precondition failed: UID in precondition: {}, UID in "
                                     "object meta: {}",
                                     kind.is_custom() ? kind.id.group + "/" + kind.id.resource : kind.id.resource,
                                     before.key, view.uid(), before.uid)));
  }
  const std::string_view version = view.resource_version();
  if (version.empty() || version == "0") {
    if (is_update && !allows_unconditional_update(kind)) {
      // As the server has it: the resource where other errors have the kind.
      return fail("", invalid(k8s::GroupKind{kind.id.group, kind.id.resource}, before.name(),
                              {{"FieldValueInvalid", "Invalid value: 0: must be specified for an update",
                                "metadata.resourceVersion"}}));
    }
    return {};
  }
  const auto revision = parse_uint64(version);
  if (!revision) {
    return fail("", server_error("strconv.ParseUint: parsing " + quote(version) + ": invalid syntax"));
  }
  if (*revision != before.revision) return fail("", modified_meanwhile(group_resource(kind), before.name()));
  return {};
}

// A patch whose result is no object of the kind.
Error invalid_patch(const Json& patch, std::string_view why) {
  return invalid(k8s::GroupKind{}, "",
                 {{"FieldValueInvalid", fmt::format("Invalid value: {}: {}", quote(json::dump(patch)), why), "patch"}});
}

// A patch that brings unknown fields is refused in other words than an object that does.
Status check_fields(const KindInfo& kind, Json& next, const WriteOptions& options) {
  if (options.field_validation == FieldValidation::kIgnore) return {};
  const Json given = options.field_validation == FieldValidation::kStrict ? next : Json();
  std::vector<std::string> problems = options.field_problems;
  for (std::string& problem : unknown_fields(kind, next)) problems.push_back(std::move(problem));
  if (problems.empty() || options.field_validation == FieldValidation::kWarn) {
    return report_fields(kind, problems, options.field_validation, options.warnings);
  }
  return fail("", invalid_patch(given, "strict decoding error: " + join(problems, ", ")));
}

// A configuration is applied by its schema: no unknown field, no element of a keyed list twice.
Status check_typed(const KindInfo& kind, std::string_view name, const Json& configuration) {
  std::vector<std::string> faults = repeated_elements(kind, configuration);
  if (!kind.is_custom()) {
    Json known = configuration;
    for (const std::string& field : prune_built_in(kind, known)) {
      faults.push_back(fmt::format(".{}: field not declared in schema", field));
    }
  }
  if (faults.empty()) return {};
  return fail("", server_error(fmt::format("failed to create typed patch object ({}/{}; {}/{}, Kind={}): {}{}",
                                           json::string_or(configuration, {"metadata", "namespace"}, ""), name,
                                           kind.id.group, kind.id.version, kind.kind,
                                           faults.size() == 1 ? "" : "errors:\n  ", fmt::join(faults, "\n  "))));
}

}  // namespace

Result<Json> patched(const Json& live, PatchType type, const Json& patch) {
  switch (type) {
    case PatchType::kJson: {
      auto next = json::apply_json_patch(live, patch);
      if (!next) return fail("", unprocessable());
      return next;
    }
    case PatchType::kMerge: {
      auto next = json::apply_merge_patch(live, patch);
      if (!next) return fail("", bad_request("error decoding patch: " + next.error().message()));
      return next;
    }
    default: {
      auto next = json::apply_strategic_merge_patch(live, patch);
      if (next) return next;
      const std::string& why = next.error().message();
      if (contains(why, "$patch must be") || contains(why, "merge key")) return fail("", server_error(why));
      return fail("", invalid_patch(patch, why));
    }
  }
}

Result<Json> Api::next_state(const KindInfo& kind, const StoredObject& before, const Json& live, Json next, bool track,
                             const WriteOptions& options) {
  next["apiVersion"] = to_string(kind.id.group_version());
  next["kind"] = kind.kind;
  const bool is_status = options.subresource == "status";
  TRY("", prune_unknown(kind, next, options));
  set_defaults(kind, next);
  if (is_status && !kind.is_custom()) write_missing_times(kind, next);
  if (kind.kind == "Namespace" && kind.id.group.empty()) admit(kind, next);
  // Who set what is read off what was sent, not off what the server carries over from the live object.
  Json sent = track && !is_status ? next : Json();
  prepare_for_update(kind, live, next, is_status);
  next["metadata"]["resourceVersion"] = std::to_string(before.revision);
  if (kind.kind == "Service" && kind.id.group.empty() && !is_status) {
    const Causes causes = addresses_.allocate(next, &live, options.dry_run);
    if (!causes.empty()) return fail("", invalid(kind, before.name(), causes));
  }
  if (track) {
    if (is_status) {
      sent = next;
    } else if (kind.has_status) {
      const auto status = live.find("status");
      sent.erase("status");
      if (status != live.end()) sent["status"] = *status;
    }
    // Entries of the scale subresource have no time, as in Kubernetes.
    track_update(kind, live, sent,
                 {options.manager, to_string(kind.id.group_version()), options.subresource,
                  options.subresource == "scale" ? std::string() : now_text()});
    const Json* managers = json::find(sent, {"metadata", "managedFields"});
    next["metadata"].erase("managedFields");
    if (managers != nullptr) next["metadata"]["managedFields"] = *managers;
  }
  if (const Causes causes = validate_update(kind, live, next, is_status); !causes.empty()) {
    if (kind.kind == "Service") addresses_.settle(before.key);
    return fail("", invalid(kind, before.name(), causes));
  }
  return next;
}

Result<std::optional<Written>> Api::commit(const KindInfo& kind, const ObjectPtr& before, const Json& live,
                                           const Json& next, bool dry_run) {
  if (next == live) return std::optional<Written>(Written{.object = before});
  Json stored = next;
  convert_to_storage(kind, stored);
  StoredObject draft = encode(stored);
  if (dry_run) return std::optional<Written>(Written{.object = with_revision(std::move(draft), before->revision)});
  if (is_ready_to_go(kind, live, next)) {
    if (!store_.remove(kind.storage, before)) return std::optional<Written>();
    return std::optional<Written>(Written{.object = with_revision(std::move(draft), before->revision)});
  }
  auto updated = store_.update(kind.storage, before, std::move(draft));
  if (!updated) return std::optional<Written>();  // someone was faster
  return std::optional<Written>(Written{.object = *updated});
}

Result<Written> Api::change(const KindInfo& kind, std::string_view name_space, std::string_view name,
                            const Transform& transform, bool track, const WriteOptions& options) {
  for (int attempt = 0; attempt < kTries; ++attempt) {
    TRY_ASSIGN(const ObjectPtr before, "", get(kind, name_space, name));
    const Json live = decode(kind, *before);
    TRY_ASSIGN(Json next, "", transform(live));
    TRY("", check_type(*registry_.kinds(), kind, next));
    if (!next.contains("metadata") || !next["metadata"].is_object()) next["metadata"] = Json::object();
    TRY("", check_namespace(kind, name_space, next["metadata"]));
    TRY("", check_name(next, name));
    TRY("", check_preconditions(kind, *before, next, track));
    // Deferred warnings belong to the last attempt only.
    if (options.warnings != nullptr && attempt > 0) options.warnings->clear();
    TRY_ASSIGN(const Json final_state, "", next_state(kind, *before, live, std::move(next), track, options));
    TRY_ASSIGN(std::optional<Written> written, "", commit(kind, before, live, final_state, options.dry_run));
    if (written) return *written;
  }
  return fail("", modified_meanwhile(group_resource(kind), name));
}

Result<Written> Api::update(const KindInfo& kind, std::string_view name_space, std::string_view name, Json object,
                            const WriteOptions& options) {
  TRY("", check_type(*registry_.kinds(), kind, object));
  if (allows_create_on_update(kind) && options.subresource.empty() && !store_.get(kind.storage, name_space, name)) {
    if (!object.contains("metadata") || !object["metadata"].is_object()) object["metadata"] = Json::object();
    TRY("", check_namespace(kind, name_space, object["metadata"]));
    TRY("", check_name(object, name));
    object["metadata"].erase("resourceVersion");
    TRY_ASSIGN(ObjectPtr created, "", create(kind, name_space, std::move(object), options));
    return Written{.object = std::move(created), .was_created = true};
  }
  return change(kind, name_space, name, [&](const Json&) -> Result<Json> { return object; }, true, options);
}

Result<Written> Api::modify(const KindInfo& kind, std::string_view name_space, std::string_view name,
                            const Change& change_it, const WriteOptions& options) {
  return change(
      kind, name_space, name,
      [&](const Json& live) -> Result<Json> {
        Json next = live;
        TRY("", change_it(next));
        return next;
      },
      true, options);
}

Result<Written> Api::rewrite(const KindInfo& kind, std::string_view name_space, std::string_view name,
                             const Change& change_it, bool dry_run) {
  for (int attempt = 0; attempt < kTries; ++attempt) {
    TRY_ASSIGN(const ObjectPtr before, "", get(kind, name_space, name));
    const Json live = decode(kind, *before);
    Json next = live;
    TRY("", change_it(next));
    TRY_ASSIGN(std::optional<Written> written, "", commit(kind, before, live, next, dry_run));
    if (written) return *written;
  }
  return fail("", modified_meanwhile(group_resource(kind), name));
}

Result<Written> Api::patch(const KindInfo& kind, std::string_view name_space, std::string_view name, PatchType type,
                           const Json& patch, const WriteOptions& options) {
  if (type == PatchType::kApply) return apply(kind, name_space, name, patch, options);
  return change(
      kind, name_space, name,
      [&](const Json& live) -> Result<Json> {
        TRY_ASSIGN(Json next, "", patched(live, type, patch));
        if (const Status fits = check_type(*registry_.kinds(), kind, next); !fits) {
          return fail("", invalid_patch(next, fits.error().message()));
        }
        TRY("", check_fields(kind, next, options));
        return next;
      },
      true, options);
}

Result<Written> Api::apply(const KindInfo& kind, std::string_view name_space, std::string_view name,
                           const Json& configuration, const WriteOptions& options) {
  const auto given =
      k8s::kind_of(json::string_or(configuration, {"apiVersion"}, ""), json::string_or(configuration, {"kind"}, ""));
  if (given != kind.group_version_kind()) return fail("", bad_request("invalid object type: " + to_string(given)));
  TRY("", check_type(*registry_.kinds(), kind, configuration));
  if (json::has(configuration, {"metadata", "managedFields"})) {
    return fail("", bad_request("metadata.managedFields must be nil"));
  }
  TRY("", check_typed(kind, name, configuration));
  const FieldManager manager{options.manager, to_string(kind.id.group_version()), options.subresource, now_text()};
  for (int attempt = 0; attempt < kTries; ++attempt) {
    if (store_.get(kind.storage, name_space, name)) {
      auto written = change(
          kind, name_space, name,
          [&](const Json& live) -> Result<Json> {
            TRY_ASSIGN(Json next, "", apply_configuration(kind, live, configuration, manager, options.force));
            return next;
          },
          false, options);
      if (written || written.error().code() != Code::kNotFound) return written;
    }
    Json fresh = configuration;
    if (json::string_or(fresh, {"metadata", "name"}, "").empty()) fresh["metadata"]["name"] = name;
    TRY("", check_name(fresh, name));
    if (const std::string uid = json::string_or(fresh, {"metadata", "uid"}, ""); !uid.empty()) {
      return fail("", conflict(group_resource(kind), name,
                               "uid mismatch: the provided object specified uid " + uid +
                                   ", and no existing object was "
                                   "found"));
    }
    TRY_ASSIGN(Json prepared, "", prepare_new(kind, name_space, std::move(fresh), options));
    TRY_ASSIGN(const Json owned, "", apply_configuration(kind, Json::object(), configuration, manager, options.force));
    if (const Json* managers = json::find(owned, {"metadata", "managedFields"})) {
      prepared["metadata"]["managedFields"] = *managers;
    }
    auto created = store_new(kind, std::move(prepared), options);
    if (created) return Written{.object = *created, .was_created = true};
    if (created.error().code() != Code::kAlreadyExists) return fail("", std::move(created).error());
  }
  return fail("", modified_meanwhile(group_resource(kind), name));
}

}  // namespace landfall::sandbox
