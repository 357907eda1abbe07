#pragma once

#include <grpcpp/channel.h>
#include <grpcpp/client_context.h>

#include <memory>
#include <optional>
#include <set>
#include <stop_token>
#include <string>
#include <string_view>
#include <thread>

#include "base/guarded.h"
#include "base/log.h"
#include "base/result.h"
#include "go_plugin/support.grpc.pb.h"
#include "io/process.h"
#include "io/temp_dir.h"
#include "landfall/volume_snapshotter_progress.grpc.pb.h"
#include "plugin/log_line.h"
#include "plugin/plugin_host.h"
#include "plugin/socket_home.h"
#include "plugin_protocol/handshake.h"
#include "velero/backup_item_action.grpc.pb.h"
#include "velero/delete_item_action.grpc.pb.h"
#include "velero/object_store.grpc.pb.h"
#include "velero/plugin_lister.grpc.pb.h"
#include "velero/restore_item_action.grpc.pb.h"
#include "velero/v1/item_block_action.grpc.pb.h"
#include "velero/v2/backup_item_action.grpc.pb.h"
#include "velero/v2/restore_item_action.grpc.pb.h"
#include "velero/volume_snapshotter.grpc.pb.h"

namespace landfall::plugin {

// Made once for a process: to make one costs more than a call.
struct Stubs {
  explicit Stubs(const std::shared_ptr<grpc::Channel>& channel);

  std::unique_ptr<generated::PluginLister::Stub> lister;
  std::unique_ptr<generated::ObjectStore::Stub> object_store;
  std::unique_ptr<generated::VolumeSnapshotter::Stub> snapshotter;
  std::unique_ptr<generated::BackupItemAction::Stub> backup;
  std::unique_ptr<v2::BackupItemAction::Stub> backup_v2;
  std::unique_ptr<generated::RestoreItemAction::Stub> restore;
  std::unique_ptr<v2::RestoreItemAction::Stub> restore_v2;
  std::unique_ptr<generated::DeleteItemAction::Stub> deletion;
  std::unique_ptr<::v1::ItemBlockAction::Stub> item_block;
  std::unique_ptr<v1::VolumeSnapshotterProgress::Stub> progress;
  std::unique_ptr<::plugin::GRPCController::Stub> controller;
  std::unique_ptr<::plugin::GRPCStdio::Stub> stdio;
};

struct ProcessStart {
  std::string command;
  bool has_credentials = false;
  std::shared_ptr<const HostOptions> options;
  std::shared_ptr<SocketHome> sockets;
  Clock& clock;
  io::ProcessRunner& processes;
  Logger log;
};

// A plugin that runs, from its handshake to its end. Ends with it: asked to (Shutdown), killed when it does not.
// Thread-safe.
class PluginProcess {
 public:
  // Starts the program and waits for its handshake. The error says how it ended, or what it printed instead.
  static Result<std::shared_ptr<PluginProcess>> start(const ProcessStart& start, const std::stop_token& stop);
  explicit PluginProcess(const ProcessStart& start, io::TempDir directory);
  PluginProcess(const PluginProcess&) = delete;
  PluginProcess& operator=(const PluginProcess&) = delete;
  ~PluginProcess();

  const Stubs& stubs() const { return *stubs_; }
  const std::string& command() const { return command_; }
  bool has_ended() const;
  // How it ended. A connection breaks a little before its process has ended: that little is waited for.
  std::optional<std::string> ending() const;

  // A call under way: a stop cancels it, and so does the end of the process, whoever may hold its socket then.
  class Call {
   public:
    // No limit: zero.
    Call(PluginProcess& process, const std::stop_token& stop, Duration limit = {});
    Call(const Call&) = delete;
    Call& operator=(const Call&) = delete;
    ~Call();
    grpc::ClientContext& context() { return context_; }

   private:
    struct Cancel {
      grpc::ClientContext* context;
      void operator()() const { context->TryCancel(); }
    };
    PluginProcess& process_;
    grpc::ClientContext context_;
    std::stop_callback<Cancel> on_stop_;
  };

 private:
  struct State {
    std::optional<std::string> first_line;
    std::optional<std::string> ending;
  };
  struct Calls {
    std::set<grpc::ClientContext*> under_way;
    bool has_ended = false;
  };

  void run(const std::stop_token& until);
  void log_line(std::string_view line);
  Result<plugin_protocol::Handshake> wait_for_handshake(const std::stop_token& stop);
  void connect(const plugin_protocol::Handshake& handshake);
  void drain_stdio();

  const std::string command_;
  const std::shared_ptr<const HostOptions> options_;
  const std::shared_ptr<SocketHome> sockets_;
  Clock& clock_;
  io::ProcessRunner& processes_;
  const Logger log_;
  const io::TempDir directory_;
  io::ProcessSpec spec_;
  LogLineReader lines_;     // of the thread that runs it
  std::string last_words_;  // likewise
  mutable Monitor<State> state_;
  Guarded<Calls> calls_;
  std::unique_ptr<Stubs> stubs_;
  grpc::ClientContext stdio_context_;
  // The kernel ends the program with the thread that has started it.
  std::jthread runner_;
  std::jthread stdio_;
};

}  // namespace landfall::plugin
