#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "json/json.h"
#include "kube/client.h"

namespace landfall {

// Some 2,000 items of a backup, to be restored into a cluster that has none of them but some in their way, as often as
// one likes: what belongs to the cluster, and the namespaces they go to, are named by a word of their own. Everything
// throws where it cannot be done.
class RestoreLoad {
 public:
  // The word is as long as every other one.
  explicit RestoreLoad(std::string word) : word_(std::move(word)) {}

  // Each with its resource. Three namespaces, two of which become one; a definition with its custom resources; pods,
  // some of whose claims and volumes nothing selects; volumes that are kept and such as are made anew.
  std::vector<std::pair<std::string, json::Json>> items() const;
  // The spec of a Restore, without the name of the backup.
  json::Json spec(const std::string& existing_policy) const;

  // What is there before: the same as in the backup, others of that name, and some that can not be changed.
  void make_existing(kube::Client& client) const;

  // All there is in the end, "resource/namespace/name" to the object, without what differs by nature, and with one
  // word for all.
  std::map<std::string, json::Json> left(kube::Client& client) const;
  // The document as it is with one word for all.
  json::Json like_any(const json::Json& document) const;

  void sweep(kube::Client& client) const;

 private:
  std::string first() const { return word_ + "-first"; }
  std::string second() const { return word_ + "-second"; }
  std::string group() const { return word_ + ".example.com"; }
  void add_namespace(std::vector<json::Json>& selected, const std::string& name, int size) const;
  void add_volumes(std::vector<json::Json>& all) const;
  json::Json definition() const;

  const std::string word_;
};

}  // namespace landfall
