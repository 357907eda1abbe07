#include <memory>
#include <string>
#include <vector>

#include "api/names.h"
#include "base/strings.h"
#include "cli/cluster.h"
#include "cli/output.h"
#include "cli/restore_commands.h"
#include "cli/restore_find.h"
#include "cli/restore_table.h"
#include "cli/restore_words.h"
#include "json/json.h"
#include "k8s/object_view.h"

namespace landfall::cli {
namespace {

using json::Json;

struct Flags {
  std::vector<std::string> names;
  std::string selector;
  std::string format = "table";
  RestoreTableOptions table;
};

// As Velero does it, in documents as well.
void mark_deleting(std::vector<Json>& restores) {
  for (Json& restore : restores) {
    if (k8s::ObjectView(restore).is_being_deleted()) {
      restore["status"]["phase"] = json::string_or(restore, {"status", "phase"}, "") + " (Deleting)";
    }
  }
}

Status get(Flags flags, const GlobalFlags& global, const Context& context) {
  TRY_ASSIGN(const auto cluster, "", Cluster::of(global, context));
  const kube::Resource restores(cluster->client(), api::kRestore.resource(), global.namespace_name);
  TRY_ASSIGN(std::vector<Json> found, "", find_restores(restores, flags.names, flags.selector, context.stop));
  if (flags.format == "table" || flags.format == "wide") {
    flags.table.wide = flags.format == "wide";
    return context.out.write(restore_table(found, flags.table, context));
  }
  mark_deleting(found);
  return context.out.write(objects_text(found, format_of({.format = flags.format})));
}

}  // namespace

void add_restore_get(const Command& group) {
  const auto flags = std::make_shared<Flags>();
  const Command command = group.leaf("get", "List restores");
  command.arguments("NAME", flags->names, "Those to show (all)");
  command.flag("-l,--selector", flags->selector, "Only those with these labels");
  command.choice("-o,--output", flags->format, {"table", "wide", "json", "yaml", "name"}, "How to print them");
  command.flag("--show-labels", flags->table.show_labels, "Show their labels in a column");
  command.flag("-L,--label-columns", flags->table.label_columns, "Show these labels, each in a column");
  command.action([flags](const Context& context, const GlobalFlags& global) { return get(*flags, global, context); });
}

}  // namespace landfall::cli
