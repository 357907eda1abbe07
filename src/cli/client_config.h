#pragma once

#include <map>
#include <string>

#include "base/environment.h"
#include "base/result.h"

namespace landfall::cli {

// The user's settings, in Velero's own file, so that both programs share them: $HOME/.config/velero/config.json, a flat
// object of strings (`namespace`, `features`, `cacert`, `colorized`). Unknown keys are kept, and so are values that are
// no strings, which count as not set.
class ClientConfig {
 public:
  // A missing file is an empty configuration. kInvalid, with the path, when it cannot be understood.
  static Result<ClientConfig> load(const Environment& environment);

  const std::map<std::string, std::string>& values() const { return values_; }
  // An empty value is as good as none.
  std::string get_or(const std::string& key, const std::string& fallback) const;
  // An empty value removes the key, as in Velero.
  void set(const std::string& key, const std::string& value);

  // Readable by the user alone; never half written.
  Status save() const;

 private:
  std::string path_;
  std::map<std::string, std::string> values_;
  std::map<std::string, std::string> others_;  // as JSON
};

}  // namespace landfall::cli
