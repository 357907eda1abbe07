#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

namespace landfall::backup {

// Which objects belong together, by their numbers. Holds only those that belong to others. Not thread-safe.
class ItemGroups {
 public:
  void join(std::uint32_t a, std::uint32_t b);

  // Each group in the order of the numbers; the groups in the order of their first members.
  std::vector<std::vector<std::uint32_t>> all();

 private:
  // The first of its group.
  std::uint32_t leader(std::uint32_t one);

  std::unordered_map<std::uint32_t, std::uint32_t> leader_;  // or one that is nearer to it
};

}  // namespace landfall::backup
