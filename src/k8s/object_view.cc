#include "k8s/object_view.h"

#include <algorithm>

#include "base/rfc3339.h"
#include "json/json.h"

namespace landfall::k8s {
namespace {

using json::Json;

std::string_view text_or_empty(const std::string* text) { return text == nullptr ? std::string_view() : *text; }

std::string_view text_of(const Json& document, std::string_view field) {
  return text_or_empty(json::find_string(document, {field}));
}

const Json* list_at(const Json& document, const json::Path& path) {
  const Json* const list = json::find(document, path);
  return list != nullptr && list->is_array() ? list : nullptr;
}

OwnerReference owner_of(const Json& reference) {
  return {.api_version = text_of(reference, "apiVersion"),
          .kind = text_of(reference, "kind"),
          .name = text_of(reference, "name"),
          .uid = text_of(reference, "uid"),
          .controller = json::bool_or(reference, {"controller"}, false),
          .block_owner_deletion = json::bool_or(reference, {"blockOwnerDeletion"}, false)};
}

}  // namespace

StringMapView::StringMapView(const Json* map) {
  const auto is_text = [](const Json& value) { return value.is_string() || value.is_null(); };
  if (map != nullptr && map->is_object() && std::ranges::all_of(*map, is_text)) {
    map_ = map;
  }
}

std::optional<std::string_view> StringMapView::get(const std::string& key) const {
  if (map_ == nullptr) {
    return std::nullopt;
  }
  const auto found = map_->find(key);
  if (found == map_->end()) {
    return std::nullopt;
  }
  return text_or_empty(found->get_ptr<const std::string*>());
}

std::size_t StringMapView::size() const { return map_ == nullptr ? 0 : map_->size(); }

json::StringMap StringMapView::copy() const {
  json::StringMap texts;
  if (map_ != nullptr) {
    for (const auto& [key, value] : map_->items()) {
      texts.emplace(key, text_or_empty(value.get_ptr<const std::string*>()));
    }
  }
  return texts;
}

std::string_view ObjectView::api_version() const { return text_of(*document_, "apiVersion"); }

std::string_view ObjectView::kind() const { return text_of(*document_, "kind"); }

GroupVersionKind ObjectView::group_version_kind() const { return kind_of(api_version(), kind()); }

StringMapView ObjectView::labels() const { return StringMapView(json::find(*document_, {"metadata", "labels"})); }

StringMapView ObjectView::annotations() const {
  return StringMapView(json::find(*document_, {"metadata", "annotations"}));
}

std::vector<OwnerReference> ObjectView::owner_references() const {
  std::vector<OwnerReference> owners;
  const Json* const list = list_at(*document_, {"metadata", "ownerReferences"});
  if (list == nullptr || !std::ranges::all_of(*list, [](const Json& entry) { return entry.is_object(); })) {
    return owners;
  }
  owners.reserve(list->size());
  std::ranges::transform(*list, std::back_inserter(owners), owner_of);
  return owners;
}

std::optional<OwnerReference> ObjectView::controller() const {
  const std::vector<OwnerReference> owners = owner_references();
  const auto found = std::ranges::find_if(owners, &OwnerReference::controller);
  return found == owners.end() ? std::nullopt : std::optional(*found);
}

std::vector<std::string_view> ObjectView::finalizers() const {
  std::vector<std::string_view> names;
  const Json* const list = list_at(*document_, {"metadata", "finalizers"});
  if (list == nullptr || !std::ranges::all_of(*list, [](const Json& entry) { return entry.is_string(); })) {
    return names;
  }
  for (const Json& entry : *list) {
    names.push_back(text_or_empty(entry.get_ptr<const std::string*>()));
  }
  return names;
}

bool ObjectView::has_finalizer(std::string_view name) const {
  const std::vector<std::string_view> names = finalizers();
  return std::ranges::find(names, name) != names.end();
}

std::optional<WallTime> ObjectView::creation_timestamp() const { return metadata_time("creationTimestamp"); }

std::optional<WallTime> ObjectView::deletion_timestamp() const { return metadata_time("deletionTimestamp"); }

const Json* ObjectView::condition(std::string_view type) const {
  const Json* const list = list_at(*document_, {"status", "conditions"});
  if (list == nullptr) {
    return nullptr;
  }
  const auto found = std::ranges::find_if(
      *list, [&](const Json& entry) { return entry.is_object() && text_of(entry, "type") == type; });
  return found == list->end() ? nullptr : &*found;
}

bool ObjectView::is_condition_true(std::string_view type) const {
  const Json* const found = condition(type);
  return found != nullptr && text_of(*found, "status") == "True";
}

std::string_view ObjectView::metadata_text(std::string_view field) const {
  return text_or_empty(json::find_string(*document_, {"metadata", field}));
}

std::optional<WallTime> ObjectView::metadata_time(std::string_view field) const {
  const auto time = parse_rfc3339(metadata_text(field));
  return time ? std::optional(*time) : std::nullopt;
}

Status set_label(Json& document, std::string_view key, std::string_view value) {
  return json::set_at(document, {"metadata", "labels", key}, std::string(value));
}

Status set_annotation(Json& document, std::string_view key, std::string_view value) {
  return json::set_at(document, {"metadata", "annotations", key}, std::string(value));
}

bool remove_label(Json& document, std::string_view key) {
  return json::erase_at(document, {"metadata", "labels", key});
}

bool remove_annotation(Json& document, std::string_view key) {
  return json::erase_at(document, {"metadata", "annotations", key});
}

Status add_finalizer(Json& document, std::string_view name) {
  if (ObjectView(document).has_finalizer(name)) {
    return {};
  }
  if (!json::has(document, {"metadata", "finalizers"})) {
    return json::set_at(document, {"metadata", "finalizers"}, Json::array({std::string(name)}));
  }
  return json::set_at(document, {"metadata", "finalizers", "-"}, std::string(name));
}

bool remove_finalizer(Json& document, std::string_view name) {
  Json* const list = json::find(document, {"metadata", "finalizers"});
  if (list == nullptr || !list->is_array()) {
    return false;
  }
  auto& entries = list->get_ref<Json::array_t&>();
  return std::erase_if(entries,
                       [&](const Json& entry) { return entry.is_string() && entry == Json(std::string(name)); }) > 0;
}

}  // namespace landfall::k8s
