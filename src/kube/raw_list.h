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
  RawList(Resource resource, const ListOptions& options);

  struct Next {
    std::optional<RawPage> page;  // none at the end
    bool started_over = false;    // the server has forgotten the list's version: forget what came before this page
  };
  Result<Next> next(const std::stop_token& stop);

 private:
  Resource resource_;
  PageWalk walk_;
};

}  // namespace landfall::kube
