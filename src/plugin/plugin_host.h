#pragma once

#include <chrono>
#include <map>
#include <memory>
#include <set>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/log.h"
#include "base/result.h"
#include "extension/item_action.h"
#include "extension/object_store.h"
#include "extension/volume_snapshotter.h"
#include "io/process.h"

// Runs Velero's plugins: programs that serve implementations of our extension interfaces by gRPC.
namespace landfall::plugin {

namespace kind {
inline constexpr std::string_view kObjectStore = "ObjectStore";
inline constexpr std::string_view kVolumeSnapshotter = "VolumeSnapshotter";
inline constexpr std::string_view kBackupItemAction = "BackupItemAction";
inline constexpr std::string_view kBackupItemActionV2 = "BackupItemActionV2";
inline constexpr std::string_view kRestoreItemAction = "RestoreItemAction";
inline constexpr std::string_view kRestoreItemActionV2 = "RestoreItemActionV2";
inline constexpr std::string_view kDeleteItemAction = "DeleteItemAction";
inline constexpr std::string_view kItemBlockAction = "ItemBlockAction";
}  // namespace kind

// One implementation, and the program that has it.
struct PluginId {
  std::string kind;
  std::string name;  // "velero.io/aws"
  std::string command;

  friend bool operator==(const PluginId&, const PluginId&) = default;
};

// What was found in a directory of plugins, in the order of their files.
struct Registry {
  std::vector<PluginId> plugins;
  std::vector<std::string> warnings;  // what is not used, and why

  const PluginId* find(std::string_view kind, std::string_view name) const;
  std::vector<std::string> names(std::string_view kind) const;
};

struct HostOptions {
  std::map<std::string, std::string> environment;  // that of this process; plugins see it less what is denied
  std::set<std::string> denied;                    // variables that no plugin sees, beside those of the protocol
  std::string temp_dir = "/tmp";                   // sockets are made in private directories below it
  LogLevel log_level = LogLevel::kInfo;
  std::vector<std::string> features;

  Duration start_limit = std::chrono::seconds(60);       // from the start to the handshake
  Duration first_call_limit = std::chrono::seconds(60);  // ListPlugins, Init, AppliesTo
  Duration shutdown_limit = std::chrono::seconds(1);     // for the answer to Shutdown
  Duration exit_limit = std::chrono::seconds(2);         // and then until it is killed
};

using Config = std::map<std::string, std::string>;

// The plugins of one use, which is one operation: a program is started when it is first needed, once, and ended with
// the last of what was opened here. A program that has died is started again before the next call and told again what
// it was told first; a call under way when it dies fails at once. What plugins log goes to the logger.
//
// A process keeps one configuration for each name, so that two locations of one provider must not share a Session.
// Calls that open something are not to run beside each other; all else is thread-safe. Errors name the plugin and hold
// what it says.
class Session {
 public:
  class Core;
  explicit Session(std::shared_ptr<Core> core);
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;
  Session(Session&&) noexcept;
  Session& operator=(Session&&) noexcept;
  ~Session();

  // kUnsupported when there is none of that name. What is returned keeps what it needs of the Session.
  Result<std::unique_ptr<extension::ObjectStore>> object_store(const std::string& name, const Config& config,
                                                               const std::stop_token& stop);
  Result<std::unique_ptr<extension::VolumeSnapshotter>> volume_snapshotter(const std::string& name,
                                                                           const Config& config,
                                                                           const std::stop_token& stop);
  // All of them, by name; of a name in both versions the second. With `without_csi` those are left out that Velero
  // leaves out unless EnableCSI is given.
  Result<std::vector<std::unique_ptr<extension::BackupItemAction>>> backup_item_actions(bool without_csi,
                                                                                        const std::stop_token& stop);
  Result<std::vector<std::unique_ptr<extension::RestoreItemAction>>> restore_item_actions(bool without_csi,
                                                                                          const std::stop_token& stop);
  Result<std::vector<std::unique_ptr<extension::DeleteItemAction>>> delete_item_actions(bool without_csi,
                                                                                        const std::stop_token& stop);
  Result<std::vector<std::unique_ptr<extension::ItemBlockAction>>> item_block_actions(bool without_csi,
                                                                                      const std::stop_token& stop);

 private:
  std::shared_ptr<Core> core_;
};

class SocketHome;

// Finds plugins and makes Sessions. Clock and runner outlive it and all that comes from it. Thread-safe.
class Host {
 public:
  Host(HostOptions options, Clock& clock, io::ProcessRunner& processes);
  Host(const Host&) = delete;
  Host& operator=(const Host&) = delete;
  ~Host();

  // Asks every program below the directory what it has. Whatever is wrong with one of them is a warning, logged as
  // well: files that are no programs, programs that are no plugins, kinds and names that nobody knows, names that are
  // taken (the first counts). No directory: no plugins. A stop ends it with what was found.
  Registry discover(const std::string& directory, const Logger& log, const std::stop_token& stop) const;

  // Nothing is started yet.
  Session session(const Registry& registry, const Logger& log) const;

 private:
  std::shared_ptr<const HostOptions> options_;
  std::shared_ptr<SocketHome> sockets_;
  Clock& clock_;
  io::ProcessRunner& processes_;
};

}  // namespace landfall::plugin
