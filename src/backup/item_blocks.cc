#include "backup/item_blocks.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <utility>

#include "json/access.h"
#include "json/json.h"
#include "json/parse.h"

namespace landfall::backup {
namespace {

constexpr std::uint32_t kRun = 32;

bool is_pods(const kube::ApiResource& resource) { return resource.id.group.empty() && resource.id.resource == "pods"; }

// The claims that a pod mounts. Most pods have none, and then nothing is parsed.
std::vector<std::string> claims_of(const std::string& pod) {
  std::vector<std::string> claims;
  if (pod.find("\"persistentVolumeClaim\"") == std::string::npos) return claims;
  const auto document = json::parse(pod);
  if (!document) return claims;
  const json::Json* volumes = json::find(*document, {"spec", "volumes"});
  if (volumes == nullptr || !volumes->is_array()) return claims;
  for (const json::Json& volume : *volumes) {
    if (const std::string* name = json::find_string(volume, {"persistentVolumeClaim", "claimName"})) {
      claims.push_back(*name);
    }
  }
  return claims;
}

// Objects that belong together, each group by its first member.
class Groups {
 public:
  explicit Groups(std::size_t count) : leader_(count) { std::iota(leader_.begin(), leader_.end(), 0U); }

  std::uint32_t leader(std::uint32_t one) {
    while (leader_[one] != one) {
      leader_[one] = leader_[leader_[one]];
      one = leader_[one];
    }
    return one;
  }
  void join(std::uint32_t a, std::uint32_t b) {
    const auto [first, second] = std::minmax({leader(a), leader(b)});
    leader_[second] = first;
  }

 private:
  std::vector<std::uint32_t> leader_;
};

// Blocks of the pods from `first` up to `last`.
Status add_pods(const ItemTable& table, std::uint32_t first, std::uint32_t last,
                const std::function<Status(std::size_t, std::string&)>& bytes, std::vector<ItemBlock>& blocks) {
  Groups groups(last - first);
  std::map<std::pair<std::string_view, std::string>, std::uint32_t> by_claim;
  std::string pod;
  for (std::uint32_t index = first; index < last; ++index) {
    TRY("", bytes(index, pod));
    for (std::string& claim : claims_of(pod)) {
      const auto [found, is_new] =
          by_claim.try_emplace({table.name(index).name_space, std::move(claim)}, index - first);
      if (!is_new) groups.join(found->second, index - first);
    }
    if (table.place(index).is_ordered && index > first) groups.join(index - first, index - first - 1);
  }
  std::map<std::uint32_t, std::vector<std::uint32_t>> members;
  for (std::uint32_t i = 0; i < last - first; ++i) members[groups.leader(i)].push_back(first + i);
  for (auto& [leader, pods] : members) {
    if (pods.size() == 1) {
      blocks.push_back({.first = pods.front(), .count = 1, .has_pods = true});
    } else {
      blocks.push_back({.others = std::move(pods), .has_pods = true});
    }
  }
  return {};
}

}  // namespace

Result<std::vector<ItemBlock>> make_blocks(const ItemTable& table,
                                           const std::function<Status(std::size_t, std::string&)>& bytes) {
  std::vector<ItemBlock> blocks;
  for (const ItemTable::Run& run : table.runs()) {
    auto next = static_cast<std::uint32_t>(run.first);
    const auto last = static_cast<std::uint32_t>(run.last);
    if (is_pods(*run.resource)) {
      TRY("", add_pods(table, next, last, bytes, blocks));
      continue;
    }
    std::uint32_t ordered = next;
    while (ordered < last && table.place(ordered).is_ordered) ++ordered;
    if (ordered > next) blocks.push_back({.first = next, .count = ordered - next});
    for (next = ordered; next < last; next += kRun) {
      blocks.push_back({.first = next, .count = std::min(kRun, last - next)});
    }
  }
  return blocks;
}

}  // namespace landfall::backup
