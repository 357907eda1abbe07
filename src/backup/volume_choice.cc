#include "backup/volume_choice.h"

#include <algorithm>
#include <array>

#include "api/labels.h"
#include "base/quote.h"
#include "base/strings.h"
#include "json/access.h"
#include "json/json.h"
#include "k8s/object_view.h"
#include "selection/volume_facts.h"

namespace landfall::backup {
namespace {

bool is_never_copied(const json::Json& volume) {
  constexpr std::array<std::string_view, 5> kSources = {"hostPath", "secret", "configMap", "projected", "downwardAPI"};
  return std::ranges::any_of(kSources, [&](std::string_view source) { return json::has(volume, {source}); }) ||
         json::string_or(volume, {"name"}, "").starts_with("default-token");
}

// Velero compares the names as they stand between the commas.
bool is_listed(const json::Json& pod, std::string_view annotation, std::string_view volume) {
  const auto list = k8s::ObjectView(pod).annotations().get(std::string(annotation));
  if (!list) return false;
  const auto names = split(*list, ',');
  return std::ranges::find(names, volume) != names.end();
}

// Nothing when no policy matches.
Result<std::optional<VolumeChoice>> by_policy(VolumeChoice choice, const std::string& name_space,
                                              const json::Json& volume, const VolumeRules& rules,
                                              const FindClaim& find) {
  FoundClaim found;
  if (!choice.claim.empty()) {
    TRY_ASSIGN(found, "volume " + choice.volume, find(name_space, choice.claim));
  }
  TRY_ASSIGN(const selection::VolumeFacts facts, "volume " + choice.volume,
             selection::read_volume_facts(found.volume.get(), &volume, found.claim.get()));
  const selection::VolumePolicy* policy = rules.policies->match(facts);
  if (policy == nullptr) {
    if (!choice.claim.empty() && !found.volume) {
      return fail(Code::kNotFound, "volume " + choice.volume + ": claim " + choice.claim +
                                       " has no PersistentVolume, which the volume policies need to see");
    }
    return std::optional<VolumeChoice>();
  }
  choice.fs_backup = policy->action == selection::VolumeAction::kFsBackup;
  if (!choice.fs_backup) {
    choice.why_not = "the volume policy says " + std::string(to_string(policy->action)) + " (" + policy->origin + ")";
  }
  return std::optional<VolumeChoice>(std::move(choice));
}

VolumeChoice by_annotation(VolumeChoice choice, const json::Json& pod, const VolumeRules& rules) {
  const std::string who = to_string(k8s::ObjectView(pod).namespaced_name());
  if (rules.fs_backup_by_default) {
    choice.fs_backup = !is_listed(pod, api::annotation::kVolumesToExclude, choice.volume);
    if (!choice.fs_backup) choice.why_not = "an annotation of pod " + who + " leaves it out";
  } else {
    choice.fs_backup = is_listed(pod, api::annotation::kVolumesToBackup, choice.volume);
    if (!choice.fs_backup) choice.why_not = "no annotation of pod " + who + " asks for it";
  }
  return choice;
}

}  // namespace

Result<std::vector<VolumeChoice>> choose_pod_volumes(const json::Json& pod, const VolumeRules& rules,
                                                     const FindClaim& find) {
  std::vector<VolumeChoice> choices;
  const json::Json* volumes = json::find(pod, {"spec", "volumes"});
  if (volumes == nullptr || !volumes->is_array()) return choices;
  const std::string name_space(k8s::ObjectView(pod).name_space());
  for (const json::Json& volume : *volumes) {
    if (is_never_copied(volume)) continue;
    VolumeChoice choice{.volume = json::string_or(volume, {"name"}, ""),
                        .claim = json::string_or(volume, {"persistentVolumeClaim", "claimName"}, "")};
    if (!choice.claim.empty() && !rules.takes_claims) continue;
    if (rules.policies != nullptr && !rules.policies->empty()) {
      TRY_ASSIGN(std::optional<VolumeChoice> decided, "", by_policy(choice, name_space, volume, rules, find));
      if (decided) {
        choices.push_back(*std::move(decided));
        continue;
      }
    }
    choices.push_back(by_annotation(std::move(choice), pod, rules));
  }
  return choices;
}

Result<SnapshotChoice> choose_snapshot(const json::Json& volume, const json::Json* claim, const VolumeRules& rules) {
  if (rules.policies != nullptr && !rules.policies->empty()) {
    TRY_ASSIGN(const selection::VolumeFacts facts, "", selection::read_volume_facts(&volume, nullptr, claim));
    if (const selection::VolumePolicy* policy = rules.policies->match(facts)) {
      if (policy->action == selection::VolumeAction::kSnapshot) return SnapshotChoice{.is_wanted = true};
      return SnapshotChoice{.why_not = "the volume policy says " + std::string(to_string(policy->action)) + " (" +
                                       policy->origin + ")"};
    }
  }
  if (!rules.takes_snapshots) return SnapshotChoice{.why_not = "the backup takes no snapshots (spec.snapshotVolumes)"};
  return SnapshotChoice{.is_wanted = true};
}

}  // namespace landfall::backup
