#include "kube/page_walk.h"

#include <functional>

namespace landfall::kube {
namespace {

// A server that forgets versions faster than it lists is not well.
constexpr int kMaxRestarts = 5;
// With a selector a page may hold nothing; a server that sends nothing else has lost its way.
constexpr std::size_t kMaxEmptyPages = 10'000;

}  // namespace

io::QueryParameters PageWalk::query() const {
  io::QueryParameters query = selector_query(options_);
  query.emplace_back("limit", std::to_string(options_.page_size));
  if (!token_.empty()) {
    query.emplace_back("continue", token_);
  } else if (!options_.resource_version.empty()) {
    query.emplace_back("resourceVersion", options_.resource_version);
    if (!options_.resource_version_match.empty()) {
      query.emplace_back("resourceVersionMatch", options_.resource_version_match);
    }
  }
  return query;
}

Status PageWalk::took(std::string continue_token, std::size_t items) {
  is_ended_ = continue_token.empty();
  if (is_ended_) {
    return {};
  }
  empty_pages_ = items == 0 ? empty_pages_ + 1 : 0;
  if (empty_pages_ > kMaxEmptyPages) {
    return fail(Code::kDataLoss, "the list does not end: the server sends empty pages");
  }
  if (!seen_.insert(std::hash<std::string>()(continue_token)).second) {
    return fail(Code::kDataLoss, "the list does not end: the server repeats a page");
  }
  token_ = std::move(continue_token);
  return {};
}

Status PageWalk::failed(const Error& error) {
  if (error.code() != Code::kGone || token_.empty()) {
    return tl::unexpected(error);
  }
  if (++restarts_ > kMaxRestarts) {
    return fail("the list was begun " + std::to_string(restarts_) + " times", error);
  }
  token_.clear();
  seen_.clear();
  empty_pages_ = 0;
  return {};
}

}  // namespace landfall::kube
