#pragma once

#include <compare>
#include <string>
#include <string_view>

#include "base/result.h"

namespace landfall::restic {

// A release of restic, and what it can do.
struct ResticVersion {
  int major = 0;
  int minor = 0;
  int patch = 0;

  friend constexpr auto operator<=>(const ResticVersion&, const ResticVersion&) = default;

  // `restore --json` says how far it is.
  constexpr bool reports_restores() const { return *this >= ResticVersion{0, 17, 0}; }
  // `restore --sparse`
  constexpr bool writes_sparse_files() const { return *this >= ResticVersion{0, 15, 0}; }
  // `--retry-lock`
  constexpr bool waits_for_locks() const { return *this >= ResticVersion{0, 16, 0}; }
};

// The first that says in JSON what a backup came to and knows `--insecure-tls`.
inline constexpr ResticVersion kOldest{0, 14, 0};

std::string to_string(const ResticVersion& version);

// From what `restic version` prints. kUnsupported for one that is too old, kInvalid for anything else.
Result<ResticVersion> parse_version(std::string_view printed);

}  // namespace landfall::restic
