#include "sandbox_world/owner_index.h"

#include <algorithm>
#include <utility>

namespace landfall::sandbox {

void OwnerIndex::put(Dependent dependent) {
  const std::string uid = dependent.id.uid;
  erase(uid);
  if (dependent.owners.empty()) return;
  for (const Owner& owner : dependent.owners) by_owner_[owner.uid].insert(uid);
  dependents_.emplace(uid, std::move(dependent));
}

void OwnerIndex::erase(const std::string& uid) {
  const auto at = dependents_.find(uid);
  if (at == dependents_.end()) return;
  for (const Owner& owner : at->second.owners) {
    const auto entry = by_owner_.find(owner.uid);
    if (entry == by_owner_.end()) continue;
    entry->second.erase(uid);
    if (entry->second.empty()) by_owner_.erase(entry);
  }
  dependents_.erase(at);
}

void OwnerIndex::erase_all(const k8s::GroupResource& resource) {
  std::vector<std::string> uids;
  for (const auto& [uid, dependent] : dependents_) {
    if (dependent.id.resource == resource) uids.push_back(uid);
  }
  for (const std::string& uid : uids) erase(uid);
}

const Dependent* OwnerIndex::find(const std::string& uid) const {
  const auto at = dependents_.find(uid);
  return at == dependents_.end() ? nullptr : &at->second;
}

std::vector<std::string> OwnerIndex::dependents_of(const std::string& owner_uid) const {
  const auto at = by_owner_.find(owner_uid);
  if (at == by_owner_.end()) return {};
  return {at->second.begin(), at->second.end()};
}

std::vector<std::string> OwnerIndex::blockers_of(const std::string& owner_uid) const {
  std::vector<std::string> out;
  for (const std::string& uid : dependents_of(owner_uid)) {
    const Dependent* dependent = find(uid);
    const bool blocks = dependent != nullptr &&
                        std::any_of(dependent->owners.begin(), dependent->owners.end(), [&](const Owner& owner) {
                          return owner.uid == owner_uid && owner.blocks_deletion;
                        });
    if (blocks) out.push_back(uid);
  }
  return out;
}

}  // namespace landfall::sandbox
