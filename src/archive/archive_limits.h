#pragma once

#include <cstddef>
#include <cstdint>

namespace landfall::archive {

// What an archive may ask of us; past any of these reading fails with kTooLarge.
struct ArchiveLimits {
  std::uint64_t total_size = std::uint64_t{1} << 36U;  // 64 GiB uncompressed; a spool can take as much of the disk
  // Uncompressed by compressed, from `ratio_from` uncompressed bytes on; 0 means any. Real archives reach 40:1.
  std::uint64_t ratio = 400;
  std::uint64_t ratio_from = std::uint64_t{64} << 20U;
  std::uint64_t item_size = std::uint64_t{16} << 20U;  // 16 MiB; an API server takes 3 MiB. One is in memory at a time.
  std::uint64_t entries = 10'000'000;                  // most items are two of them
  std::size_t name_length = 1024;                      // of a whole path; Kubernetes' own limits add up to some 700
  std::uint64_t index_size = std::uint64_t{1} << 30U;  // 1 GiB of memory: some eight million objects
};

}  // namespace landfall::archive
