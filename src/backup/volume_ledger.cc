#include "backup/volume_ledger.h"

#include <map>
#include <utility>

#include "json/access.h"
#include "json/json.h"
#include "k8s/object_view.h"
#include "volume_info/volume_info.h"

namespace landfall::backup {
namespace {

using Reasons = std::map<std::string, std::string, std::less<>>;  // by approach

struct Row {
  k8s::NamespacedName claim;
  volume_info::BackedUpVolume::Traits traits;
};

}  // namespace

struct VolumeLedger::State {
  std::map<std::string, Row> volumes;
  std::map<std::string, Reasons> by_volume;
  std::map<k8s::NamespacedName, Reasons> by_claim;
};

VolumeLedger::VolumeLedger() : state_(std::make_unique<State>()) {}
VolumeLedger::~VolumeLedger() = default;

void VolumeLedger::stored(const json::Json& volume) {
  Row row{.claim = {json::string_or(volume, {"spec", "claimRef", "namespace"}, ""),
                    json::string_or(volume, {"spec", "claimRef", "name"}, "")},
          .traits = volume_info::traits_of(volume)};
  const std::string name(k8s::ObjectView(volume).name());
  state_.with([&](auto& state) { state->volumes.insert_or_assign(name, std::move(row)); });
}

void VolumeLedger::skipped(const std::string& volume, std::string_view approach, std::string why) {
  state_.with([&](auto& state) { state->by_volume[volume].try_emplace(std::string(approach), std::move(why)); });
}

void VolumeLedger::claim_skipped(const k8s::NamespacedName& claim, std::string_view approach, std::string why) {
  state_.with([&](auto& state) { state->by_claim[claim].try_emplace(std::string(approach), std::move(why)); });
}

json::Json VolumeLedger::rows() const {
  return state_.with([](const auto& state) {
    json::Json rows = json::Json::array();
    for (const auto& [name, volume] : state->volumes) {
      Reasons reasons;
      if (const auto found = state->by_volume.find(name); found != state->by_volume.end()) reasons = found->second;
      if (const auto found = state->by_claim.find(volume.claim); found != state->by_claim.end()) {
        reasons.insert(found->second.begin(), found->second.end());
      }
      std::string why;
      for (const auto& [approach, reason] : reasons) {
        why.append(approach).append(": ").append(reason).append(";");
      }
      volume_info::BackedUpVolume row;
      row.claim = volume.claim;
      row.volume = name;
      row.is_skipped = true;
      row.skipped_reason = std::move(why);
      row.traits = volume.traits;
      rows.push_back(to_json(row));
    }
    return rows;
  });
}

}  // namespace landfall::backup
