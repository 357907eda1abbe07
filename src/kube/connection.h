#pragma once

#include <memory>
#include <stop_token>
#include <string>

#include "base/clock.h"
#include "base/environment.h"
#include "base/log.h"
#include "base/result.h"
#include "io/http_client.h"
#include "io/process.h"
#include "kube/config.h"

namespace landfall::kube {

// Who we are towards the API server at one moment.
struct Identity {
  std::shared_ptr<io::HttpClient> http;  // trusts the cluster's authority, shows our certificate
  io::HttpTlsOptions tls;                // the same, for connections that are not plain HTTP (exec, port-forward)
  io::HttpHeaders headers;               // Authorization and Impersonate-*; secrets
};

// Keeps an identity fresh: tokens in files are read again when they change, certificates in files too, an exec plugin
// is asked again before its credential expires. Thread-safe; no call blocks others while a plugin runs longer than
// needed.
class Connection {
 public:
  // Reads files and checks them; does not connect and runs no plugin. What it refers to must outlive it.
  static Result<std::unique_ptr<Connection>> create(Config config, Environment environment,
                                                    io::ProcessRunner& processes, Clock& clock, Logger log);
  ~Connection();
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  // "https://10.0.0.1:6443/prefix", without a slash at the end.
  const std::string& server() const;
  const Config& config() const;

  // The identity to use now. Cheap as long as nothing is due. kTimeout at the deadline, also when a plugin is running.
  Result<std::shared_ptr<const Identity>> identity(const std::stop_token& stop, SteadyTime deadline = kNever);

  // The server answered 401 to this identity. True when the next identity() may be another one, so that trying once
  // more makes sense (a plugin, a file that may have changed).
  bool reject(const std::shared_ptr<const Identity>& identity);

 private:
  struct Impl;
  explicit Connection(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace landfall::kube
