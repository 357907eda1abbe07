#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "http/responder.h"
#include "http/worker_pool.h"
#include "json/json_fwd.h"
#include "sandbox/api.h"
#include "sandbox/request.h"

namespace landfall::sandbox {

// One page of a list: the objects that match, and what the client needs to go on.
struct Page {
  std::vector<ObjectPtr> objects;
  std::uint64_t revision = 0;
  std::string continue_token;
  std::int64_t remaining = -1;  // -1: not known (with selectors) or nothing

  json::Json metadata() const;
};

// Works the options out against the store: paging with consistent `continue` tokens (410 when they are too old), exact
// and least revisions, selectors.
Result<Page> list_page(Store& store, const KindInfo& kind, std::string_view name_space, const ListOptions& options);

// Sends the page in pieces, so that a large list takes the memory of its pointers only.
void send_page(const KindPtr& kind, Page page, const OutputFormat& format, WallTime now, http::WorkerPool& pool,
               const std::shared_ptr<http::Responder>& responder);

}  // namespace landfall::sandbox
