#pragma once

#include <cstddef>
#include <functional>
#include <stop_token>

#include "base/result.h"

namespace landfall::operation {

// Runs `work` for 0 … count-1 on at most `workers` threads, in order of the numbers, and returns when all have ended.
// The first error stops the others and is returned; kCancelled when the stop was asked for before all were done.
Status for_each_in_parallel(std::size_t count, int workers, const std::stop_token& stop,
                            const std::function<Status(std::size_t index, const std::stop_token& stop)>& work);

}  // namespace landfall::operation
