#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/guarded.h"
#include "sandbox_kinds/kind_info.h"

namespace landfall::sandbox {

using KindPtr = std::shared_ptr<const KindInfo>;

// What is served at one moment. Immutable and thread-safe; requests hold one for their life.
class KindSet {
 public:
  explicit KindSet(std::vector<KindPtr> kinds);

  // Null when there is none.
  KindPtr find(std::string_view group, std::string_view version, std::string_view resource) const;
  // By kind; the first version when it is empty.
  KindPtr find_kind(std::string_view group, std::string_view version, std::string_view kind) const;
  // Any version of the resource.
  KindPtr find_resource(const k8s::GroupResource& resource) const;
  bool has_group(std::string_view group) const;
  bool has_version(std::string_view group, std::string_view version) const;
  // In the order of discovery.
  const std::vector<KindPtr>& all() const { return kinds_; }
  std::vector<const KindInfo*> pointers() const;

  // A text that depends on nothing but the set (discovery, OpenAPI): made at the first call, then kept.
  std::shared_ptr<const std::string> cached(const std::string& name, const std::function<std::string()>& make) const;

 private:
  std::vector<KindPtr> kinds_;
  std::unordered_map<std::string, KindPtr> by_resource_;
  mutable Guarded<std::map<std::string, std::shared_ptr<const std::string>>> texts_;
};
using KindSetPtr = std::shared_ptr<const KindSet>;

// The kinds that are served: built-in ones and those of CustomResourceDefinitions. Thread-safe.
class Registry {
 public:
  Registry();

  KindSetPtr kinds() const { return current_.copy(); }
  // Serves the kinds of a definition, in place of those that it had before.
  void serve(const std::string& crd_name, std::vector<KindInfo> kinds);
  void withdraw(const std::string& crd_name);

 private:
  void rebuild();

  Guarded<std::map<std::string, std::vector<KindPtr>>> custom_;
  Guarded<KindSetPtr> current_;
};

}  // namespace landfall::sandbox
