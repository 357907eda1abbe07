#pragma once

#include <functional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "cli/command.h"
#include "cli/nouns.h"
#include "json/json_fwd.h"

namespace landfall::cli {

// One `get` command: which objects, and what is shown of each.
struct GetCommand {
  Noun noun;
  std::vector<std::string> headers;  // of Velero's table
  std::function<std::vector<std::string>(const json::Json& object, const Context& context)> cells;
  // More columns for `-o wide`; may be empty.
  std::vector<std::string> wide_headers = {};
  std::function<std::vector<std::string>(const json::Json& object, const Context& context)> wide_cells = {};
  // Velero's order in tables, where it is not that of the API.
  std::function<void(std::vector<json::Json>& objects)> sort = {};
  // What Velero changes in documents, too.
  std::function<void(json::Json& object)> mark = {};
  bool is_of_all_namespaces = false;  // as some of Velero's lists are when no name is given
  // Flags of its own, and what they leave of the objects.
  std::function<void(const Command& command)> add_flags = {};
  std::function<bool(const json::Json& object)> keeps = {};
};

// Adds it with -l, -o, -L and --show-labels.
Command add_get(const Command& group, const std::string& word, GetCommand get);

// Which labels a table shows, by -L and --show-labels.
struct LabelColumns {
  std::vector<std::string> names;
  bool all = false;
};
void add_label_column_flags(const Command& command, LabelColumns& labels);
// The objects as the table of that command.
std::string table_text(const GetCommand& get, const std::vector<json::Json>& objects, const LabelColumns& labels,
                       const Context& context, bool is_wide = false);

// The labels of an object as a cell: "a=b,c=d" or "<none>".
std::string labels_cell(const json::Json& object);
// As Velero's tables show times; "<nil>" where there is none.
std::string time_cell(std::optional<WallTime> time);

}  // namespace landfall::cli
