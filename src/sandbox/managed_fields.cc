#include "sandbox/managed_fields.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "json/access.h"
#include "json/json.h"
#include "sandbox/api_error.h"
#include "sandbox/apply_merge.h"
#include "sandbox/field_set.h"

namespace landfall::sandbox {
namespace {

using json::Json;

// Kubernetes folds the oldest updaters into one entry when there are more.
constexpr std::size_t kMaxUpdaters = 10;

struct Entry {
  std::string manager;
  std::string operation;
  std::string api_version;
  std::string subresource;
  std::string time;
  FieldSet fields;

  auto order() const { return std::tie(operation, time, manager, api_version, subresource); }
  bool is_of(const FieldManager& who, std::string_view op) const {
    return manager == who.name && operation == op && api_version == who.api_version && subresource == who.subresource;
  }
};
using Entries = std::vector<Entry>;

Entries read_entries(const Json& object) {
  Entries out;
  const Json* list = json::find(object, {"metadata", "managedFields"});
  if (list == nullptr || !list->is_array()) return out;
  for (const Json& item : *list) {
    const Json* fields = json::find(item, {"fieldsV1"});
    if (!item.is_object() || fields == nullptr) continue;
    out.push_back({json::string_or(item, {"manager"}, ""), json::string_or(item, {"operation"}, ""),
                   json::string_or(item, {"apiVersion"}, ""), json::string_or(item, {"subresource"}, ""),
                   json::string_or(item, {"time"}, ""), FieldSet::from_json(*fields)});
  }
  return out;
}

void write_entries(Json& object, Entries entries) {
  std::erase_if(entries, [](const Entry& entry) { return entry.fields.empty(); });
  Json& metadata = object["metadata"];
  if (entries.empty()) {
    metadata.erase("managedFields");
    return;
  }
  std::ranges::sort(entries, [](const Entry& a, const Entry& b) { return a.order() < b.order(); });
  Json list = Json::array();
  for (const Entry& entry : entries) {
    Json item = {{"manager", entry.manager},
                 {"operation", entry.operation},
                 {"apiVersion", entry.api_version},
                 {"fieldsType", "FieldsV1"},
                 {"fieldsV1", entry.fields.to_json()}};
    if (!entry.time.empty()) item["time"] = entry.time;
    if (!entry.subresource.empty()) item["subresource"] = entry.subresource;
    list.push_back(std::move(item));
  }
  metadata["managedFields"] = std::move(list);
}

// What the server owns has no manager.
void strip(FieldSet& set) {
  static constexpr auto kMetadata = std::to_array<std::string_view>(
      {"f:name", "f:namespace", "f:creationTimestamp", "f:selfLink", "f:uid", "f:generation", "f:managedFields",
       "f:resourceVersion", "f:deletionTimestamp", "f:deletionGracePeriodSeconds"});
  set.children.erase("f:apiVersion");
  set.children.erase("f:kind");
  const auto metadata = set.children.find("f:metadata");
  if (metadata == set.children.end()) return;
  metadata->second.is_member = false;
  for (const std::string_view field : kMetadata) metadata->second.children.erase(std::string(field));
  if (metadata->second.empty()) set.children.erase(metadata);
}

Entry& entry_of(Entries& entries, const FieldManager& who, std::string_view operation) {
  const auto found = std::ranges::find_if(entries, [&](const Entry& e) { return e.is_of(who, operation); });
  if (found != entries.end()) return *found;
  return entries.emplace_back(Entry{who.name, std::string(operation), who.api_version, who.subresource, who.time, {}});
}

void fold_oldest(Entries& entries) {
  const auto is_updater = [](const Entry& e) { return e.operation == "Update" && e.subresource.empty(); };
  while (static_cast<std::size_t>(std::ranges::count_if(entries, is_updater)) > kMaxUpdaters) {
    std::ranges::sort(entries, [](const Entry& a, const Entry& b) { return a.order() < b.order(); });
    const auto first = std::ranges::find_if(entries, is_updater);
    const auto second = std::find_if(first + 1, entries.end(), is_updater);
    second->fields.unite(first->fields);
    second->manager = "ancient-changes";
    entries.erase(first);
  }
}

// One entry without anything in it asks for a clean slate.
bool asks_to_clear(const Json& next) {
  const Json* list = json::find(next, {"metadata", "managedFields"});
  if (list == nullptr || !list->is_array() || list->size() != 1) return false;
  const Json& only = list->front();
  return only.is_object() && (only.empty() || (!only.contains("operation") && !only.contains("fieldsV1")));
}

struct Conflict {
  std::string who;  // "kubectl" using apps/v1
  std::string path;
};

std::string printed_manager(const Entry& entry) {
  std::string out = fmt::format("\"{}\"", entry.manager);
  if (!entry.subresource.empty()) out += fmt::format(" with subresource \"{}\"", entry.subresource);
  return entry.operation == "Update" ? out + " using " + entry.api_version : out;
}

Error conflict_error(std::vector<Conflict> conflicts) {
  Causes causes;
  for (const Conflict& one : conflicts) {
    causes.push_back({"FieldManagerConflict", "conflict with " + one.who, one.path});
  }
  std::string text;
  if (conflicts.size() == 1) {
    text = fmt::format("conflict with {}: {}", conflicts[0].who, conflicts[0].path);
  } else {
    std::ranges::stable_sort(conflicts, {}, &Conflict::who);
    for (std::size_t i = 0; i < conflicts.size(); ++i) {
      if (i == 0 || conflicts[i].who != conflicts[i - 1].who) {
        text += fmt::format("{}conflicts with {}:", i == 0 ? "" : "\n", conflicts[i].who);
      }
      text += "\n- " + conflicts[i].path;
    }
  }
  const std::size_t count = conflicts.size();
  return apply_conflict(std::move(causes),
                        fmt::format("Apply failed with {} conflict{}: {}", count, count == 1 ? "" : "s", text));
}

}  // namespace

void track_update(const KindInfo& kind, const Json& live, Json& next, const FieldManager& manager) {
  if (!next.is_object() || !next.contains("metadata") || !next["metadata"].is_object()) return;
  if (asks_to_clear(next)) {
    next["metadata"].erase("managedFields");
    return;
  }
  Entries entries = read_entries(next);
  if (entries.empty()) entries = read_entries(live);
  // As in Kubernetes: an object that nobody owns anything of stays so until it is applied.
  if (entries.empty() && !live.empty()) {
    next["metadata"].erase("managedFields");
    return;
  }
  FieldChanges changes = compare_fields(kind, live, next);
  strip(changes.written);
  strip(changes.removed);
  if (!changes.written.empty()) {
    Entry& mine = entry_of(entries, manager, "Update");
    FieldSet now = mine.fields;
    now.unite(changes.written);
    if (now != mine.fields) mine.time = manager.time;
    mine.fields = std::move(now);
    for (Entry& entry : entries) {
      if (!entry.is_of(manager, "Update")) entry.fields.subtract(changes.written);
    }
  }
  for (Entry& entry : entries) entry.fields.subtract(changes.removed);
  fold_oldest(entries);
  write_entries(next, std::move(entries));
}

Result<Json> apply_configuration(const KindInfo& kind, const Json& live, const Json& configuration,
                                 const FieldManager& manager, bool force) {
  Entries entries = read_entries(live);
  if (entries.empty() && !live.empty()) {
    FieldSet all = compare_fields(kind, Json::object(), live).written;
    strip(all);
    entries.push_back({"before-first-apply", "Update", manager.api_version, "", manager.time, std::move(all)});
  }
  FieldSet applied = fields_of(kind, configuration);
  strip(applied);
  Json merged = merge_configuration(kind, live, configuration);
  FieldChanges changes = compare_fields(kind, live, merged);
  strip(changes.written);

  std::vector<Conflict> conflicts;
  for (Entry& entry : entries) {
    if (entry.is_of(manager, "Apply")) continue;
    const FieldSet both = entry.fields.intersect(changes.written);
    if (both.empty()) continue;
    if (force) {
      entry.fields.subtract(changes.written);
      continue;
    }
    for (const std::string& path : both.paths()) conflicts.push_back({printed_manager(entry), path});
  }
  if (!conflicts.empty()) return fail("", conflict_error(std::move(conflicts)));

  Entry& mine = entry_of(entries, manager, "Apply");
  FieldSet dropped = mine.fields;
  dropped.subtract(applied);
  if (mine.fields != applied) mine.time = manager.time;
  mine.fields = std::move(applied);
  for (const Entry& entry : entries) {
    if (!entry.is_of(manager, "Apply")) dropped.subtract(entry.fields);
  }
  remove_fields(kind, merged, dropped);
  write_entries(merged, std::move(entries));
  return merged;
}

}  // namespace landfall::sandbox
