#include "sandbox/apply_merge.h"

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "json/json.h"
#include "json/parse.h"
#include "sandbox/field_rules.h"

namespace landfall::sandbox {
namespace {

using json::Json;
using Type = FieldRule::Type;

class Merger {
 public:
  explicit Merger(const KindInfo& kind) : kind_(kind) {}

  void merge_object(Json& live, const Json& wanted) {
    for (const auto& [key, value] : wanted.items()) {
      path_.push_back(key);
      merge_value(live[key], value);
      path_.pop_back();
    }
  }

  // False when nothing is left of the value.
  bool remove(Json& value, const FieldSet& fields) {
    if (value.is_object()) return remove_members(value, fields);
    if (value.is_array()) return remove_items(value, fields);
    return true;
  }

 private:
  FieldRule rule_of(const Json& value) const { return field_rule(kind_, path_, value.is_array()); }

  void merge_value(Json& live, const Json& wanted) {
    if (!wanted.is_structured() || live.type() != wanted.type()) {
      live = wanted;
      return;
    }
    const FieldRule rule = rule_of(wanted);
    if (rule.type == Type::kAtomic) {
      live = wanted;
    } else if (wanted.is_object()) {
      merge_object(live, wanted);
    } else {
      merge_list(live, wanted, rule);
    }
  }

  static std::string element_of(const Json& item, const FieldRule& rule) {
    return rule.type == Type::kSet ? json::dump(item) : key_element(item, rule.keys);
  }

  // What is applied replaces all live elements of its key, should there be several.
  static void drop_repeated(Json& live, const Json& wanted, const FieldRule& rule) {
    std::map<std::string, int> seen;
    for (const Json& item : wanted) seen.emplace(element_of(item, rule), 0);
    Json rest = Json::array();
    for (Json& item : live) {
      const auto found = seen.find(element_of(item, rule));
      if (found == seen.end() || ++found->second == 1) rest.push_back(std::move(item));
    }
    live = std::move(rest);
  }

  void merge_list(Json& live, const Json& wanted, const FieldRule& rule) {
    drop_repeated(live, wanted, rule);
    std::map<std::string, std::size_t> places;
    for (std::size_t i = 0; i < live.size(); ++i) places.emplace(element_of(live[i], rule), i);
    for (const Json& item : wanted) {
      const auto [place, is_new] = places.emplace(element_of(item, rule), live.size());
      if (is_new) {
        live.push_back(item);
      } else if (item.is_object() && live[place->second].is_object()) {
        merge_object(live[place->second], item);
      } else {
        live[place->second] = item;
      }
    }
  }

  bool remove_members(Json& value, const FieldSet& fields) {
    bool removed = false;
    for (const auto& [element, below] : fields.children) {
      const auto member = value.find(element.substr(2));
      if (element[0] != 'f' || member == value.end()) continue;
      path_.push_back(element.substr(2));
      const bool stays = below.children.empty() ? !below.is_member : remove(*member, below);
      path_.pop_back();
      if (stays) continue;
      value.erase(member);
      removed = true;
    }
    return !(removed && value.empty());
  }

  bool remove_items(Json& value, const FieldSet& fields) {
    const FieldRule rule = rule_of(value);
    const bool had = !value.empty();
    Json rest = Json::array();
    for (Json& item : value) {
      const std::string element = rule.type == Type::kSet ? "v:" + json::dump(item) : key_element(item, rule.keys);
      const auto found = fields.children.find(element);
      if (found != fields.children.end()) {
        if (found->second.is_member) continue;
        if (item.is_object()) remove_members(item, found->second);
      }
      rest.push_back(std::move(item));
    }
    value = std::move(rest);
    return !(had && value.empty());
  }

  const KindInfo& kind_;
  std::vector<std::string> path_;
};

}  // namespace

Json merge_configuration(const KindInfo& kind, const Json& live, const Json& configuration) {
  Json merged = live.is_object() ? live : Json::object();
  if (configuration.is_object()) Merger(kind).merge_object(merged, configuration);
  return merged;
}

void remove_fields(const KindInfo& kind, Json& document, const FieldSet& fields) {
  if (document.is_object()) Merger(kind).remove(document, fields);
}

}  // namespace landfall::sandbox
