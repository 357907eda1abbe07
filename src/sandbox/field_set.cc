#include "sandbox/field_set.h"

#include <fmt/format.h>

#include <set>
#include <string_view>
#include <utility>

#include "json/json.h"
#include "json/parse.h"
#include "sandbox/field_rules.h"

namespace landfall::sandbox {
namespace {

using json::Json;
using Type = FieldRule::Type;

// Deeper than any document that was accepted: recursion ends here.
constexpr int kMaxDepth = 1100;

FieldSet read_node(const Json& node, int depth) {
  FieldSet out;
  if (!node.is_object() || depth > kMaxDepth) return out;
  for (const auto& [key, value] : node.items()) {
    if (key == ".") {
      out.is_member = true;
    } else if (key.size() >= 2 && key[1] == ':' && value.is_object()) {
      FieldSet child = read_node(value, depth + 1);
      if (value.empty()) child.is_member = true;
      if (!child.empty()) out.children.emplace(key, std::move(child));
    }
  }
  return out;
}

// One element as messages print it.
std::string printed(std::string_view element) {
  const std::string_view rest = element.substr(2);
  if (element[0] == 'f') return "." + std::string(rest);
  if (element[0] != 'k') return fmt::format("[{}{}]", element[0] == 'v' ? "=" : "", rest);
  const auto keys = json::parse(rest);
  if (!keys || !keys->is_object()) return fmt::format("[{}]", rest);
  std::string out;
  for (const auto& [key, value] : keys->items()) {
    out += fmt::format("{}{}={}", out.empty() ? "" : ",", key, json::dump(value));
  }
  return fmt::format("[{}]", out);
}

void collect_paths(const FieldSet& set, const std::string& path, std::vector<std::string>& out) {
  if (set.is_member) out.push_back(path);
  for (const auto& [element, child] : set.children) collect_paths(child, path + printed(element), out);
}

// Walks documents with the path that the rules ask for.
class Walk {
 public:
  explicit Walk(const KindInfo& kind) : kind_(kind) {}

  // `own_maps`: whether the mere existence of an object counts, as it does when it is added by an update.
  FieldSet all_of(const Json& value, bool own_maps) {
    FieldSet out;
    const FieldRule rule = rule_of(value);
    const bool is_leaf = !value.is_structured() || value.empty() || rule.type == Type::kAtomic;
    out.is_member = is_leaf || (own_maps && !path_.empty());
    if (own_maps && rule.always_there && value.is_structured())
      out.is_member = rule.type == Type::kAtomic && !value.empty();
    if (own_maps && value.is_null()) out.is_member = is_written_null();  // what a Go struct writes for nothing
    const bool is_empty_text = value.is_string() && value.get_ref<const std::string&>().empty();
    if (own_maps && is_empty_text && is_empty_reporter()) out.is_member = false;
    if (is_leaf) return out;
    each_child(value, rule, [&](const std::string& element, const Json& child, bool is_item) {
      FieldSet below = is_whole(child, rule, is_item) ? FieldSet{.is_member = true} : all_of(child, own_maps);
      if (is_item) below.is_member = true;
      if (!below.empty()) out.children[element].unite(below);
    });
    return out;
  }

  void collect_repeated(const Json& value, const std::string& path, std::vector<std::string>& out) {
    const FieldRule rule = rule_of(value);
    if (!value.is_structured() || rule.type == Type::kAtomic) return;
    std::map<std::string, int> seen;
    each_child(value, rule, [&](const std::string& element, const Json& child, bool is_item) {
      if (++seen[element] == 2) out.push_back(fmt::format("{}: duplicate entries for key {}", path, printed(element)));
      if (!is_whole(child, rule, is_item)) collect_repeated(child, path + printed(element), out);
    });
  }

  void compare(const Json& from, const Json& to, FieldChanges& out) {
    const FieldRule rule = rule_of(to.is_structured() ? to : from);
    if (!from.is_structured() || from.type() != to.type() || rule.type == Type::kAtomic) {
      if (from != to) changed(from, to, out);
      return;
    }
    // Of elements that are there twice, the first counts.
    std::map<std::string, const Json*> before;
    std::set<std::string> seen;
    each_child(from, rule,
               [&](const std::string& element, const Json& child, bool) { before.emplace(element, &child); });
    each_child(to, rule, [&](const std::string& element, const Json& child, bool is_item) {
      if (!seen.insert(element).second) return;
      const auto old = before.find(element);
      if (old == before.end()) {
        FieldSet added = is_whole(child, rule, is_item) ? FieldSet{.is_member = true} : all_of(child, true);
        if (is_item) added.is_member = true;
        add(out.written, element, std::move(added));
        return;
      }
      FieldChanges below;
      if (is_whole(child, rule, is_item)) {
        below.written.is_member = *old->second != child;
      } else {
        compare(*old->second, child, below);
      }
      add(out.written, element, std::move(below.written));
      add(out.removed, element, std::move(below.removed));
      before.erase(old);
    });
    gone(before, out);
  }

