#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>

#include "base/guarded.h"

namespace landfall::restore {

// What was decided about PersistentVolumes, for the claims that name them. Thread-safe.
class VolumeBook {
 public:
  void provision(const std::string& volume) {
    state_.with([&](State& state) { state.provisioned.insert(volume); });
  }
  bool is_provisioned(const std::string& volume) const {
    return state_.with([&](const State& state) { return state.provisioned.contains(volume); });
  }
  void rename(const std::string& volume, const std::string& name) {
    state_.with([&](State& state) { state.renamed[volume] = name; });
  }
  std::optional<std::string> new_name(const std::string& volume) const {
    return state_.with([&](const State& state) -> std::optional<std::string> {
      const auto found = state.renamed.find(volume);
      return found == state.renamed.end() ? std::nullopt : std::optional(found->second);
    });
  }

 private:
  struct State {
    std::set<std::string> provisioned;  // their claims get new volumes
    std::map<std::string, std::string> renamed;
  };
  Guarded<State> state_;
};

}  // namespace landfall::restore
