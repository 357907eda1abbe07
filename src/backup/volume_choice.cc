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

// Velero compares the names as they stand between the commas, with their spaces.
std::vector<std::string> listed(const json::Json& pod, std::string_view annotation) {
  std::vector<std::string> names;
  const auto list = k8s::ObjectView(pod).annotations().get(std::string(annotation));
  if (!list) return names;
  for (const auto& name : split(*list, ',')) {
    if (const auto trimmed = trim(name); !trimmed.empty()) names.emplace_back(trimmed);
  }
  return names;
}

bool is_listed(const json::Json& pod, std::string_view annotation, const std::string& volume) {
  const std::vector<std::string> names = listed(pod, annotation);
  return std::ranges::find(names, volume) != names.end();
}

// What the pod asks for and does not get. Nobody should find out about it at a restore.
void add_asked_in_vain(std::vector<VolumeChoice>& choices, const json::Json& pod, const json::Json& volumes) {
  for (const std::string& name : listed(pod, api::annotation::kVolumesToBackup)) {
    if (std::ranges::find(choices, name, &VolumeChoice::volume) != choices.end()) continue;
    const auto found =
        std::ranges::find(volumes, name, [](const json::Json& one) { return json::string_or(one, {"name"}, ""); });
    const bool is_there = found != volumes.end();
    if (is_there && !is_never_copied(*found)) continue;
    choices.push_back({.volume = name,
                       .why_not = is_there ? "files of volumes of this kind are not backed up"
                                           : "an annotation asks for it, but the pod has no volume of this name",
                       .is_refused = true});
  }
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

// Whether one of the pod's containers has it in that list. Those that only prepare the pod do not count.
bool is_used_by_container(const json::Json& pod, std::string_view list, const std::string& volume) {
  const json::Json* containers = json::find(pod, {"spec", "containers"});
  if (containers == nullptr || !containers->is_array()) return false;
  return std::ranges::any_of(*containers, [&](const json::Json& container) {
    const json::Json* used = json::find(container, {list});
    return used != nullptr && used->is_array() && std::ranges::any_of(*used, [&](const json::Json& one) {
             return json::string_or(one, {"name"}, "") == volume;
           });
  });
}

// Empty when it can be copied.
Result<std::string> why_refused(const json::Json& pod, const VolumeChoice& choice, const FindClaim& find) {
  if (!choice.claim.empty()) {
    TRY_ASSIGN(const FoundClaim found, "volume " + choice.volume,
               find(std::string(k8s::ObjectView(pod).name_space()), choice.claim));
    if (found.volume && json::has(*found.volume, {"spec", "hostPath"})) {
      return std::string("its PersistentVolume is a path of the host (hostPath), which node agents cannot reach");
    }
  }
  if (is_used_by_container(pod, "volumeDevices", choice.volume)) {
    return std::string("it is a block device, which has no files");
  }
  if (!is_used_by_container(pod, "volumeMounts", choice.volume)) {
    return std::string("no container of the pod mounts it");
  }
  return std::string();
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
    std::optional<VolumeChoice> decided;
    if (rules.policies != nullptr && !rules.policies->empty()) {
      TRY_ASSIGN(decided, "", by_policy(choice, name_space, volume, rules, find));
    }
    if (!decided) decided = by_annotation(std::move(choice), pod, rules);
    if (decided->fs_backup) {
      TRY_ASSIGN(decided->why_not, "", why_refused(pod, *decided, find));
      decided->is_refused = !decided->why_not.empty();
      decided->fs_backup = !decided->is_refused;
    }
    choices.push_back(*std::move(decided));
  }
  if (!rules.fs_backup_by_default) add_asked_in_vain(choices, pod, *volumes);
  return choices;
}

Result<SnapshotChoice> choose_snapshot(const json::Json& volume, const json::Json* claim, const VolumeRules& rules) {
  if (rules.policies != nullptr && !rules.policies->empty()) {
    TRY_ASSIGN(const selection::VolumeFacts facts, "", selection::read_volume_facts(&volume, nullptr, claim));
    if (const selection::VolumePolicy* policy = rules.policies->match(facts)) {
      if (policy->action == selection::VolumeAction::kSnapshot) {
        return SnapshotChoice{.is_wanted = true, .is_by_policy = true, .why_not = {}};
      }
      return SnapshotChoice{.why_not = "the volume policy says " + std::string(to_string(policy->action)) + " (" +
                                       policy->origin + ")"};
    }
  }
  if (!rules.takes_snapshots) return SnapshotChoice{.why_not = "the backup takes no snapshots (spec.snapshotVolumes)"};
  return SnapshotChoice{.is_wanted = true};
}

}  // namespace landfall::backup
