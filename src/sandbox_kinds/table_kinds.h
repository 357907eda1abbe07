#pragma once

#include <span>
#include <string_view>

#include "base/clock.h"
#include "json/json_fwd.h"
#include "sandbox_kinds/kind_info.h"

// The printers of single kinds; for the table files of this module.
namespace landfall::sandbox {

struct TablePrinter {
  std::string_view group;
  std::string_view kind;
  // The columns behind the name, separated by |. A star: with `-o wide` only. ":integer" and so on: the type, when it
  // is not a string. "#" is where the name stands when it is not the first.
  std::string_view columns;
  // Appends the cells of these columns to the list.
  void (*print)(const json::Json& object, WallTime now, json::Json& cells);
};

std::span<const TablePrinter> core_printers();      // table_core.cc
std::span<const TablePrinter> workload_printers();  // table_workload.cc
std::span<const TablePrinter> cluster_printers();   // table_cluster.cc
std::span<const TablePrinter> pod_printers();       // table_pod.cc

}  // namespace landfall::sandbox
