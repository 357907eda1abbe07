#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "k8s/kinds.h"

namespace landfall::sandbox {

struct ObjectId {
  k8s::GroupResource resource;  // of storage
  std::string name_space;
  std::string name;
  std::string uid;
};

struct Owner {
  std::string api_version;
  std::string kind;
  std::string name;
  std::string uid;
  bool blocks_deletion = false;
};

// An object that has owners.
struct Dependent {
  ObjectId id;
  std::vector<Owner> owners;
};

// Who depends on whom, by uid. Holds only objects that have owners. Not thread-safe.
class OwnerIndex {
 public:
  // A dependent without owners is taken out.
  void put(Dependent dependent);
  void erase(const std::string& uid);
  void erase_all(const k8s::GroupResource& resource);

  // Null when the object has no owners.
  const Dependent* find(const std::string& uid) const;
  std::vector<std::string> dependents_of(const std::string& owner_uid) const;
  // Those that keep their owner from going first.
  std::vector<std::string> blockers_of(const std::string& owner_uid) const;

 private:
  std::map<std::string, Dependent> dependents_;
  std::map<std::string, std::set<std::string>> by_owner_;
};

}  // namespace landfall::sandbox
