#include "control/timed_snapshotter.h"

#include <atomic>
#include <stop_token>
#include <thread>

#include "base/go_duration.h"
#include "json/json.h"

namespace landfall::control {

using extension::TransferProgress;
using extension::VolumeTraits;

template <class Call>
auto TimedSnapshotter::within(Duration limit, const std::stop_token& stop, const Call& call) {
  std::stop_source over;
  const std::stop_callback forward(stop, [&over] { over.request_stop(); });
  std::atomic<bool> is_late = false;
  auto result = [&] {
    const std::jthread timer([&](const std::stop_token& done) {
      if (!clock_.sleep_for(limit, done)) return;
      is_late = true;
      over.request_stop();
    });
    return call(over.get_token());
  }();
  if (!result && is_late && !stop.stop_requested()) {
    result = fail(Code::kTimeout, "the plugin has not answered within " + format_go_duration(limit));
  }
  return result;
}

Result<std::string> TimedSnapshotter::volume_id(const json::Json& volume, const std::stop_token& stop) {
  return within(limits_.action, stop, [&](const std::stop_token& token) { return inner_->volume_id(volume, token); });
}

Status TimedSnapshotter::set_volume_id(json::Json& volume, const std::string& volume_id, const std::stop_token& stop) {
  return within(limits_.action, stop,
                [&](const std::stop_token& token) { return inner_->set_volume_id(volume, volume_id, token); });
}

Result<VolumeTraits> TimedSnapshotter::volume_traits(const std::string& volume_id, const std::string& zone,
                                                     const std::stop_token& stop) {
  return within(limits_.action, stop,
                [&](const std::stop_token& token) { return inner_->volume_traits(volume_id, zone, token); });
}

Result<std::string> TimedSnapshotter::create_snapshot(const std::string& volume_id, const std::string& zone,
                                                      const std::map<std::string, std::string>& tags,
                                                      const std::stop_token& stop) {
  return inner_->create_snapshot(volume_id, zone, tags, stop);
}

Result<std::string> TimedSnapshotter::create_volume(const std::string& snapshot_id, const VolumeTraits& traits,
                                                    const std::string& zone, const std::stop_token& stop) {
  return inner_->create_volume(snapshot_id, traits, zone, stop);
}

Status TimedSnapshotter::delete_snapshot(const std::string& snapshot_id, const std::stop_token& stop) {
  return within(limits_.action, stop,
                [&](const std::stop_token& token) { return inner_->delete_snapshot(snapshot_id, token); });
}

Result<TransferProgress> TimedSnapshotter::snapshot_progress(const std::string& snapshot_id,
                                                             const std::stop_token& stop) {
  return within(limits_.answer, stop,
                [&](const std::stop_token& token) { return inner_->snapshot_progress(snapshot_id, token); });
}

Result<TransferProgress> TimedSnapshotter::volume_progress(const std::string& volume_id, const std::string& snapshot_id,
                                                           const std::stop_token& stop) {
  return within(limits_.answer, stop,
                [&](const std::stop_token& token) { return inner_->volume_progress(volume_id, snapshot_id, token); });
}

Status TimedSnapshotter::cancel_snapshot(const std::string& snapshot_id, const std::stop_token& stop) {
  return within(limits_.answer, stop,
                [&](const std::stop_token& token) { return inner_->cancel_snapshot(snapshot_id, token); });
}

Status TimedSnapshotter::cancel_volume(const std::string& volume_id, const std::string& snapshot_id,
                                       const std::stop_token& stop) {
  return within(limits_.answer, stop,
                [&](const std::stop_token& token) { return inner_->cancel_volume(volume_id, snapshot_id, token); });
}

}  // namespace landfall::control
