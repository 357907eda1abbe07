#include "item_actions/restore_draft.h"

#include <algorithm>
#include <utility>

#include "json/json.h"

namespace landfall::item_actions {

using json::Json;

const Json& Draft::now() const {
  if (copy_) return *copy_;
  return item_;
}

Json& Draft::edit() {
  if (!copy_) copy_ = std::make_unique<Json>(item_);
  return *copy_;
}

bool Draft::erase(const json::Path& path) {
  // A null is no value to a reader and nothing to the server: it may stay.
  return json::has(now(), path) && json::erase_at(edit(), path);
}

bool Draft::erase_entries(const json::Path& path, const IsStale& is_stale) {
  const Json* map = json::find(now(), path);
  if (map == nullptr || !map->is_object()) return false;
  const auto& entries = map->get_ref<const Json::object_t&>();
  if (std::ranges::none_of(entries, [&](const auto& entry) { return is_stale(entry.first); })) return false;

  auto& kept = json::find(edit(), path)->get_ref<Json::object_t&>();
  std::erase_if(kept, [&](const auto& entry) { return is_stale(entry.first); });
  if (kept.empty()) json::erase_at(edit(), path);
  return true;
}

bool Draft::erase_elements(const json::Path& path, const IsUnwanted& is_unwanted) {
  const Json* list = json::find(now(), path);
  if (list == nullptr || !list->is_array() || std::ranges::none_of(*list, is_unwanted)) return false;

  auto& kept = json::find(edit(), path)->get_ref<Json::array_t&>();
  std::erase_if(kept, is_unwanted);
  if (kept.empty()) json::erase_at(edit(), path);
  return true;
}

Status Draft::set(const json::Path& path, Json value) {
  const Json* there = json::find(now(), path);
  if (there != nullptr && *there == value) return {};
  return json::set_at(edit(), path, std::move(value));
}

std::unique_ptr<Json> Draft::take() { return std::move(copy_); }

}  // namespace landfall::item_actions
