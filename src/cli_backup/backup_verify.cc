#include "cli_backup/backup_verify.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/bytes.h"
#include "base/strings.h"
#include "json/json.h"
#include "terminal/table.h"
#include "terminal/text_width.h"

namespace landfall::cli {
namespace {

using bucket::AbsentItem;
using bucket::VerifiedFile;
using bucket::VerifyReport;

std::string state_of(const VerifiedFile& file) {
  if (file.problems.empty()) return "whole";
  return fmt::format("DAMAGED ({})", file.problems.size());
}

std::string files_text(const VerifyReport& report) {
  terminal::Table table({"FILE", "SIZE", "CHECKSUM", "STATE"});
  for (const VerifiedFile& file : report.files) {
    table.add({terminal::printable(file.name), to_string(ByteCount(static_cast<std::int64_t>(file.size))),
               file.has_checksum ? "yes" : "-", state_of(file)});
  }
  return table.text();
}

std::string absent_text(const VerifyReport& report) {
  if (report.absent.empty()) return "";
  std::string text = fmt::format("{} {} listed by the backup but not in its archive:\n", report.absent.size(),
                                 report.absent.size() == 1 ? "item is" : "items are");
  for (const AbsentItem& item : report.absent) {
    const std::string reason = item.reason.empty() ? "no error was recorded" : "failed at backup time:" + item.reason;
    text += terminal::printable(fmt::format("  {} {}: {}", item.kind, item.name, reason)) + "\n";
  }
  return text;
}

std::string lines(std::string_view heading, const std::vector<std::string>& all) {
  std::string text;
  for (const std::string& one : all) text += terminal::printable(fmt::format("{}{}", heading, one)) + "\n";
  return text;
}

std::string verdict(const VerifyReport& report) {
  const std::string checksums = report.has_checksums ? "" : ", as far as can be told without checksums";
  return fmt::format("Backup {} ({}, {} items) is {}\n", report.backup,
                     report.phase.empty() ? "phase unknown" : terminal::printable(report.phase), report.items,
                     report.is_whole() ? "whole" + checksums : "DAMAGED");
}

}  // namespace

std::string verify_text(const VerifyReport& report) {
  std::string text = files_text(report);
  for (const VerifiedFile& file : report.files) text += lines("damaged: " + file.name + ": ", file.problems);
  text += lines("damaged: ", report.problems);
  text += absent_text(report);
  if (report.unlisted_count > 0) {
    text += fmt::format("{} in the archive but not in the resource list, for example {}\n",
                        report.unlisted_count == 1 ? "1 item is" : fmt::format("{} items are", report.unlisted_count),
                        terminal::printable(report.unlisted.front()));
  }
  text += lines("note: ", report.notes);
  return text + verdict(report);
}

json::Json verify_document(const VerifyReport& report) {
  json::Json files = json::Json::array();
  for (const VerifiedFile& file : report.files) {
    files.push_back(
        {{"name", file.name}, {"bytes", file.size}, {"hasChecksum", file.has_checksum}, {"problems", file.problems}});
  }
  json::Json absent = json::Json::array();
  for (const AbsentItem& item : report.absent) {
    absent.push_back({{"kind", item.kind}, {"name", item.name}, {"reason", item.reason}});
  }
  return {{"backup", report.backup},      {"phase", report.phase},
          {"isWhole", report.is_whole()}, {"hasChecksums", report.has_checksums},
          {"items", report.items},        {"files", files},
          {"absentItems", absent},        {"unlistedItems", report.unlisted_count},
          {"problems", report.problems},  {"notes", report.notes}};
}

}  // namespace landfall::cli
