#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/guarded.h"
#include "plugin/plugin_actions.h"
#include "plugin/plugin_host.h"
#include "plugin/process_slot.h"

namespace landfall::plugin {

// What a Session is made of. Slots are kept by what was opened as well: that is how a process lives as long as its last
// user.
class Session::Core {
 public:
  Core(std::shared_ptr<const HostOptions> options, std::shared_ptr<SocketHome> sockets, Clock& clock,
       io::ProcessRunner& processes, Registry registry, Logger log);

  const HostOptions& options() const { return *options_; }
  std::shared_ptr<ProcessSlot> slot(const std::string& command, bool has_credentials);
  Result<PluginId> find(std::string_view kind, const std::string& name) const;
  // Those of a kind and of its newer version, if it has one.
  std::vector<PluginId> all(std::string_view kind, std::string_view newer_kind, bool without_csi) const;
  ActionParts parts(const PluginId& id);

 private:
  const std::shared_ptr<const HostOptions> options_;
  const std::shared_ptr<SocketHome> sockets_;
  Clock& clock_;
  io::ProcessRunner& processes_;
  const Registry registry_;
  const Logger log_;
  const std::shared_ptr<OwnerText> owners_;
  Guarded<std::map<std::string, std::shared_ptr<ProcessSlot>>> slots_;
};

}  // namespace landfall::plugin
