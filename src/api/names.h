#pragma once

#include <array>
#include <string>
#include <string_view>

#include "k8s/kinds.h"

// What the velero.io kinds are called.
namespace landfall::api {

inline constexpr std::string_view kGroup = "velero.io";
inline constexpr std::string_view kV1 = "v1";
inline constexpr std::string_view kV2Alpha1 = "v2alpha1";

// Where Velero's own objects live unless told otherwise.
inline constexpr std::string_view kDefaultNamespace = "velero";

// One kind. All of them are namespaced and have one version.
struct Kind {
  std::string_view version;
  std::string_view name;    // "Backup"
  std::string_view plural;  // "backups"

  k8s::GroupVersionKind kind() const { return {std::string(kGroup), std::string(version), std::string(name)}; }
  k8s::GroupVersionResource resource() const {
    return {std::string(kGroup), std::string(version), std::string(plural)};
  }
  // "velero.io/v1"
  std::string api_version() const { return std::string(kGroup) + "/" + std::string(version); }
  // The name of its CustomResourceDefinition: "backups.velero.io".
  std::string definition() const { return std::string(plural) + "." + std::string(kGroup); }

  friend bool operator==(const Kind&, const Kind&) = default;
};

inline constexpr Kind kBackup{kV1, "Backup", "backups"};
inline constexpr Kind kBackupRepository{kV1, "BackupRepository", "backuprepositories"};
inline constexpr Kind kBackupStorageLocation{kV1, "BackupStorageLocation", "backupstoragelocations"};
inline constexpr Kind kDeleteBackupRequest{kV1, "DeleteBackupRequest", "deletebackuprequests"};
inline constexpr Kind kDownloadRequest{kV1, "DownloadRequest", "downloadrequests"};
inline constexpr Kind kPodVolumeBackup{kV1, "PodVolumeBackup", "podvolumebackups"};
inline constexpr Kind kPodVolumeRestore{kV1, "PodVolumeRestore", "podvolumerestores"};
inline constexpr Kind kRestore{kV1, "Restore", "restores"};
inline constexpr Kind kSchedule{kV1, "Schedule", "schedules"};
inline constexpr Kind kServerStatusRequest{kV1, "ServerStatusRequest", "serverstatusrequests"};
inline constexpr Kind kVolumePluginBackup{kV1, "VolumePluginBackup", "volumepluginbackups"};
inline constexpr Kind kVolumePluginRestore{kV1, "VolumePluginRestore", "volumepluginrestores"};
inline constexpr Kind kVolumeSnapshotLocation{kV1, "VolumeSnapshotLocation", "volumesnapshotlocations"};
inline constexpr Kind kDataDownload{kV2Alpha1, "DataDownload", "datadownloads"};
inline constexpr Kind kDataUpload{kV2Alpha1, "DataUpload", "datauploads"};

inline constexpr std::array kAllKinds{kBackup,
                                      kBackupRepository,
                                      kBackupStorageLocation,
                                      kDeleteBackupRequest,
                                      kDownloadRequest,
                                      kPodVolumeBackup,
                                      kPodVolumeRestore,
                                      kRestore,
                                      kSchedule,
                                      kServerStatusRequest,
                                      kVolumePluginBackup,
                                      kVolumePluginRestore,
                                      kVolumeSnapshotLocation,
                                      kDataDownload,
                                      kDataUpload};

// Landfall's own: Velero has no such kinds, and its installations lack them.
inline bool is_landfalls_own(const Kind& kind) { return kind == kVolumePluginBackup || kind == kVolumePluginRestore; }

}  // namespace landfall::api
