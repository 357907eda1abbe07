#pragma once

#include <string_view>

// Labels, annotations and finalizers that Velero's clients, plugins and other servers depend on. A label's value that
// is the name of an object is k8s::label_safe(name), when written and when asked for.
namespace landfall::api {

namespace label {

// Which operation an object belongs to.
inline constexpr std::string_view kBackupName = "velero.io/backup-name";
inline constexpr std::string_view kBackupUid = "velero.io/backup-uid";
inline constexpr std::string_view kRestoreName = "velero.io/restore-name";
inline constexpr std::string_view kRestoreUid = "velero.io/restore-uid";
inline constexpr std::string_view kScheduleName = "velero.io/schedule-name";        // of a Backup that a Schedule made
inline constexpr std::string_view kStorageLocation = "velero.io/storage-location";  // of Backups and repositories
inline constexpr std::string_view kAsyncOperationId = "velero.io/async-operation-id";  // of DataUploads and -Downloads

// Which volume a volume's operation is about.
inline constexpr std::string_view kPodUid = "velero.io/pod-uid";
inline constexpr std::string_view kPvcUid = "velero.io/pvc-uid";
inline constexpr std::string_view kPvName = "velero.io/pv-name";  // of VolumePluginBackups and -Restores
inline constexpr std::string_view kVolumeNamespace = "velero.io/volume-namespace";  // of a BackupRepository
inline constexpr std::string_view kRepositoryType = "velero.io/repository-type";    // of a BackupRepository
inline constexpr std::string_view kRepositoryName = "velero.io/repo-name";          // of a maintenance Job

// Which resource a helper pod works for.
inline constexpr std::string_view kPodVolumeBackup = "velero.io/pod-volume-backup";
inline constexpr std::string_view kPodVolumeRestore = "velero.io/pod-volume-restore";
inline constexpr std::string_view kDataUpload = "velero.io/data-upload";
inline constexpr std::string_view kDataDownload = "velero.io/data-download";
inline constexpr std::string_view kExposeOngoing =
    "velero.io/expose-on-going";  // "true" while a volume is made readable
inline constexpr std::string_view kExposerPodGroup = "velero.io/exposer-pod-group";

// Data movement: what a backup leaves for a restore to find.
inline constexpr std::string_view kPvcNamespaceName = "velero.io/pvc-namespace-name";  // "NAMESPACE.PVC"
inline constexpr std::string_view kResourceUsage = "velero.io/resource-usage";         // "DataUpload"
inline constexpr std::string_view kDataUploadSnapshotInfo = "velero.io/data-upload-snapshot-info";
inline constexpr std::string_view kVolumeSnapshotName = "velero.io/volume-snapshot-name";  // of a PVC in a backup
inline constexpr std::string_view kDynamicPvRestore = "velero.io/dynamic-pv-restore";  // pairs a PVC with its new PV

// What users set.
inline constexpr std::string_view kExcludeFromBackup = "velero.io/exclude-from-backup";  // "true": leave it out
inline constexpr std::string_view kVolumeGroup = "velero.io/volume-group";  // PVCs whose snapshots are taken together
inline constexpr std::string_view kSnapshotClass = "velero.io/csi-volumesnapshot-class";  // there: the class to use
inline constexpr std::string_view kGroupSnapshotClass = "velero.io/csi-volumegroupsnapshot-class";  // "true"
inline constexpr std::string_view kPluginConfig = "velero.io/plugin-config";  // of a ConfigMap that sets up a plugin
inline constexpr std::string_view kArgoManagedBy = "argocd.argoproj.io/managed-by";  // a namespace with it is warned of

inline constexpr std::string_view kGcFailure = "velero.io/gc-failure";  // why an expired Backup is still there
inline constexpr std::string_view kComponent = "component";             // "velero", on everything installed

}  // namespace label

namespace annotation {

// Of pods: which volumes are backed up file by file, as lists with commas.
inline constexpr std::string_view kVolumesToBackup = "backup.velero.io/backup-volumes";
inline constexpr std::string_view kVolumesToExclude = "backup.velero.io/backup-volumes-excludes";
inline constexpr std::string_view kOldSnapshotPrefix =
    "snapshot.velero.io/";  // + volume, before Velero 1.0: its snapshot

// Of pods: hooks. Each is followed by container, command, on-error, timeout and so on.
inline constexpr std::string_view kPreBackupHook = "pre.hook.backup.velero.io/";
inline constexpr std::string_view kPostBackupHook = "post.hook.backup.velero.io/";
inline constexpr std::string_view kOldPreBackupHook = "hook.backup.velero.io/";  // the same as pre.hook…
inline constexpr std::string_view kInitRestoreHook = "init.hook.restore.velero.io/";
inline constexpr std::string_view kPostRestoreHook = "post.hook.restore.velero.io/";

// Of Backups and Restores.
inline constexpr std::string_view kPodVolumeTimeout = "velero.io/pod-volume-timeout";  // in place of the server's
inline constexpr std::string_view kSourceGitVersion = "velero.io/source-cluster-k8s-gitversion";
inline constexpr std::string_view kSourceMajorVersion = "velero.io/source-cluster-k8s-major-version";
inline constexpr std::string_view kSourceMinorVersion = "velero.io/source-cluster-k8s-minor-version";
inline constexpr std::string_view kResourceTimeout = "velero.io/resource-timeout";  // the server's, for plugins to read

// Of objects in a backup.
inline constexpr std::string_view kPvcName = "velero.io/pvc-name";              // of a PodVolumeBackup
inline constexpr std::string_view kRestoreStatus = "velero.io/restore-status";  // "true", "false": before the Restore's
inline constexpr std::string_view kOriginalPvName = "velero.io/original-pv-name";
inline constexpr std::string_view kVolumeSnapshotName = "velero.io/volume-snapshot-name";  // of a PVC
inline constexpr std::string_view kDataUploadName = "velero.io/data-upload-name";          // of a PVC
inline constexpr std::string_view kSnapshotHandle = "velero.io/csi-volumesnapshot-handle";
inline constexpr std::string_view kSnapshotRestoreSize = "velero.io/csi-volumesnapshot-restore-size";
inline constexpr std::string_view kCsiDriverName = "velero.io/csi-driver-name";
inline constexpr std::string_view kSnapshotDeletionPolicy = "velero.io/csi-vsc-deletion-policy";
inline constexpr std::string_view kGroupSnapshotHandle = "velero.io/csi-volumegroupsnapshot-handle";

// Which snapshot class to use: of a PVC, and of a Backup with the driver's name behind it.
inline constexpr std::string_view kSnapshotClass = "velero.io/csi-volumesnapshot-class";
inline constexpr std::string_view kSnapshotClassOfDriver = "velero.io/csi-volumesnapshot-class_";
inline constexpr std::string_view kGroupSnapshotClass = "velero.io/csi-volume-group-snapshot-class";
inline constexpr std::string_view kGroupSnapshotClassOfDriver = "velero.io/csi-volumegroupsnapshot-class_";

// Notes from an item action to the engine.
inline constexpr std::string_view kMustIncludeAdditionalItems = "backup.velero.io/must-include-additional-items";
inline constexpr std::string_view kMustRestoreAdditionalItems = "restore.velero.io/must-include-additional-items";
inline constexpr std::string_view kSkippedNoCsiPv = "backup.velero.io/skipped-no-csi-pv";
inline constexpr std::string_view kSkipFromBackup = "velero.io/skip-from-backup";

// Of a VolumePluginBackup or -Restore that the server writes on behalf of its plugin: "true".
inline constexpr std::string_view kWrittenByServer = "landfall.dev/written-by-server";

// Of a CustomResourceDefinition of ours: its number, kDefinitionsVersion. Velero's have none.
inline constexpr std::string_view kDefinitions = "landfall.dev/crds";

}  // namespace annotation

namespace finalizer {

inline constexpr std::string_view kRestore =
    "restores.velero.io/external-resources-finalizer";  // its files in the bucket
inline constexpr std::string_view kPodVolume = "velero.io/pod-volume-finalizer";
inline constexpr std::string_view kDataMovement = "velero.io/data-upload-download-finalizer";
inline constexpr std::string_view kSnapshotContent =
    "velero.io/volume-snapshot-content-protect-finalizer";  // only removed

}  // namespace finalizer

}  // namespace landfall::api
