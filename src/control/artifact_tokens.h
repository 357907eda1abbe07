#pragma once

#include <string>
#include <string_view>
#include <variant>

#include "api/download_target.h"
#include "api/names.h"
#include "base/clock.h"
#include "base/random.h"
#include "base/result.h"
#include "bucket/layout.h"

namespace landfall::control {

// What a DownloadRequest's target is in the bucket.
using Artifact = std::variant<bucket::BackupArtifact, bucket::RestoreArtifact>;
Artifact artifact_of(api::DownloadTarget target);
// Whose artifact it is: kBackup or kRestore.
const api::Kind& kind_of(api::DownloadTarget target);
bool is_log(api::DownloadTarget target);

// The right to read one artifact for a while.
struct ArtifactGrant {
  api::DownloadTarget target{};
  std::string name;      // of the Backup or Restore
  std::string location;  // the BackupStorageLocation that holds it; empty when it is not known
  WallTime expires;

  friend bool operator==(const ArtifactGrant&, const ArtifactGrant&) = default;
};

// Writes such rights as texts that can stand in a URL, and reads them back.
//
// A token says what it is for, signed (HMAC-SHA256) with a key that this process made up when it started: nothing is
// stored, another process' tokens and those from before a restart are worth nothing. Whoever holds a token can read its
// artifact: it belongs into no log. Immutable; thread-safe.
class ArtifactTokens {
 public:
  // The randomness must be fit for secrets (system_random()).
  explicit ArtifactTokens(Random& random);

  // Letters, digits, "-", "_" and one dot.
  std::string issue(const ArtifactGrant& grant) const;
  // kForbidden, always in the same words, for what was not issued here or has expired.
  Result<ArtifactGrant> check(std::string_view token, WallTime now) const;

 private:
  std::string signature_of(std::string_view claims) const;

  std::string key_;
};

}  // namespace landfall::control
