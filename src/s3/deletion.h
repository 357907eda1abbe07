#pragma once

#include <atomic>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

#include "base/result.h"
#include "s3/client.h"

namespace landfall::s3 {

// Removes objects, a thousand in a request; one by one where the server cannot do that, which is learnt once, and
// at a multi-region access point. All are
// tried; the error is that of the first that failed. Thread-safe.
class Deletion {
 public:
  Status remove(Client& client, std::vector<std::string> keys, const std::stop_token& stop);

 private:
  Status remove_batch(Client& client, std::span<const std::string> keys, const std::stop_token& stop);
  static Status remove_each(Client& client, std::span<const std::string> keys, const std::stop_token& stop);

  std::atomic<bool> one_by_one_ = false;
};

}  // namespace landfall::s3
