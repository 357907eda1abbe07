#include "json/strategic_lists.h"

#include <algorithm>
#include <unordered_set>
#include <utility>
#include <vector>

#include "json/access.h"
#include "json/json.h"
#include "json/parse.h"

namespace landfall::json {
namespace {

struct Element {
  std::string key;
  std::size_t rank = 0;
  Json value;
};

void sort_by_rank(std::vector<Element>& elements, const Ranks& ranks) {
  for (Element& element : elements) {
    const std::size_t* position = ranks.find(element.key);
    element.rank = position == nullptr ? std::string::npos : *position;
  }
  std::stable_sort(elements.begin(), elements.end(),
                   [](const Element& a, const Element& b) { return a.rank < b.rank; });
}

Json merge_sorted(std::vector<Element> rest, std::vector<Element> wanted, const Ranks& live) {
  Json out = Json::array();
  auto r = rest.begin();
  auto w = wanted.begin();
  while (r != rest.end() && w != wanted.end()) {
    const std::size_t* rest_rank = live.find(r->key);
    const std::size_t* wanted_rank = live.find(w->key);
    const bool rest_first = rest_rank != nullptr && wanted_rank != nullptr && *rest_rank < *wanted_rank;
    out.push_back(std::move((rest_first ? r++ : w++)->value));
  }
  for (; w != wanted.end(); ++w) out.push_back(std::move(w->value));
  for (; r != rest.end(); ++r) out.push_back(std::move(r->value));
  return out;
}

}  // namespace

Result<std::string> ElementKeys::of(const Json& element) const {
  const Json* key = &element;
  if (!merge_key_.empty()) {
    if (!element.is_object()) {
      return fail(Code::kInvalid, "an element must be an object, got " + std::string(type_name(element)));
    }
    const auto member = element.find(merge_key_);
    if (member == element.end()) {
      return fail(Code::kInvalid, "an element lacks the merge key " + std::string(merge_key_));
    }
    key = &*member;
  }
  if (key->is_structured())
    return fail(Code::kInvalid, "elements cannot be told apart by " + std::string(type_name(*key)));
  // The first letter keeps types apart whose texts could be equal.
  const char type = key->is_number_float() ? 'f' : key->is_number() ? 'i' : key->is_string() ? 's' : 'l';
  return type + dump_go(*key);
}

Result<Ranks> Ranks::of(const Json& list, const ElementKeys& keys) {
  Ranks ranks;
  for (const Json& element : list) {
    TRY_ASSIGN(std::string key, "", keys.of(element));
    ranks.append(std::move(key));
  }
  return ranks;
}

const std::size_t* Ranks::find(const std::string& key) const {
  const auto found = first_.find(key);
  return found == first_.end() ? nullptr : &found->second;
}

Result<bool> holds_objects(const Json& a, const Json& b) {
  const Json* first = nullptr;
  for (const Json* list : {&a, &b}) {
    for (const Json& element : *list) {
      if (element.is_array()) return fail(Code::kInvalid, "lists of lists cannot be merged");
      if (element.is_null()) return fail(Code::kInvalid, "a list with null in it cannot be merged");
      if (first == nullptr) first = &element;
      if (first->type() != element.type()) return fail(Code::kInvalid, "the elements are not all of one type");
    }
  }
  if (first == nullptr) return fail(Code::kInvalid, "there are no elements to put in order");
  return first->is_object();
}

Result<Json> in_order(Json merged, const Ranks& wanted, const Ranks& live, const ElementKeys& keys) {
  std::vector<Element> named;
  std::vector<Element> rest;
  for (Json& value : merged) {
    TRY_ASSIGN(std::string key, "", keys.of(value));
    auto& part = wanted.contains(key) ? named : rest;
    part.push_back({.key = std::move(key), .value = std::move(value)});
  }
  sort_by_rank(named, wanted);
  sort_by_rank(rest, live);
  return merge_sorted(std::move(rest), std::move(named), live);
}

Status check_order(const Json& patch, const Json& order, std::string_view merge_key) {
  if (patch.empty() || order.empty()) return {};
  const ElementKeys keys(merge_key);
  auto next = order.begin();
  for (const Json& element : patch) {
    const Json* directive = find(element, {"$patch"});
    if (directive != nullptr && *directive == "delete") continue;
    if (directive != nullptr && next != order.end()) continue;
    TRY_ASSIGN(const std::string wanted, "", keys.of(element));
    bool found = false;
    while (next != order.end() && !found) {
      TRY_ASSIGN(const std::string candidate, "", keys.of(*next));
      found = candidate == wanted;
      ++next;
    }
    if (!found) return fail(Code::kInvalid, "the elements are not in the order of $setElementOrder");
  }
  return {};
}

Result<Ranks> ranks_after_patch(const Json& live, const Json& patch, const ElementKeys& keys) {
  std::unordered_set<std::string> deleted;
  for (const Json& element : patch) {
    if (!element.is_object() || !element.contains("$patch")) continue;
    if (auto key = keys.of(element)) deleted.insert(*std::move(key));
  }
  Ranks ranks;
  std::size_t freed = 0;
  for (const Json& element : live) {
    TRY_ASSIGN(std::string key, "", keys.of(element));
    if (deleted.contains(key)) {
      ++freed;
    } else {
      ranks.append(std::move(key));
    }
  }
  for (const Json& element : patch) {
    if (freed == 0) break;
    if (element.is_object() && element.contains("$patch")) continue;
    TRY_ASSIGN(std::string key, "", keys.of(element));
    if (ranks.contains(key)) continue;
    ranks.append(std::move(key));
    --freed;
  }
  return ranks;
}

}  // namespace landfall::json
