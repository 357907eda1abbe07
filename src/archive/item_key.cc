#include "archive/item_key.h"

#include "archive/archive_limits.h"
#include "archive/item_path.h"
#include "base/utf8.h"
#include "io/tar_name.h"

namespace landfall::archive {
namespace {

// A path is good when whoever reads it finds the same item.
Status check_path(const ItemPath& item, const std::string& path) {
  if (path.size() > ArchiveLimits().name_length) {
    return fail(Code::kInvalid, "archive path " + io::quote_name(path) + " is longer than " +
                                    std::to_string(ArchiveLimits().name_length) + " bytes");
  }
  if (!is_valid_utf8(path)) {
    return fail(Code::kInvalid, "archive path " + io::quote_name(path) + " is not UTF-8");
  }
  TRY("", io::safe_relative_name(path));
  TRY_ASSIGN(const ItemPath parsed, "", parse_item_path(path));
  if (parsed != item) {
    return fail(Code::kInvalid, "archive path " + io::quote_name(path) + " would be read as another item");
  }
  return {};
}

}  // namespace

Result<std::vector<std::string>> item_paths(const ItemKey& key) {
  ItemPath path{.resource = key.resource,
                .version = key.version,
                .is_preferred = key.is_preferred,
                .namespace_name = key.namespace_name,
                .name = key.name};
  if (path.is_plain()) {
    return fail(Code::kInvalid, "archive path " + io::quote_name(path.to_string()) + ": the item has no API version");
  }
  // A good path in a version directory has a good plain form: it has fewer parts and is otherwise the same.
  std::string versioned = path.to_string();
  TRY("", check_path(path, versioned));
  if (!key.is_preferred) {
    return std::vector{std::move(versioned)};
  }
  path.version.clear();
  path.is_preferred = false;
  return std::vector{path.to_string(), std::move(versioned)};
}

}  // namespace landfall::archive
