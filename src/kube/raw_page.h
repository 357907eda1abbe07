#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace landfall::kube {

// One object of a list page, as the bytes the server sent. Points into its page.
struct RawItem {
  std::string_view json;          // the object, `{` to `}`
  std::string_view name;          // as in metadata, still with its JSON escapes (Kubernetes' names have none)
  std::string_view name_space;    // empty for cluster scope
  std::string_view labels;        // metadata.labels as they stand, `{` to `}`; empty when there are none
  bool is_being_deleted = false;  // it has a deletionTimestamp
  bool has_type = false;          // apiVersion and kind are there; servers leave them out of lists of built-in kinds
};

// A page of a list. Holds the server's bytes; moving it keeps the items valid.
class RawPage {
 public:
  // Checks a list's text and slices it, without building documents. kDataLoss when it is not a whole list, or not JSON
  // at any place.
  static Result<RawPage> slice(std::string body);

  const std::vector<RawItem>& items() const { return items_; }
  // "v1" and "Pod", of the items: from the list's own apiVersion and kind.
  const std::string& api_version() const { return api_version_; }
  const std::string& kind() const { return kind_; }
  const std::string& resource_version() const { return resource_version_; }
  const std::string& continue_token() const { return continue_token_; }
  // How many more there are, when the server says it.
  std::optional<std::int64_t> remaining() const { return remaining_; }

  // Appends the item as a whole object, with apiVersion and kind.
  void append_object(const RawItem& item, std::string& to) const;

 private:
  friend class RawPageReader;
  RawPage() = default;
  std::unique_ptr<std::string> body_;  // its address, and so the items, stay when the page is moved
  std::vector<RawItem> items_;
  std::string api_version_;
  std::string kind_;
  std::string resource_version_;
  std::string continue_token_;
  std::optional<std::int64_t> remaining_;
};

}  // namespace landfall::kube
