#include "item_actions/restore_csi_snapshot_actions.h"

#include <map>
#include <string>
#include <utility>

#include "api/labels.h"
#include "item_actions/restore_csi_names.h"
#include "item_actions/restore_draft.h"
#include "item_actions/restore_function_action.h"
#include "item_actions/restore_lookup.h"
#include "json/access.h"
#include "json/json.h"
#include "k8s/object_view.h"
#include "kube/resource.h"

namespace landfall::item_actions {
namespace {

using extension::RestoreActionInput;
using extension::RestoreActionResult;
using json::Json;

RestoreActionResult skipped() {
  RestoreActionResult result;
  result.skip = true;
  return result;
}

// Both parts of the secret's name must be noted.
void add_secret(const Json& item, const std::string& name_key, const std::string& name_space_key,
                RestoreActionResult& result) {
  const k8s::StringMapView notes = k8s::ObjectView(item).annotations();
  const auto name = notes.get(name_key);
  const auto name_space = notes.get(name_space_key);
  if (!name || !name_space) return;
  result.additional.push_back(
      {.resource = {"", "secrets"}, .name_space = std::string(*name_space), .name = std::string(*name)});
}

class SnapshotRestoreAction final : public extension::RestoreItemAction {
 public:
  SnapshotRestoreAction(const api::RestoreSpec& spec, std::unique_ptr<GroupSnapshotStubs> stubs, Logger log)
      : spec_(spec), stubs_(std::move(stubs)), log_(std::move(log)) {}

  std::string name() const override { return "velero.io/csi-volumesnapshot-restorer"; }
  extension::ActionScope scope() const override {
    return {.included_resources = {"volumesnapshots.snapshot.storage.k8s.io"}};
  }
  bool changes_cluster() const override { return true; }

  Result<RestoreActionResult> execute(const RestoreActionInput& input, const std::stop_token& stop) override {
    if (!spec_.restore_volumes.value_or(true)) return skipped();
    const std::string* content = json::find_string(input.from_backup, {"status", "boundVolumeSnapshotContentName"});
    if (content == nullptr) {
      return fail(Code::kInvalid, "the VolumeSnapshot in the backup is bound to no VolumeSnapshotContent");
    }
    // Before the content is there: from then on the snapshot controller looks for the group.
    if (const Status made = stubs_->ensure(input.from_backup, input.restore, stop); !made) {
      if (made.error().code() == Code::kCancelled) return fail("", made.error());
      log_.warning("cannot make a stand-in for the group of a volume snapshot: " + made.error().message());
    }

    const std::string name = restored_snapshot_name(input.restore, k8s::ObjectView(input.from_backup).name());
    Draft snapshot(input.item);
    TRY("", snapshot.set({"metadata", "name"}, name));
    TRY("", snapshot.set({"metadata", "annotations", api::annotation::kSnapshotDeletionPolicy}, "Retain"));
    TRY("", snapshot.set({"metadata", "annotations", api::annotation::kMustRestoreAdditionalItems}, "true"));
    TRY("", snapshot.set({"spec", "source", "volumeSnapshotContentName"}, name));
    snapshot.erase({"spec", "source", "persistentVolumeClaimName"});
    snapshot.erase({"spec", "volumeSnapshotClassName"});

    RestoreActionResult result;
    result.additional.push_back({.resource = {kSnapshotGroup, "volumesnapshotcontents"}, .name = *content});
    result.changed = snapshot.take();
    return result;
  }

 private:
  const api::RestoreSpec& spec_;
  const std::unique_ptr<GroupSnapshotStubs> stubs_;
  const Logger log_;
};

class ContentRestoreAction final : public extension::RestoreItemAction {
 public:
  ContentRestoreAction(kube::Client& client, const api::RestoreSpec& spec, Logger log)
      : client_(client), spec_(spec), log_(std::move(log)) {}

  std::string name() const override { return "velero.io/csi-volumesnapshotcontent-restorer"; }
  extension::ActionScope scope() const override {
    return {.included_resources = {"volumesnapshotcontents.snapshot.storage.k8s.io"}};
  }

