#include "selection/ordered_resources.h"

#include <map>
#include <set>

#include "base/strings.h"

namespace landfall::selection {

Result<json::StringMap> parse_ordered_resources(std::string_view text) {
  json::StringMap parsed;
  if (trim(text).empty()) {
    return parsed;
  }
  for (const std::string_view entry : split(text, ';')) {
    const auto parts = cut(entry, '=');
    if (!parts || trim(parts->first).empty() || parts->second.find('=') != std::string_view::npos) {
      return fail(Code::kInvalid,
                  "ordered resources: " + quote(entry) + " is not of the form KIND=NAME,NAME (such as pods=shop/db)");
    }
    parsed[std::string(trim(parts->first))] = trim(parts->second);
  }
  return parsed;
}

Names ordered_names(const json::StringMap& ordered_resources, const k8s::GroupResource& resource) {
  auto found = ordered_resources.find(k8s::to_string(resource));
  if (found == ordered_resources.end()) {
    found = ordered_resources.find(resource.resource);
  }
  Names names;
  if (found == ordered_resources.end()) {
    return names;
  }
  for (const std::string_view name : split(found->second, ',')) {
    if (!trim(name).empty()) {
      names.emplace_back(trim(name));
    }
  }
  return names;
}

Ordering order_items(const std::vector<k8s::NamespacedName>& items, const Names& names) {
  std::map<std::string, std::size_t> positions;
  if (!names.empty()) {
    for (std::size_t at = 0; at < items.size(); ++at) {
      positions.emplace(k8s::to_string(items[at]), at);
    }
  }
  Ordering result;
  std::set<std::string_view> seen;
  std::vector<bool> is_moved(items.size(), false);
  for (const std::string& name : names) {
    if (!seen.insert(name).second) {
      continue;
    }
    const auto found = positions.find(name);
    if (found == positions.end()) {
      result.unknown.push_back(name);
      continue;
    }
    result.order.push_back(found->second);
    is_moved[found->second] = true;
  }
  result.ordered = result.order.size();
  for (std::size_t at = 0; at < items.size(); ++at) {
    if (!is_moved[at]) {
      result.order.push_back(at);
    }
  }
  return result;
}

}  // namespace landfall::selection
