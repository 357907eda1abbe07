#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "archive/spooled_archive.h"
#include "base/result.h"
#include "json/json_fwd.h"

namespace landfall::bucket {

// Which items a backup says it has and which are in its archive. Items are told apart by group, kind, namespace and
// name: an action may have changed the version of one.
class ItemCensus {
 public:
  // Reads a resource list: {"apps/v1/Deployment": ["shop/web"]}. kDataLoss for anything else.
  static Result<ItemCensus> from_list(const json::Json& list);

  std::int64_t listed() const { return listed_; }
  // False when the list does not have it. Once for each item.
  bool found(std::string_view api_version, std::string_view kind, std::string_view name_space, std::string_view name);

  struct Entry {
    std::string kind;  // as the list writes it
    std::string name;
  };
  // What was listed and not found.
  std::vector<Entry> missing() const;

 private:
  struct Kind {
    std::string written;
    std::set<std::string, std::less<>> names;
  };
  std::map<std::string, Kind, std::less<>> kinds_;  // by "group/Kind"
  std::int64_t listed_ = 0;
};

// What the results of a backup recorded about an item ("apps/v1/Deployment", "shop/web"): the error that names it, or
// "".
std::string recorded_error(const json::Json& results, std::string_view kind, std::string_view namespaced_name);
// How many errors there are in the results.
std::int64_t recorded_errors(const json::Json& results);

}  // namespace landfall::bucket
