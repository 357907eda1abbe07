#pragma once

#include <string>
#include <vector>

#include "api/names.h"
#include "base/result.h"
#include "cli/command.h"
#include "json/json_fwd.h"

namespace landfall::cli {

enum class Format { kTable, kJson, kYaml, kName };

// The -o flag of commands that print objects.
struct OutputFlags {
  std::string format = "table";
};
void add_output_flags(const Command& command, OutputFlags& flags);
Format format_of(const OutputFlags& flags);

// One document as JSON (indented by two) or YAML, with a newline at the end.
std::string document_text(const json::Json& document, Format format);

// Kubernetes objects as Velero prints them: exactly one stands alone, none or several become a List; -o name gives
// `backup.velero.io/nightly`, a line each.
std::string objects_text(const std::vector<json::Json>& objects, Format format);
// The same for objects of one kind, whose list is a BackupList and so on.
std::string objects_text(const std::vector<json::Json>& objects, Format format, const api::Kind& kind);

}  // namespace landfall::cli
