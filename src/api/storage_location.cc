#include "api/storage_location.h"

#include "api/field_reader.h"
#include "api/phases.h"

namespace landfall::api {
namespace {

std::optional<Duration> every(std::optional<Duration> said, Duration servers_own) {
  const Duration period = said && *said >= Duration::zero() ? *said : servers_own;
  if (period == Duration::zero()) return std::nullopt;
  return period;
}

}  // namespace

std::optional<Duration> StorageLocation::sync_every(Duration servers_own) const {
  return every(sync_period, servers_own);
}

std::optional<Duration> StorageLocation::validate_every(Duration servers_own) const {
  return every(validation_frequency, servers_own);
}

Result<StorageLocation> read_storage_location(const json::Json& location) {
  std::vector<std::string> problems;
  FieldReader spec(location, {"spec"}, problems);
  FieldReader bucket = spec.child("objectStorage");
  FieldReader status(location, {"status"}, problems);
  StorageLocation result{.provider = spec.text("provider"),
                         .bucket = bucket.text("bucket"),
                         .prefix = bucket.text("prefix"),
                         .is_default = spec.flag("default"),
                         .is_read_only = spec.text("accessMode") == "ReadOnly",
                         .sync_period = spec.duration("backupSyncPeriod"),
                         .validation_frequency = spec.duration("validationFrequency"),
                         .last_synced = status.time("lastSyncedTime"),
                         .last_validated = status.time("lastValidationTime"),
                         .is_available = status.text("phase") == to_string(LocationPhase::kAvailable)};
  TRY("", no_problems(std::move(problems)));
  return result;
}

}  // namespace landfall::api
