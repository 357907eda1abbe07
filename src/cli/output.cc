#include "cli/output.h"

#include "base/strings.h"
#include "json/access.h"
#include "json/json.h"
#include "json/parse.h"
#include "json/yaml.h"

namespace landfall::cli {
namespace {

std::string name_line(const json::Json& object) {
  const std::string version = json::string_or(object, {"apiVersion"}, "");
  const std::size_t slash = version.find('/');
  const std::string group = slash == std::string::npos ? "" : "." + version.substr(0, slash);
  return to_lower(json::string_or(object, {"kind"}, "object")) + group + "/" +
         json::string_or(object, {"metadata", "name"}, "") + "\n";
}

std::string text_of(const std::vector<json::Json>& objects, Format format, const std::string& list_version,
                    const std::string& list_kind) {
  if (format == Format::kName) {
    std::string names;
    for (const json::Json& object : objects) names += name_line(object);
    return names;
  }
  if (objects.size() == 1) return document_text(objects.front(), format);
  json::Json list;
  list["apiVersion"] = list_version;
  list["kind"] = list_kind;
  list["metadata"] = json::Json::object();
  list["items"] = objects;
  return document_text(list, format);
}

}  // namespace

void add_output_flags(const Command& command, OutputFlags& flags) {
  command.choice("-o,--output", flags.format, {"table", "json", "yaml", "name"}, "How to print the result");
}

Format format_of(const OutputFlags& flags) {
  if (flags.format == "json") {
    return Format::kJson;
  }
  if (flags.format == "yaml") {
    return Format::kYaml;
  }
  return flags.format == "name" ? Format::kName : Format::kTable;
}

std::string document_text(const json::Json& document, Format format) {
  return format == Format::kYaml ? json::to_yaml(document) : json::dump_pretty(document) + "\n";
}

std::string objects_text(const std::vector<json::Json>& objects, Format format) {
  return text_of(objects, format, "v1", "List");
}

std::string objects_text(const std::vector<json::Json>& objects, Format format, const api::Kind& kind) {
  return text_of(objects, format, kind.api_version(), std::string(kind.name) + "List");
}

}  // namespace landfall::cli
