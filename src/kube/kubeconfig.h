#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "json/json_fwd.h"
#include "kube/config.h"
#include "kube/kubeconfig_entry.h"

namespace landfall::kube {

// Kubeconfig files, merged as kubectl merges them: of several entries of one name the first counts, as a whole, and so
// does the first current-context. Entries are looked into when they are asked for: a broken one that nobody uses does
// no harm. Not thread-safe while files are added.
class Kubeconfig {
 public:
  // Reads a file behind those already there. kNotFound when it does not exist.
  Status add_file(const std::string& path);
  // The same from a text; `path` is where it came from, and absolute.
  Status add_text(const std::string& path, std::string_view text);

  // No entries and no current-context; an empty file is one.
  bool empty() const;
  const std::string& current_context() const { return current_context_; }

  // The named context with everything it refers to; without a name the current one.
  Result<Config> config_for(const std::string& context) const;

 private:
  using Entries = std::map<std::string, KubeconfigEntry>;

  Status add_entries(const std::string& path, const json::Json& document, const std::string& list,
                     std::string_view member, Entries& entries);
  Result<const KubeconfigEntry*> find_context(const std::string& name) const;
  // The entry that the context's field names; nullptr when it names none.
  Result<const KubeconfigEntry*> find_referred(const KubeconfigEntry& context, std::string_view field,
                                               const Entries& entries) const;
  std::string known_contexts() const;

  std::vector<std::string> files_;
  std::string current_context_;
  Entries clusters_;
  Entries users_;
  Entries contexts_;
};

}  // namespace landfall::kube
