#include "selection/volume_facts.h"

#include <algorithm>

#include "json/json.h"
#include "k8s/object_view.h"

namespace landfall::selection {
namespace {

json::StringMap attributes_of(const json::Json& source) {
  auto attributes = json::string_map_at(source, {"volumeAttributes"});
  return attributes ? *std::move(attributes) : json::StringMap();
}

// `source` holds the kind of volume as one of its keys: the spec of a PersistentVolume, or the entry of a pod.
void read_source(const json::Json& source, VolumeFacts& facts) {
  if (const json::Json* nfs = json::find(source, {"nfs"})) {
    facts.nfs = {.server = json::string_or(*nfs, {"server"}, ""), .path = json::string_or(*nfs, {"path"}, "")};
  }
  if (const json::Json* csi = json::find(source, {"csi"})) {
    facts.csi = {.driver = json::string_or(*csi, {"driver"}, ""), .attributes = attributes_of(*csi)};
  }
  for (const std::string& type : known_volume_types()) {
    // The one type whose field has another spelling.
    const std::string_view field = type == "storageOS" ? "storageos" : std::string_view(type);
    if (json::has(source, {field})) {
      facts.type = type;
      return;
    }
  }
}

Status read_persistent_volume(const json::Json& volume, VolumeFacts& facts) {
  if (const std::string* storage = json::find_string(volume, {"spec", "capacity", "storage"})) {
    TRY_ASSIGN(facts.capacity, "spec.capacity.storage", Quantity::parse(*storage));
  }
  facts.storage_class = json::string_or(volume, {"spec", "storageClassName"}, "");
  if (const json::Json* spec = json::find(volume, {"spec"})) {
    read_source(*spec, facts);
  }
  return {};
}

void read_claim(const json::Json& claim, VolumeFacts& facts) {
  facts.claim_labels = k8s::ObjectView(claim).labels().copy();
  facts.claim_phase = json::string_or(claim, {"status", "phase"}, "");
  facts.claim_volume_mode = json::string_or(claim, {"spec", "volumeMode"}, "");
  if (auto modes = json::string_list_at(claim, {"spec", "accessModes"})) {
    facts.claim_access_modes = *std::move(modes);
  }
}

}  // namespace

const Names& known_volume_types() {
  static const Names kTypes = {"awsAzureDisk",
                               "awsElasticBlockStore",
                               "azureDisk",
                               "azureFile",
                               "cinder",
                               "cephfs",
                               "configMap",
                               "csi",
                               "downwardAPI",
                               "emptyDir",
                               "ephemeral",
                               "fc",
                               "flocker",
                               "flexVolume",
                               "gitRepo",
                               "glusterfs",
                               "gcePersistentDisk",
                               "hostPath",
                               "iscsi",
                               "local",
                               "nfs",
                               "photonPersistentDisk",
                               "portworxVolume",
                               "projected",
                               "quobyte",
                               "rbd",
                               "scaleIO",
                               "secret",
                               "storageOS",
                               "vsphereVolume"};
  return kTypes;
}

Result<VolumeFacts> read_volume_facts(const json::Json* persistent_volume, const json::Json* pod_volume,
                                      const json::Json* claim) {
  VolumeFacts facts;
  if (persistent_volume != nullptr) {
    TRY("persistent volume", read_persistent_volume(*persistent_volume, facts));
  } else if (pod_volume != nullptr) {
    read_source(*pod_volume, facts);
  } else if (claim == nullptr) {
    return fail(Code::kInvalid, "volume policies: there is neither a volume nor a claim to look at");
  }
  if (claim != nullptr) {
    read_claim(*claim, facts);
  }
  return facts;
}

}  // namespace landfall::selection
