#include "selection/volume_policy.h"

#include <algorithm>
#include <array>
#include <set>
#include <utility>

#include "base/strings.h"

namespace landfall::selection {
namespace {

constexpr std::array<std::pair<std::string_view, VolumeAction>, 4> kActions = {{
    {"skip", VolumeAction::kSkip},
    {"fs-backup", VolumeAction::kFsBackup},
    {"snapshot", VolumeAction::kSnapshot},
    {"custom", VolumeAction::kCustom},
}};

// A value that is not there is not among anything.
bool is_among(const Names& names, const std::string& value) {
  return names.empty() || (!value.empty() && std::ranges::find(names, value) != names.end());
}

bool is_part_of(const json::StringMap& wanted, const json::StringMap& there) {
  return std::ranges::all_of(wanted, [&](const auto& pair) {
    const auto found = there.find(pair.first);
    return found != there.end() && found->second == pair.second;
  });
}

// A missing attribute counts as an empty one, as in Velero, unless the volume has none at all.
bool have_attributes(const json::StringMap& wanted, const json::StringMap& there) {
  if (wanted.empty()) {
    return true;
  }
  return !there.empty() && std::ranges::all_of(wanted, [&](const auto& pair) {
    const auto found = there.find(pair.first);
    return pair.second == (found == there.end() ? "" : found->second);
  });
}

bool matches_nfs(const std::optional<VolumeConditions::Nfs>& wanted, const std::optional<VolumeFacts::Nfs>& there) {
  if (!wanted) {
    return true;
  }
  return there && (wanted->server.empty() || wanted->server == there->server) &&
         (wanted->path.empty() || wanted->path == there->path);
}

bool matches_csi(const std::optional<VolumeConditions::Csi>& wanted, const std::optional<VolumeFacts::Csi>& there) {
  if (!wanted) {
    return true;
  }
  if (!there || wanted->driver.empty()) {
    return there.has_value();
  }
  return wanted->driver == there->driver && have_attributes(wanted->attributes, there->attributes);
}

bool are_the_same(const Names& wanted, const Names& there) {
  return wanted.empty() || (wanted.size() == there.size() && std::set<std::string>(wanted.begin(), wanted.end()) ==
                                                                 std::set<std::string>(there.begin(), there.end()));
}

Result<std::optional<Quantity>> parse_end(std::string_view text) {
  const std::string_view written = trim(text);
  if (written.empty()) {
    return std::optional<Quantity>();
  }
  TRY_ASSIGN(Quantity quantity, quote(written), Quantity::parse(written));
  if (quantity < Quantity()) {
    return fail(Code::kInvalid, quote(written) + ": a capacity is not negative");
  }
  return quantity.is_zero() ? std::optional<Quantity>() : std::optional<Quantity>(std::move(quantity));
}

}  // namespace

std::string_view to_string(VolumeAction action) {
  return std::ranges::find(kActions, action, &std::pair<std::string_view, VolumeAction>::second)->first;
}

std::optional<VolumeAction> parse_volume_action(std::string_view text) {
  const auto* const found = std::ranges::find(kActions, text, &std::pair<std::string_view, VolumeAction>::first);
  return found == kActions.end() ? std::nullopt : std::optional<VolumeAction>(found->second);
}

Result<CapacityRange> CapacityRange::parse(std::string_view text) {
  if (text.empty()) {
    return CapacityRange();
  }
  const auto parts = split(text, ',');
  if (parts.size() != 2) {
    return fail(Code::kInvalid, quote(text) + " is not of the form LOWER,UPPER (such as \"10Gi,100Gi\" or \"10Gi,\")");
  }
  CapacityRange range;
  TRY_ASSIGN(range.lower, "lower end", parse_end(parts[0]));
  TRY_ASSIGN(range.upper, "upper end", parse_end(parts[1]));
  if (range.lower && range.upper && *range.upper < *range.lower) {
    return fail(Code::kInvalid, quote(text) + ": the lower end is above the upper one");
  }
  return range;
}

bool CapacityRange::contains(const Quantity& capacity) const {
  return (!lower || *lower <= capacity) && (!upper || capacity <= *upper);
}

bool VolumeConditions::match(const VolumeFacts& volume) const {
  return capacity.contains(volume.capacity) && is_among(storage_classes, volume.storage_class) &&
         matches_nfs(nfs, volume.nfs) && matches_csi(csi, volume.csi) && is_among(types, volume.type) &&
         is_part_of(claim_labels, volume.claim_labels) && is_among(claim_phases, volume.claim_phase) &&
         (claim_volume_mode.empty() || claim_volume_mode == volume.claim_volume_mode) &&
         are_the_same(claim_access_modes, volume.claim_access_modes);
}

const VolumePolicy* VolumePolicies::match(const VolumeFacts& volume) const {
  const auto found =
      std::ranges::find_if(policies_, [&](const VolumePolicy& policy) { return policy.conditions.match(volume); });
  return found == policies_.end() ? nullptr : &*found;
}

void VolumePolicies::append(const VolumePolicies& global) {
  policies_.insert(policies_.end(), global.policies_.begin(), global.policies_.end());
}

}  // namespace landfall::selection
