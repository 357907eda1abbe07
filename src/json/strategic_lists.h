#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "base/result.h"
#include "json/json_fwd.h"

// The list half of the strategic merge: telling elements apart and putting them in order.
namespace landfall::json {

// Tells the elements of a list apart: by the value of a merge key, or by themselves when the key is empty. Values of
// different types are different, 1 and 1.0 too, as in Go.
class ElementKeys {
 public:
  explicit ElementKeys(std::string_view merge_key) : merge_key_(merge_key) {}

  // A text that is the same for equal keys. Fails for an element that is no object or lacks the merge key, and for a
  // key that is no scalar.
  Result<std::string> of(const Json& element) const;

 private:
  std::string_view merge_key_;
};

// Where each key comes first in a list.
class Ranks {
 public:
  static Result<Ranks> of(const Json& list, const ElementKeys& keys);
  // One more element at the end.
  void append(std::string key) { first_.emplace(std::move(key), size_++); }
  // The position, or nullptr.
  const std::size_t* find(const std::string& key) const;
  bool contains(const std::string& key) const { return find(key) != nullptr; }

 private:
  std::unordered_map<std::string, std::size_t> first_;
  std::size_t size_ = 0;
};

// All elements must be scalars of one type, or all objects; together the lists must have one. True for objects.
Result<bool> holds_objects(const Json& a, const Json& b);

// Puts a merged list in order: what `wanted` names in its order, the rest in the order of `live`; each of the rest
// stands before the first wanted element that follows it in `live`.
Result<Json> in_order(Json merged, const Ranks& wanted, const Ranks& live, const ElementKeys& keys);

// Fails unless the elements of the patch appear in $setElementOrder, in the same order. Deletions do not count.
Status check_order(const Json& patch, const Json& order, std::string_view merge_key);

// The order of the live list as the API server sees it once a patch has been merged into it: what the patch deletes is
// gone, and as many of the elements it adds have moved up into the places that became free (in Go the slices share
// their memory). It decides where elements end up that $setElementOrder does not name.
Result<Ranks> ranks_after_patch(const Json& live, const Json& patch, const ElementKeys& keys);

}  // namespace landfall::json
