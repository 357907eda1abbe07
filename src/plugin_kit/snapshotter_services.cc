#include "json/json.h"
#include "json/parse.h"
#include "landfall/volume_snapshotter_progress.grpc.pb.h"
#include "plugin_kit/answer.h"
#include "plugin_kit/services.h"
#include "plugin_kit/wire.h"
#include "velero/volume_snapshotter.grpc.pb.h"

namespace landfall::plugin_kit {
namespace {

namespace progress = landfall::plugin::v1;
using Snapshotter = std::shared_ptr<extension::VolumeSnapshotter>;

Result<Snapshotter> snapshotter_of(Registry& registry, const std::string& name) {
  TRY_ASSIGN(const auto* const plugin, "", find_plugin(registry.snapshotters, name));
  return (*plugin)->get();
}

class Snapshots final : public generated::VolumeSnapshotter::Service {
 public:
  explicit Snapshots(Registry& registry) : registry_(registry) {}

  grpc::Status Init(grpc::ServerContext* context, const generated::VolumeSnapshotterInitRequest* request,
                    generated::Empty* /*response*/) override {
    return answer(registry_, context, [&](const std::stop_token&) -> Status {
      TRY_ASSIGN(auto* const plugin, "", find_plugin(registry_.snapshotters, request->plugin()));
      return (*plugin)->init({request->config().begin(), request->config().end()});
    });
  }

  grpc::Status CreateVolumeFromSnapshot(grpc::ServerContext* context, const generated::CreateVolumeRequest* request,
                                        generated::CreateVolumeResponse* response) override {
    return answer(registry_, context, [&](const std::stop_token& stop) -> Status {
      TRY_ASSIGN(const Snapshotter plugin, "", snapshotter_of(registry_, request->plugin()));
      extension::VolumeTraits traits{.type = request->volume_type()};
      if (request->iops() != 0) traits.iops = request->iops();
      TRY_ASSIGN(const std::string id, "",
                 plugin->create_volume(request->snapshot_id(), traits, request->volume_az(), stop));
      response->set_volume_id(id);
      return {};
    });
  }

  grpc::Status GetVolumeInfo(grpc::ServerContext* context, const generated::GetVolumeInfoRequest* request,
                             generated::GetVolumeInfoResponse* response) override {
    return answer(registry_, context, [&](const std::stop_token& stop) -> Status {
      TRY_ASSIGN(const Snapshotter plugin, "", snapshotter_of(registry_, request->plugin()));
      TRY_ASSIGN(const extension::VolumeTraits traits, "",
                 plugin->volume_traits(request->volume_id(), request->volume_az(), stop));
      response->set_volume_type(traits.type);
      response->set_iops(traits.iops.value_or(0));
      return {};
    });
  }

  grpc::Status CreateSnapshot(grpc::ServerContext* context, const generated::CreateSnapshotRequest* request,
                              generated::CreateSnapshotResponse* response) override {
    return answer(registry_, context, [&](const std::stop_token& stop) -> Status {
      TRY_ASSIGN(const Snapshotter plugin, "", snapshotter_of(registry_, request->plugin()));
      TRY_ASSIGN(const std::string id, "",
                 plugin->create_snapshot(request->volume_id(), request->volume_az(),
                                         {request->tags().begin(), request->tags().end()}, stop));
      response->set_snapshot_id(id);
      return {};
    });
  }

  grpc::Status DeleteSnapshot(grpc::ServerContext* context, const generated::DeleteSnapshotRequest* request,
                              generated::Empty* /*response*/) override {
    return answer(registry_, context, [&](const std::stop_token& stop) -> Status {
      TRY_ASSIGN(const Snapshotter plugin, "", snapshotter_of(registry_, request->plugin()));
      return plugin->delete_snapshot(request->snapshot_id(), stop);
    });
  }

  grpc::Status GetVolumeID(grpc::ServerContext* context, const generated::GetVolumeIDRequest* request,
                           generated::GetVolumeIDResponse* response) override {
    return answer(registry_, context, [&](const std::stop_token& stop) -> Status {
      TRY_ASSIGN(const Snapshotter plugin, "", snapshotter_of(registry_, request->plugin()));
      TRY_ASSIGN(const json::Json volume, "the PersistentVolume", json::parse(request->persistent_volume()));
      TRY_ASSIGN(const std::string id, "", plugin->volume_id(volume, stop));
      response->set_volume_id(id);
      return {};
    });
  }

