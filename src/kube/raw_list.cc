#include "kube/raw_list.h"

#include "k8s/rest_path.h"

namespace landfall::kube {

RawList::RawList(Resource resource, const ListOptions& options, std::optional<std::size_t> max_page_bytes)
    : resource_(std::move(resource)), walk_(options), max_page_bytes_(max_page_bytes) {}

Result<RawList::Next> RawList::next(const std::stop_token& stop) {
  Next next;
  if (walk_.is_ended()) {
    return next;
  }
  TRY_ASSIGN(const std::string path, "", k8s::collection_path(resource_.id(), resource_.name_space()));
  while (true) {
    auto answer = resource_.client().call({.path = path, .query = walk_.query(), .max_body = max_page_bytes_}, stop);
    if (answer) {
      TRY_ASSIGN(RawPage page, "GET " + path, RawPage::slice(std::move(answer->body)));
      TRY("GET " + path, walk_.took(page.continue_token(), page.items().size()));
      next.page = std::move(page);
      return next;
    }
    TRY("", walk_.failed(answer.error()));
    next.started_over = true;
  }
}

}  // namespace landfall::kube
