#include "cli/get_command.h"

#include <memory>
#include <utility>

#include "base/rfc3339.h"
#include "base/strings.h"
#include "cli/cluster.h"
#include "cli/find_objects.h"
#include "cli/output.h"
#include "json/json.h"
#include "k8s/object_view.h"
#include "terminal/table.h"

namespace landfall::cli {
namespace {

using json::Json;

struct Flags {
  std::vector<std::string> names;
  std::string selector;
  std::string format = "table";
  LabelColumns labels;
};

std::string upper(std::string text) {
  for (char& c : text) c = static_cast<char>(c >= 'a' && c <= 'z' ? c - 'a' + 'A' : c);
  return text;
}

std::string last_part(const std::string& label) {
  const std::size_t slash = label.rfind('/');
  return slash == std::string::npos ? label : label.substr(slash + 1);
}

// As Velero prints them: those that were named do not say what they are, and a blank line follows YAML.
std::string velero_documents(std::vector<Json> objects, const api::Kind& kind, Format format, bool are_named) {
  if (are_named && objects.size() > 1) {
    for (Json& object : objects) {
      object.erase("apiVersion");
      object.erase("kind");
    }
  }
  return objects_text(objects, format, kind) + (format == Format::kYaml ? "\n" : "");
}

Status run_get(const GetCommand& get, const Flags& flags, const GlobalFlags& global, const Context& context) {
  TRY_ASSIGN(const auto cluster, "", Cluster::of(global, context));
  const bool spans_all = get.is_of_all_namespaces && flags.names.empty();
  const ObjectFinder finder(cluster->client(), get.noun, spans_all ? "" : global.namespace_name, context);
  TRY_ASSIGN(std::vector<Json> found, "", finder.some(flags.names, flags.selector));
  if (get.keeps) std::erase_if(found, [&](const Json& object) { return !get.keeps(object); });
  if (flags.format == "table" || flags.format == "wide") {
    if (get.sort) get.sort(found);
    if (found.empty() && !context.called_as_velero()) {
      const std::string where = spans_all ? "" : " in namespace " + global.namespace_name;
      return context.err.write("No " + std::string(get.noun.plural) + " found" + where + ".\n");
    }
    return context.out.write(table_text(get, found, flags.labels, context, flags.format == "wide"));
  }
  if (get.mark) {
    for (Json& object : found) get.mark(object);
  }
  const Format format = format_of({.format = flags.format});
  if (!context.called_as_velero() || format == Format::kName) {
    return context.out.write(objects_text(found, format, get.noun.kind));
  }
  return context.out.write(velero_documents(std::move(found), get.noun.kind, format, !flags.names.empty()));
}

}  // namespace

void add_label_column_flags(const Command& command, LabelColumns& labels) {
  command.flag("--show-labels", labels.all, "Show their labels in a column");
  command.flag("-L,--label-columns", labels.names, "Show these labels, each in a column");
}

std::string table_text(const GetCommand& get, const std::vector<Json>& objects, const LabelColumns& labels,
                       const Context& context, bool is_wide) {
  std::vector<std::string> headers = get.headers;
  if (is_wide) headers.insert(headers.end(), get.wide_headers.begin(), get.wide_headers.end());
  for (const std::string& label : labels.names) headers.push_back(last_part(label));
  if (labels.all) headers.emplace_back("LABELS");
  for (std::string& header : headers) header = upper(std::move(header));
  terminal::Table table(std::move(headers));
  for (const Json& object : objects) {
    std::vector<std::string> cells = get.cells(object, context);
    if (is_wide && get.wide_cells) {
      for (std::string& cell : get.wide_cells(object, context)) cells.push_back(std::move(cell));
    }
    const auto values = k8s::ObjectView(object).labels();
    for (const std::string& label : labels.names) cells.emplace_back(values.get(label).value_or(""));
    if (labels.all) cells.push_back(labels_cell(object));
    table.add(std::move(cells));
  }
  return table.text();
}

std::string labels_cell(const Json& object) {
  std::vector<std::string> parts;
  for (const auto& [key, value] : k8s::ObjectView(object).labels().copy()) parts.push_back(key + "=" + value);
  return parts.empty() ? "<none>" : join(parts, ",");
}

std::string time_cell(std::optional<WallTime> time) { return time ? format_go_time(*time) : "<nil>"; }

Command add_get(const Command& group, const std::string& word, GetCommand get) {
  const auto flags = std::make_shared<Flags>();
  const Command command = group.leaf(word, "List " + std::string(get.noun.plural));
  command.arguments("NAME", flags->names, "Those to show (all)");
  command.flag("-l,--selector", flags->selector, "Only those with these labels");
  command.choice("-o,--output", flags->format, {"table", "wide", "json", "yaml", "name"}, "How to print them");
  add_label_column_flags(command, flags->labels);
  if (get.add_flags) get.add_flags(command);
  command.action([flags, get = std::move(get)](const Context& context, const GlobalFlags& global) {
    return run_get(get, *flags, global, context);
  });
  return command;
}

}  // namespace landfall::cli
