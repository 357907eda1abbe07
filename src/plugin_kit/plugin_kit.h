#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/environment.h"
#include "base/log.h"
#include "base/result.h"
#include "extension/item_action.h"
#include "extension/object_store.h"
#include "extension/volume_snapshotter.h"

// Everything that a plugin for Landfall or Velero is written with: implement the interfaces of src/extension, and
//
//   int main(int argc, char** argv) {
//     return landfall::plugin_kit::serve(argc, argv, [](Plugins& plugins, const Context& context) {
//       plugins.add(std::make_unique<MyBackupAction>(context.log));
//     });
//   }
//
// The rest (handshake, listing, gRPC, logs, errors, the end) is done here. docs/plugins.md is the page to begin with.
namespace landfall::plugin_kit {

// The config of a storage location or a snapshot location. An object store also gets "bucket", "prefix" and, where the
// location has one, "caCert"; either gets "credentialsFile". Keys of objects have the prefix in them already.
using Config = std::map<std::string, std::string>;
using MakeObjectStore = std::function<Result<std::unique_ptr<extension::ObjectStore>>(const Config& config)>;
using MakeVolumeSnapshotter =
    std::function<Result<std::unique_ptr<extension::VolumeSnapshotter>>(const Config& config)>;

// What the program was started with.
struct Context {
  Logger log;  // to the log of the backup or restore, by the host
  Environment environment;
  Clock& clock;
  std::string program;                // argv[0]
  std::vector<std::string> features;  // --features of the server
};

// Which of two versions of the protocol an action is offered in. Operations that go on after the call, and waiting for
// additional items, need the second. kByNeed: the second for an action with a waitable(), else the first.
enum class ActionVersion { kByNeed, kFirst, kSecond };

// What a program offers. Names are "example.com/name"; one that is not, or is there already in its kind, is left out
// and complained of in the log.
class Plugins {
 public:
  explicit Plugins(const Context& context);
  ~Plugins();
  Plugins(const Plugins&) = delete;
  Plugins& operator=(const Plugins&) = delete;

  // Made when the host says with which config, anew each time it does.
  void add_object_store(const std::string& name, MakeObjectStore make);
  // One whose progress calls return kUnsupported is a plugin without the optional service.
  void add_volume_snapshotter(const std::string& name, MakeVolumeSnapshotter make);
  // Under the names that they have.
  void add(std::unique_ptr<extension::BackupItemAction> action, ActionVersion version = ActionVersion::kByNeed);
  void add(std::unique_ptr<extension::RestoreItemAction> action, ActionVersion version = ActionVersion::kByNeed);
  void add(std::unique_ptr<extension::DeleteItemAction> action);
  void add(std::unique_ptr<extension::ItemBlockAction> action);

  struct Registry;
  Registry& registry() { return *registry_; }

 private:
  std::unique_ptr<Registry> registry_;
};

// Offers what `add` adds to the host that has started this program, until that says it is enough or is gone. Returns
// the exit code: 0, or 1 after saying on standard error what is wrong, as when no host has started it.
//
// Calls come in on several threads at once. Errors reach the host with their messages; a stop asked for means that the
// host has lost interest. What is printed to standard output is taken for a line of the log.
int serve(int argc, char** argv, const std::function<void(Plugins& plugins, const Context& context)>& add);

}  // namespace landfall::plugin_kit
