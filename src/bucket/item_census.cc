#include "bucket/item_census.h"

#include <fmt/format.h>

#include "base/strings.h"
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

// "deployments.apps" may be the resource of "apps/v1/Deployment": plurals of English, and the same group.
bool may_be_resource_of(std::string_view resource, std::string_view kind) {
  const std::size_t last = kind.rfind('/');
  const std::size_t first = kind.find('/');
  const std::string_view group = first == last ? "" : kind.substr(0, first);
  std::string stem = to_lower(kind.substr(last + 1));
  if (stem.ends_with('y')) stem.pop_back();
  const std::size_t dot = resource.find('.');
  const std::string_view found = dot == std::string_view::npos ? "" : resource.substr(dot + 1);
  return found == group && resource.starts_with(stem);
}

struct Wanted {
  std::string_view kind;
  std::string_view name;
};

// The word behind " name: /"; messages of backups are rebuilt from log entries: " resource: /pods name: /db-0 message:
// /… error: /…".
std::string_view word_of(std::string_view message, std::string_view label) {
  const std::size_t at = message.find(label);
  if (at == std::string_view::npos) return "";
  const std::string_view rest = message.substr(at + label.size());
  return rest.substr(0, rest.find(' '));
}

bool names_item(std::string_view message, const Wanted& wanted) {
  const std::string_view head = message.substr(0, message.find(" message: /"));
  if (word_of(head, " name: /") != wanted.name) return false;
  const std::string_view resource = word_of(head, " resource: /");
  return resource.empty() || may_be_resource_of(resource, wanted.kind);
}

std::string error_in(const Json* messages, const Wanted& wanted) {
  if (messages == nullptr || !messages->is_array()) return "";
  for (const Json& message : *messages) {
    if (message.is_string() && names_item(message.get_ref<const std::string&>(), wanted)) {
      return message.get<std::string>();
    }
  }
  return "";
}

std::int64_t size_of(const Json* list) {
  return list != nullptr && list->is_array() ? static_cast<std::int64_t>(list->size()) : 0;
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

std::string recorded_error(const Json& results, std::string_view kind, std::string_view namespaced_name) {
  const std::size_t slash = namespaced_name.find('/');
  const bool is_namespaced = slash != std::string_view::npos;
  const Wanted wanted{kind, is_namespaced ? namespaced_name.substr(slash + 1) : namespaced_name};
  const Json* cluster = json::find(results, {"errors", "cluster"});
  std::string error =
      is_namespaced ? error_in(json::find(results, {"errors", "namespaces", namespaced_name.substr(0, slash)}), wanted)
                    : error_in(cluster, wanted);
  // Velero files the error of an item under itself when the log entry had no namespace.
  return error.empty() ? error_in(json::find(results, {"errors", "velero"}), wanted) : error;
}

std::int64_t recorded_errors(const Json& results) {
  std::int64_t count =
      size_of(json::find(results, {"errors", "velero"})) + size_of(json::find(results, {"errors", "cluster"}));
  const Json* namespaces = json::find(results, {"errors", "namespaces"});
  if (namespaces == nullptr || !namespaces->is_object()) return count;
  for (const Json& messages : *namespaces) count += size_of(&messages);
  return count;
}

}  // namespace landfall::bucket
