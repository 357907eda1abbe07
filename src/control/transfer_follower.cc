#include "control/transfer_follower.h"

#include <algorithm>
#include <string>
#include <utility>

#include "json/json.h"
#include "k8s/object_view.h"

namespace landfall::control {

using State = TransferSight::State;

namespace {

constexpr Duration kGracePoll = std::chrono::milliseconds(200);

}  // namespace

void TransferFollower::add(PluginTransfer transfer) {
  all_.with([&](All& all) { all.push_back(std::move(transfer)); });
  thread_.with([this](std::jthread& thread) {
    if (thread.joinable()) return;
    thread = std::jthread([this](const std::stop_token& stop) {
      while (clock_.sleep_for(look_every_, stop)) look_at_all(stop);
    });
  });
}

void TransferFollower::look_at_all(const std::stop_token& stop) {
  All now = all_.copy();
  for (std::size_t i = 0; i < now.size() && !stop.stop_requested(); ++i) {
    static_cast<void>(transfers_.look(now[i], stop));
    all_.with([&](All& all) { all[i].resource = now[i].resource; });
  }
}

void TransferFollower::end_thread() {
  std::jthread ended;
  thread_.with([&](std::jthread& thread) { std::swap(thread, ended); });
}

bool TransferFollower::writes_resources(const PluginTransfer& transfer, const std::stop_token& stop) {
  const auto known = writers_.find(transfer.location);
  if (known != writers_.end()) return known->second;
  const auto writes = transfers_.writes_resources(transfer.location, stop);
  return writers_[transfer.location] = writes && *writes;
}

void TransferFollower::wait_for_missing(std::vector<Followed>& all, const std::stop_token& stop) {
  const SteadyTime deadline = clock_.after(kResourceGrace);
  while (true) {
    bool has_missing = false;
    for (Followed& one : all) {
      if (!one.is_missing) continue;
      const TransferSight sight = transfers_.look_at_resource(one.transfer, stop);
      one.is_missing = sight.state == State::kUnknown || sight.state == State::kUnclear;
      if (!one.is_missing) one.sight = sight;
      has_missing |= one.is_missing;
    }
    if (!has_missing || clock_.now() >= deadline || !clock_.sleep_for(kGracePoll, stop)) return;
  }
}

std::vector<TransferFollower::Followed> TransferFollower::finish(const std::stop_token& stop) {
  end_thread();
  std::vector<Followed> all;
  for (PluginTransfer& one : all_.copy()) {
    Followed followed{.transfer = std::move(one), .sight = {}};
    followed.sight = transfers_.look(followed.transfer, stop);
    followed.is_missing = followed.sight.state == State::kUnknown && writes_resources(followed.transfer, stop);
    all.push_back(std::move(followed));
  }
  if (std::ranges::any_of(all, &Followed::is_missing)) wait_for_missing(all, stop);
  return all;
}

void TransferFollower::cancel(const Logger& log, const std::stop_token& stop) {
  end_thread();
  for (PluginTransfer& one : all_.copy()) {
    if (const Status told = transfers_.cancel(one, stop); !told) {
      log.warning("A volume snapshotter could not be told to stop",
                  {{"snapshot", one.snapshot}, LogField(told.error())});
    }
  }
}

operation::ItemOperation operation_of(const TransferFollower::Followed& one, const json::Json& owner,
                                      std::string_view action, WallTime now) {
  const k8s::ObjectView view(owner);
  const bool is_seen = one.sight.state == State::kUnderWay;
  return {.owner_name = std::string(view.name()),
          .owner_uid = std::string(view.uid()),
          .action = std::string(action),
          .operation_id = operation_id(one.transfer),
          .item = {.resource = {"", "persistentvolumes"}, .name_space = {}, .name = one.transfer.volume},
          .after_operation = {},
          .phase = is_seen ? operation::OperationPhase::kInProgress : operation::OperationPhase::kNew,
          .error = {},
          .done = one.sight.bytes_done,
          .total = one.sight.total_bytes,
          .units = "Bytes",
          .description = one.sight.message,
          .created = now,
          .started = is_seen ? one.sight.started.value_or(now) : std::optional<WallTime>(),
          .updated = now};
}

}  // namespace landfall::control
