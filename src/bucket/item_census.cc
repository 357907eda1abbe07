#include "bucket/item_census.h"

#include <fmt/format.h>

#include "json/access.h"
#include "json/json.h"

namespace landfall::bucket {
namespace {

using json::Json;

// "apps/v1" or "v1" and a kind, without the version.
std::string key_of(std::string_view api_version, std::string_view kind) {
  const std::size_t slash = api_version.find('/');
  const std::string_view group = slash == std::string_view::npos ? "" : api_version.substr(0, slash);
  return fmt::format("{}/{}", group, kind);
}

// Messages of backups are rebuilt from log entries: " resource: /pods name: /db-0 message: /… error: /…".
bool names_item(std::string_view message, std::string_view name) {
  const std::string needle = fmt::format(" name: /{} ", name);
  return message.find(needle) != std::string_view::npos;
}

std::string error_in(const Json* messages, std::string_view name) {
  if (messages == nullptr || !messages->is_array()) return "";
  for (const Json& message : *messages) {
    if (message.is_string() && names_item(message.get_ref<const std::string&>(), name)) {
      return message.get<std::string>();
    }
  }
  return "";
}

}  // namespace

Result<ItemCensus> ItemCensus::from_list(const Json& list) {
  if (!list.is_object()) return fail(Code::kDataLoss, "expected an object of kinds");
  ItemCensus census;
  for (const auto& [written, names] : list.items()) {
    const std::size_t slash = written.rfind('/');
    if (slash == std::string::npos || !names.is_array()) {
      return fail(Code::kDataLoss, fmt::format("{}: expected a list of names under group/version/Kind", written));
    }
    const std::string_view text = written;
    Kind& kind = census.kinds_[key_of(text.substr(0, slash), text.substr(slash + 1))];
    kind.written = written;
    for (const Json& name : names) {
      if (!name.is_string()) return fail(Code::kDataLoss, fmt::format("{}: expected names", written));
      census.listed_ += kind.names.insert(name.get<std::string>()).second ? 1 : 0;
    }
  }
  return census;
}

bool ItemCensus::found(std::string_view api_version, std::string_view kind, std::string_view name_space,
                       std::string_view name) {
  const auto place = kinds_.find(key_of(api_version, kind));
  if (place == kinds_.end()) return false;
  const std::string full = name_space.empty() ? std::string(name) : fmt::format("{}/{}", name_space, name);
  return place->second.names.erase(full) > 0;
}

std::vector<ItemCensus::Entry> ItemCensus::missing() const {
  std::vector<Entry> out;
  for (const auto& [key, kind] : kinds_) {
    for (const std::string& name : kind.names) out.push_back({kind.written, name});
  }
  return out;
}

std::string recorded_error(const Json& results, std::string_view namespaced_name) {
  const std::size_t slash = namespaced_name.find('/');
  const bool is_namespaced = slash != std::string_view::npos;
  const std::string_view name = is_namespaced ? namespaced_name.substr(slash + 1) : namespaced_name;
  if (is_namespaced) {
    const std::string_view name_space = namespaced_name.substr(0, slash);
    std::string error = error_in(json::find(results, {"errors", "namespaces", name_space}), name);
    if (!error.empty()) return error;
  }
  // Velero files the error of an item under itself when the log entry had no namespace.
  std::string error = error_in(json::find(results, {"errors", "cluster"}), name);
  return error.empty() ? error_in(json::find(results, {"errors", "velero"}), name) : error;
}

}  // namespace landfall::bucket
