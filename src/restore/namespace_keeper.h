#pragma once

#include <map>
#include <stop_token>
#include <string>
#include <vector>

#include "base/guarded.h"
#include "base/result.h"
#include "restore/findings.h"
#include "restore/journal_lines.h"
#include "restore/restore_job.h"
#include "restore/target.h"

namespace landfall::restore {

// Makes the namespaces that things are restored into, each once, whoever asks first; the others wait. Thread-safe.
class NamespaceKeeper {
 public:
  NamespaceKeeper(const RestoreJob& job, RestoreTools& tools, Target& target, bool keeps_journal)
      : job_(job), tools_(tools), target_(target), keeps_journal_(keeps_journal) {}

  // Those that the plan says have to be made. Before anybody asks.
  void plan(const std::vector<PlannedNamespace>& namespaces);
  // What an earlier process did. Before anybody asks.
  void replay(const NamespaceEnd& end);

  // Returns once the namespace is there. An error says why it cannot be used; kCancelled when the stop came first.
  Status ensure(const std::string& name, const std::string& original, const std::stop_token& stop);

  // Those of the plan that nobody has got to, by name.
  std::vector<std::string> not_made() const;
  // Those that were created, by name.
  std::vector<std::string> created() const;
  std::vector<Finding> findings() const;

 private:
  enum class Stage { kNew, kBusy, kReady, kFailed };
  struct Entry {
    Stage stage = Stage::kNew;
    bool is_planned = false;
    bool is_created = false;
    std::string original;
    std::string error;
  };
  Status make(const std::string& name, const std::string& original, bool is_planned, const std::stop_token& stop);
  void settle(const NamespaceEnd& end, bool is_planned);

  const RestoreJob& job_;
  RestoreTools& tools_;
  Target& target_;
  const bool keeps_journal_;
  Monitor<std::map<std::string, Entry>> entries_;
};

}  // namespace landfall::restore
