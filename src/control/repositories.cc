#include "control/repositories.h"

#include <fmt/format.h>

#include <chrono>
#include <optional>
#include <utility>

#include "api/labels.h"
#include "api/status.h"
#include "control/change.h"
#include "json/access.h"
#include "json/json.h"
#include "k8s/names.h"
#include "k8s/object_view.h"

namespace landfall::control {

using api::RepositoryPhase;
using json::Json;

namespace {

constexpr Duration kBetweenLooks = std::chrono::milliseconds(200);
constexpr std::size_t kMaxName = 253;

std::map<std::string, std::string> labels_of(const Repositories::Key& key) {
  return {{std::string(api::label::kVolumeNamespace), k8s::label_safe(key.volume_namespace)},
          {std::string(api::label::kStorageLocation), k8s::label_safe(key.location)},
          {std::string(api::label::kRepositoryType), k8s::label_safe(key.type)}};
}

// Two operations that need it at once must not make two: the name follows from what it is.
std::string name_of(const Repositories::Key& key) {
  std::string name = fmt::format("{}-{}-{}", key.volume_namespace, key.location, key.type);
  return name.size() > kMaxName ? k8s::label_safe(name) : name;
}

}  // namespace

Result<std::string> Repositories::ensure(const Key& key, const std::stop_token& stop) {
  const auto known = known_.with([&](const auto& all) {
    const auto found = all.find(key);
    return found == all.end() ? std::optional<Result<std::string>>() : std::optional(found->second);
  });
  if (known) return *known;
  auto ready = prepare(key, stop);
  // A stop is nothing that could be known about a repository.
  if (!stop.stop_requested()) known_.with([&](auto& all) { all.insert_or_assign(key, ready); });
  return ready;
}

Result<std::string> Repositories::find_or_make(const Key& key, const std::stop_token& stop) const {
  const kube::Resource repositories = context_.objects(api::kBackupRepository);
  const auto labels = labels_of(key);
  std::string selector;
  for (const auto& [label, value] : labels) {
    selector += fmt::format("{}{}={}", selector.empty() ? "" : ",", label, value);
  }
  TRY_ASSIGN(const kube::ObjectList found, "", repositories.list({.label_selector = selector}, stop));
  if (!found.items.empty()) return std::string(k8s::ObjectView(found.items.front()).name());

  const std::string name = name_of(key);
  const Json wanted = {{"apiVersion", api::kBackupRepository.api_version()},
                       {"kind", std::string(api::kBackupRepository.name)},
                       {"metadata", {{"name", name}, {"namespace", context_.name_space}, {"labels", labels}}},
                       {"spec",
                        {{"volumeNamespace", key.volume_namespace},
                         {"backupStorageLocation", key.location},
                         {"repositoryType", key.type},
                         {"resticIdentifier", ""},
                         {"maintenanceFrequency", "0s"}}}};
  const auto made = repositories.create(wanted, stop);
  if (!made && made.error().code() != Code::kAlreadyExists) return fail("", made.error());
  return name;
}

Result<std::string> Repositories::prepare(const Key& key, const std::stop_token& stop) const {
  const std::string title =
      fmt::format("{} repository for the volumes of namespace {} in {}", key.type, key.volume_namespace, key.location);
  TRY_ASSIGN(const std::string name, title, find_or_make(key, stop));
  const kube::Resource repositories = context_.objects(api::kBackupRepository);
  const SteadyTime deadline = context_.clock.after(patience_);
  bool was_asked_again = false;
  while (true) {
    TRY_ASSIGN(const Json repository, title, repositories.get(name, stop));
    const auto phase = api::phase_of<RepositoryPhase>(repository);
    if (phase == RepositoryPhase::kReady) return json::string_or(repository, {"spec", "resticIdentifier"}, "");
    const std::string why = api::status_text(repository, api::field::kMessage);
    if (phase == RepositoryPhase::kNotReady && was_asked_again) {
      return fail(Code::kUnavailable, fmt::format("{} is not ready: {}", title, why.empty() ? "no reason given" : why));
    }
    if (phase == RepositoryPhase::kNotReady) {
      // That may have been minutes ago. As a new one it is looked at right away.
      Json again = repository;
      TRY(title, api::set_phase(again, RepositoryPhase::kNew));
      const Status asked = write_change(repositories, repository, again, stop, IfChanged::kConflict);
      if (!asked && asked.error().code() != Code::kConflict) return fail(title, asked.error());
    }
    // Of one that is new, what comes next is about now.
    was_asked_again = true;
    if (context_.clock.now() >= deadline) {
      return fail(Code::kTimeout, title + " has not become ready in time" + (why.empty() ? "" : ": " + why));
    }
    if (!context_.clock.sleep_for(kBetweenLooks, stop)) return fail(Code::kCancelled, "stopped");
  }
}

}  // namespace landfall::control
