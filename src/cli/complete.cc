#include "cli/complete.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <optional>
#include <string_view>
#include <utility>

#include "api/names.h"
#include "base/strings.h"
#include "cli/cluster.h"
#include "json/json.h"
#include "k8s/object_view.h"
#include "kube/resource.h"
#include "terminal/text_width.h"

namespace landfall::cli {
namespace {

constexpr Duration kPatience = std::chrono::seconds(2);
constexpr std::int64_t kMost = 500;

// What a word on the command line is the name of.
struct Named {
  k8s::GroupVersionResource resource;
  bool is_namespaced = true;
};
const Named kNamespaces{{"", "v1", "namespaces"}, false};

std::optional<Named> named_by(std::string_view noun) {
  static constexpr std::array<std::pair<std::string_view, api::Kind>, 12> kNouns{{
      {"backup", api::kBackup},
      {"backups", api::kBackup},
      {"restore", api::kRestore},
      {"restores", api::kRestore},
      {"schedule", api::kSchedule},
      {"schedules", api::kSchedule},
      {"backup-location", api::kBackupStorageLocation},
      {"backup-locations", api::kBackupStorageLocation},
      {"snapshot-location", api::kVolumeSnapshotLocation},
      {"snapshot-locations", api::kVolumeSnapshotLocation},
      {"repo", api::kBackupRepository},
      {"repos", api::kBackupRepository},
  }};
  const auto* const found = std::ranges::find(kNouns, noun, &std::pair<std::string_view, api::Kind>::first);
  return found == kNouns.end() ? std::nullopt : std::optional(Named{found->second.resource()});
}

// `backup get` and `get backups` are about the same; what is created has a new name, and what runs without a cluster
// has none in it.
std::optional<Named> argument_of(const std::string& command) {
  const auto words = split_words(command);
  if (words.size() != 2) return std::nullopt;
  for (const std::string_view verb : {"create", "run", "add"}) {
    if (words[0] == verb || words[1] == verb) return std::nullopt;
  }
  const auto noun_first = named_by(words[0]);
  return noun_first ? noun_first : named_by(words[1]);
}

std::optional<Named> value_of(const std::string& flag) {
  static constexpr std::array<std::pair<std::string_view, std::string_view>, 7> kFlags{{
      {"--backup", "backup"},
      {"--from-backup", "backup"},
      {"--restore", "restore"},
      {"--from-schedule", "schedule"},
      {"--storage-location", "backup-location"},
      {"--volume-snapshot-locations", "snapshot-location"},
      {"--default-backup-storage-location", "backup-location"},
  }};
  if (flag == "--namespace" || flag == "--include-namespaces" || flag == "--exclude-namespaces") return kNamespaces;
  const auto* const found = std::ranges::find(kFlags, flag, &std::pair<std::string_view, std::string_view>::first);
  return found == kFlags.end() ? std::nullopt : named_by(found->second);
}

bool is_list(const std::string& flag) { return flag.ends_with("s"); }

bool is_path(const Completion& found) {
  for (const std::string_view flag : {"--kubeconfig", "--cacert", "--secret-file", "--log-file", "--output-dir",
                                      "--from", "--output", "--kubeconfig-out", "--data", "--token-file"}) {
    if (found.flag == flag) return true;
  }
  return found.command.starts_with("archive ");
}

std::vector<std::string> live_names(const Named& named, const Completion& found, const std::string& default_namespace,
                                    const Context& context) {
  const auto flag_or = [&](const std::string& name, const std::string& fallback) {
    const auto given = found.flags.find(name);
    return given == found.flags.end() ? fallback : given->second;
  };
  std::vector<std::string> names;
  const GlobalFlags global{.kubeconfig = flag_or("--kubeconfig", ""), .kubecontext = flag_or("--kubecontext", "")};
  const auto cluster = Cluster::of(global, context);
  if (!cluster) return names;
  const std::string name_space = named.is_namespaced ? flag_or("--namespace", default_namespace) : "";
  const kube::Resource resource = kube::Resource((*cluster)->client(), named.resource, name_space).within(kPatience);
  const auto all = resource.list({.page_size = kMost}, context.stop);
  if (!all) return names;
  for (const json::Json& one : all->items) names.emplace_back(k8s::ObjectView(one).name());
  return names;
}

void add_live(Completion& found, const std::string& default_namespace, const Context& context) {
  const auto named = found.flag.empty() ? argument_of(found.command) : value_of(found.flag);
  if (!named) return;
  std::string typed = found.typed;
  std::string before = found.before;
  if (const std::size_t comma = typed.rfind(','); is_list(found.flag) && comma != std::string::npos) {
    before += typed.substr(0, comma + 1);
    typed.erase(0, comma + 1);
  }
  for (const std::string& name : live_names(*named, found, default_namespace, context)) {
    if (name.starts_with(typed)) found.candidates.push_back({before + name, ""});
  }
}

}  // namespace

std::string completion_text(const CommandTree& tree, const std::vector<std::string>& words,
                            const std::string& default_namespace, const Context& context) {
  Completion found = tree.complete(words);
  if (is_path(found)) return "files\n";
  add_live(found, default_namespace, context);
  std::string text = "words\n";
  for (const Completion::Candidate& one : found.candidates) {
    text += terminal::printable(one.word) + (one.help.empty() ? "" : "\t" + terminal::printable(one.help)) + "\n";
  }
  return text;
}

}  // namespace landfall::cli
