#pragma once

#include <chrono>
#include <cstddef>

#include "base/backoff.h"
#include "base/clock.h"

namespace landfall::s3 {

// How the driver goes about it. The defaults suit every server we know; tests make them small.
struct S3Tuning {
  std::size_t part_size = 8UL << 20U;         // at least; grows so that 10,000 parts suffice
  std::size_t parts_in_flight = 4;            // of one put, the one that is being filled included
  std::size_t memory_per_put = 256UL << 20U;  // fewer parts in flight where parts are large
  int max_attempts = 6;                       // of one request
  BackoffPolicy retries{.first = std::chrono::milliseconds(200), .cap = std::chrono::seconds(10)};
  Duration connect_timeout = std::chrono::seconds(15);
  Duration idle_timeout = std::chrono::seconds(60);  // a server that is silent for so long is given up on
  std::size_t list_page = 1000;                      // keys asked for at a time
};

}  // namespace landfall::s3
