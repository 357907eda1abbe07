#include "backup/item_blocks.h"

#include <algorithm>
#include <map>
#include <utility>

#include "json/access.h"
#include "json/json.h"
#include "json/parse.h"

namespace landfall::backup {
namespace {

constexpr std::uint32_t kRun = 32;

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

// Joins the pods from `first` up to `last` that share a claim.
Status join_pods(const ItemTable& table, std::uint32_t first, std::uint32_t last,
                 const std::function<Status(std::size_t, std::string&)>& bytes, ItemGroups& groups) {
  std::map<std::pair<std::string_view, std::string>, std::uint32_t> by_claim;
  std::string pod;
  for (std::uint32_t index = first; index < last; ++index) {
    TRY("", bytes(index, pod));
    for (std::string& claim : claims_of(pod)) {
      const auto [found, is_new] = by_claim.try_emplace({table.name(index).name_space, std::move(claim)}, index);
      if (!is_new) groups.join(found->second, index);
    }
  }
  return {};
}

// Those that are to be taken in an order come first.
void join_ordered(const ItemTable& table, std::uint32_t first, std::uint32_t last, ItemGroups& groups) {
  for (std::uint32_t index = first + 1; index < last && table.place(index).is_ordered; ++index) {
    groups.join(index, index - 1);
  }
}

// Adds a group where its first member stands, and everything else of a run of one kind.
class BlockMaker {
 public:
  BlockMaker(const ItemTable& table, std::vector<std::vector<std::uint32_t>> groups)
      : table_(table), groups_(std::move(groups)) {
    for (const auto& group : groups_) members_.insert(members_.end(), group.begin(), group.end());
    std::ranges::sort(members_);
  }

  // From front to back.
  void add(std::uint32_t first, std::uint32_t last, bool are_pods) {
    const std::uint32_t most = are_pods ? 1 : kRun;
    while (first < last) {
      if (member_ < members_.size() && members_[member_] == first) {
        if (group_ < groups_.size() && groups_[group_].front() == first) add_group(std::move(groups_[group_++]));
        ++member_;
        ++first;
        continue;
      }
      const std::uint32_t end = member_ < members_.size() ? std::min(last, members_[member_]) : last;
      for (; first < end; first += std::min(most, end - first)) {
        blocks_.push_back({.first = first, .count = std::min(most, end - first), .has_pods = are_pods});
      }
    }
  }
  std::vector<ItemBlock> take() { return std::move(blocks_); }

 private:
  void add_group(std::vector<std::uint32_t> group) {
    const bool has_pods =
        std::ranges::any_of(group, [&](std::uint32_t one) { return is_pods(*table_.name(one).resource); });
    blocks_.push_back({.others = std::move(group), .has_pods = has_pods});
  }

  const ItemTable& table_;
  std::vector<std::vector<std::uint32_t>> groups_;
  std::vector<std::uint32_t> members_;  // of all groups
  std::size_t group_ = 0;               // the next of them
  std::size_t member_ = 0;
  std::vector<ItemBlock> blocks_;
};

}  // namespace

bool is_pods(const kube::ApiResource& resource) { return resource.id.group.empty() && resource.id.resource == "pods"; }

Result<std::vector<ItemBlock>> make_blocks(const ItemTable& table, ItemGroups related,
                                           const std::function<Status(std::size_t, std::string&)>& bytes) {
  const std::vector<ItemTable::Run> runs = table.runs();
  for (const ItemTable::Run& run : runs) {
    const auto first = static_cast<std::uint32_t>(run.first);
    const auto last = static_cast<std::uint32_t>(run.last);
    if (is_pods(*run.resource)) TRY("", join_pods(table, first, last, bytes, related));
    join_ordered(table, first, last, related);
  }
  BlockMaker maker(table, related.all());
  for (const ItemTable::Run& run : runs) {
    maker.add(static_cast<std::uint32_t>(run.first), static_cast<std::uint32_t>(run.last), is_pods(*run.resource));
  }
  return maker.take();
}

}  // namespace landfall::backup
