#include "item_actions/restore_actions.h"

#include "item_actions/restore_api_actions.h"
#include "item_actions/restore_backup_lookup.h"
#include "item_actions/restore_binding_actions.h"
#include "item_actions/restore_claim_action.h"
#include "item_actions/restore_csi_claim_action.h"
#include "item_actions/restore_csi_snapshot_actions.h"
#include "item_actions/restore_data_upload_action.h"
#include "item_actions/restore_image_action.h"
#include "item_actions/restore_job_action.h"
#include "item_actions/restore_plugin_configs.h"
#include "item_actions/restore_pod_actions.h"
#include "item_actions/restore_pod_volumes_action.h"
#include "item_actions/restore_secret_action.h"
#include "item_actions/restore_service_account_action.h"
#include "item_actions/restore_service_action.h"
#include "item_actions/restore_storage_class_action.h"

namespace landfall::item_actions {

std::vector<std::unique_ptr<extension::RestoreItemAction>> built_in_restore_actions(const RestoreActionContext& context,
                                                                                    const kube::Discovery& discovery) {
  kube::Client& client = context.client;
  const api::RestoreSpec& spec = context.spec;
  const bool is_mapped = !spec.namespace_mapping.empty();
  const auto configs = std::make_shared<PluginConfigs>(client, context.name_space);
  const auto backup = std::make_shared<BackupLookup>(client, context.name_space, spec.backup_name);

  std::vector<std::unique_ptr<extension::RestoreItemAction>> actions;
  const auto add = [&](std::unique_ptr<extension::RestoreItemAction> action) { actions.push_back(std::move(action)); };
  add(make_restore_pod_claims_action());
  add(make_restore_webhook_action());
  add(make_restore_api_service_action());
  add(make_restore_image_action(configs));
  add(make_restore_storage_class_action(client, configs));
  if (is_mapped) add(make_restore_cluster_bindings_action(spec.namespace_mapping));
  add(make_restore_definition_action());
  if (context.has_csi) {
    add(make_restore_csi_claim_action(client, spec, backup));
    add(make_restore_snapshot_action(spec, std::make_unique<GroupSnapshotStubs>(client, discovery), context.log));
    add(make_restore_snapshot_class_action(spec));
    add(make_restore_snapshot_content_action(client, spec, context.log));
  }
  add(make_restore_data_upload_action(client, context.name_space, backup));
  add(make_restore_job_action());
  add(make_restore_pod_action());
  add(make_restore_pod_volumes_action(
      {.client = client, .name_space = context.name_space, .volumes = context.pod_volume_backups, .log = context.log},
      configs));
  add(make_restore_claim_action());
  if (is_mapped) add(make_restore_bindings_action(spec.namespace_mapping));
  add(make_restore_secret_action(client));
  add(make_restore_service_action(spec));
  add(make_restore_service_account_action());
  return actions;
}

std::vector<std::string_view> built_in_restore_action_names() {
  return {"velero.io/add-pvc-from-pod",
          "velero.io/admission-webhook-configuration",
          "velero.io/apiservice",
          "velero.io/change-image-name",
          "velero.io/change-storage-class",
          "velero.io/cluster-role-bindings",
          "velero.io/crd-preserve-fields",
          "velero.io/csi-pvc-restorer",
          "velero.io/csi-volumesnapshot-restorer",
          "velero.io/csi-volumesnapshotclass-restorer",
          "velero.io/csi-volumesnapshotcontent-restorer",
          "velero.io/dataupload",
          "velero.io/job",
          "velero.io/pod",
          "velero.io/pod-volume-restore",
          "velero.io/pvc",
          "velero.io/role-bindings",
          "velero.io/secret",
          "velero.io/service",
          "velero.io/service-account"};
}

}  // namespace landfall::item_actions
