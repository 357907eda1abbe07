#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "json/access.h"
#include "json/json_fwd.h"

namespace landfall::k8s {

// What a requirement says about its key. The two kinds of equality mean the same and print as they were written.
enum class LabelOperator {
  kEquals,
  kDoubleEquals,
  kNotEquals,
  kIn,
  kNotIn,
  kExists,
  kDoesNotExist,
  kGreaterThan,
  kLessThan,
};

// The operator's name in Kubernetes' messages: "=", "in", "gt", "exists" …
std::string_view to_string(LabelOperator op);

// One condition on one label: `tier in (db,cache)`. An immutable value.
class LabelRequirement {
 public:
  // Checks key, values and their number. Errors are kInvalid with Kubernetes' words.
  static Result<LabelRequirement> make(std::string key, LabelOperator op, std::vector<std::string> values);

  const std::string& key() const { return key_; }
  LabelOperator op() const { return op_; }
  // Sorted. Those that were given twice are here twice.
  const std::vector<std::string>& values() const { return values_; }

  // Whether an object passes whose label of this key has this value, or that has no such label. Like Kubernetes, the
  // negative operators (!=, notin, !key) accept a missing label; < and > accept only whole numbers.
  bool accepts(std::optional<std::string_view> value) const;

  std::string to_string() const;

  friend bool operator==(const LabelRequirement&, const LabelRequirement&) = default;

 private:
  friend class LabelSelector;
  LabelRequirement(std::string key, LabelOperator op, std::vector<std::string> values);

  std::string key_;
  LabelOperator op_;
  std::vector<std::string> values_;
};

// A set of conditions on labels that must all hold, sorted by key. An immutable value; reading it from several threads
// is safe. Its JSON form is in label_selector_json.h.
class LabelSelector {
 public:
  // Returns the value of a label, nothing when there is no such label.
  using Lookup = std::function<std::optional<std::string_view>(const std::string& key)>;

  // Matches everything.
  LabelSelector() = default;
  explicit LabelSelector(std::vector<LabelRequirement> requirements);

  // Matches nothing, not even an object without labels.
  static LabelSelector nothing();
  // Each label must be there with its value. Nothing is checked: an API server refuses what is not valid.
  static LabelSelector of_labels(const json::StringMap& labels);
  // "app=web,tier in (db,cache),!canary", with the grammar, the tolerance and the messages of Kubernetes. Errors are
  // kInvalid.
  static Result<LabelSelector> parse(std::string_view text);

  bool matches(const Lookup& value_of) const;
  bool matches(const json::StringMap& labels) const;
  // Looks at the object's metadata.labels, which count as absent where Kubernetes cannot read them (see ObjectView).
  bool matches_object(const json::Json& object) const;

  bool is_nothing() const { return nothing_; }
  // True when it does not restrict anything.
  bool empty() const { return !nothing_ && requirements_.empty(); }
  const std::vector<LabelRequirement>& requirements() const { return requirements_; }

  // As it goes into the `labelSelector` parameter of a request; parse() reads it back. Everything and nothing are both
  // the empty text: ask is_nothing() before sending it.
  std::string to_string() const;

  friend bool operator==(const LabelSelector&, const LabelSelector&) = default;

 private:
  std::vector<LabelRequirement> requirements_;
  bool nothing_ = false;
};

}  // namespace landfall::k8s
