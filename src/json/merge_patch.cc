#include <algorithm>
#include <utility>

#include "json/access.h"
#include "json/json.h"
#include "json/patch.h"

namespace landfall::json {
namespace {

Json without_nulls(const Json& value) {
  if (value.is_object()) {
    Json out = Json::object();
    for (const auto& [key, member] : value.items()) {
      if (!member.is_null()) out[key] = without_nulls(member);
    }
    return out;
  }
  if (value.is_array()) {
    Json out = Json::array();
    for (const Json& element : value) out.push_back(without_nulls(element));
    return out;
  }
  return value;
}

void merge_into(Json& document, const Json& patch) {
  for (const auto& [key, change] : patch.items()) {
    if (change.is_null()) {
      document.erase(key);
      continue;
    }
    Json& target = document[key];
    if (target.is_object() && change.is_object()) {
      merge_into(target, change);
    } else {
      // Where an object gives way to a list, json-patch leaves the list as it is.
      target = target.is_object() ? change : without_nulls(change);
    }
  }
}

// Collects the paths where documents differ. The keys on the way are kept in one list and joined only for a finding.
class Differ {
 public:
  explicit Differ(std::size_t max) : max_(max) {}

  void compare(const Json& a, const Json& b) {
    if (found_.size() >= max_) return;
    if (a.is_object() && b.is_object()) {
      members(a, b);
    } else if (a.is_array() && b.is_array()) {
      elements(a, b);
    } else if (a != b) {
      found();
    }
  }

  std::vector<std::string> take() { return std::move(found_); }

 private:
  void found() {
    if (found_.size() >= max_) return;
    const std::vector<std::string_view> keys(keys_.begin(), keys_.end());
    found_.push_back(Path(keys).to_string());
  }

  // A value that only one side has (nullptr on the other) differs, even when it is null.
  void child(const std::string& key, const Json* a, const Json* b) {
    keys_.push_back(key);
    if (a != nullptr && b != nullptr) {
      compare(*a, *b);
    } else {
      found();
    }
    keys_.pop_back();
  }

  void members(const Json& a, const Json& b) {
    for (const auto& [key, value] : a.items()) {
      const auto other = b.find(key);
      child(key, &value, other == b.end() ? nullptr : &*other);
    }
    for (const auto& [key, value] : b.items()) {
      if (!a.contains(key)) child(key, nullptr, &value);
    }
  }

  void elements(const Json& a, const Json& b) {
    const std::size_t found_before = found_.size();
    for (std::size_t i = 0; i < std::max(a.size(), b.size()) && found_.size() == found_before; ++i) {
      child(std::to_string(i), i < a.size() ? &a[i] : nullptr, i < b.size() ? &b[i] : nullptr);
    }
  }

  const std::size_t max_;
  std::vector<std::string> keys_;
  std::vector<std::string> found_;
};

}  // namespace

Result<Json> apply_merge_patch(const Json& document, const Json& patch) {
  if (!patch.is_object()) {
    return fail(Code::kInvalid, "a merge patch must be an object, got " + std::string(type_name(patch)));
  }
  if (!document.is_object()) return without_nulls(patch);
  Json result = document;
  merge_into(result, patch);
  return result;
}

Json create_merge_patch(const Json& from, const Json& to) {
  if (!from.is_object() || !to.is_object()) return to;
  Json patch = Json::object();
  for (const auto& [key, value] : to.items()) {
    const auto before = from.find(key);
    const bool is_known = before != from.end();
    if (is_known && before->is_object() && value.is_object()) {
      Json inner = create_merge_patch(*before, value);
      if (!inner.empty()) patch[key] = std::move(inner);
    } else if (!is_known || *before != value) {
      patch[key] = value;
    }
  }
  for (const auto& [key, value] : from.items()) {
    if (!to.contains(key)) patch[key] = nullptr;
  }
  return patch;
}

std::vector<std::string> differences(const Json& a, const Json& b, std::size_t max) {
  Differ differ(max);
  differ.compare(a, b);
  return differ.take();
}

}  // namespace landfall::json
