#include "api/status.h"

#include "base/rfc3339.h"
#include "json/access.h"
#include "json/json.h"

namespace landfall::api {

using json::Json;

namespace {

Status set_or_erase(Json& object, std::string_view name, bool is_empty, Json value) {
  if (!is_empty) return json::set_at(object, {"status", name}, std::move(value));
  json::erase_at(object, {"status", name});
  return {};
}

Status set_operations(Json& object, const std::string& prefix, const OperationCounts& counts) {
  TRY("", set_status_count(object, prefix + "Attempted", counts.attempted));
  TRY("", set_status_count(object, prefix + "Completed", counts.completed));
  return set_status_count(object, prefix + "Failed", counts.failed);
}

}  // namespace

std::string status_text(const Json& object, std::string_view name) {
  return json::string_or(object, {"status", name}, "");
}

std::int64_t status_count(const Json& object, std::string_view name) {
  return json::int_or(object, {"status", name}, 0);
}

std::optional<WallTime> status_time(const Json& object, std::string_view name) {
  const std::string* text = json::find_string(object, {"status", name});
  if (text == nullptr) return std::nullopt;
  const auto time = parse_rfc3339(*text);
  return time ? std::optional(*time) : std::nullopt;
}

Status set_status_text(Json& object, std::string_view name, std::string_view value) {
  return set_or_erase(object, name, value.empty(), std::string(value));
}

Status set_status_count(Json& object, std::string_view name, std::int64_t value) {
  return set_or_erase(object, name, value == 0, value);
}

Status set_status_texts(Json& object, std::string_view name, const std::vector<std::string>& values) {
  return set_or_erase(object, name, values.empty(), values);
}

Status set_status_time(Json& object, std::string_view name, std::optional<WallTime> value) {
  return set_or_erase(object, name, !value, value ? format_rfc3339(*value) : std::string());
}

Status set_backup_operations(Json& backup, const OperationCounts& counts) {
  return set_operations(backup, "backupItemOperations", counts);
}

Status set_restore_operations(Json& restore, const OperationCounts& counts) {
  return set_operations(restore, "restoreItemOperations", counts);
}

Status set_hook_status(Json& object, std::int64_t attempted, std::int64_t failed) {
  Json counts = Json::object();
  if (attempted != 0) counts["hooksAttempted"] = attempted;
  if (failed != 0) counts["hooksFailed"] = failed;
  return json::set_at(object, {"status", "hookStatus"}, std::move(counts));
}

bool is_cancel_wanted(const Json& object) { return json::bool_or(object, {"spec", "cancel"}, false); }

Status set_canceled(Json& object) {
  // Backups and Restores have the same word for it.
  TRY("", set_phase(object, BackupPhase::kFailed));
  TRY("", set_status_text(object, field::kFailureReason, kCanceledReason));
  return json::set_at(object, {"status", "canceled"}, true);
}

bool is_canceled(const Json& object) { return json::bool_or(object, {"status", "canceled"}, false); }

}  // namespace landfall::api
