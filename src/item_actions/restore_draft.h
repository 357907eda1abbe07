#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "base/result.h"
#include "json/access.h"
#include "json/json_fwd.h"

namespace landfall::item_actions {

// An object that an action may change: it is copied with the first change, not before. Used by one thread; the object
// must outlive it.
class Draft {
 public:
  explicit Draft(const json::Json& item) : item_(item) {}
  explicit Draft(const json::Json&& item) = delete;  // would point at nothing

  // As it is now. Valid until the next change.
  const json::Json& now() const;
  // The copy, to be changed.
  json::Json& edit();

  // Takes the value away; false, and no copy, when there is none.
  bool erase(const json::Path& path);
  // Removes entries of an object, and the object itself when nothing is left of it: Velero writes no empty maps.
  using IsStale = std::function<bool(std::string_view key)>;
  bool erase_entries(const json::Path& path, const IsStale& is_stale);
  // The same for elements of a list.
  using IsUnwanted = std::function<bool(const json::Json& element)>;
  bool erase_elements(const json::Path& path, const IsUnwanted& is_unwanted);
  // json::set_at, and no copy when the value is there already.
  Status set(const json::Path& path, json::Json value);

  // What goes into RestoreActionResult::changed: null when nothing was changed. The draft is over.
  std::unique_ptr<json::Json> take();

 private:
  const json::Json& item_;
  std::unique_ptr<json::Json> copy_;
};

}  // namespace landfall::item_actions