 private:
  // An element of a list that is owned as a whole.
  static bool is_whole(const Json& child, const FieldRule& rule, bool is_item) {
    return is_item && (!child.is_object() || rule.has_atomic_items);
  }

  static void add(FieldSet& set, const std::string& element, FieldSet child) {
    if (!child.empty()) set.children.insert_or_assign(element, std::move(child));
  }

  void changed(const Json& from, const Json& to, FieldChanges& out) {
    if (path_.empty()) return;
    // An object in place of nothing is an addition of all that is in it.
    out.written = from.is_null() ? all_of(to, true) : FieldSet{.is_member = true};
    if (to.is_structured() && !from.is_null() && rule_of(to).type != Type::kAtomic) out.written = all_of(to, true);
  }

  void gone(const std::map<std::string, const Json*>& rest, FieldChanges& out) {
    for (const auto& [element, value] : rest) {
      const bool is_field = element[0] == 'f';
      const bool was_item = std::exchange(in_item_, in_item_ && !is_field);
      if (is_field) path_.push_back(element.substr(2));
      FieldSet removed = all_of(*value, true);
      removed.is_member = true;
      if (is_field) path_.pop_back();
      in_item_ = was_item;
      add(out.removed, element, std::move(removed));
    }
  }

  // The rules of a role and the times of a condition are written down even when there are none.
  bool is_written_null() const {
    if (path_.size() == 1) return path_[0] == "rules";
    return path_.size() > 2 && path_[path_.size() - 2] == "conditions";
  }

  // What core events always have, said or not.
  bool is_empty_reporter() const {
    return kind_.kind == "Event" && path_.size() == 1 &&
           (path_[0] == "reportingComponent" || path_[0] == "reportingInstance");
  }

  FieldRule rule_of(const Json& value) const {
    if (in_item_ || path_.empty()) return {};
    return field_rule(kind_, path_, value.is_array());
  }

  template <class Visit>
  void each_child(const Json& value, const FieldRule& rule, const Visit& visit) {
    if (value.is_object()) {
      const bool was_item = std::exchange(in_item_, false);
      for (const auto& [key, child] : value.items()) {
        path_.push_back(key);
        visit("f:" + key, child, false);
        path_.pop_back();
      }
      in_item_ = was_item;
      return;
    }
    for (const Json& item : value) {
      const bool was_item = std::exchange(in_item_, true);
      visit(rule.type == Type::kSet ? "v:" + json::dump(item) : key_element(item, rule.keys), item, true);
      in_item_ = was_item;
    }
  }

  const KindInfo& kind_;
  std::vector<std::string> path_;
  bool in_item_ = false;  // at an element of a list itself: it has no rule of its own
};

}  // namespace

FieldSet FieldSet::from_json(const Json& fields) {
  FieldSet set = read_node(fields, 0);
  set.is_member = false;
  return set;
}

Json FieldSet::to_json() const {
  Json out = Json::object();
  if (is_member && !children.empty()) out["."] = Json::object();
  for (const auto& [element, child] : children) out[element] = child.to_json();
  return out;
}

FieldSet& FieldSet::unite(const FieldSet& other) {
  is_member = is_member || other.is_member;
  for (const auto& [element, child] : other.children) children[element].unite(child);
  return *this;
}

FieldSet& FieldSet::subtract(const FieldSet& other) {
  if (other.is_member) is_member = false;
  for (const auto& [element, child] : other.children) {
    const auto mine = children.find(element);
    if (mine == children.end()) continue;
    if (mine->second.subtract(child).empty()) children.erase(mine);
  }
  return *this;
}

FieldSet FieldSet::intersect(const FieldSet& other) const {
  FieldSet out;
  out.is_member = is_member && other.is_member;
  for (const auto& [element, child] : children) {
    const auto theirs = other.children.find(element);
    if (theirs == other.children.end()) continue;
    FieldSet both = child.intersect(theirs->second);
    if (!both.empty()) out.children.emplace(element, std::move(both));
  }
  return out;
}

std::vector<std::string> FieldSet::paths() const {
  std::vector<std::string> out;
  collect_paths(*this, "", out);
  return out;
}

FieldSet fields_of(const KindInfo& kind, const Json& document) {
  FieldSet set = Walk(kind).all_of(document, false);
  set.is_member = false;
  return set;
}

std::vector<std::string> repeated_elements(const KindInfo& kind, const Json& document) {
  std::vector<std::string> out;
  Walk(kind).collect_repeated(document, "", out);
  return out;
}

FieldChanges compare_fields(const KindInfo& kind, const Json& from, const Json& to) {
  FieldChanges out;
  Walk(kind).compare(from, to, out);
  return out;
}

std::string key_element(const Json& item, const std::vector<std::string>& keys) {
  Json key = Json::object();
  for (const std::string& name : keys) {
    const auto value = item.is_object() ? item.find(name) : item.end();
    if (item.is_object() && value != item.end()) {
      key[name] = *value;
    } else if (name == "protocol") {
      key[name] = "TCP";
    }
  }
  return "k:" + json::dump(key);
}

}  // namespace landfall::sandbox
