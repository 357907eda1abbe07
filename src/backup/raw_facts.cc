#include "backup/raw_facts.h"

#include <memory>
#include <optional>
#include <string>

#include "json/json.h"
#include "json/parse.h"

namespace landfall::backup {
namespace {

// The labels of an object, read when one is asked for that may be there.
class LazyLabels {
 public:
  explicit LazyLabels(std::string_view text) : text_(text) {}

  std::optional<std::string_view> operator()(const std::string& key) const {
    if (text_.find(key) == std::string_view::npos) return std::nullopt;  // a label's key needs no escapes
    if (!document_) {
      auto parsed = json::parse(text_);
      document_ = std::make_shared<const json::Json>(parsed ? *std::move(parsed) : json::Json());
    }
    if (!document_->is_object()) return std::nullopt;
    const auto found = document_->find(key);
    if (found == document_->end() || !found->is_string()) return std::nullopt;
    return found->get_ref<const std::string&>();
  }

 private:
  std::string_view text_;
  mutable std::shared_ptr<const json::Json> document_;  // shared by copies of the function
};

}  // namespace

selection::ItemFacts raw_facts(const kube::ApiResource& resource, const kube::RawItem& item) {
  selection::ItemFacts facts{.resource = {resource.id.group, resource.id.resource},
                             .kind = resource.kind,
                             .name_space = item.name_space,
                             .name = item.name};
  facts.is_being_deleted = item.is_being_deleted;
  if (!item.labels.empty()) facts.label = LazyLabels(item.labels);
  return facts;
}

}  // namespace landfall::backup
