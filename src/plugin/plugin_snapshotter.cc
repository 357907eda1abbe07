#include "plugin/plugin_snapshotter.h"

#include <fmt/format.h>

#include <utility>

#include "json/json.h"
#include "json/parse.h"
#include "plugin/call.h"
#include "plugin/messages.h"

namespace landfall::plugin {
namespace {

using Service = generated::VolumeSnapshotter::Stub;
using Progress = v1::VolumeSnapshotterProgress::Stub;

extension::TransferProgress transfer_of(const v1::TransferProgress& answer) {
  extension::TransferProgress out{.phase = answer.phase(),
                                  .message = answer.message(),
                                  .total_bytes = answer.total_bytes(),
                                  .bytes_done = answer.bytes_done()};
  if (answer.has_started()) out.started = time_of(answer.started());
  if (answer.has_completed()) out.completed = time_of(answer.completed());
  out.plugin_specific.insert(answer.plugin_specific().begin(), answer.plugin_specific().end());
  return out;
}

class PluginSnapshotter final : public extension::VolumeSnapshotter {
 public:
  PluginSnapshotter(std::shared_ptr<ProcessSlot> slot, std::string name)
      : slot_(std::move(slot)), name_(std::move(name)) {}

  Result<std::string> volume_id(const json::Json& volume, const std::stop_token& stop) override {
    generated::GetVolumeIDRequest request;
    request.set_plugin(name_);
    request.set_persistent_volume(json::dump_go(volume));
    TRY_ASSIGN(const auto answer, "", call("GetVolumeID", &Service::GetVolumeID, request, stop));
    return answer.volume_id();
  }

  Status set_volume_id(json::Json& volume, const std::string& volume_id, const std::stop_token& stop) override {
    generated::SetVolumeIDRequest request;
    request.set_plugin(name_);
    request.set_persistent_volume(json::dump_go(volume));
    request.set_volume_id(volume_id);
    TRY_ASSIGN(const auto answer, "", call("SetVolumeID", &Service::SetVolumeID, request, stop));
    TRY_ASSIGN(const auto changed, fmt::format("plugin {}: SetVolumeID", name_),
               changed_item(request.persistent_volume(), answer.persistent_volume()));
    if (changed) volume = std::move(*changed);
    return {};
  }

  Result<extension::VolumeTraits> volume_traits(const std::string& volume_id, const std::string& zone,
                                                const std::stop_token& stop) override {
    generated::GetVolumeInfoRequest request;
    request.set_plugin(name_);
    request.set_volume_id(volume_id);
    request.set_volume_az(zone);
    TRY_ASSIGN(const auto answer, "", call("GetVolumeInfo", &Service::GetVolumeInfo, request, stop));
    extension::VolumeTraits traits{.type = answer.volume_type(), .iops = std::nullopt};
    if (answer.iops() != 0) traits.iops = answer.iops();
    return traits;
  }

  Result<std::string> create_snapshot(const std::string& volume_id, const std::string& zone,
                                      const std::map<std::string, std::string>& tags,
                                      const std::stop_token& stop) override {
    generated::CreateSnapshotRequest request;
    request.set_plugin(name_);
    request.set_volume_id(volume_id);
    request.set_volume_az(zone);
    request.mutable_tags()->insert(tags.begin(), tags.end());
    TRY_ASSIGN(const auto answer, "", call("CreateSnapshot", &Service::CreateSnapshot, request, stop));
    return answer.snapshot_id();
  }

  Result<std::string> create_volume(const std::string& snapshot_id, const extension::VolumeTraits& traits,
                                    const std::string& zone, const std::stop_token& stop) override {
    generated::CreateVolumeRequest request;
    request.set_plugin(name_);
    request.set_snapshot_id(snapshot_id);
    request.set_volume_type(traits.type);
    request.set_volume_az(zone);
    request.set_iops(traits.iops.value_or(0));
    TRY_ASSIGN(const auto answer, "",
               call("CreateVolumeFromSnapshot", &Service::CreateVolumeFromSnapshot, request, stop));
    return answer.volume_id();
  }

  Status delete_snapshot(const std::string& snapshot_id, const std::stop_token& stop) override {
    generated::DeleteSnapshotRequest request;
    request.set_plugin(name_);
    request.set_snapshot_id(snapshot_id);
    TRY("", call("DeleteSnapshot", &Service::DeleteSnapshot, request, stop));
    return {};
  }

  Result<extension::TransferProgress> snapshot_progress(const std::string& snapshot_id,
                                                        const std::stop_token& stop) override {
    v1::SnapshotProgressRequest request;
    request.set_snapshot_id(snapshot_id);
    TRY_ASSIGN(const auto answer, "", ask("SnapshotProgress", &Progress::SnapshotProgress, request, stop));
    return transfer_of(answer);
  }

  Result<extension::TransferProgress> volume_progress(const std::string& volume_id, const std::string& snapshot_id,
                                                      const std::stop_token& stop) override {
    v1::VolumeProgressRequest request;
    request.set_volume_id(volume_id);
    request.set_snapshot_id(snapshot_id);
    TRY_ASSIGN(const auto answer, "", ask("VolumeProgress", &Progress::VolumeProgress, request, stop));
    return transfer_of(answer);
  }

  Status cancel_snapshot(const std::string& snapshot_id, const std::stop_token& stop) override {
    v1::CancelSnapshotRequest request;
    request.set_snapshot_id(snapshot_id);
    TRY("", ask("CancelSnapshot", &Progress::CancelSnapshot, request, stop));
    return {};
  }

  Status cancel_volume(const std::string& volume_id, const std::string& snapshot_id,
                       const std::stop_token& stop) override {
    v1::CancelVolumeRequest request;
    request.set_volume_id(volume_id);
    request.set_snapshot_id(snapshot_id);
    TRY("", ask("CancelVolume", &Progress::CancelVolume, request, stop));
    return {};
  }

 private:
  template <class Request, class Response>
  Result<Response> call(std::string_view method,
                        grpc::Status (Service::*function)(grpc::ClientContext*, const Request&, Response*),
                        const Request& request, const std::stop_token& stop) {
    return call_plugin(*slot_, {name_, method}, &Stubs::snapshotter, function, request, stop);
  }

  // The service that only some have. One that does not is asked all the same: a plugin that tells its progress
  // otherwise may use the question to look after its work.
  template <class Request, class Response>
  Result<Response> ask(std::string_view method,
                       grpc::Status (Progress::*function)(grpc::ClientContext*, const Request&, Response*),
                       Request& request, const std::stop_token& stop) {
    request.set_plugin(name_);
    return call_plugin(*slot_, {name_, method}, &Stubs::progress, function, request, stop);
  }

  const std::shared_ptr<ProcessSlot> slot_;
  const std::string name_;
};

}  // namespace

Result<std::unique_ptr<extension::VolumeSnapshotter>> open_snapshotter(std::shared_ptr<ProcessSlot> slot,
                                                                       const std::string& name, const Config& config,
                                                                       Duration first_call_limit,
                                                                       const std::stop_token& stop) {
  generated::VolumeSnapshotterInitRequest init;
  init.set_plugin(name);
  init.mutable_config()->insert(config.begin(), config.end());
  const auto first = [init, name, first_call_limit](PluginProcess& process, const std::stop_token& until) -> Status {
    TRY("", call_process(process, {name, "Init"}, &Stubs::snapshotter, &Service::Init, init, until, first_call_limit));
    return {};
  };
  TRY("", slot->prepare(first, stop));
  return std::make_unique<PluginSnapshotter>(std::move(slot), name);
}

}  // namespace landfall::plugin
