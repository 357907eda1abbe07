#include "item_actions/restore_group_snapshot.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "api/labels.h"
#include "item_actions/restore_csi_names.h"
#include "json/access.h"
#include "json/json.h"
#include "k8s/names.h"
#include "k8s/object_view.h"

namespace landfall::item_actions {
namespace {

using json::Json;

constexpr const char* kGroup = "groupsnapshot.storage.k8s.io";

// Longer than it takes for all snapshots of a group; whoever calls ends by the client's deadlines.
constexpr Duration kPatience = std::chrono::minutes(10);

kube::Resource group_resource(kube::Client& client, const kube::Discovery& discovery, const char* plural) {
  const kube::ApiResource* served = discovery.find(k8s::GroupResource{kGroup, plural});
  // Velero's version, where nobody knows: the definitions may be restored only after the discovery.
  return {client, served != nullptr ? served->id : k8s::GroupVersionResource{kGroup, "v1beta2", plural}};
}

std::string note_of(const Json& snapshot, std::string_view annotation) {
  return std::string(k8s::ObjectView(snapshot).annotations().get(std::string(annotation)).value_or(""));
}

}  // namespace

struct GroupSnapshotStubs::Member {
  std::string stub;  // the name of the group's stand-in
  std::string name_space;
  std::string group_handle;
  std::string handle;
  std::string driver;
};

GroupSnapshotStubs::GroupSnapshotStubs(kube::Client& client, const kube::Discovery& discovery)
    : client_(client),
      contents_(group_resource(client, discovery, "volumegroupsnapshotcontents")),
      classes_(group_resource(client, discovery, "volumegroupsnapshotclasses")) {}

Status GroupSnapshotStubs::ensure(const Json& snapshot_in_backup, const Json& restore, const std::stop_token& stop) {
  Member member;
  member.group_handle = note_of(snapshot_in_backup, api::annotation::kGroupSnapshotHandle);
  member.handle = note_of(snapshot_in_backup, api::annotation::kSnapshotHandle);
  member.driver = note_of(snapshot_in_backup, api::annotation::kCsiDriverName);
  if (member.group_handle.empty() || member.handle.empty() || member.driver.empty()) return {};
  member.stub = restored_snapshot_name(restore, member.group_handle);
  member.name_space = k8s::ObjectView(snapshot_in_backup).name_space();

  const bool is_ours = busy_.wait_then(
      client_.clock(), stop, client_.clock().after(kPatience),
      [&](const std::set<std::string>& busy) { return !busy.contains(member.stub); },
      [&](std::set<std::string>& busy) { busy.insert(member.stub); });
  if (!is_ours && stop.stop_requested()) return fail(Code::kCancelled, "stopped");
  if (!is_ours) return fail(Code::kTimeout, "the other snapshots of the group did not end");
  const Status added = add(member, restore, stop);
  busy_.update([&](std::set<std::string>& busy) { busy.erase(member.stub); });
  return added;
}

Status GroupSnapshotStubs::add(const Member& member, const Json& restore, const std::stop_token& stop) const {
  auto found = contents_.get(member.stub, stop);
  if (!found && found.error().code() == Code::kNotFound) {
    const Status created = create(member, restore, stop);
    if (created || created.error().code() != Code::kAlreadyExists) return created;
    found = contents_.get(member.stub, stop);
  }
  if (!found) return fail("get VolumeGroupSnapshotContent " + member.stub, std::move(found).error());
  return extend(member, *found, stop);
}

Status GroupSnapshotStubs::create(const Member& member, const Json& restore, const std::stop_token& stop) const {
  Json stub = {{"apiVersion", k8s::to_string(contents_.id().group_version())}, {"kind", "VolumeGroupSnapshotContent"}};
  stub["metadata"] = {{"name", member.stub}};
  stub["metadata"]["labels"][std::string(api::label::kRestoreName)] = k8s::label_safe(k8s::ObjectView(restore).name());
  if (Json secrets = secrets_of(member.driver, stop); !secrets.empty()) {
    stub["metadata"]["annotations"] = std::move(secrets);
  }
  Json& spec = stub["spec"];
  spec["deletionPolicy"] = "Retain";
  spec["driver"] = member.driver;
  spec["source"]["groupSnapshotHandles"] = {{"volumeGroupSnapshotHandle", member.group_handle},
                                            {"volumeSnapshotHandles", Json::array({member.handle})}};
  spec["volumeGroupSnapshotRef"] = {{"name", "stub-vgs-" + member.stub.substr(0, 8)}, {"namespace", member.name_space}};
  TRY("create VolumeGroupSnapshotContent " + member.stub, contents_.create(stub, stop));
  const Json status = {{"status", {{"volumeGroupSnapshotHandle", member.group_handle}}}};
  TRY("set the handle of VolumeGroupSnapshotContent " + member.stub,
      contents_.patch(member.stub, kube::PatchType::kMerge, status, stop, {.subresource = "status"}));
  return {};
}

Status GroupSnapshotStubs::extend(const Member& member, const Json& stub, const std::stop_token& stop) const {
  Json handles = Json::array();
  const Json* there = json::find(stub, {"spec", "source", "groupSnapshotHandles", "volumeSnapshotHandles"});
  if (there != nullptr && there->is_array()) handles = *there;
  if (std::ranges::find(handles, Json(member.handle)) != handles.end()) return {};
  handles.push_back(member.handle);
  Json patch;
  patch["spec"]["source"]["groupSnapshotHandles"]["volumeSnapshotHandles"] = std::move(handles);
  TRY("add a handle to VolumeGroupSnapshotContent " + member.stub,
      contents_.patch(member.stub, kube::PatchType::kMerge, patch, stop));
  return {};
}

// Annotations with the secret of the driver's first class; none when there is no class, or they cannot be listed.
Json GroupSnapshotStubs::secrets_of(const std::string& driver, const std::stop_token& stop) const {
  Json annotations = Json::object();
  const auto classes = classes_.list({}, stop);
  if (!classes) return annotations;
  const auto found = std::ranges::find_if(
      classes->items, [&](const Json& item) { return json::string_or(item, {"driver"}, "") == driver; });
  if (found == classes->items.end()) return annotations;
  for (const char* part : {"name", "namespace"}) {
    const std::string parameter = std::string("csi.storage.k8s.io/group-snapshotter-secret-") + part;
    if (const std::string* value = json::find_string(*found, {"parameters", parameter})) {
      annotations[std::string("groupsnapshot.storage.kubernetes.io/deletion-secret-") + part] = *value;
    }
  }
  return annotations;
}

}  // namespace landfall::item_actions
