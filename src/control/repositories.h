#pragma once

#include <map>
#include <stop_token>
#include <string>
#include <tuple>

#include "base/clock.h"
#include "base/guarded.h"
#include "base/result.h"
#include "control/context.h"

namespace landfall::control {

// The repositories that one operation needs: for each namespace whose volumes it copies, a BackupRepository that is
// ready. Thread-safe.
class Repositories {
 public:
  struct Key {
    std::string volume_namespace;
    std::string location;
    std::string type;
    auto operator<=>(const Key&) const = default;
  };

  // `patience` is how long a repository may take to become ready.
  Repositories(const Context& context, Duration patience) : context_(context), patience_(patience) {}

  // Finds or makes the BackupRepository and waits until its reconciler has prepared it; one that was not ready is
  // looked at once more. Returns its spec.resticIdentifier. What was found is not asked for again. The error says why
  // it is not ready.
  Result<std::string> ensure(const Key& key, const std::stop_token& stop);

 private:
  Result<std::string> prepare(const Key& key, const std::stop_token& stop) const;
  Result<std::string> find_or_make(const Key& key, const std::stop_token& stop) const;

  const Context& context_;
  const Duration patience_;
  Guarded<std::map<Key, Result<std::string>>> known_;
};

}  // namespace landfall::control
