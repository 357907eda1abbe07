#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "api/names.h"
#include "archive/spooled_archive.h"
#include "base/environment.h"
#include "bucket/verify.h"
#include "json/json_fwd.h"
#include "kube/client.h"
#include "kube/resource.h"
#include "location/opened_location.h"
#include "server/options.h"
#include "stories/running_server.h"

namespace landfall::stories {

// A cluster with Landfall installed: the velero.io kinds, a namespace, a location `default` on a directory, and a
// server. What it does is what users do: it creates objects and looks what becomes of them. Throws what goes wrong.
class Stage {
 public:
  struct Settings {
    std::string name_space = "velero";
    std::filesystem::path bucket;  // a directory that exists
    server::ServerOptions options;
    Environment environment;  // of the server, and of the plugins that it runs
  };
  // The client must outlive it.
  Stage(kube::Client& client, const Settings& settings);

  kube::Client& client() const { return client_; }
  const std::string& name_space() const { return name_space_; }
  const RunningServer& server() const { return *server_; }
  // The server ends, in the middle of whatever it does, and another one begins.
  void restart_server();

  kube::Resource objects(const api::Kind& kind) const { return {client_, kind.resource(), name_space_}; }
  // In the namespace of the server, with what `kubectl create -f` needs filled in.
  json::Json create(const api::Kind& kind, const std::string& name, const json::Json& spec) const;
  // Empty when there is none.
  std::string phase(const api::Kind& kind, const std::string& name) const;
  bool exists(const api::Kind& kind, const std::string& name) const;

  // Creates a Backup and waits for its end; the Backup as it is then.
  json::Json back_up(const std::string& name, const json::Json& spec) const;
  // Waits until the Backup is in a phase that it stays in.
  json::Json await_end(const std::string& name) const;

  bucket::BackupStore& backups() const { return location_->backups(); }
  archive::SpooledArchive archive(const std::string& backup) const;
  bucket::VerifyReport verify(const std::string& backup) const;
  // A document of the backup; null when there is none.
  json::Json document(const std::string& backup, bucket::BackupArtifact artifact) const;
  // Every file in the bucket, as "backups/b/b.tar.gz", in order.
  std::vector<std::string> files() const;

 private:
  void install() const;
  void add_location() const;

  kube::Client& client_;
  const std::string name_space_;
  const std::filesystem::path bucket_;
  const Environment environment_;
  const server::ServerOptions options_;
  std::unique_ptr<location::OpenedLocation> location_;
  std::unique_ptr<RunningServer> server_;  // last: ends before what it uses
};

}  // namespace landfall::stories