  Result<RestoreActionResult> execute(const RestoreActionInput& input, const std::stop_token& stop) override {
    if (!spec_.restore_volumes.value_or(true)) return skipped();
    Draft content(input.item);
    TRY("", point_at_snapshot(input, content));
    TRY_ASSIGN(const std::string snapshot_class, "",
               class_of(json::string_or(input.item, {"spec", "driver"}, ""), stop));
    if (snapshot_class.empty()) {
      content.erase({"spec", "volumeSnapshotClassName"});
    } else {
      TRY("", content.set({"spec", "volumeSnapshotClassName"}, snapshot_class));
    }
    RestoreActionResult result;
    add_secret(input.item, "csi.storage.k8s.io/snapshotter-secret-name",
               "csi.storage.k8s.io/snapshotter-secret-namespace", result);
    result.changed = content.take();
    return result;
  }

 private:
  using Classes = std::map<std::string, std::string>;  // driver → the first class of it

  Status point_at_snapshot(const RestoreActionInput& input, Draft& content) const {
    const std::string* handle = json::find_string(input.from_backup, {"status", "snapshotHandle"});
    if (handle == nullptr) {
      return fail(Code::kInvalid, "the VolumeSnapshotContent in the backup has no status.snapshotHandle");
    }
    const std::string name = restored_snapshot_name(
        input.restore, json::string_or(input.from_backup, {"spec", "volumeSnapshotRef", "name"}, ""));
    TRY("", content.set({"metadata", "name"}, name));
    TRY("", content.set({"spec", "volumeSnapshotRef", "name"}, name));
    const std::string name_space = json::string_or(input.item, {"spec", "volumeSnapshotRef", "namespace"}, "");
    if (const auto mapped = spec_.namespace_mapping.find(name_space); mapped != spec_.namespace_mapping.end()) {
      TRY("", content.set({"spec", "volumeSnapshotRef", "namespace"}, mapped->second));
    }
    content.erase({"spec", "volumeSnapshotRef", "resourceVersion"});
    content.erase({"spec", "volumeSnapshotRef", "uid"});
    TRY("", content.set({"spec", "deletionPolicy"}, "Retain"));
    TRY("", content.set({"spec", "source", "snapshotHandle"}, *handle));
    content.erase({"spec", "source", "volumeHandle"});
    return {};
  }

  // Empty when there is none, or when the classes cannot be listed, which is only logged.
  Result<std::string> class_of(const std::string& driver, const std::stop_token& stop) {
    TRY_ASSIGN(const std::shared_ptr<const Classes> classes, "list the VolumeSnapshotClasses",
               classes_.get(client_.clock(), stop, [&] { return list(stop); }));
    const auto found = classes->find(driver);
    return found == classes->end() ? std::string() : found->second;
  }

  Result<Classes> list(const std::stop_token& stop) const {
    Classes classes;
    const auto found = kube::Resource(client_, {kSnapshotGroup, "v1", "volumesnapshotclasses"}).list({}, stop);
    if (!found) {
      if (found.error().code() == Code::kCancelled) return tl::unexpected(found.error());
      log_.warning("cannot list VolumeSnapshotClasses, contents are restored without a class: " +
                   found.error().message());
      return classes;
    }
    for (const Json& item : found->items) {
      classes.try_emplace(json::string_or(item, {"driver"}, ""), k8s::ObjectView(item).name());
    }
    return classes;
  }

  kube::Client& client_;
  const api::RestoreSpec& spec_;
  const Logger log_;
  Lookup<Classes> classes_;
};

}  // namespace

std::unique_ptr<extension::RestoreItemAction> make_restore_snapshot_action(const api::RestoreSpec& spec,
                                                                           std::unique_ptr<GroupSnapshotStubs> stubs,
                                                                           Logger log) {
  return std::make_unique<SnapshotRestoreAction>(spec, std::move(stubs), std::move(log));
}

std::unique_ptr<extension::RestoreItemAction> make_restore_snapshot_class_action(const api::RestoreSpec& spec) {
  return make_function_action("velero.io/csi-volumesnapshotclass-restorer",
                              "volumesnapshotclasses.snapshot.storage.k8s.io",
                              [&spec](const RestoreActionInput& input) {
                                if (!spec.restore_volumes.value_or(true)) return skipped();
                                RestoreActionResult result;
                                add_secret(input.item, "csi.storage.k8s.io/snapshotter-list-secret-name",
                                           "csi.storage.k8s.io/snapshotter-list-secret-namespace", result);
                                return result;
                              });
}

std::unique_ptr<extension::RestoreItemAction> make_restore_snapshot_content_action(kube::Client& client,
                                                                                   const api::RestoreSpec& spec,
                                                                                   Logger log) {
  return std::make_unique<ContentRestoreAction>(client, spec, std::move(log));
}

}  // namespace landfall::item_actions
