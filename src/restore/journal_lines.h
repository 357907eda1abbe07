#pragma once

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "archive/archive_index.h"
#include "base/result.h"
#include "operation/item_operation.h"
#include "restore/item_book.h"

// What a restore writes into its journal, and reads again after a crash. Lines of other kinds are others'.
namespace landfall::restore {

// ["item", resource, namespace and name in the backup, how it ended …]
std::string item_line(const archive::IndexedItem& item, const ItemEnd& end);
// ["namespace", name, original, outcome, what went wrong]
struct NamespaceEnd {
  std::string name;
  std::string original;
  progress::Outcome outcome = progress::Outcome::kCreated;
  std::string error;
};
std::string namespace_line(const NamespaceEnd& end);
std::string provisioned_line(const std::string& volume);
std::string renamed_line(const std::string& volume, const std::string& new_name);
std::string operation_line(const operation::ItemOperation& operation);
// ["begin"]: somebody has begun; says nothing else.
std::string begin_line();
std::string hooks_line(const std::string& name_space, const std::string& pod);

// What an earlier process has done.
struct Replay {
  std::vector<std::pair<std::uint32_t, ItemEnd>> items;  // by their number in the archive
  std::vector<NamespaceEnd> namespaces;
  std::set<std::string> intents;
  std::set<std::string> provisioned;
  std::map<std::string, std::string> renamed;
  std::vector<operation::ItemOperation> operations;
};
// kDataLoss for a line that cannot be read, or one about an item that the archive does not have: then it is not the
// archive that the journal is about.
Result<Replay> replay(const std::vector<std::string>& lines, const archive::ArchiveIndex& index);

}  // namespace landfall::restore
