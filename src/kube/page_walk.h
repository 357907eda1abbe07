#pragma once

#include <cstddef>
#include <string>
#include <unordered_set>

#include "base/result.h"
#include "io/url.h"
#include "kube/resource.h"

namespace landfall::kube {

// Walks through the pages of a list: what to ask for next, and when to stop asking. It starts over when the server has
// forgotten the list's version half way (410), a few times, and gives up on a list that does not end. Not thread-safe.
class PageWalk {
 public:
  explicit PageWalk(const ListOptions& options) : options_(options) {}

  // The query of the next page.
  io::QueryParameters query() const;
  bool is_ended() const { return is_ended_; }

  // A page came, with so many items and this token for the next.
  Status took(std::string continue_token, std::size_t items);
  // A page did not come. Success: the walk begins again, and what came before is void.
  Status failed(const Error& error);

 private:
  ListOptions options_;
  std::string token_;
  std::unordered_set<std::size_t> seen_;  // hashes of the tokens so far
  std::size_t empty_pages_ = 0;           // in a row
  int restarts_ = 0;
  bool is_ended_ = false;
};

}  // namespace landfall::kube
