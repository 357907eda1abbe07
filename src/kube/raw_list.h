#pragma once

#include <optional>
#include <stop_token>

#include "base/result.h"
#include "kube/page_walk.h"
#include "kube/raw_page.h"
#include "kube/resource.h"

namespace landfall::kube {

// Reads a list page by page, as raw bytes; memory is bounded by a page, whatever the size of the list. Not thread-safe.
class RawList {
 public:
  // A page of more bytes is kTooLarge: ask for fewer objects at a time. By default what the client takes.
  RawList(Resource resource, const ListOptions& options, std::optional<std::size_t> max_page_bytes = {});

  struct Next {
    std::optional<RawPage> page;  // none at the end
    bool started_over = false;    // the server has forgotten the list's version: forget what came before this page
  };
  Result<Next> next(const std::stop_token& stop);

 private:
  Resource resource_;
  PageWalk walk_;
  std::optional<std::size_t> max_page_bytes_;
};

}  // namespace landfall::kube
