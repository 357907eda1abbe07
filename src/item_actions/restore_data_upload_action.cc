#include "item_actions/restore_data_upload_action.h"

#include <string_view>
#include <utility>

#include "api/labels.h"
#include "base/digest.h"
#include "json/access.h"
#include "json/json.h"
#include "json/parse.h"
#include "k8s/names.h"
#include "k8s/object_view.h"
#include "kube/resource.h"

namespace landfall::item_actions {
namespace {

using extension::RestoreActionInput;
using extension::RestoreActionResult;
using json::Json;

// What Velero's restorers read; what is empty they do not expect.
Json result_of(const Json& upload, const Json& backup) {
  Json result = {{"backupStorageLocation", json::string_or(backup, {"spec", "storageLocation"}, "")},
                 {"sourceNamespace", json::string_or(upload, {"spec", "sourceNamespace"}, "")}};
  const auto add_text = [&](const char* key, const json::Path& path) {
    std::string text = json::string_or(upload, path, "");
    if (!text.empty()) result[key] = std::move(text);
  };
  add_text("datamover", {"spec", "datamover"});
  add_text("snapshotID", {"status", "snapshotID"});
  add_text("nodeOS", {"status", "nodeOS"});
  if (const std::int64_t size = json::int_or(upload, {"status", "progress", "totalBytes"}, 0); size != 0) {
    result["snapshotSize"] = size;
  }
  if (const Json* details = json::find(upload, {"status", "dataMoverResult"})) result["dataMoverResult"] = *details;
  return result;
}

Json config_map_for(const Json& upload, const Json& backup, const Json& restore) {
  const std::string uid(k8s::ObjectView(restore).uid());
  // Names may have 253 bytes.
  const std::string base(k8s::ObjectView(upload).name().substr(0, 240));
  const std::string claim = json::string_or(upload, {"spec", "sourceNamespace"}, "") + "." +
                            json::string_or(upload, {"spec", "sourcePVC"}, "");
  Json labels = Json::object();
  labels[std::string(api::label::kRestoreUid)] = k8s::label_safe(uid);
  labels[std::string(api::label::kPvcNamespaceName)] = k8s::label_safe(claim);
  labels[std::string(api::label::kResourceUsage)] = "DataUpload";
  Json config_map = {{"apiVersion", "v1"}, {"kind", "ConfigMap"}};
  config_map["metadata"] = {{"name", base + "-" + sha256_hex(uid).substr(0, 10)}, {"labels", std::move(labels)}};
  config_map["data"][uid] = json::dump(result_of(upload, backup));
  return config_map;
}

class DataUploadRestoreAction final : public extension::RestoreItemAction {
 public:
  DataUploadRestoreAction(kube::Client& client, std::string name_space, std::shared_ptr<BackupLookup> backup)
      : client_(client), name_space_(std::move(name_space)), backup_(std::move(backup)) {}

  std::string name() const override { return "velero.io/dataupload"; }
  extension::ActionScope scope() const override { return {.included_resources = {"datauploads.velero.io"}}; }
  bool changes_cluster() const override { return true; }

  Result<RestoreActionResult> execute(const RestoreActionInput& input, const std::stop_token& stop) override {
    TRY_ASSIGN(const std::shared_ptr<const Json> backup, "", backup_->get(stop));
    const auto made = kube::Resource(client_, {"", "v1", "configmaps"}, name_space_)
                          .create(config_map_for(input.from_backup, *backup, input.restore), stop);
    // There already: this restore has made it before it was interrupted.
    if (!made && made.error().code() != Code::kAlreadyExists) {
      return fail("create the ConfigMap with the result of the data upload", made.error());
    }
    RestoreActionResult result;
    result.skip = true;
    return result;
  }

 private:
  kube::Client& client_;
  const std::string name_space_;
  const std::shared_ptr<BackupLookup> backup_;
};

}  // namespace

std::unique_ptr<extension::RestoreItemAction> make_restore_data_upload_action(kube::Client& client,
                                                                              std::string name_space,
                                                                              std::shared_ptr<BackupLookup> backup) {
  return std::make_unique<DataUploadRestoreAction>(client, std::move(name_space), std::move(backup));
}

}  // namespace landfall::item_actions
