#include "control/artifact_tokens.h"

#include <chrono>
#include <cstdint>

#include "base/digest.h"
#include "base/strings.h"
#include "json/access.h"
#include "json/json.h"
#include "json/parse.h"

namespace landfall::control {
namespace {

using api::DownloadTarget;
using bucket::BackupArtifact;
using bucket::RestoreArtifact;
using json::Json;

// Two names of 253 bytes, escaped and encoded, stay well below.
constexpr std::size_t kMaxToken = 4096;
// What is signed begins with what it is, should the key ever sign anything else.
constexpr std::string_view kPurpose = "landfall artifact 1\n";

bool are_equal_in_constant_time(std::string_view a, std::string_view b) {
  if (a.size() != b.size()) return false;
  int difference = 0;
  for (std::size_t i = 0; i < a.size(); ++i) difference |= a[i] ^ b[i];
  return difference == 0;
}

std::int64_t seconds_of(WallTime time) {
  return std::chrono::floor<std::chrono::seconds>(time).time_since_epoch().count();
}

tl::unexpected<Error> refusal() { return fail(Code::kForbidden, "this address is not valid, or not any more"); }

}  // namespace

Artifact artifact_of(DownloadTarget target) {
  switch (target) {
    case DownloadTarget::kBackupLog:
      return BackupArtifact::kLog;
    case DownloadTarget::kBackupContents:
      return BackupArtifact::kContents;
    case DownloadTarget::kBackupVolumeSnapshots:
      return BackupArtifact::kVolumeSnapshots;
    case DownloadTarget::kBackupItemOperations:
      return BackupArtifact::kItemOperations;
    case DownloadTarget::kBackupResourceList:
      return BackupArtifact::kResourceList;
    case DownloadTarget::kBackupResults:
      return BackupArtifact::kResults;
    case DownloadTarget::kRestoreLog:
      return RestoreArtifact::kLog;
    case DownloadTarget::kRestoreResults:
      return RestoreArtifact::kResults;
    case DownloadTarget::kRestoreResourceList:
      return RestoreArtifact::kResourceList;
    case DownloadTarget::kRestoreItemOperations:
      return RestoreArtifact::kItemOperations;
    case DownloadTarget::kCsiBackupVolumeSnapshots:
      return BackupArtifact::kCsiVolumeSnapshots;
    case DownloadTarget::kCsiBackupVolumeSnapshotContents:
      return BackupArtifact::kCsiVolumeSnapshotContents;
    case DownloadTarget::kBackupVolumeInfos:
      return BackupArtifact::kVolumeInfos;
    case DownloadTarget::kRestoreVolumeInfo:
      return RestoreArtifact::kVolumeInfos;
    case DownloadTarget::kBackupChecksums:
      return BackupArtifact::kChecksums;
    case DownloadTarget::kBackupVolumePluginBackups:
      return BackupArtifact::kVolumePluginBackups;
    case DownloadTarget::kRestorePlan:
      return RestoreArtifact::kPlan;
  }
  return BackupArtifact::kLog;
}

const api::Kind& kind_of(DownloadTarget target) {
  return std::holds_alternative<RestoreArtifact>(artifact_of(target)) ? api::kRestore : api::kBackup;
}

bool is_log(DownloadTarget target) {
  return target == DownloadTarget::kBackupLog || target == DownloadTarget::kRestoreLog;
}

ArtifactTokens::ArtifactTokens(Random& random) {
  constexpr int kWords = 4;
  for (int i = 0; i < kWords; ++i) {
    std::uint64_t bits = random.bits();
    for (std::size_t byte = 0; byte < sizeof(bits); ++byte, bits >>= 8U) {
      key_ += static_cast<char>(bits & 0xFFU);
    }
  }
}

std::string ArtifactTokens::signature_of(std::string_view claims) const {
  return std::string(as_bytes(hmac_sha256(key_, std::string(kPurpose) + std::string(claims))));
}

std::string ArtifactTokens::issue(const ArtifactGrant& grant) const {
  // The target's name begins with the kind. Whole seconds: the rest is dropped, so it never lives longer than it
  // should.
  const std::string claims = json::dump(
      Json::array({std::string(to_string(grant.target)), grant.name, grant.location, seconds_of(grant.expires)}));
  return base64url_encode(claims) + "." + base64url_encode(signature_of(claims));
}

Result<ArtifactGrant> ArtifactTokens::check(std::string_view token, WallTime now) const {
  const auto parts = cut(token, '.');
  if (!parts || token.size() > kMaxToken) return refusal();
  const auto claims = base64url_decode(parts->first);
  const auto signature = base64url_decode(parts->second);
  if (!claims || !signature || !are_equal_in_constant_time(*signature, signature_of(*claims))) return refusal();
  // From here on the text is our own.
  TRY_ASSIGN(const Json fields, "artifact token", json::parse(*claims));
  TRY_ASSIGN(const std::string target_name, "artifact token", json::string_at(fields, {"0"}));
  const auto target = api::parse_name<DownloadTarget>(target_name);
  if (!target) return refusal();
  TRY_ASSIGN(std::string name, "artifact token", json::string_at(fields, {"1"}));
  TRY_ASSIGN(std::string location, "artifact token", json::string_at(fields, {"2"}));
  TRY_ASSIGN(const std::int64_t expires, "artifact token", json::int_at(fields, {"3"}));
  const WallTime ends{std::chrono::seconds(expires)};
  if (now >= ends) return refusal();
  return ArtifactGrant{.target = *target, .name = std::move(name), .location = std::move(location), .expires = ends};
}

}  // namespace landfall::control
