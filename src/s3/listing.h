#pragma once

#include <functional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "s3/client.h"

namespace landfall::s3 {

// Walks over what is below a prefix, a page in memory at a time. With a delimiter, what lies beyond the next one is
// folded into ListPage::folders. What a server lists outside the prefix is kDataLoss: callers delete what they are
// shown.
Status list_pages(Client& client, std::string_view prefix, std::string_view delimiter,
                  const std::function<Status(const ListPage&)>& visit, const std::stop_token& stop);

// Aborts the multipart uploads under the prefix that are older than `age`; returns how many they were.
Result<std::size_t> abort_old_uploads(Client& client, std::string_view prefix, WallTime before,
                                      const std::stop_token& stop);

}  // namespace landfall::s3
