#include "archive/item_path.h"

#include "base/strings.h"

namespace landfall::archive {
namespace {

constexpr std::string_view kRoot = "resources";
constexpr std::string_view kCluster = "cluster";
constexpr std::string_view kNamespaces = "namespaces";
constexpr std::string_view kPreferred = "-preferredversion";
constexpr std::string_view kExtension = ".json";

tl::unexpected<Error> broken(std::string_view path, std::string_view why) {
  return fail(Code::kInvalid, "archive path " + quote(path) + ": " + std::string(why));
}

}  // namespace

std::string ItemPath::to_string() const {
  std::string path = std::string(kRoot) + "/" + k8s::to_string(resource) + "/";
  if (!version.empty()) {
    path += version + (is_preferred ? std::string(kPreferred) : "") + "/";
  }
  path += namespace_name.empty() ? std::string(kCluster) : std::string(kNamespaces) + "/" + namespace_name;
  return path + "/" + name + std::string(kExtension);
}

Result<ItemPath> parse_item_path(std::string_view path) {
  const auto parts = split(path, '/');
  if (parts.front() != kRoot) {
    return fail(Code::kNotFound, "archive path " + quote(path) + " is not an item's");
  }
  for (const std::string_view part : parts) {
    if (part.empty() || part == "." || part == ".." || contains(part, std::string_view("\0", 1))) {
      return broken(path, "a part is empty, a dot or holds a zero byte");
    }
  }

  // resources/RESOURCE/[VERSION/](cluster|namespaces/NAMESPACE)/NAME.json
  ItemPath item;
  std::size_t at = 1;
  const auto left = [&] { return parts.size() - at; };
  if (left() < 3) {
    return broken(path, "too short for an item");
  }
  item.resource = k8s::parse_group_resource(parts[at++]);
  if (parts[at] != kCluster && parts[at] != kNamespaces) {
    const auto version = strip_suffix(parts[at], kPreferred);
    item.is_preferred = version.has_value();
    item.version = std::string(version.value_or(parts[at]));
    if (item.version.empty()) {
      return broken(path, "a version directory without a version");
    }
    ++at;
  }
  const bool is_namespaced = parts[at] == kNamespaces;
  if (!is_namespaced && parts[at] != kCluster) {
    return broken(path, "expected cluster/ or namespaces/");
  }
  ++at;
  if (left() != (is_namespaced ? 2 : 1)) {
    return broken(path, "not of the form of an item");
  }
  if (is_namespaced) {
    item.namespace_name = std::string(parts[at++]);
  }
  const auto name = strip_suffix(parts[at], kExtension);
  if (!name || name->empty() || *name == "." || *name == "..") {
    return broken(path, "not a name with .json behind it");
  }
  item.name = std::string(*name);
  return item;
}

}  // namespace landfall::archive
