#include "json/strategic_merge.h"

#include <iterator>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

#include "json/access.h"
#include "json/json.h"
#include "json/merge_schema.h"
#include "json/strategic_lists.h"

namespace landfall::json {
namespace {

constexpr std::string_view kDirective = "$patch";
constexpr std::string_view kRetainKeys = "$retainKeys";
constexpr std::string_view kDeleteFrom = "$deleteFromPrimitiveList";
constexpr std::string_view kSetOrder = "$setElementOrder";

// "$setElementOrder/containers" → "containers".
Result<std::string> field_of(std::string_view key, std::string_view prefix) {
  key.remove_prefix(prefix.size());
  if (!key.starts_with('/')) return fail(Code::kInvalid, std::string(prefix) + " must be followed by / and a field");
  return std::string(key.substr(1));
}

bool is_parallel_list(std::string_view key) { return key.starts_with(kDeleteFrom) || key.starts_with(kSetOrder); }

Status expect_list(const Json& value) {
  if (value.is_array()) return {};
  return fail(Code::kInvalid, "expected a list, got " + std::string(type_name(value)));
}

void drop_null_members(Json& value) {
  if (value.is_object()) {
    for (auto member = value.begin(); member != value.end();) {
      member = member->is_null() ? value.erase(member) : std::next(member);
    }
  }
  if (value.is_structured()) {
    for (Json& child : value) drop_null_members(child);
  }
}

// Takes out every object that carries a directive: it speaks of something that is not there. False when the value is
// one itself.
bool drop_directed(Json& value) {
  if (value.is_object()) {
    if (value.contains(kDirective)) return false;
    for (auto member = value.begin(); member != value.end();) {
      member = drop_directed(*member) ? std::next(member) : value.erase(member);
    }
  } else if (value.is_array()) {
    Json kept = Json::array();
    for (Json& element : value) {
      if (drop_directed(element)) kept.push_back(std::move(element));
    }
    value = std::move(kept);
  }
  return true;
}

// What decoding into a Go type does to directives that came through with a value taken as it is.
void drop_directive_keys(Json& value) {
  if (value.is_object()) {
    for (auto member = value.begin(); member != value.end();) {
      const std::string& key = member.key();
      const bool is_directive = key == kDirective || key == kRetainKeys || is_parallel_list(key);
      member = is_directive ? value.erase(member) : std::next(member);
    }
  }
  if (value.is_structured()) {
    for (Json& child : value) drop_directive_keys(child);
  }
}

// Sets a member to a value of the patch that has nothing to be merged with.
void take(Json& object, const std::string& key, Json value) {
  drop_null_members(value);
  if (drop_directed(value)) {
    object[key] = std::move(value);
  } else {
    object.erase(key);
  }
}

Result<Json> merge_object(Json original, Json patch, std::string_view type);

// $retainKeys: the members that may stay. What the patch sets must be among them.
Status retain_keys(Json& original, Json& patch) {
  const auto directive = patch.find(kRetainKeys);
  if (directive == patch.end()) return {};
  TRY(kRetainKeys, expect_list(*directive));
  std::unordered_set<std::string> keep;
  for (const Json& key : *directive) {
    if (key.is_string()) keep.insert(key.get_ref<const std::string&>());
  }
  patch.erase(directive);
  for (const auto& [key, value] : patch.items()) {
    if (!value.is_null() && !is_parallel_list(key) && !keep.contains(key)) {
      return fail(Code::kInvalid, "$retainKeys: the patch sets " + key + ", which is not in the list");
    }
  }
  for (auto member = original.begin(); member != original.end();) {
    member = keep.contains(member.key()) ? std::next(member) : original.erase(member);
  }
  return {};
}

// Carries out the $patch directives among the elements: deletes from the original, and leaves the patch without them.
Status apply_element_directives(Json& original, Json& patch, const ElementKeys& keys) {
  Json plain = Json::array();
  std::unordered_set<std::string> deleted;
  bool replace = false;
  for (Json& element : patch) {
    const auto directive = element.find(kDirective);
    if (directive == element.end()) {
      plain.push_back(std::move(element));
    } else if (*directive == "delete") {
      TRY_ASSIGN(std::string key, "$patch: delete", keys.of(element));
      deleted.insert(std::move(key));
    } else if (*directive == "replace") {
      replace = true;
    } else {
      return fail(Code::kInvalid, "the $patch of a list element must be delete or replace");
    }
  }
  Json kept = Json::array();
  for (Json& element : original) {
    const auto key = keys.of(element);
    if (!key || !deleted.contains(*key)) kept.push_back(std::move(element));
  }
  if (replace) {
    original = std::move(plain);
    patch = Json::array();
  } else {
    original = std::move(kept);
    patch = std::move(plain);
  }
  return {};
}

// Lists of objects, told apart by the merge key.
Result<Json> merge_objects(Json original, Json patch, const MergeRule& rule) {
  if (rule.merge_key.empty())
    return fail(Code::kInvalid, "this list of objects has no merge key: it can only be replaced");
  const ElementKeys keys(rule.merge_key);
  TRY("", apply_element_directives(original, patch, keys));
  TRY_ASSIGN(const Ranks live, "", Ranks::of(original, keys));
  TRY_ASSIGN(const Ranks wanted, "", Ranks::of(patch, keys));
  Ranks all = live;
  for (Json& element : patch) {
    TRY_ASSIGN(std::string key, "", keys.of(element));
    if (const std::size_t* position = all.find(key)) {
      Json& target = original[*position];
      TRY_ASSIGN(target, "", merge_object(std::move(target), std::move(element), rule.type));
    } else {
      all.append(std::move(key));
      original.push_back(std::move(element));
    }
  }
  return in_order(std::move(original), wanted, live, keys);
}

// Lists of scalars are sets.
Result<Json> merge_scalars(const Json& original, const Json& patch, const MergeRule& rule) {
  const ElementKeys keys(rule.merge_key);
  TRY_ASSIGN(const Ranks live, "", Ranks::of(original, keys));
  TRY_ASSIGN(const Ranks wanted, "", Ranks::of(patch, keys));
  std::unordered_set<std::string> seen;
  Json merged = Json::array();
  for (const Json* list : {&original, &patch}) {
    for (const Json& element : *list) {
      TRY_ASSIGN(std::string key, "", keys.of(element));
      if (seen.insert(std::move(key)).second) merged.push_back(element);
    }
  }
  return in_order(std::move(merged), wanted, live, keys);
}

Result<Json> merge_list(Json original, Json patch, const MergeRule& rule) {
  if (rule.strategy != MergeRule::Strategy::kMerge) return patch;
  if (original.empty() && patch.empty()) return original;
  TRY_ASSIGN(const bool objects, "", holds_objects(original, patch));
  if (objects) return merge_objects(std::move(original), std::move(patch), rule);
  return merge_scalars(original, patch, rule);
}

// $deleteFromPrimitiveList, for lists of any strategy.
Result<Json> delete_from_list(Json original, const Json& deleted) {
  TRY("", expect_list(deleted));
  if (original.empty() && deleted.empty()) return original;
  TRY("", holds_objects(original, deleted));
  const ElementKeys keys("");
  TRY_ASSIGN(const Ranks ranks, "", Ranks::of(deleted, keys));
  Json kept = Json::array();
  for (Json& element : original) {
    TRY_ASSIGN(const std::string key, "", keys.of(element));
    if (!ranks.contains(key)) kept.push_back(std::move(element));
  }
  return kept;
}

// One $setElementOrder: merges the list it speaks of and puts it in order. Takes both from the patch.
Status set_element_order(Json& original, Json& patch, const std::string& directive, std::string_view type) {
  const Json order = std::move(patch[directive]);
  patch.erase(directive);
  TRY("", expect_list(order));
  TRY_ASSIGN(const std::string field, "", field_of(directive, kSetOrder));
  const bool in_original = original.contains(field);
  const bool in_patch = patch.contains(field);
  Json live = in_original ? std::move(original[field]) : Json::array();
  Json change = in_patch ? std::move(patch[field]) : Json::array();
  patch.erase(field);
  TRY("", expect_list(live));
  TRY("", expect_list(change));
  const MergeRule rule = merge_rule(type, field);
  TRY("", check_order(change, order, rule.merge_key));
  if (!in_original && !in_patch) return {};

  const ElementKeys keys(rule.merge_key);
  TRY("", holds_objects(live, change));
  TRY_ASSIGN(const Ranks wanted, "", Ranks::of(order, keys));
  TRY_ASSIGN(const Ranks live_ranks, "", ranks_after_patch(live, change, keys));
  Json merged;
  if (!in_patch) {
    merged = std::move(live);
  } else if (!in_original) {
    drop_directed(change);
    merged = std::move(change);
  } else {
    TRY_ASSIGN(merged, "", merge_list(std::move(live), std::move(change), rule));
  }
  TRY_ASSIGN(original[field], "", in_order(std::move(merged), wanted, live_ranks, keys));
  return {};
}

Status set_element_orders(Json& original, Json& patch, std::string_view type) {
  std::vector<std::string> directives;
  for (const auto& [key, value] : patch.items()) {
    if (key.starts_with(kSetOrder)) directives.push_back(key);
  }
  for (const std::string& directive : directives) {
    TRY(directive, set_element_order(original, patch, directive, type));
  }
  return {};
}

Status merge_member(Json& original, const std::string& key, Json value, std::string_view type) {
  const auto target = original.find(key);
  const bool same_kind = target != original.end() && target->is_structured() && target->type() == value.type();
  if (!same_kind) {
    take(original, key, std::move(value));
    return {};
  }
  const MergeRule rule = merge_rule(type, key);
  if (value.is_array()) {
    TRY_ASSIGN(*target, "", merge_list(std::move(*target), std::move(value), rule));
  } else if (rule.strategy == MergeRule::Strategy::kReplace) {
    *target = std::move(value);
  } else {
    TRY_ASSIGN(*target, "", merge_object(std::move(*target), std::move(value), rule.type));
  }
  return {};
}

Status delete_from_member(Json& original, const std::string& key, const Json& deleted) {
  TRY_ASSIGN(const std::string field, "", field_of(key, kDeleteFrom));
  if (deleted.is_null()) {
    original.erase(field);
    return {};
  }
  const auto target = original.find(field);
  if (target == original.end() || !target->is_array()) return expect_list(deleted);
  TRY_ASSIGN(*target, "", delete_from_list(std::move(*target), deleted));
  return {};
}

Result<Json> merge_object(Json original, Json patch, std::string_view type) {
  if (const auto directive = patch.find(kDirective); directive != patch.end()) {
    if (*directive == "delete") return Json::object();
    if (*directive != "replace") return fail(Code::kInvalid, "$patch must be replace or delete");
    patch.erase(directive);
    return patch;
  }
  TRY("", retain_keys(original, patch));
  TRY("", set_element_orders(original, patch, type));
  for (auto& [key, value] : patch.get_ref<Json::object_t&>()) {
    if (key.starts_with(kDeleteFrom)) {
      TRY(key, delete_from_member(original, key, value));
    } else if (value.is_null()) {
      original.erase(key);
    } else {
      TRY(key, merge_member(original, key, std::move(value), type));
    }
  }
  return original;
}

}  // namespace

bool supports_strategic_merge(std::string_view api_version) {
  const auto slash = api_version.find('/');
  return is_built_in_group(slash == std::string_view::npos ? "" : api_version.substr(0, slash));
}

Result<Json> apply_strategic_merge_patch(const Json& document, const Json& patch) {
  if (!patch.is_object()) {
    return fail(Code::kInvalid, "a strategic merge patch must be an object, got " + std::string(type_name(patch)));
  }
  TRY_ASSIGN(const std::string api_version, "the object to patch", string_at(document, {"apiVersion"}));
  TRY_ASSIGN(const std::string kind, "the object to patch", string_at(document, {"kind"}));
  if (!supports_strategic_merge(api_version)) {
    return fail(Code::kUnsupported,
                kind + " (" + api_version + ") is not a built-in kind: it has no strategic merge, use a merge patch");
  }
  TRY_ASSIGN(Json result, "", merge_object(document, patch, kind));
  drop_directive_keys(result);
  return result;
}

}  // namespace landfall::json
