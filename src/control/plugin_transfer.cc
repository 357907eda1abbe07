#include "control/plugin_transfer.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <vector>

#include "api/phases.h"
#include "api/progress_fields.h"
#include "api/status.h"
#include "base/encoding.h"
#include "base/rfc3339.h"
#include "base/strings.h"
#include "base/utf8.h"
#include "json/access.h"
#include "json/json.h"

namespace landfall::control {

using api::VolumePluginPhase;
using json::Json;

namespace {

// Plugins say what they like; a resource has room for so much.
constexpr std::size_t kMaxMessage = 4096;
constexpr std::size_t kMaxSpecifics = 64;

std::string cut(std::string_view text) { return to_valid_utf8(text.substr(0, kMaxMessage)); }

std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '/' || c == '%') {
      out += fmt::format("%{:02X}", static_cast<unsigned>(c));
    } else {
      out += c;
    }
  }
  return out;
}

Result<std::string> unescaped(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    if (text.front() != '%') {
      out += text.front();
      text.remove_prefix(1);
      continue;
    }
    if (text.size() < 3) return fail(Code::kDataLoss, "it is cut off");
    auto byte = hex_decode(text.substr(1, 2));
    if (!byte) return fail(Code::kDataLoss, byte.error().message());
    out += *byte;
    text.remove_prefix(3);
  }
  return out;
}

TransferSight::State state_of(std::string_view phase) {
  using enum TransferSight::State;
  const auto known = api::parse_phase<VolumePluginPhase>(phase);
  if (!known || !api::is_final(*known)) return kUnderWay;
  return known == VolumePluginPhase::kCompleted ? kCompleted : kFailed;
}

void clamp(TransferSight& sight) {
  sight.total_bytes = std::max<std::int64_t>(sight.total_bytes, 0);
  sight.bytes_done = std::max<std::int64_t>(sight.bytes_done, 0);
  if (sight.total_bytes > 0) sight.bytes_done = std::min(sight.bytes_done, sight.total_bytes);
}

}  // namespace

std::string operation_id(const PluginTransfer& transfer) {
  std::vector<std::string> parts = {escaped(transfer.location), escaped(transfer.snapshot), escaped(transfer.volume),
                                    escaped(transfer.resource)};
  if (transfer.asked_at) {
    parts.push_back(escaped(transfer.volume_id));
    parts.push_back(format_rfc3339_nano(*transfer.asked_at));
  }
  return join(parts, "/");
}

Result<PluginTransfer> read_operation_id(std::string_view text) {
  const std::string where = "an operation of a volume snapshotter";
  const auto parts = split(text, '/');
  if (parts.size() != 4 && parts.size() != 6) return fail(Code::kDataLoss, where + ": its ID is none");
  PluginTransfer transfer;
  const std::array<std::string*, 5> fields = {&transfer.location, &transfer.snapshot, &transfer.volume,
                                              &transfer.resource, &transfer.volume_id};
  for (std::size_t i = 0; i < std::min(fields.size(), parts.size()); ++i) {
    TRY_ASSIGN(*fields.at(i), where, unescaped(parts[i]));
  }
  if (parts.size() == 6) {
    TRY_ASSIGN(transfer.asked_at, where, parse_rfc3339(parts[5]));
  }
  return transfer;
}

TransferSight sight_of(const Json& resource) {
  TransferSight sight{.phase = api::status_text(resource, api::field::kPhase),
                      .message = api::status_text(resource, api::field::kMessage),
                      .started = api::status_time(resource, api::field::kStartTimestamp),
                      .completed = api::status_time(resource, api::field::kCompletionTimestamp)};
  sight.state = state_of(sight.phase);
  if (const auto progress = api::read_byte_progress(resource)) {
    sight.total_bytes = progress->bytes.total.value_or(ByteCount()).count();
    sight.bytes_done = progress->bytes.done.count();
  }
  clamp(sight);
  return sight;
}

TransferSight sight_of(const extension::TransferProgress& progress) {
  TransferSight sight{.state = state_of(progress.phase),
                      .phase = progress.phase,
                      .message = progress.message,
                      .total_bytes = progress.total_bytes,
                      .bytes_done = progress.bytes_done,
                      .started = progress.started,
                      .completed = progress.completed};
  clamp(sight);
  return sight;
}

std::string failure_text(const TransferSight& sight) {
  return sight.message.empty() ? "it ended as " + sight.phase : sight.message;
}

void keep_bytes(TransferSight& sight, const TransferSight& before) {
  if (sight.total_bytes == 0) sight.total_bytes = before.total_bytes;
  sight.bytes_done = std::max(sight.bytes_done, before.bytes_done);
  clamp(sight);
}

Status set_transfer_status(Json& resource, const extension::TransferProgress& progress, WallTime now) {
  TransferSight sight = sight_of(progress);
  keep_bytes(sight, sight_of(resource));
  TRY("", api::set_status_text(resource, api::field::kPhase, sight.phase.empty() ? "New" : sight.phase));
  TRY("", api::set_status_text(resource, api::field::kMessage, cut(sight.message)));
  if (!api::status_time(resource, api::field::kStartTimestamp)) {
    TRY("", api::set_status_time(resource, api::field::kStartTimestamp, now));
  }
  if (is_over(sight) && !api::status_time(resource, api::field::kCompletionTimestamp)) {
    TRY("", api::set_status_time(resource, api::field::kCompletionTimestamp, now));
  }
  TRY("", json::set_at(resource, {"status", "progress", "totalBytes"}, sight.total_bytes));
  TRY("", json::set_at(resource, {"status", "progress", "bytesDone"}, sight.bytes_done));
  if (progress.plugin_specific.empty()) return {};
  Json specifics = Json::object();
  for (const auto& [key, value] : progress.plugin_specific) {
    if (specifics.size() == kMaxSpecifics) break;
    specifics[cut(key)] = cut(value);
  }
  return json::set_at(resource, {"spec", "pluginSpecific"}, std::move(specifics));
}

}  // namespace landfall::control