  grpc::Status SetVolumeID(grpc::ServerContext* context, const generated::SetVolumeIDRequest* request,
                           generated::SetVolumeIDResponse* response) override {
    return answer(registry_, context, [&](const std::stop_token& stop) -> Status {
      TRY_ASSIGN(const Snapshotter plugin, "", snapshotter_of(registry_, request->plugin()));
      TRY_ASSIGN(json::Json volume, "the PersistentVolume", json::parse(request->persistent_volume()));
      TRY("", plugin->set_volume_id(volume, request->volume_id(), stop));
      response->set_persistent_volume(json::dump(volume));
      return {};
    });
  }

 private:
  Registry& registry_;
};

// Here the host is told what kind of error it is.
grpc::Status progress_error(const Error& error) {
  if (error.code() == Code::kUnsupported) return {grpc::StatusCode::UNIMPLEMENTED, error.message()};
  if (error.code() == Code::kNotFound) return {grpc::StatusCode::NOT_FOUND, error.message()};
  return to_grpc(error);
}

void put(const extension::TransferProgress& from, progress::TransferProgress& to) {
  to.set_phase(from.phase);
  to.set_message(from.message);
  to.set_total_bytes(from.total_bytes);
  to.set_bytes_done(from.bytes_done);
  if (from.started) put_time(*from.started, *to.mutable_started());
  if (from.completed) put_time(*from.completed, *to.mutable_completed());
  to.mutable_plugin_specific()->insert(from.plugin_specific.begin(), from.plugin_specific.end());
}

class Progress final : public progress::VolumeSnapshotterProgress::Service {
 public:
  explicit Progress(Registry& registry) : registry_(registry) {}

  grpc::Status SnapshotProgress(grpc::ServerContext* context, const progress::SnapshotProgressRequest* request,
                                progress::TransferProgress* response) override {
    const auto handler = [&](const std::stop_token& stop) -> Status {
      TRY_ASSIGN(const Snapshotter plugin, "", snapshotter_of(registry_, request->plugin()));
      TRY_ASSIGN(const extension::TransferProgress found, "", plugin->snapshot_progress(request->snapshot_id(), stop));
      put(found, *response);
      return {};
    };
    return answer(registry_, context, handler, progress_error);
  }

  grpc::Status VolumeProgress(grpc::ServerContext* context, const progress::VolumeProgressRequest* request,
                              progress::TransferProgress* response) override {
    const auto handler = [&](const std::stop_token& stop) -> Status {
      TRY_ASSIGN(const Snapshotter plugin, "", snapshotter_of(registry_, request->plugin()));
      TRY_ASSIGN(const extension::TransferProgress found, "",
                 plugin->volume_progress(request->volume_id(), request->snapshot_id(), stop));
      put(found, *response);
      return {};
    };
    return answer(registry_, context, handler, progress_error);
  }

  grpc::Status CancelSnapshot(grpc::ServerContext* context, const progress::CancelSnapshotRequest* request,
                              google::protobuf::Empty* /*response*/) override {
    const auto handler = [&](const std::stop_token& stop) -> Status {
      TRY_ASSIGN(const Snapshotter plugin, "", snapshotter_of(registry_, request->plugin()));
      return plugin->cancel_snapshot(request->snapshot_id(), stop);
    };
    return answer(registry_, context, handler, progress_error);
  }

  grpc::Status CancelVolume(grpc::ServerContext* context, const progress::CancelVolumeRequest* request,
                            google::protobuf::Empty* /*response*/) override {
    const auto handler = [&](const std::stop_token& stop) -> Status {
      TRY_ASSIGN(const Snapshotter plugin, "", snapshotter_of(registry_, request->plugin()));
      return plugin->cancel_volume(request->volume_id(), request->snapshot_id(), stop);
    };
    return answer(registry_, context, handler, progress_error);
  }

 private:
  Registry& registry_;
};

}  // namespace

void add_snapshotter_services(Registry& registry, Services& services) {
  if (registry.snapshotters.empty()) return;
  services.push_back(std::make_unique<Snapshots>(registry));
  services.push_back(std::make_unique<Progress>(registry));
}

}  // namespace landfall::plugin_kit
