#include "cli_restore/restore_describe_volumes.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <string_view>
#include <utility>
#include <vector>

#include "api/status.h"
#include "base/rfc3339.h"
#include "base/strings.h"
#include "cli/describe_parts.h"
#include "json/access.h"
#include "json/json.h"
#include "terminal/text_width.h"

namespace landfall::cli {

using json::Json;

namespace {

// The phases in Velero's order; one that is being canceled is not shown.
constexpr std::array<std::pair<std::string_view, std::string_view>, 7> kPhases = {{{"Completed", "Completed"},
                                                                                   {"Canceled", "Canceled"},
                                                                                   {"Failed", "Failed"},
                                                                                   {"InProgress", "In Progress"},
                                                                                   {"Prepared", "Prepared"},
                                                                                   {"Accepted", "Accepted"},
                                                                                   {"New", "New"}}};

std::string text_at(const Json& object, const json::Path& path) {
  return terminal::printable(json::string_or(object, path, ""));
}

// "data (33.30%)"
std::string volume_text(const Json& restore, std::string_view phase) {
  const std::string name = text_at(restore, {"spec", "volume"});
  const auto total = json::int_or(restore, {"status", "progress", "totalBytes"}, 0);
  const auto done = json::int_or(restore, {"status", "progress", "bytesDone"}, 0);
  if (total <= 0) return name;
  if (phase == "InProgress") {
    return fmt::format("{} ({:.2f}%)", name, 100.0 * static_cast<double>(done) / static_cast<double>(total));
  }
  return phase == "Completed" ? fmt::format("{} (size: {})", name, total) : name;
}

std::string pods_part(const std::vector<Json>& all, const std::string& phase) {
  std::map<std::string, std::vector<std::string>> by_pod;
  for (const Json& restore : all) {
    std::string now = api::status_text(restore, api::field::kPhase);
    if (now.empty()) now = "New";
    if (now != phase) continue;
    by_pod[text_at(restore, {"spec", "pod", "namespace"}) + "/" + text_at(restore, {"spec", "pod", "name"})].push_back(
        volume_text(restore, phase));
  }
  std::string part;
  for (auto& [pod, volumes] : by_pod) {
    std::ranges::sort(volumes);
    part += fmt::format("\t\t{}: {}\n", pod, join(volumes, ", "));
  }
  return part;
}

std::int64_t count_in(const std::vector<Json>& all, std::string_view phase) {
  std::int64_t count = 0;
  for (const Json& restore : all) {
    const std::string now = api::status_text(restore, api::field::kPhase);
    if (now == phase || (now.empty() && phase == "New")) ++count;
  }
  return count;
}

std::string pod_volumes_part(const RestoreDescription& what) {
  const std::vector<Json>& all = what.pod_volume_restores;
  if (all.empty()) return "";
  std::string part = fmt::format("\n{} Restores{}:\n", text_at(all.front(), {"spec", "uploaderType"}),
                                 what.details ? "" : " (specify --details for more information)");
  for (const auto& [phase, shown] : kPhases) {
    const std::int64_t count = count_in(all, phase);
    if (count == 0) continue;
    part += what.details ? fmt::format("\t{}:\n", shown) + pods_part(all, std::string(phase))
                         : fmt::format("\t{}:\t{}\n", shown, count);
  }
  return part;
}

std::string snapshot_part(const Json& info, bool is_moved, bool details) {
  std::string part = fmt::format("\t{}/{}:\n", text_at(info, {"pvcNamespace"}), text_at(info, {"pvcName"}));
  const std::string_view heading = is_moved ? "Data Movement:" : "Snapshot:";
  if (!details) return part + fmt::format("\t\t{} specify --details for more information\n", heading);
  part += fmt::format("\t\t{}\n", heading);
  if (is_moved) {
    const auto moved = [&](std::string_view field) { return text_at(info, {"snapshotDataMovementInfo", field}); };
    return part + fmt::format("\t\t\tOperation ID: {}\n\t\t\tData Mover: {}\n\t\t\tUploader Type: {}\n",
                              moved("operationID"), moved("dataMover"), moved("uploaderType"));
  }
  const auto csi = [&](std::string_view field) { return text_at(info, {"csiSnapshotInfo", field}); };
  return part + fmt::format("\t\t\tSnapshot Content Name: {}\n\t\t\tStorage Snapshot ID: {}\n\t\t\tCSI Driver: {}\n",
                            csi("vscName"), csi("snapshotHandle"), csi("driver"));
}

std::string snapshots_part(const RestoreDescription& what) {
  if (!what.volume_infos.error.empty()) {
    return fmt::format("\t<error getting restore volume info: {}>\n", terminal::printable(what.volume_infos.error));
  }
  if (!what.volume_infos.document || !what.volume_infos.document->is_array()) return "";
  std::string kept;
  std::string moved;
  for (const Json& info : *what.volume_infos.document) {
    if (json::string_or(info, {"restoreMethod"}, "") != "CSISnapshot") continue;
    const bool is_moved = json::bool_or(info, {"snapshotDataMoved"}, false);
    (is_moved ? moved : kept) += snapshot_part(info, is_moved, what.details);
  }
  if (kept.empty() && moved.empty()) return "\nCSI Snapshot Restores: <none included>\n";
  return "\nCSI Snapshot Restores:\n" + kept + moved;
}

std::string operation_part(const Json& operation) {
  const auto of = [&](std::string_view field) { return text_at(operation, {"spec", "resourceIdentifier", field}); };
  const auto status = [&](std::string_view field) { return text_at(operation, {"status", field}); };
  const std::string group = of("Group");
  std::string part = fmt::format("\tOperation for {}{} {}/{}:\n", of("Resource"), group.empty() ? "" : "." + group,
                                 of("Namespace"), of("Name"));
  part += fmt::format("\t\tRestore Item Action Plugin:\t{}\n\t\tOperation ID:\t{}\n\t\tPhase:\t{}\n",
                      text_at(operation, {"spec", "restoreItemAction"}), text_at(operation, {"spec", "operationID"}),
                      status("phase"));
  if (const auto error = status("error"); !error.empty()) part += fmt::format("\t\tOperation Error:\t{}\n", error);
  const auto total = json::int_or(operation, {"status", "nTotal"}, 0);
  const auto done = json::int_or(operation, {"status", "nCompleted"}, 0);
  if (total > 0 || done > 0) {
    part += fmt::format("\t\tProgress:\t{} of {} complete ({})\n", done, total, status("operationUnits"));
  }
  if (const auto text = status("description"); !text.empty()) {
    part += fmt::format("\t\tProgress description:\t{}\n", text);
  }
  for (const auto& [field, name] :
       {std::pair("created", "Created"), std::pair("started", "Started"), std::pair("updated", "Updated")}) {
    const auto time = parse_rfc3339(json::string_or(operation, {"status", field}, ""));
    if (time) part += fmt::format("\t\t{}:\t{}\n", name, format_go_time(*time));
  }
  return part;
}

}  // namespace

std::string volumes_part(const RestoreDescription& what) { return pod_volumes_part(what) + snapshots_part(what); }

std::string operations_part(const RestoreDescription& what) {
  const auto count = [&](std::string_view field) { return json::int_or(what.restore, {"status", field}, 0); };
  const std::int64_t attempted = count("restoreItemOperationsAttempted");
  if (attempted == 0) return "";
  if (!what.details) {
    return fmt::format(
        "Restore Item Operations:\t{} of {} completed successfully, {} failed (specify --details for more "
        "information)\n",
        count("restoreItemOperationsCompleted"), attempted, count("restoreItemOperationsFailed"));
  }
  if (!what.item_operations.document || !what.item_operations.document->is_array()) {
    const std::string& error = what.item_operations.error;
    return fmt::format("Restore Item Operations:\t<error getting operation info: {}>\n",
                       error.empty() ? "file not found" : terminal::printable(error));
  }
  std::string part = "Restore Item Operations:\n";
  for (const Json& operation : *what.item_operations.document) part += operation_part(operation);
  return part;
}

}  // namespace landfall::cli
